#include "compiler/emit/names.h"

#include <fmt/core.h>

#include <cctype>

namespace sluice::emit {

std::string spec_name(Role role, std::uint32_t number, std::string_view name) {
  std::string text = fmt::format("{}{}_", kRoles[static_cast<std::size_t>(role)], number);
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return text;
}

std::string belonging(std::string_view word, std::string_view name) { return fmt::format("{}_{}", word, name); }

std::string temporary_name(std::string_view stem, unsigned number) { return fmt::format("{}_{}", stem, number); }

}  // namespace sluice::emit
