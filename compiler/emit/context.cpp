#include "compiler/emit/context.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>


namespace sluice::emit {

std::string stored(ir::Type t) { return fmt::format("{}{}", t.is_signed ? 'i' : 'u', 8 * stored_bytes(t)); }

std::string Context::place(Span span) const {
  if (sources == nullptr || span.length == 0) return "";
  std::string name = std::filesystem::path(sources->name(span.file)).filename().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';  // it stands in a comment
  const std::uint32_t line = sources->line_col(span).line;
  return name.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", name, line);
}

std::string Context::rule(std::uint32_t r) const {
  return spec_name(Role::Rule, r, module.rules[r].name);
}
std::string Context::local(std::uint32_t r, std::uint32_t slot) const {
  return spec_name(Role::Local, slot, module.rules[r].slots[slot].name);
}
std::string Context::global(std::uint32_t g) const {
  return spec_name(Role::Global, g, module.globals[g].name);
}
std::string Context::array(std::uint32_t a) const {
  return spec_name(Role::Array, a, module.arrays[a].name);
}
std::string Context::table(std::uint32_t t) const {
  return spec_name(Role::Table, t, module.tables[t].name);
}
std::string Context::ranges(std::uint32_t r) const {
  return spec_name(Role::Ranges, r, module.ranges[r].name);
}
std::string Context::extras(std::uint32_t s) const {
  return spec_name(Role::Extras, s, module.states[s].name);
}
bool Context::packs(std::uint32_t r) const {
  return cuda() && std::ranges::all_of(module.ranges[r].base, [](std::uint64_t b) { return b >> kRangeShift == 0; }) &&
         std::ranges::all_of(module.ranges[r].extra, [](std::uint8_t n) { return n >> (32 - kRangeShift) == 0; });
}
Context::RangeText Context::range_at(std::uint32_t r, const std::string& name, const std::string& index) const {
  const std::string table = ranges(r);
  if (!packs(r)) return {"", fmt::format("{}_extra[{}]", table, index), fmt::format("{}_base[{}]", table, index)};
  return {fmt::format("const u32 {} = {}[{}];", name, table, index), fmt::format("{} >> {}", name, kRangeShift),
          fmt::format("({} & 0x{:x})", name, (1u << kRangeShift) - 1)};
}
std::string Context::code(std::uint32_t c) const {
  return spec_name(Role::Code, c, module.codes[c].name);
}
std::string Context::buffer(std::uint32_t b) const {
  return spec_name(Role::Buffer, b, module.buffers[b].name);
}
std::string Context::buffer_start(std::uint32_t b, std::string_view scratch) const {
  return views[b] ? fmt::format("{} + s.buffer_from[{}]", cuda() ? format("prim::global(s.in)") : "s.in", b)
                  : fmt::format("{}->{}", scratch, buffer(b));
}
std::string Context::buffer_element(std::uint32_t b, std::string_view scratch, std::string_view index) const {
  return format("prim::buffer_element<{}>({}, s.buffer_count[{}], {})", module.output.bits / 8u, buffer_start(b, scratch), b, index);
}
std::size_t Context::elsewhere(const ir::Stmt& within) const {
  return static_cast<std::size_t>(std::ranges::find(moves, &within) - moves.begin());
}

std::string Context::symbols(std::uint32_t s) const {
  return spec_name(Role::Symbols, s, module.symbols[s].name);
}
std::string Context::site(ir::SiteId s) const { return spec_name(Role::Site, s, module.sites[s].name); }
std::string Context::entry_type(plan::EntryForm form) const {
  return form == plan::EntryForm::Wide ? "u32" : form == plan::EntryForm::Narrow ? format("prim::NarrowEntry") : format("prim::TinyEntry");
}
std::string Context::entry_that_leaves(plan::EntryForm form) const {
  return form == plan::EntryForm::Wide ? "prim::kKindLeave" : form == plan::EntryForm::Narrow ? format("prim::narrow_entry(prim::kKindLeave)") : format("prim::tiny_entry(prim::kKindLeave)");
}

std::string Context::lookup(std::uint32_t c, std::size_t number) const {
  return spec_name(Role::Lookup, static_cast<std::uint32_t>(number), module.codes[c].name);
}

}  // namespace sluice::emit
