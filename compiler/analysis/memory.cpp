#include "compiler/analysis/memory.h"

#include <bit>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {

Memory memory_of(const ir::Module& module) {
  Memory memory;
  for (const ir::Array& array : module.arrays) {
    const std::uint64_t element = std::bit_ceil((array.elem.bits + 7u) / 8u);
    memory.parts.push_back(
        {array.name, count_of(array.count, "element") + " of " + count_of(element, "byte"), array.count * element});
  }
  for (const ir::Code& code : module.codes) {
    const std::uint64_t entries = std::uint64_t{1} << code.max_bits;
    std::string formula = "2^" + std::to_string(code.max_bits) + " entries of " + count_of(kTableEntryBytes, "byte");
    if (code.copies > 1) formula = std::to_string(code.copies) + " tables of " + formula;
    memory.parts.push_back({code.name, std::move(formula), code.copies * entries * kTableEntryBytes});
  }
  for (const Memory::Part& part : memory.parts) memory.bytes += part.bytes;
  return memory;
}

}  // namespace sluice::analysis
