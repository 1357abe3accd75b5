#pragma once
// The intermediate representation: what a format means, with nothing left to guess.
//
// A Module is a set of rules over one input (a sequence of bits) and one output (a sequence of elements).
// Every statement that can fail carries the sites it may fail at; every value is 64 bits wide and every
// expression is total: it can't fail, trap or read outside. Lowering puts a Check in front of whatever
// could. The written semantics are in ir.md; compiler/interp is those semantics as a program.
//
//   rule main:                       # PackBits-like
//     loop until_end
//       read %0 fixed u8
//       if (lt %0 128)
//         literals fixed u8 (add %0 1)
//       else ...
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/model/declared.h"
#include "dsl/model/op.h"
#include "dsl/model/value.h"
#include "dsl/source/span.h"

namespace sluice::ir {

using value::i128;
using value::Range;  // of an expression; filled by lowering, always inside its type
using value::Type;
using value::kBool;
using value::kI64;
using value::kU64;
using value::range_of;

// ---- Expressions ------------------------------------------------------------------------------------

// Arithmetic is on 64-bit words and wraps; Lt/Le/Gt/Ge, Div, Rem, Shr, Min and Max look at is_signed of the
// *first operand's* type. Lowering has made both operands the same signedness. LogAnd/LogOr evaluate both sides.
// What each operator takes: dsl/model/op.h.
using model::Algo;
using model::Op;
using model::Stream;

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  Op op = Op::Const;
  Type type = kU64;
  Range range = {0, 0};        // filled by lowering; analyses and emitters may rely on it
  std::uint64_t imm = 0;
  std::uint32_t ref = 0;
  Algo algo = Algo::Adler32;   // Checksum
  Stream stream = Stream::Output;  // Checksum
  bool flag = false;           // Peek: big-endian
  Type cast_type = kU64;       // Fits
  std::vector<ExprPtr> kids;
  Span span;
};

// ---- Sites: the places that can refuse -----------------------------------------------------------------

enum class Reason : std::uint8_t {
  Reject,          // a `reject NAME` clause; Site::name is NAME
  EndOfInput,      // the input (or the enclosing `within`) ends inside the field
  OutputFull,      // more output than the capacity or the enclosing `producing`
  BadDistance,     // copy distance 0, past the window, or before its start
  NoSuchCode,      // bits that are no code of the prefix code
  VarintTooLong,   // more groups than the type needs, or a value that does not fit it
  OutOfRange,      // a value that does not fit its type, an index past its array, an arithmetic overflow
  DivideByZero,
  Oversubscribed,  // code lengths claim more codes than exist; counts, more states than a state code has
  Incomplete,      // code lengths leave codes unused, and the policy refuses that; counts of no power of two of states
  BytesLeft,       // `within` body did not consume its region
  OutputShort,     // `producing` body made too little
  Unaligned,       // a byte field at a position that is no byte boundary
  NoProgress,      // a loop step that consumed and produced nothing
  TrailingBytes,   // input left after the format's end
  BadPadding,      // a region that is read from its end has no last byte, or a last byte of 0
};

struct Site {
  std::uint32_t rule = 0;    // index into Module::rules
  std::uint32_t clause = 1;  // 1.. within the rule, in source order
  Reason reason = Reason::Reject;
  std::string name;          // Reject: clause's name; else the reason's snake_case name
  Span span;
  // What is then wrong with the expression under `span`, as a clause for people: "does not fit the output: u8 is 0 to
  // 255". Empty: the reason says it. No meaning at run time, and not part of a module's text.
  std::string wrong = {};
};
using SiteId = std::uint32_t;
inline constexpr SiteId kNoSite = 0xffffffff;

