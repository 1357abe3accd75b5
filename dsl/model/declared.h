#pragma once
// What a format declares and the statements refer to, where the model and the IR mean the same by it.
#include <cstdint>
#include <optional>
#include <string>

#include "dsl/model/value.h"
#include "dsl/source/span.h"

namespace sluice::model {

enum class Input : std::uint8_t { Bytes, BitsLsb, BitsMsb };

// Of a field: as the stream has its bits, or whole bytes in an order of their own.
enum class ByteOrder : std::uint8_t { Stream, Little, Big };

// Code lengths that leave codes unused. Single: only a lone code of length 1, or no code at all.
enum class Incomplete : std::uint8_t { Refuse, Single, Accept };

// Whole-buffer transforms of a Stmt. The buffer is `ref`.
enum class StageKind : std::uint8_t {
  InverseMtf,  // each element is a position in a list that starts as arrays[array][0 .. b) (no array: 0, 1, ... 255)
               // and becomes what stands there, which moves to the front; a position past the list: OutOfRange
  InverseBwt,  // inverse Burrows-Wheeler transform of the last column; a: row of the original; a >= count: OutOfRange
  PrefixSum,   // element i becomes a + the sum of elements 0..i, wrapping in the element's type
  Add,         // a is added to each element, wrapping (frame of reference)
  Gather,      // each element is an index into buffers[array]; past its count: OutOfRange
};

// What is output of a buffer, and in which order.
enum class BufferForm : std::uint8_t {
  All,            // its elements
  Runs,           // its elements, runs of them expanded
  Unshuffled,     // bytes of elements of `a` bytes, of which the buffer holds all first bytes, then all second ones, ...
  BitUnshuffled,  // likewise bits: of eight elements a byte; of the elements only whole groups of eight
  Slice,          // `b` of its elements, from number `a` on
};

struct Array {  // chunk state, zero at the start
  std::string name;
  value::Type elem;
  std::uint32_t count = 0;
};

struct Code {  // a prefix code
  std::string name;
  std::uint32_t symbols = 0;  // symbols are 0 .. symbols-1
  std::uint8_t max_bits = 15;
  std::uint32_t copies = 1;  // an array of codes when > 1
  Incomplete incomplete = Incomplete::Refuse;
  bool longest_first = false;  // codes are handed out from the longest on; none is unused then
};

// A state code: a table of states, each of which says a symbol and how the next state is read.
//   entry of a state = what is added to the bits that are read << 20 | symbol << 12 | 6 bits that a target may use << 6 | how many they are
inline constexpr unsigned kStateBaseShift = 20, kStateSymbolShift = 12, kStateExtraShift = 6;
inline constexpr std::uint64_t kStateBitsMask = 15, kStateExtraMask = 63;
inline constexpr std::uint64_t kMaxStateLog = 12;       // of states: what is added, and its widths, fit an entry
inline constexpr std::uint64_t kMaxStateSymbols = 256;  // a symbol is 8 bits of an entry
struct StateCode {
  std::string name;
  std::uint32_t symbols = 0;  // symbols are 0 .. symbols-1
  std::uint8_t max_log = 0;   // at most 1 << max_log states
  std::uint32_t entries = 0;  // the array of its entries, 1 << max_log of u32; nothing but its `build` writes there
  std::uint32_t log = 0;      // the global, u4, that has the logarithm of the number of states
};

struct Buffer {  // empty at the start
  std::string name;
  std::uint32_t limit = 0;  // most elements, of the output's type
};

inline constexpr std::size_t kMaxFurtherOutputs = 7;  // of a format: what a caller gives for each stands in structs of fixed size
struct Output {  // beside the main one: `output offsets: u32[]`
  std::string name;
  value::Type type;  // of its elements
};

inline constexpr std::uint64_t kMaxSymbolBytes = 8;  // of one entry: it is held in a word
struct Symbols {  // byte strings read from the input; entries never read have no bytes
  std::string name;
  std::uint32_t count = 0;  // entries
};

struct Argument {  // given at run time
  std::string name;
  value::Type type;
  std::uint64_t initial = 0;
};

// `assert FACT [OP BOUND]`, checked by the analyses; no meaning at run time.
struct Assertion {
  std::string fact, op;
  std::optional<std::uint64_t> bound;
  Span span;
};

}  // namespace sluice::model
