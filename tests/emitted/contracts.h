#pragma once
// What the primitives that touch input and output ask of their callers. runtime/prim states each in words at its
// declaration; a primitive with a stream, a source or a pointer into one of them that is not here is a finding.
#include <cstdint>
#include <optional>
#include <string_view>

#include "clang/AST/Expr.h"

namespace sluice::emitted {

enum class Asks : std::uint8_t {
  Nothing,  // it tests its own bounds, or touches no memory
  Bits,     // argument `amount`: so many bits of the stream were tested to be there
  Span,     // a pointer and a length: what lies between a mark and where the stream stands
  Margin,   // positions that were tested against their limit, not longer ago than the limit's margin
};

struct Contract {
  std::string_view name;
  Asks asks = Asks::Nothing;
  int amount = -1;                           // Bits
  int in = -1, out = -1;                     // Margin: arguments that are positions
  std::int64_t in_bytes = 0, out_bytes = 0;  // touched from there on
  int length = -1;        // Margin: an argument that says how much more, elements of the first template argument
  bool elements = false;  // out_bytes and the length count elements
  bool moves = false;     // the position of the input goes on by in_bytes
  bool taken = false;     // it is a token: positions go on where it says that it has been taken
};

// Touched bytes that stand in the primitives themselves, by the constant's name.
inline constexpr std::int64_t kRefill = -1, kPosition = -2, kLane = -3, kUnpack = -4, kReach = -5;

// The contract of a called primitive; nothing: it has none.
[[nodiscard]] std::optional<Contract> contract_of(const clang::FunctionDecl& primitive);

// Bytes that a contract speaks of, for the instantiation that is called.
[[nodiscard]] std::int64_t bytes_of(std::int64_t stated, const clang::FunctionDecl& primitive);

// Template argument `index`, a number; 1 when there is none.
[[nodiscard]] std::int64_t template_number(const clang::FunctionDecl& f, unsigned index);

}  // namespace sluice::emitted
