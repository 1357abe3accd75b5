#pragma once
// Can the length of a token be told from its first byte? Then many tokens are found at once: fixed widths by
// multiplication, the others by composing a small automaton over the bytes (strategy `lanes`).
//
//   read %c fixed u8                        FirstByte: 1 byte, or 2 when c is 255; 2 states
//   if (eq %c 255) read %v fixed u8
#include <cstdint>

#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct Boundaries {
  enum class Kind : std::uint8_t {
    Fixed,            // every token has `max_bits` bits
    FirstByte,        // a multiple of 8 bits that the first byte tells; an automaton of `states` states
    FirstByteVarint,  // as FirstByte, but varints whose end the continuation bits show may follow (fields: `varints`)
    Scan,             // only decoding the token tells
    None,             // a step reads nothing: there are no tokens in the input
  };
  Kind kind = Kind::Scan;
  std::uint64_t max_bits = 0;  // Fixed, FirstByte
  std::uint64_t varints = 0;   // FirstByteVarint: most varints in one token
  std::uint64_t states = 0;    // bytes of the longest token, a varint counted as one: positions inside a token
  ReasonChain why;             // Scan: the first statement that stands in the way
};

// Of one step of the loop, which stands in rules[rule]. Conservative: Scan unless proven.
Boundaries boundaries_of(const ir::Module& module, const ir::Stmt& loop, std::uint32_t rule);

}  // namespace sluice::analysis
