#pragma once
// The reference interpreter: the meaning of ir.h as a program. It reads one bit at a time and takes no short cut;
// every other target must give the same error word, the same `produced` and the same bytes. Written rules: ../ir/ir.md.
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/ir/count_mode.h"
#include "compiler/ir/ir.h"

namespace sluice::interp {

struct Room {  // for a further output: as `out` and `capacity_elements` of a job
  std::span<std::uint8_t> out = {};
  std::uint64_t capacity_elements = 0;
};

// One chunk to decode. Nothing outside these spans is read or written; no alignment is required.
struct Job {
  std::span<const std::uint8_t> in = {};
  std::span<std::uint8_t> out = {};       // bytes; elements are stored little-endian
  std::uint64_t capacity_elements = 0;    // never more than `out` holds: the smaller of the two counts
  std::span<const std::uint8_t> dictionary = {};  // preset dictionary; ignored unless the format declares one
  std::span<const std::uint64_t> args = {};  // run-time arguments in declaration order; missing ones take their default
  std::span<const Room> further = {};  // of each further output, in order of declaration; none at all for those not given
  const bool* stop = nullptr;  // looked at after every statement: when true, the decode ends there as if by `accept`
};

// Error word of a module that breaks a promise of ir.h (an unchecked index, a failure without a site), or of a
// count asked of a module that `ir::count_plan` says cannot be counted. No site has rule 1023 and clause 16383.
inline constexpr std::uint64_t kBrokenModule = ~std::uint64_t{0};

struct Result {
  std::uint64_t error = 0;     // ir::error_word, 0 on success
  std::uint64_t produced = 0;  // elements; on failure those made before the failing statement
  std::uint64_t consumed = 0;  // bytes, rounded up: to the end position, or to the error's position
  std::array<std::uint64_t, ir::kMaxFurtherOutputs> further = {};  // elements of each further output; on failure likewise
  ir::SiteId site = ir::kNoSite;  // that refused; for no_room: the action that lacked it
};

// One step of a decode, in the order of execution.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    Field,     // a Read: value, bits
    Let,       // a local, global or array element was set: value (array: count = index)
    Emit,      // value
    Literals,  // count elements, bits = their input
    Run,       // value = first element, count
    Copy,      // value = distance, count = length
    Build,     // value = symbols that have a code, or states; count = lengths or counts given
    Align,     // bits skipped
    Skip,      // bits skipped
    Region,    // a Within begins: count = its bytes, or bits when the statement counts bits
    Producing, // a Producing begins: count = its outputs
    Into,      // an Into begins: outputs go to the buffer, or the further output, called `name`
    Filled,    // it ends: count = elements of the buffer, or those that the output has got
    Stage,     // a buffer was transformed: name = the buffer, count = its elements
    Buffer,    // a buffer is output: name = the buffer, value = its elements, count = outputs (runs expanded)
    Symbol,    // a symbol was read (bits) or is output (bits 0): name = the table, value = entry, count = bytes
    Enter,     // a rule begins (the first event is main's)
    Leave,     // a rule ends; value = its result, if it has one
    Accept,    // the chunk ended by an `accept` clause
    Error,     // bit = the error's position, site
  };
  Kind kind = Kind::Field;
  std::uint32_t rule = 0;             // index into Module::rules
  const ir::Stmt* stmt = nullptr;     // null for the entry of main
  std::string_view name = {};         // of the field, local, clause or rule; may be empty
  std::uint64_t bit = 0;              // position where the statement started
  std::uint64_t bits = 0;             // input it used
  std::uint64_t value = 0;
  ir::Type type = {};                 // of value
  std::uint64_t output = 0;           // outputs before the statement: of what the Into around fills, else of the chunk
  std::uint64_t count = 0;
  std::uint32_t depth = 0;            // calls around it; main is 0
  ir::SiteId site = ir::kNoSite;      // Error
  // Contents of the buffer the statement's output goes to, words of the output type; null: to Job::out. Valid
  // until the next event.
  const std::vector<std::uint64_t>* into = nullptr;
  // The further output that the statement's output goes to, if it goes to one, its room from the element on from which
  // `output` counts, and the type of its elements.
  std::uint32_t further = ir::Stmt::kNoSlot;
  std::span<const std::uint8_t> further_out = {};
  ir::Type element = {};
};
using Tracer = std::function<void(const TraceEvent&)>;

// Decodes one chunk. The module must have passed ir::verify. Thread-safe: shares nothing between calls.
Result interpret(const ir::Module& module, const Job& job, const Tracer& tracer = {});

// Decodes without storing (but buffers are stored): `limit` is the capacity in elements, checks that need output bytes
// are taken as passed (see compiler/ir/count_mode.h). `produced` is the size `interpret` needs.
Result count(const ir::Module& module, std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary = {},
             std::span<const std::uint64_t> args = {}, std::uint64_t limit = ir::kMaxCapacity);

}  // namespace sluice::interp
