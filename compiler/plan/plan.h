#pragma once
// The plan: a decoder's token loops and its checked path, as data. Built once from the IR (lower.h); emitters decide nothing.
//
//   loop until_end                        loop 0 of rule 0: tokens, bytes, margins 17 and 40
//     read %0 fixed u8             ->       field %0 bytes u8
//     if (lt %0 128)                        if (lt %0 128)
//       literals fixed u8 (add %0 1)          literals short (add %0 1)
//     else                                  else
//       reject                                leave
//
// A statement says what is done and in which form. Its operands are IR expressions. Values of a token's own (tN) are
// numbered in the order in which the lowering meets them.
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/plan/checked_step.h"
#include "compiler/plan/code_list.h"
#include "compiler/plan/steps.h"
#include "compiler/plan/stream_list.h"
#include "compiler/plan/target.h"

namespace sluice::plan {

// ---- Loops ---------------------------------------------------------------------------------------------------------

// How a loop's steps are done, the best first.
enum class LoopForm : std::uint8_t {
  SideBySide,  // one a lane
  Parts,       // a region each, which a lane decodes by itself
  Unchecked,   // counted, nothing in a token can go wrong: as many as surely fit test their count only
  Burst,       // tokens of known size: so many between two tests of the limits
  Row,         // one test of the limits before a row of symbols
  Token,       // one test of the limits before each token
  Checked,     // every statement tests what it takes
};

// How fields are read from the input.
enum class Reader : std::uint8_t {
  Bytes,     // whole bytes at `in`
  Buffer,    // through a bit buffer that carries what is left of the last load
  Position,  // each where it stands
  Lane,      // through a bit buffer of one lane, whose region may end inside the margins' bytes
};

// Why a loop has no better form.
struct Obstacle {
  std::string reason;
  Span span;         // what stands in the way; empty: the loop
  std::string cure;  // what its author can do; empty: nothing
  LoopForm form = LoopForm::Token;  // the better one
};

struct Row {  // several symbols of one refill
  unsigned symbols = 0;  // before a step's last token
  Value entry = kNoValue;
  std::uint32_t table = 0;
  unsigned first = 0;    // bits of the index
};

// A look-ahead into a buffer that is a view of the input: one for each place that reads.
struct View { std::uint32_t buffer = 0; };

// What a step of form Parts leaves to a lane: the body of a region, whose place the step around it finds out.
//
//   for n < parts                     loop 0 of rule 0: parts core [3 0 0 0 0] reads
//     within size[n] bytes       ->     step %3               what the warp does for each step, in order: places
//       producing 2 * size[n]           own %4                what a lane does: this body, with variables of its own
//         repeat ...
struct Part {
  std::vector<std::uint32_t> core;   // path to the innermost region
  bool counted = false, placeless = false;  // how much it makes is found out first, else its output has a place, too; it may be decoded without one
  bool reads = false, summed = false;  // input, all of its region; where its region begins is a sum of those before it
  unsigned distance_bits = 0;        // of its copies, which wait for the literals of all parts; 0: there are none
  std::vector<std::uint32_t> step;   // slots of the step around it, the loop's index among them
  std::vector<std::uint32_t> reads_slots;  // slots that it reads and does not set
  std::vector<std::uint32_t> own;    // slots that nothing but it sets
};

// Where a token's first byte tells its size, and which parts it has: see first_byte.h.
struct FieldAt {
  Local local;
  std::uint64_t offset = 0;  // bytes from the token's start on
  unsigned bits = 0;
  bool big = false;
  friend bool operator==(const FieldAt&, const FieldAt&) = default;
};
struct FirstByteParts {
  std::vector<FieldAt> fields;  // that they are computed from, besides; in the order of their offsets
  Operand literals, from;       // how many; the offset of the first one
  Operand distance, length;     // of the copy; none: no token has one
};
struct FirstByte {
  Local local;            // it
  Operand told;           // for which ones
  Operand size;           // bytes of the token
  std::uint64_t most = 0; // that are told
  std::optional<FirstByteParts> parts;
};

// Tokens as records, literals and then a copy: see records.h. Or values: see value_records.h.
struct Records {
  std::uint32_t min_token = 0;  // bytes that any takes, or bits
  std::uint64_t max_token = 0;  // bits that any takes, where tokens begin at bits; 0: there is no bound
  bool bits = false;            // tokens begin at bits, and a literal is one value of the token's own
  std::uint64_t reach = 0;    // where tokens begin at bits: elements that copies reach back at most; ~0: any
  std::uint64_t longest = 0;  // elements that a copy has at most; ~0: any
  bool one_part = false, each_part = false, to_end = false;  // no token is literals and a copy; nor any nothing; bytes: one may end with the input
  bool runs = false;            // some is a run; with copies that is an element of the input, and a copy of it
  bool chained = false, moves = false; std::vector<Local> walked, turned, moved, counted;  // each begins as the one before it leaves off: chain.h, and late.h
  std::vector<std::uint32_t> state_walk; std::string no_state_walk;  // walked are states of these codes, and nothing else: state_walk.h; or why not
  std::optional<std::uint32_t> slices;  // the buffer that literals come out of
  std::optional<Values> values;  // each is a value, a run or a list of values: there are no copies
  bool of_outputs = false;  // of tokens that look at those before them, note [late] in late.h: at how much they made, and no more
  std::vector<Local> counters, added, latched;  // what tokens carry
  std::vector<Local> late;                      // what is known late, besides
  std::vector<Local> kept;                      // what late steps read of the token's own
  std::vector<Value> kept_symbols;              // symbols on whose kind late steps depend
  [[nodiscard]] bool has_late() const {
    return of_outputs || !counters.empty() || !added.empty() || !latched.empty() || !turned.empty() || !late.empty() || !kept.empty() || !kept_symbols.empty();
  }
  std::optional<FirstByte> first_byte;
  std::vector<Local> sums;      // of 64 bits, which 32 hold in a tile: note [tile sums] in tile_sums.h
  std::string against;          // why they are none; empty: they are
  Span span;                    // what stands in the way; empty: the loop. Not part of the text
};

// Tokens that each fill the next elements of an array with one value: see fills.h.
struct Fills {
  std::uint32_t array = 0;
  Local next;               // where the token's elements begin: all that a token leaves to the next one
  bool repeats = false;     // the value may be the element before them
  std::uint64_t most_bits = 0;  // of a token
  std::vector<Local> kept;  // what is read of the token's own when those before are known
  friend bool operator==(const Fills&, const Fills&) = default;
};

// A scope of a token: the rule, and for a called one the number that its names carry.
struct Scope {
  std::uint32_t rule = 0;
  Value value = kNoValue;
  std::optional<Local> result;
};

// What stands before the loop because it is the same in every token.
using Hoisted = std::variant<Width, View, Row>;
// note [readings]: a token's body has three. Decoded whole, its steps do what they say. Walked for its size (a loop that
// `counts`, in count mode), everything that moves a position or tests one stays and nothing is stored: printers write the
// same text for both, over a place in the output that may be an address or only a number (runtime/prim/place.h). And the
// checked path does a token from the IR's statements, one that a loop has left or that has no better form.
struct Loop {
  std::uint32_t rule = 0;
  std::vector<std::uint32_t> path;  // to its statement: statement_at()
  ir::LoopKind kind = ir::LoopKind::Forever;
  std::optional<std::uint32_t> index;  // Times: the slot that counts
  LoopForm form = LoopForm::Checked;
  std::vector<Obstacle> obstacles;  // to better forms, the best form's first

