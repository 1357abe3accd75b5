#pragma once
// What a token does, as data: operands, statements, steps. The half of plan.h that says what happens inside a token.
//
//   field %0 bytes u8          read a byte into the rule's slot 0
//   if (lt %0 128)
//     literals short (add %0 1)
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "compiler/ir/ir.h"
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
  bool ahead = false;          // Load, of a CPU: a token's first byte, which its loop has at hand: see plain.h
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
  bool before = false;  // of tokens that fill an array: the value is the element before theirs, see fills.h
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
  Round,      // of tokens that fill an array, by all lanes for all tokens of a round: fills.h
};

struct Step {
  Statement what;
  Cost cost;  // its own, without that of the bodies in it
  Span span;  // of the clause it comes from; not part of the text
  Reading reading = Reading::Token;
};

}  // namespace sluice::plan
