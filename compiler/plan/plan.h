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
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/plan/checked_step.h"
#include "compiler/plan/code_list.h"
#include "compiler/plan/stream_list.h"
#include "compiler/plan/target.h"
#include "compiler/plan/unpacked.h"
#include "compiler/plan/value_list.h"

namespace sluice::plan {

// ---- Operands ------------------------------------------------------------------------------------------------------

// A rule whose body stands in the token: that of the loop, or one that is called there.
using ScopeId = std::uint32_t;
// A slot of a rule, as that scope holds it; or, where what tokens leave to the next is listed, a global.
inline constexpr ScopeId kGlobalScope = 0xffffffff;
struct Local {
  ScopeId scope = 0;
  std::uint32_t slot = 0;
  friend auto operator<=>(const Local&, const Local&) = default;
};
// An expression of the IR, read in that scope. Shared: it never changes.
struct Operand {
  std::shared_ptr<const ir::Expr> expr;
  ScopeId scope = 0;
  std::vector<std::uint32_t> wide = {};  // nodes, in preorder from 0, that are given 64 bits: note [widths]
  [[nodiscard]] const ir::Expr& operator*() const { return *expr; }
  [[nodiscard]] explicit operator bool() const { return expr != nullptr; }
};

// The number of the first of a statement's own values; the others follow it.
using Value = std::uint32_t;
inline constexpr Value kNoValue = 0xffffffff;

// What a statement may take from the input, or add to the output, without a test of its own: note [fast-loop margin].
struct Cost {
  std::uint64_t in = 0, out = 0;  // bytes
  std::uint64_t bits = 0;         // of input, where fields are read at a position; instead of `in`
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A copy or run may reach so many bytes past its end (prim::kCopySlack).
inline constexpr std::uint64_t kSlack = 32;
// What a copy that may be long can take without a test of its own.
inline constexpr std::uint64_t kShortCopy = 64;

// ---- Statements ----------------------------------------------------------------------------------------------------

struct Step;
using Body = std::vector<Step>;

// Bits of the buffer. Refill: as many as it holds. Need: that many, which most often are there.
struct Refill {};
struct Need { unsigned bits = 0; };

// tN := the width of a field.
struct Width {
  Value value = kNoValue;
  Operand bits;
  Span span{};  // of the clause that reads it: it may stand before a loop that holds that. Not part of the text
};

// tN := the stream from the position on, for fields that follow each other.
struct Word {
  Value value = kNoValue;
  bool whole = false;  // the position is a byte boundary
};

enum class FieldForm : std::uint8_t {
  Load,      // whole bytes at `in`
  Look,      // of the bit buffer
  LookWide,  // of the bit buffer, with a refill inside when it is longer than the buffer shows
  InWord,    // of a Word, `offset` bits from its start
  At,        // at the bit position: one load
  AtWide,    // likewise, of up to 64 bits: two loads
  AtBytes,   // likewise, whole bytes at a byte boundary
  Varint,    // bytes with continuation bits
  Ranges,    // base and extra bits, of ranges[ref][index]
};

// target := what is read. A field that nothing keeps has a value of its own, and so has the element of a `literals`.
struct Field {
  enum class Into : std::uint8_t { Local, Dropped, Element };
  Into into = Into::Local;
  Local local;             // Local
  Value target = kNoValue; // the others
  FieldForm form = FieldForm::Load;
  ir::Type type = ir::kU64;
  bool big = false;            // Load: most significant byte first
  unsigned bits = 0;           // at most
  Value width = kNoValue;      // of that many bits; none: of exactly `bits`
  bool may_be_empty = false;   // of no bits: a signed field of a computed width
  Value value = kNoValue;      // the first of its own, InWord: the word
  unsigned offset = 0;         // InWord
  bool checks_boundary = false;  // Varint: the position may not be a byte boundary
  std::uint32_t ref = 0; Operand index;  // Ranges
  Value once = kNoValue; bool opens = false, closes = false, looked = false;  // two: what it is cut from, what was before: at_once.h
  bool placed = false;         // of a record, a run's value: see placed.h
};

// A value that is read and dropped: tN.
struct Drop {
  Value value = kNoValue;
  ir::Type type = ir::kU64;
  Body read;
};

struct Let {
  Local local;
  Operand value;
};
// In a loop whose steps go side by side: local := local + term, over the steps before.
struct Sum {
  Local local;
  Operand term;
};
struct SetGlobal {
  std::uint32_t global = 0;
  Operand value;
};
struct SetElement {
  std::uint32_t array = 0;
  Operand index, value;
  Value undo = kNoValue;  // of a CPU, two: where, and what was there, which is put back when the token is left: see redo.h
};

// Outputs a value.
struct Store {
  Operand value;
};

enum class LiteralsForm : std::uint8_t {
  Fixed,    // a known number of bytes, at most 8
  Short,    // bytes: a few at once, or after a test of both limits
  Varints,  // by all lanes, until all are done
  Each,     // one after the other, each with a test
  None,     // the token is left unless there are none
};
struct Literals {
  LiteralsForm form = LiteralsForm::Short;
  Operand count;
  Value value = kNoValue;
  ir::Type type = ir::kU64;
  Body read;  // Each: one
  bool placed = false;  // of a record, Each: whole elements of the input, see placed.h
};

enum class RunForm : std::uint8_t {
  Flat,    // stored at full length, however many there are
  Wide,    // of equal bytes
  Stepped,
};
struct Run {
  RunForm form = RunForm::Stepped;
  Operand first, count, step;  // no step: 0
  Value value = kNoValue;
  bool tested = false;    // it tests that its outputs fit
  std::uint64_t most = 0; // Flat: outputs
  bool placed = false;    // of a record: of an element of the input, see placed.h
};

struct Copy {
  Operand distance, length;
  Value value = kNoValue;
  bool tests_window = false;  // the distance may be larger than the window
  bool tested = false, stepwise = false;  // a long one tests that it fits; 16 bytes before it is asked whether there are more
  bool ahead = false, shown = false;  // the next token's first look-up runs beside it; before the buffer is filled
  std::vector<Operand> group = {};  // of a CPU: the elements that it repeats, which the token has just stored
  bool late_distance = false; Value look = kNoValue;  // of a record, it is known late: note [late]; made before its load: at_once.h
};

// Bytes of a buffer that is not filled here. One that ends in the buffer's last kSlack bytes leaves the token: more is loaded.
struct Slice { std::uint32_t buffer = 0; Operand from, count; Value value = kNoValue; bool late_from = false; };  // of a record, likewise

// The bytes of an entry of symbols[table].
struct SymbolBytes { std::uint32_t table = 0; Operand index; Value value = kNoValue; };

// ---- Symbols of prefix codes

// What becomes of a code that is longer than the table's index.
enum class LongCode : std::uint8_t {
  None,    // there is none; entries that say `leave` leave
  Second,  // a second level of the table
  Search,  // the lanes look for its length
};

// What is done with the entry that has been found.
enum class Take : std::uint8_t {
  Output,  // its payload is the output
  Drop,    // nothing but its bits; with its extra bits
  Extra,   // local := its payload + its extra bits
  Payload, // local := its payload
};

struct SymbolArm {
  Take take = Take::Output;
  Local local;
  Cost cost;  // of taking it
  Body body;
  bool falls = true;  // control comes out of it
  Span span;          // of the clause that takes it; not part of the text
};

// tN: the table of one of a code's copies.
struct PickTable {
  Value value = kNoValue;
  std::uint32_t table = 0;
  Operand copy;
};

// tN: the entry. A row: several symbols that stand for themselves, then any one (Loop::row); of a lane, `again` of them.
struct Symbol {
  std::uint32_t table = 0;  // Plan::tables
  Operand copy;             // of a code with several: which
  Value picked = kNoValue;  // its table, by a PickTable
  Value value = kNoValue; bool in_row = false, pairs = false;  // pairs: all of the row may be two
  unsigned first = 0, longest = 0, again = 0, refill = 0;  // bits: of the index, of the longest code; again: a refill before each so-manieth
  unsigned needs = 0, needs_long = 0;  // bits that the buffer is asked for behind the look-up; of a code that it does not end
  LongCode long_code = LongCode::None;
  std::vector<SymbolArm> arms;  // by the entry's kind; the last one takes what is left
};

// The next token's first look-up, made now.
struct LookAhead {};

// ---- Control

struct If {
  Operand condition;
  Body then;
  std::optional<Body> orelse;
  bool flat = false;  // orelse is one If that goes on a chain of them
};

// A called rule in its caller's place. What returns early leaves `scope`.
struct Inline {
  ScopeId scope = 0;
  std::vector<Operand> args;  // read by the caller
  Body body;
  bool exits = false;  // some Exit is in it
};
struct Exit {
  ScopeId scope = 0;
};

// A loop inside a token that tests both limits before each step: margins hold one step's cost.
struct Repeat {
  Operand count;               // none: until it is left
  Operand until;               // tested before each step
  Value value = kNoValue;      // with a count
  std::optional<Local> index;
  Body body;
};

// A counted loop inside a token, in which nothing can go wrong: it tests once that all its steps fit.
struct Unchecked {
  Operand count;
  Value value = kNoValue;
  std::optional<Local> index;
  std::vector<Width> widths;  // the same in every step
  Body body;
  Cost step;                   // of one
  Value only_field = kNoValue; // the width of all that a step reads
  bool exact = false;          // only_field tells what all steps take: that is tested, and not what they take at most
  Unpacked unpacked = Unpacked::No;
};

// A counted loop inside a token whose steps are done side by side, one a lane; each takes as many bits as the others.
struct SideBySide {
  Operand count;
  Value value = kNoValue;
  std::optional<Local> index;
  std::vector<Width> widths;
  Body body;
  Cost step;
  bool in_order = false;  // each needs the one before it: the token is left
  ListPart list = ListPart::None;  // of a record
  bool passed = false;    // of a record: who walks passes them
  Value only_field = kNoValue;  // as an Unchecked's
  Unpacked unpacked = Unpacked::No;
};

struct Check { Operand condition; };
// Out of the token, back to its start: the checked path does it. Side by side: this lane's step is refused.
struct Leave {};
struct Break {};  // out of the innermost Repeat
struct Align {};  // to a byte boundary
struct Skip {
  Operand bytes;
};

using Statement = std::variant<Refill, Need, Width, Word, Field, Drop, Let, Sum, SetGlobal, SetElement, Store, Literals,
                               Run, Copy, Slice, SymbolBytes, PickTable, Symbol, LookAhead, If, Inline, Exit, Repeat, Unchecked, SideBySide,
                               Check, Leave, Break, Align, Skip>;

// When a step of a token is done that is taken as a record: note [late] in late.h.
enum class Reading : std::uint8_t {
  Token,  // by the lane that finds the token
  Late,   // when the tokens before it are known
  Both, Own,  // Own: of tokens that are walked one after the other, by the lane whose token it is
};

struct Step {
  Statement what;
  Cost cost;  // its own, without that of the bodies in it
  Span span;  // of the clause it comes from; not part of the text
  Reading reading = Reading::Token;
};

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
  bool chained = false, moves = false; std::vector<Local> walked, turned, moved;  // each begins as the one before it leaves off: chain.h, and late.h
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
  std::optional<Told> told; std::vector<Streams> streams;  // told: of a CPU; streams: calls in a row of its rule, not a lane's
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

// A look-up table that is built with a prefix code.
struct Table {
  std::uint32_t code = 0;           // Module::codes
  std::vector<std::uint32_t> info;  // what an entry says of each symbol: runtime/prim/codes.h, code bits 0
  bool backward = false, pairs = false, narrow = false;  // of loops that read so; notes [pairs] and [narrow] of runtime/prim/codes.h
  bool starts_empty = false;        // a chunk may read it before it has built it: then every entry leaves
  friend bool operator==(const Table&, const Table&) = default;
};
// An entry is payload:16 | kind:3 | code bits:5 | extra bits:8. Kinds 0 to 3 are arms; bit 2 means leave or link.
inline constexpr std::uint32_t kPayloadShift = 16, kExtraBits = 0xff, kKindShift = 13, kKindLeave = 6u << kKindShift, kKindSpecial = 4u << kKindShift;

struct Plan {
  Target target = Target::Cpu;
  Checksums checksums = Checksums::On;
  Outputs outputs = Outputs::Memory;
  std::vector<Table> tables;
  std::vector<Loop> loops;  // outer before inner; loops in the token of another are part of that
  std::vector<std::uint32_t> rules;  // Lane: that parts call
  std::vector<CheckedRule> checked;  // the checked path around the loops
};

}  // namespace sluice::plan