  // What follows is of forms other than Checked; of Parts: rule, number, captures and carried.
  std::uint32_t number = 0; std::optional<std::uint32_t> element_bytes;  // among the plan's; where its outputs are not of the module's size
  Reader reader = Reader::Bytes; bool backward = false;  // backward: bits from a region's end, the first one highest
  bool nested = false, aligned = false;  // tokens hold loops of their own, or end at byte boundaries; each starts at one
  bool counts = false;    // its tokens may be walked for their size alone: note [readings]
  bool progress = false, asks_end = false;  // a step may do nothing, which must not go on for ever; asks whether the input ends
  bool few_steps = false, but_last = false;  // Token: held in 32 bits; `i + 1 < count` is no test: the last step is the checked path's
  bool packed = false, direct = false;  // packed: SideBySide, a lane makes 16 bytes of output at once: packed.h; direct: lanes_load()
  Body body;
  Cost cost;              // of a token: the margins hold it
  std::uint64_t in_margin = 0;  // bytes
  std::optional<Row> row;
  std::optional<Part> part;     // Parts: instead of a body
  std::optional<Records> records;  // of a warp
  std::optional<Codes> codes;      // likewise; of a CPU where first bytes tell
  std::optional<Fills> fills;      // of a warp
  std::optional<std::uint32_t> joined; bool alone = false;  // of a CPU: a copy and literals from that step on are one; and note [alone]: joined.h
  std::optional<Told> told; std::optional<Plain> plain; bool paired = false; std::vector<Streams> streams;  // told, plain: of a CPU; paired: likewise, told.h; streams: calls in a row of its rule, not a lane's
  std::vector<Hoisted> hoisted;
  [[nodiscard]] unsigned element_bits(const ir::Module& m) const { return element_bytes ? 8 * *element_bytes : m.output.bits; }
  [[nodiscard]] bool has_records() const { return records && records->against.empty(); }
  [[nodiscard]] bool has_codes() const { return codes && codes->against.empty(); }
  Value only_field = kNoValue; Unpacked unpacked = Unpacked::No;  // Unchecked: the width of all that a token reads
  std::vector<Scope> scopes;
  std::vector<Local> locals;             // that a token sets for itself
  std::vector<Local> narrow; std::vector<Value> narrow_values;  // slots, and values, that are held in 32 bits: note [widths] in width.h
  std::vector<std::uint32_t> captures;   // slots that it only reads
  std::vector<std::uint32_t> carried;    // slots that a token changes for the next one
  std::vector<std::uint32_t> globals, set_globals;
  std::vector<std::uint32_t> tables;     // looked up through a pointer of the loop's own
};

// How an entry of a look-up table is held: shared memory is what keeps warps from being there. What fits: entries_as().
enum class EntryForm : std::uint8_t { Wide, Narrow, Tiny };
[[nodiscard]] constexpr unsigned entry_bytes(EntryForm form) { return form == EntryForm::Wide ? 4 : form == EntryForm::Narrow ? 2 : 1; }
// A look-up table that is built with a prefix code.
struct Table {
  std::uint32_t code = 0;           // Module::codes
  std::vector<std::uint32_t> info;  // what an entry says of each symbol: runtime/prim/codes.h, code bits 0
  bool backward = false, pairs = false;  // of loops that read so; note [pairs] of runtime/prim/codes.h
  EntryForm entry = EntryForm::Wide;     // notes [narrow] and [tiny] of runtime/prim/cuda/codes.h
  bool starts_empty = false;        // a chunk may read it before it has built it: then every entry leaves
  friend bool operator==(const Table&, const Table&) = default;
};
// An entry is payload:16 | kind:3 | code bits:5 | extra bits:8. Kinds 0 to 3 are arms; bit 2 means leave or link.
inline constexpr std::uint32_t kPayloadShift = 16, kExtraBits = 0xff, kKindShift = 13, kKindLeave = 6u << kKindShift, kKindSpecial = 4u << kKindShift;

// What the entries of a state code tell of its symbols, bits of fields: see state_walk.h.
struct StateExtras {
  std::uint32_t code = 0;           // Module::states
  std::vector<std::uint32_t> bits;  // of each symbol
  friend bool operator==(const StateExtras&, const StateExtras&) = default;
};

struct Plan {
  Target target = Target::Cpu;
  Checksums checksums = Checksums::On;
  Outputs outputs = Outputs::Memory;
  std::vector<Table> tables;
  std::vector<StateExtras> extras;
  std::vector<Loop> loops;  // outer before inner; loops in the token of another are part of that
  std::vector<std::uint32_t> rules;  // Lane: that parts call
  std::vector<CheckedRule> checked;  // the checked path around the loops
};

}  // namespace sluice::plan
