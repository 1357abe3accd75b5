#include "compiler/analysis/memory.h"

#include <algorithm>
#include <bit>

#include "compiler/analysis/input_views.h"
#include "compiler/analysis/walk.h"
#include "compiler/ir/table_shape.h"

namespace sluice::analysis {
namespace {

using K = ir::Stmt::Kind;

// By code: do the steps of a token loop read it, calls followed?
class Tabled {
 public:
  explicit Tabled(const ir::Module& module) : codes(module.codes.size()), module_(module), entered_(module.rules.size()) {}

  void block(const ir::Block& block) {
    for_each_stmt(block, [&](const ir::Stmt& stmt) {
      const bool reads = stmt.kind == K::Read || stmt.kind == K::Literals;
      if (reads && stmt.read.kind == ir::ReadSpec::Kind::Code) codes[stmt.read.ref] = true;
      if (stmt.kind != K::Call || entered_[stmt.ref]) return;
      entered_[stmt.ref] = true;
      Tabled::block(module_.rules[stmt.ref].body);
    });
  }

  std::vector<bool> codes;

 private:
  const ir::Module& module_;
  std::vector<bool> entered_;
};

Memory::Part part_of(const ir::Code& code, bool tabled) {
  // Codes of each length, and the symbols in the order of their codes.
  std::uint64_t bytes = 4 * (code.max_bits + 1u) + 2 * std::uint64_t{code.symbols};
  std::string formula = "counts and symbols";
  if (tabled && code.symbols <= ir::kMaxTableSymbols) {
    const std::uint64_t entries = ir::table_entries(code, ir::table_most(code));
    bytes += entries * ir::kTableEntryBytes;
    formula += ", a table of " + std::to_string(entries) + " entries of " + count_of(ir::kTableEntryBytes, "byte");
  }
  if (code.copies > 1) formula = std::to_string(code.copies) + " times " + formula;
  return {code.name, std::move(formula), code.copies * bytes};
}

}  // namespace

Memory memory_of(const ir::Module& module, const std::vector<TokenBudget>& budgets) {
  Memory memory;
  for (const ir::Array& array : module.arrays) {
    const std::uint64_t element = std::bit_ceil((array.elem.bits + 7u) / 8u);
    memory.parts.push_back(
        {array.name, count_of(array.count, "element") + " of " + count_of(element, "byte"), array.count * element});
  }
  Tabled tabled(module);
  for (const TokenBudget& budget : budgets)
    if (budget.is_token && budget.reachable) tabled.block(budget.loop->body);
  for (std::size_t code = 0; code < module.codes.size(); ++code)
    memory.parts.push_back(part_of(module.codes[code], tabled.codes[code]));

  const std::uint64_t element = module.output.bits / 8u;
  const std::vector<bool> views = input_views(module);
  for (std::size_t b = 0; b < module.buffers.size(); ++b) {
    const ir::Buffer& buffer = module.buffers[b];
    if (views[b])
      memory.parts.push_back({buffer.name, "a view of the input", 0});
    else
      memory.parts.push_back({buffer.name, count_of(buffer.limit, "element") + " of " + count_of(element, "byte"),
                              buffer.limit * element});
  }
  for (const ir::Symbols& symbols : module.symbols)
    memory.parts.push_back({symbols.name, count_of(symbols.count, "symbol") + " of 8 bytes and a length",
                            symbols.count * std::uint64_t{ir::kMaxSymbolBytes + 1}});
  std::uint64_t sorted = 0;  // elements of the largest buffer that is
  for (const ir::Rule& rule : module.rules)
    for_each_stmt(rule.body, [&](const ir::Stmt& stmt) {
      if (stmt.kind == K::Stage && stmt.stage == ir::StageKind::InverseBwt)
        sorted = std::max<std::uint64_t>(sorted, module.buffers[stmt.ref].limit);
    });
  if (sorted != 0)
    memory.parts.push_back({"inverse_bwt", count_of(sorted, "link") + " of 4 bytes and a second buffer",
                            sorted * (4 + element)});
  for (const Memory::Part& part : memory.parts) memory.bytes += part.bytes;
  return memory;
}

bool check_memory(const ir::Module& module, DiagSink& sink) {
  const Memory memory = memory_of(module, {});
  if (memory.bytes <= kMaxChunkBytes) return true;
  const auto largest = std::ranges::max_element(memory.parts, {}, &Memory::Part::bytes);
  sink.error(Code::FormatTooLarge, module.rules[0].span,
             "a chunk of this format takes " + count_of(memory.bytes, "byte") + " of memory, more than " +
                 std::to_string(kMaxChunkBytes))
      .help("the largest of its " + count_of(memory.parts.size(), "part") + " is `" + largest->name + "`: " +
            largest->formula + "; buffers and arrays can be used again for something else");
  return false;
}

}  // namespace sluice::analysis