// Error word: 0 is success; otherwise rule:10 | clause:14 | bit position:40, most significant first. clause >= 1.
// In a module that reads its dictionary the highest bit of the position says that it counts from the dictionary's start, and the
// positions in the input have the other 39 (64 GiB): a rule may be called in both places.
inline constexpr unsigned kErrorPositionBits = 40, kErrorClauseBits = 14, kErrorRuleBits = 10;
static_assert(kErrorPositionBits + kErrorClauseBits + kErrorRuleBits == 64);
inline constexpr std::uint64_t kInDictionary = std::uint64_t{1} << (kErrorPositionBits - 1);
constexpr std::uint64_t error_word(const Site& s, std::uint64_t bit_position) {
  return (static_cast<std::uint64_t>(s.rule) << 54) | (static_cast<std::uint64_t>(s.clause) << 40) |
         (bit_position & ((1ull << 40) - 1));
}

// ---- Reading -------------------------------------------------------------------------------------------

// How one value is read from the input.
struct ReadSpec {
  enum class Kind : std::uint8_t {
    Fixed,     // type.bits bits, bit order of the stream; order != Stream: whole bytes in that byte order
    Computed,  // `width` (0..64, checked) bits; with a byte order a multiple of 8 (checked)
    Varint,    // LEB128 of at most ceil(type.bits/7) groups, little group first; zigzag when type.is_signed
    Code,      // a symbol of prefix code `ref`[index]
    Ranges,    // base[index] + extra[index] bits, of ranges table `ref`; index proven or checked
  };
  using Order = model::ByteOrder;
  Kind kind = Kind::Fixed;
  Order order = Order::Stream;
  Type type = kU64;      // type of the value read
  std::uint32_t ref = 0; // Code: Module::codes, Ranges: Module::ranges
  ExprPtr width;         // Computed
  ExprPtr index;         // Ranges; Code when the code is an array of codes
};

// ---- Statements ------------------------------------------------------------------------------------------

struct Stmt;
using Block = std::vector<std::unique_ptr<Stmt>>;

enum class LoopKind : std::uint8_t {
  Forever,       // ends by Stop/Return/Accept
  UntilEnd,      // before each step: leave when AtEnd
  UntilOutputs,  // before each step: leave when Produced since the loop's start >= a
  UntilCond,     // before each step: leave when a != 0 (evaluated anew)
  Times,         // a steps; `slot`, if set, counts 0..a-1
};

using model::Incomplete;
using model::BufferForm;
using model::StageKind;

