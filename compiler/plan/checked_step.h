#pragma once
// The checked path as data: in which form a rule's statements are done there, where the statement alone does not say it.
// Made by checked.h; the other statements have one form, which is their text (compiler/emit/checked.h).
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace sluice::plan {

// A field of whole bytes in a stream of bits: the position is tested first.
struct AlignedRead {};

enum class Together : std::uint8_t {
  Bytes,    // at once, from input to output
  Fields,   // one a lane, then one after the other what is left of them
  Varints,  // likewise
};
struct CheckedLiterals {
  Together form = Together::Bytes;
};

// A condition over a checksum of the output, which in count mode nobody has.
struct OutputCheck {
  bool left_out = false;  // and without checksums neither has a decoder
};

struct CheckedLoop {
  std::optional<std::uint32_t> tokens;  // a loop of the plan, by number, which takes what it can before each step
  bool watched = false;                 // a step that does nothing is refused
  bool started = false;                 // where its rule's call is one of several whose streams are begun together, it goes on from there
};

// Lanes take its symbols, and leave what is wrong: see symbol_reads.h.
struct ReadSymbols {
  std::uint32_t table = 0;               // of symbols
  std::optional<std::uint32_t> counter;  // the slot that numbers them, which each adds one to; none: their loop does
  std::uint64_t most = 0;                // numbers are below that
  std::uint32_t sizes = 0;               // each has a byte in front that is its size, one of these, a bit each; 0: all are of one
  friend bool operator==(const ReadSymbols&, const ReadSymbols&) = default;
};

// A buffer that is a view of the input: its literals stay where they are.
struct ViewOfInput {};

// A prefix code with look-up tables, which are built beside it.
struct BuiltTables {
  std::vector<std::uint32_t> tables;  // Plan::tables
};

// A call of several in a row, whose streams the first begins together: see streams.h.
struct StreamCall {
  std::uint32_t loop = 0;      // that goes on from there, by number
  std::uint32_t count = 0;     // of how many
  std::uint32_t index = 0;     // it is this one
  std::uint32_t table = 0;     // Plan::tables: that all look up their symbols in
};

struct CheckedStep {
  std::vector<std::uint32_t> path;  // to its statement: statement_at()
  std::variant<AlignedRead, CheckedLiterals, OutputCheck, CheckedLoop, ViewOfInput, BuiltTables, ReadSymbols, StreamCall> what;
};

struct CheckedRule {
  std::uint32_t rule = 0;
  std::vector<std::uint32_t> path;  // of a part: to the region whose body alone is meant
  bool leaves = false;              // its last statement leaves the rule
  bool once = false;                // a kernel's rule that is called at one place, where it stands: note [once]
  std::vector<CheckedStep> steps;   // in the order of their statements
};

}  // namespace sluice::plan
