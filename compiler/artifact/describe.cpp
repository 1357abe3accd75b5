#include <fmt/format.h>

#include "compiler/artifact/artifact.h"
#include "compiler/ir/error_text.h"

namespace sluice::artifact {

std::string describe(const Format& format, std::uint64_t word, std::uint64_t chunk) {
  if (word == 0) return "ok";
  for (const Site& site : format.sites)
    if (site.rule == ir::error_rule(word) && site.clause == ir::error_clause(word))
      return ir::at_bit_of_chunk(site.text, word, chunk, format.reads_dictionary);
  // Of the call, and not of this format: artifacts of any age know them.
  for (const ir::CallError& error : ir::call_errors())
    if (word == ir::call_word(error.clause)) return ir::at_bit_of_chunk(ir::describe_call(format.name, error), word, chunk, false);
  return ir::unknown_word(format.name, word, chunk);
}

}  // namespace sluice::artifact
