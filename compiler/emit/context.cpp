#include "compiler/emit/context.h"

#include <fmt/core.h>

#include <cctype>

namespace sluice::emit {

std::string identifier(std::string_view name) {
  std::string r;
  for (char c : name) r += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return r;
}

std::string stored(ir::Type t) { return fmt::format("{}{}", t.is_signed ? 'i' : 'u', 8 * stored_bytes(t)); }

std::string Context::rule(std::uint32_t r) const {
  return fmt::format("rule{}_{}", r, identifier(module.rules[r].name));
}
std::string Context::local(std::uint32_t r, std::uint32_t slot) const {
  const std::string name = identifier(module.rules[r].slots[slot].name);
  return fmt::format("{}_{}", name.empty() || name == "_" ? "unnamed" : name, slot);
}
std::string Context::global(std::uint32_t g) const {
  return fmt::format("global_{}_{}", identifier(module.globals[g].name), g);
}
std::string Context::array(std::uint32_t a) const {
  return fmt::format("array_{}_{}", identifier(module.arrays[a].name), a);
}
std::string Context::table(std::uint32_t t) const {
  return fmt::format("kTable_{}_{}", identifier(module.tables[t].name), t);
}
std::string Context::ranges(std::uint32_t r) const {
  return fmt::format("kRanges_{}_{}", identifier(module.ranges[r].name), r);
}
std::string Context::code(std::uint32_t c) const {
  return fmt::format("code_{}_{}", identifier(module.codes[c].name), c);
}
std::string Context::buffer(std::uint32_t b) const {
  return fmt::format("buffer_{}_{}", identifier(module.buffers[b].name), b);
}
std::string Context::buffer_element(std::uint32_t b, std::string_view scratch, std::string_view index) const {
  const std::string start = views[b] ? fmt::format("{} + s.buffer_from[{}]", cuda ? "prim::global(s.in)" : "s.in", b)
                                     : fmt::format("{}->{}", scratch, buffer(b));
  return fmt::format("prim::buffer_element<{}>({}, s.buffer_count[{}], {})", elem_bytes(), start, b, index);
}
std::string Context::symbols(std::uint32_t s) const {
  return fmt::format("symbols_{}_{}", identifier(module.symbols[s].name), s);
}
std::string Context::site(ir::SiteId s) const {
  const ir::Site& site = module.sites[s];
  return fmt::format("kSite{}_{}", s, identifier(site.name));
}

}  // namespace sluice::emit