struct Stmt {
  enum class Kind : std::uint8_t {
    Read,      // slot := read                   sites: EndOfInput, NoSuchCode|VarintTooLong, Unaligned
    SetLocal,  // slot := a
    SetGlobal, // ref := a
    SetElem,   // arrays[ref][a] := b            (index proven or checked)
    Emit,      // output a (low bits of the output type)           sites: OutputFull
    Literals,  // a times: read one value, output it               sites: EndOfInput, NoSuchCode|VarintTooLong, OutputFull
    Run,       // output a, a+c, a+2c, ... (b values, wrapping)     sites: OutputFull
    Copy,      // distance a, length b, byte by byte as if          sites: BadDistance, OutputFull
    BuildCode, // codes[ref][index d] from arrays[array][a .. a+b) (or tables[array] when from_table)
               //                                                   sites: Oversubscribed, Incomplete
    BuildStates, // states[ref], its entries and its log, from the counts arrays[array][a .. a+b) (or tables[array] when from_table)
               //                                                   sites: Oversubscribed, Incomplete
    If,        // a: body else orelse
    Loop,      // loop, a, slot, body                               sites: NoProgress (kNoSite when proven)
    Stop,      // leave the innermost Loop
    Reject,    //                                                   sites: Reject
    Accept,    // the chunk ends here, successfully; `name`
    Check,     // a must be 1                                       sites: any one
    Call,      // rules[ref](args) -> slot
    Return,    // a, if the rule has a result
    Within,    // the next a bytes are the region of body           sites: EndOfInput, BytesLeft
               // b: those that start b bytes behind marks[ref]; the position comes back
               // backward: read from their end                  sites: BadPadding
               // dictionary: all a bytes of the preset dictionary
    Producing, // body makes exactly a outputs                      sites: OutputFull, OutputShort
    Mark,      // marks[ref] := (input position, output position)
    NewWindow, // copies reach no further back than here; flag: the preset dictionary stands before, of it the last a bytes alone
    Align,     // to the next byte boundary; flag: skipped bits must be 0   sites: Reject (when flag)
    Skip,      // a bytes of input                                  sites: EndOfInput
    Into,      // output of body goes to buffers[ref], empty at first; Produced, marks and copies see the buffer alone
               // further: to outputs[ref], behind what is there; they see what the body makes alone
               //                                    (no site of its own: OutputFull is the action's, at the buffer's limit)
    Stage,     // buffers[ref] transformed in place by `stage`       sites: OutOfRange
    EmitBuffer,// output all of buffers[ref] in `form`; a: bytes of an element (1 or more, checked), where it unshuffles;
               // Slice: b of its elements from a on (all of them there, checked)
               //                                 sites: OutputFull, OutputShort (Runs: a run without its count)
    ReadSymbol,// symbols[ref][a] := the next b (1..8, checked) bytes  sites: EndOfInput
    EmitSymbol,// output the bytes of symbols[ref][a]                sites: NoSuchCode (never read), OutputFull
  };
  Kind kind = Kind::Stop;
  Span span;
  std::string name;             // field's or clause's name in the spec: for traces and printing
  std::uint32_t slot = kNoSlot; // local written
  std::uint32_t ref = 0;
  std::uint32_t array = 0;      // BuildCode, BuildStates; Stage: alphabet (kNoSlot: none) or the buffer gathered from
  bool flag = false;
  bool from_table = false;      // BuildCode, BuildStates
  bool backward = false;        // Within
  bool dictionary = false;      // Within
  bool further = false;         // Into
  LoopKind loop = LoopKind::Forever;
  StageKind stage = StageKind::InverseMtf;
  BufferForm form = BufferForm::All;  // EmitBuffer
  ReadSpec read;                // Read, Literals
  ExprPtr a, b, c, d;
  std::vector<ExprPtr> args;    // Call
  Block body, orelse;
  std::array<SiteId, 3> sites{kNoSite, kNoSite, kNoSite};

  static constexpr std::uint32_t kNoSlot = 0xffffffff;
};

// ---- Module ------------------------------------------------------------------------------------------------

using model::Argument;
using model::Array;
using model::Assertion;
using model::Buffer;
using model::Code;
using model::Input;
using model::kMaxFurtherOutputs;
using model::kMaxSymbolBytes;
using model::Output;
using model::StateCode;
using model::Symbols;

struct Slot   { std::string name; Type type; Range range; bool is_mutable = false; };
struct Table  { std::string name; Type elem; std::vector<std::uint64_t> values; };   // constants
struct Ranges { std::string name; std::vector<std::uint64_t> base; std::vector<std::uint8_t> extra; };

struct Rule {
  std::string name;                    // "main" is rule 0; imported rules are "module.rule"
  std::uint32_t params = 0;            // the first `params` slots
  std::optional<Type> result;
  std::vector<Slot> slots;
  Block body;
  Span span;
};

struct Module {
  std::string name;
  Input input = Input::Bytes;
  Type output{8, false};               // element type; 8, 16, 32 or 64 bits, stored little-endian
  std::uint64_t window = 0;            // largest copy distance; 0: unlimited
  bool has_dictionary = false;
  std::vector<Argument> args;
  std::vector<Slot> globals;           // zero (or their initialiser, set by rule 0) at start
  std::vector<Array> arrays;
  std::vector<Table> tables;
  std::vector<Ranges> ranges;
  std::vector<Code> codes;
  std::vector<StateCode> states;
  std::vector<Buffer> buffers;
  std::vector<Output> outputs;         // further ones; a caller gives room for each, in this order
  std::vector<Symbols> symbols;
  std::vector<std::string> marks;      // names; all stand at (0,0) at start
  std::vector<Rule> rules;             // rules[0] is the entry
  std::vector<Site> sites;
  std::vector<Assertion> assertions;
};

}  // namespace sluice::ir
