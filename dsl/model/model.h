#pragma once
// The resolved format: the only door out of dsl. Names are ids, types and ranges are known, modules and compile-time
// parameters are substituted, and every rule of the language that can be checked before a chunk is seen has been.
//
//   spec:   rule body(n: u4)           model:  Rule{"body", slots: [n u4 0..15, x u64 0..16]}
//             x = n + 1                          Set slot 1 := (Add (Local 0) (Const 1)) : 1..16
//             emit x                             Emit (Local 1)
//
// What is left for run time is marked: Expr::checked (the operation may fail), a range wider than its
// destination's type, Stmt::needs_progress and Stmt::needs_alignment. Lowering turns each mark into a site.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/model/declared.h"
#include "dsl/model/op.h"
#include "dsl/model/value.h"
#include "dsl/source/span.h"

namespace sluice::model {

using value::i128;
using value::Range;
using value::Type;
using value::disjoint;
using value::kBool;
using value::kI64;
using value::kU64;
using value::range_of;
using value::within;

// ---- Expressions ------------------------------------------------------------------------------------------

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  Op op = Op::Const;
  Type type = kU64;
  Range range;  // of the value when no check failed; inside range_of(type)
  std::uint64_t imm = 0;
  std::uint32_t ref = 0;
  Algo algo = Algo::Adler32;
  Stream stream = Stream::Output;
  bool flag = false;
  bool checked = false;  // what `op` needs of its operands is not proven; of Add, Sub, Mul, Neg: the result may not fit
  bool wraps = false;  // Add, Sub, Mul: modulo 2^64; else exact, by proof or check
  std::vector<ExprPtr> kids;
  Span span;
};

// A deep copy.
ExprPtr clone(const Expr& e);
// The value of a Const as a mathematical number.
i128 const_value(const Expr& e);

// ---- Reading ------------------------------------------------------------------------------------------------

struct ReadSpec {
  enum class Kind : std::uint8_t { Fixed, Computed, Varint, Code, Ranges, Rule };
  using Order = ByteOrder;
  Kind kind = Kind::Fixed;
  Order order = Order::Stream;
  Type type = kU64;                    // of the value
  Range range;                         // of the value
  std::uint32_t ref = 0;               // Code, Ranges, Rule
  ExprPtr width;                       // Computed; bits
  bool width_may_split_bytes = false;  // Computed with a byte order: not proven a multiple of 8
  ExprPtr index;                       // Code of an array of codes, Ranges
  std::vector<ExprPtr> args;           // Rule
};

// ---- Statements -----------------------------------------------------------------------------------------------

inline constexpr std::uint64_t kMaxAlphabet = 256;   // each element of inverse_mtf may move the whole list

struct Stmt;
using Block = std::vector<std::unique_ptr<Stmt>>;

struct Arm {
  ExprPtr condition;  // null: else
  Block body;
  Span span;
};

struct Stmt {
  enum class Kind : std::uint8_t {
    Read,       // slot := read
    Set,        // slot := a
    SetGlobal,  // ref := a
    SetElem,    // arrays[ref][a] := b
    Emit,       // a
    Literals,   // a times read
    Run,        // value a, count b, step c (may be null)
    Copy,       // distance a, length b
    Build,      // codes[ref][c] from arrays/tables[array][a, b)
    BuildStates,  // states[ref] from the counts arrays/tables[array][a, b)
    Choose,     // arms: first whose condition holds; may match none
    Forever,
    UntilEnd,
    UntilOutputs,
    UntilCond,
    Times,  // a, slot (Times), body
    Stop,
    Return /*a*/,
    Reject /*name*/,
    Accept /*name*/,
    Require,    // a else reject name
    Within,     // a bytes (flag: bits): body; b: from so many behind marks[ref] on, and back; backward
                // dictionary: the preset dictionary, which has a bytes, from its start
    Producing,  // a outputs: body
    Mark,       // ref
    NewWindow,  // flag: after dictionary, a: after its last a bytes alone
    Align,      // flag: zero else reject name
    Skip,       // a bytes
    Call,       // rules[ref](args)
    Into,       // buffers[ref]: body; further: outputs[ref], behind what is there
    Stage,  // buffers[ref]: stage; inverse_mtf: array (kNoSlot: none), b elements of it; gather: from buffers[array]
    EmitBuffer,  // buffers[ref] in `form`; (Bit)Unshuffled: elements of a bytes; Slice: b of them from a on
    ReadSymbol,  // symbols[ref][a] := b bytes
    EmitSymbol,  // symbols[ref][a]
  };
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  Kind kind = Kind::Stop;
  Span span;  // the statement without its block
  std::string name;
  std::uint32_t slot = kNoSlot, ref = 0, array = 0;
  bool flag = false, from_table = false;
  bool backward = false;         // Within: read from its end
  bool dictionary = false;       // Within
  bool further = false;          // Into
  bool needs_progress = false;   // loops: a step may neither consume nor produce
  bool needs_alignment = false;  // Read, Literals, ReadSymbol: byte-ordered fields at an unproven position
  StageKind stage = StageKind::InverseMtf;
  BufferForm form = BufferForm::All;
  ReadSpec read;
  ExprPtr a, b, c;
  std::vector<ExprPtr> args;
  std::vector<Arm> arms;
  Block body;
};

// ---- Format --------------------------------------------------------------------------------------------------------

struct Slot {
  std::string name;
  Type type;
  Range range;  // of all values it ever has
  bool is_mutable = false;
  Span span;
  std::optional<Range> declared;  // of a variable of a range type: what may be assigned
};
struct Table {
  std::string name;
  Type elem;
  std::vector<std::uint64_t> values;
  Range range;
};
struct Ranges {
  std::string name;
  std::vector<std::uint64_t> base;
  std::vector<std::uint8_t> extra;
  Range range;
};
struct Global {
  std::string name;
  Type type;
  std::uint64_t initial = 0;
  Span span;
  std::optional<Range> declared;  // as in Slot
  Range range() const { return declared.value_or(range_of(type)); }
};
struct Rule {
  std::string name;          // "main" is rule 0; imported: "module.rule", a module's whole body "module.main"
  std::uint32_t params = 0;  // the first slots
  std::optional<Type> result;
  Type element{8, false};    // of what it outputs where its callers' outputs go
  std::vector<Slot> slots;
  Block body;
  Span span;
};

// Bytes left after the format's end. None: the end of the input is where main ends, proven.
struct Trailing {
  enum class Policy : std::uint8_t { None, Reject, Accept };
  Policy policy = Policy::None;
  std::string name;
  Span span;
};

struct Format {
  std::string name;
  Input input = Input::Bytes;
  Type output{8, false};
  std::uint64_t window = 0;  // 0: unlimited
  bool has_dictionary = false;
  std::vector<Output> outputs;  // further ones: of modules first, as they are used
  Trailing trailing;
  std::vector<Argument> args;
  std::vector<Global> globals;
  std::vector<Array> arrays;
  std::vector<Table> tables;
  std::vector<Ranges> ranges;
  std::vector<Code> codes;
  std::vector<StateCode> states;
  std::vector<Buffer> buffers;
  std::vector<Symbols> symbols;
  std::vector<std::string> marks;
  std::vector<Rule> rules;  // rules[0] is main; the rest in order of first call, unused ones left out
  std::vector<Assertion> assertions;
};

}  // namespace sluice::model
