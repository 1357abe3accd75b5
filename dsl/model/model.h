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

enum class Op : std::uint8_t {
  Const,  // imm
  Local,
  Global,
  Arg,  // ref
  Elem,
  TableElem,  // ref, kids[0]; checked: the index may be past the end
  Add,
  Sub,
  Mul,  // checked: the exact result may not fit `type`; else wraps
  Div,
  Rem,  // checked: the divisor may be 0 (or the quotient 2^63)
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr,  // checked: the amount may be 64 or more
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogAnd,
  LogOr,
  LogNot,
  BitNot,
  Neg,  // Neg checked: may not fit
  Select,
  Min,
  Max,
  Cast,        // to `type`, truncating
  SignExtend,  // kids[1] bits; checked: the width may not be 1..64
  ZigZag,
  Remaining,  // flag: bits
  AtEnd,
  Produced,
  Peek,      // imm bytes, flag: big-endian; checked: may stand between bytes
  PeekBits,  // imm bits in the stream's order, at any position
  ProducedSince,
  ConsumedSince,  // ref: mark; ConsumedSince flag: bits
  Checksum,       // algo, stream, ref: mark
  DictionarySize,
  BufferCount,  // ref: elements in buffers[ref]
  BufferElem,   // ref, kids[0]; past the end: 0
};
enum class Algo : std::uint8_t { Adler32, Crc32, Crc32c, Crc32Bzip2, XxHash32 };
enum class Stream : std::uint8_t { Input, Output, Dictionary };

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
  bool checked = false;
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
  enum class Order : std::uint8_t { Stream, Little, Big };
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
inline constexpr std::uint64_t kMaxSymbolBytes = 8;  // an entry of symbols is held in a word

enum class StageKind : std::uint8_t {
  InverseMtf,
  InverseBwt,  // a: origin
  PrefixSum,   // a: start (null: 0)
  Add,         // a: what is added
  Gather,
};

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
    Within,     // a bytes (flag: bits): body
    Producing,  // a outputs: body
    Mark,       // ref
    NewWindow,  // flag: after dictionary
    Align,      // flag: zero else reject name
    Skip,       // a bytes
    Call,       // rules[ref](args)
    Into,       // buffers[ref]: body
    Stage,  // buffers[ref]: stage; inverse_mtf: array (kNoSlot: none), b elements of it; gather: from buffers[array]
    EmitBuffer,  // buffers[ref]; flag: expanding runs
    ReadSymbol,  // symbols[ref][a] := b bytes
    EmitSymbol,  // symbols[ref][a]
  };
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  Kind kind = Kind::Stop;
  Span span;  // the statement without its block
  std::string name;
  std::uint32_t slot = kNoSlot, ref = 0, array = 0;
  bool flag = false, from_table = false;
  bool needs_progress = false;   // loops: a step may neither consume nor produce
  bool needs_alignment = false;  // Read, Literals, ReadSymbol: byte-ordered fields at an unproven position
  StageKind stage = StageKind::InverseMtf;
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
struct Array {
  std::string name;
  Type elem;
  std::uint32_t count = 0;
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
enum class Incomplete : std::uint8_t { Refuse, Single, Accept };
struct Code {
  std::string name;
  std::uint32_t symbols = 0;
  std::uint8_t max_bits = 15;
  std::uint32_t copies = 1;
  Incomplete incomplete = Incomplete::Refuse;
};
struct Buffer {
  std::string name;
  std::uint32_t limit = 0;  // most elements, of the output's type
};
struct Symbols {
  std::string name;
  std::uint32_t count = 0;  // entries of 1..8 bytes
};
struct Argument {
  std::string name;
  Type type;
  std::uint64_t initial = 0;
};
struct Global {
  std::string name;
  Type type;
  std::uint64_t initial = 0;
  Span span;
  std::optional<Range> declared;  // as in Slot
  Range range() const { return declared.value_or(range_of(type)); }
};
struct Assertion {
  std::string fact, op;
  std::optional<std::uint64_t> bound;
  Span span;
};  // op, bound: optional

struct Rule {
  std::string name;          // "main" is rule 0; imported: "module.rule", a module's whole body "module.main"
  std::uint32_t params = 0;  // the first slots
  std::optional<Type> result;
  std::vector<Slot> slots;
  Block body;
  Span span;
};

enum class Input : std::uint8_t { Bytes, BitsLsb, BitsMsb };

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
  Trailing trailing;
  std::vector<Argument> args;
  std::vector<Global> globals;
  std::vector<Array> arrays;
  std::vector<Table> tables;
  std::vector<Ranges> ranges;
  std::vector<Code> codes;
  std::vector<Buffer> buffers;
  std::vector<Symbols> symbols;
  std::vector<std::string> marks;
  std::vector<Rule> rules;  // rules[0] is main; the rest in order of first call, unused ones left out
  std::vector<Assertion> assertions;
};

}  // namespace sluice::model
