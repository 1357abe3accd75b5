#include "runtime/jit/ptxas_log.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sluice::runtime {
namespace {

// The text after `mark`, or nothing.
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  const auto at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + mark.size());
}

// The number that stands before `unit`: "160 bytes smem" and " bytes smem" give 160.
void number_before(std::string_view line, std::string_view unit, unsigned& value) {
  const auto end = line.find(unit);
  if (end == std::string_view::npos) return;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  unsigned found = 0;
  if (std::from_chars(line.data() + begin, line.data() + end, found).ec == std::errc()) value = found;
}

KernelResources& entry_of(std::vector<KernelResources>& list, std::string_view name) {
  const auto it = std::ranges::find(list, name, &KernelResources::name);
  if (it != list.end()) return *it;
  list.emplace_back().name = name;
  return list.back();
}

}  // namespace

std::vector<KernelResources> parse_ptxas_log(std::string_view log) {
  std::vector<KernelResources> list;
  std::string kernel, function;  // whose "Used ... registers" and "... stack frame" lines come next
  while (!log.empty()) {
    const auto end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (const auto name = after(line, "Compiling entry function '")) {
      kernel = name->substr(0, name->find('\''));
      entry_of(list, kernel).kernel = true;
    } else if (const auto of = after(line, "Function properties for ")) {
      function = of->substr(0, of->find_first_of(" \r"));
    } else if (line.find(" bytes stack frame") != std::string_view::npos && !function.empty()) {
      KernelResources& entry = entry_of(list, function);
      number_before(line, " bytes stack frame", entry.stack);
      number_before(line, " bytes spill stores", entry.spill_stores);
      number_before(line, " bytes spill loads", entry.spill_loads);
    } else if (after(line, ": Used ") && !kernel.empty()) {
      KernelResources& entry = entry_of(list, kernel);
      number_before(line, " registers", entry.registers);
      number_before(line, " barriers", entry.barriers);
      number_before(line, " bytes cumulative stack size", entry.stack);
      number_before(line, " bytes smem", entry.shared);
      number_before(line, " bytes cmem[0]", entry.constant);
    }
  }
  return list;
}

const KernelResources* find_kernel(const std::vector<KernelResources>& list, std::string_view name) {
  const auto it =
      std::ranges::find_if(list, [&](const KernelResources& entry) { return entry.kernel && entry.name == name; });
  return it == list.end() ? nullptr : &*it;
}

}  // namespace sluice::runtime
