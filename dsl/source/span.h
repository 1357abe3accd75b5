#pragma once
// A place in a spec: file, byte offset, byte length. Spans travel from the lexer through the IR into error words.
#include <cstdint>

namespace sluice {

struct Span {
  std::uint32_t file = 0;    // index into SourceSet
  std::uint32_t offset = 0;  // first byte
  std::uint32_t length = 0;  // bytes; 0 is a place between two bytes

  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both (same file).
constexpr Span cover(Span a, Span b) {
  const std::uint32_t lo = a.offset < b.offset ? a.offset : b.offset;
  const std::uint32_t ea = a.offset + a.length, eb = b.offset + b.length;
  return {a.file, lo, (ea > eb ? ea : eb) - lo};
}

}  // namespace sluice
