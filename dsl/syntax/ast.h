#pragma once
// The syntax tree of one spec file, as written: names are text, nothing is resolved. Every node has a span;
// nodes that stand for something the parser gave up on have kind Error and are silent to later phases.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/source/span.h"

namespace sluice::ast {

// What a module declares, MODULE.NAME, is one name: its text is "deflate.lengths".
struct Name {
  std::string text;
  Span span;
};

// ---- Expressions --------------------------------------------------------------------------------------

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Kind : std::uint8_t {
    Error,
    Number,      // value; characters: of a string "RIFF"
    Bool,        // value 0/1
    Ref,         // name
    Index,       // name[kids[0]]
    Unary,       // op: "-" "~" "not"
    Binary,      // op: "+" "+%" "==" "and" ...
    In,          // kids[0] in kids[1]..kids[2]
    As,          // kids[0] as type_name
    Call,        // name(kids): min max select zigzag sign_extend
    EndOfInput, Remaining, Produced,   // no kids; Produced/Consumed with `mark` set: since that mark
    ConsumedSince,
    Peek,        // type_name, e.g. u16le
    Checksum,    // name: adler32 crc32 crc32c crc32_bzip2 xxh32 xxh64; stream: "output" "input" "dictionary"; mark
    DictionarySize,
    IsSigned,    // T is signed
    BitsOf,      // bits of T
    CountOf,     // count of NAME
    StateSymbol, // symbol of NAME at kids[0]
    StateBits,   // bits of NAME at kids[0]
  };
  Kind kind = Kind::Error;
  Span span;
  Name name;               // Ref, Index, Call, Checksum, CountOf, StateSymbol, StateBits
  Name type_name;          // As, Peek, IsSigned, BitsOf
  Name mark;               // "since NAME"
  std::string op;          // Unary, Binary
  std::string stream;      // Checksum
  std::uint64_t value = 0;
  unsigned characters = 0;  // Number: written as a string of that many; 0: not one
  bool bits = false;       // ConsumedSince: consumed bits since NAME; Remaining: remaining bits
  std::vector<ExprPtr> kids;
};

// ---- Read types -----------------------------------------------------------------------------------------

// Right of `NAME:`. `uint(W)`: name "uint", args {W}.
struct ReadType {
  Span span;
  Name name;               // u16le, varint, litlen, length, a rule, a type parameter
  bool has_args = false;   // ( )
  std::vector<ExprPtr> args;   // varint's argument is a type: args[0] is a Ref
  ExprPtr index;           // [ ]: element of ranges or of an array of codes
  ExprPtr from;            // NAME from STATE: the next state of a state code
};

// ---- Statements -------------------------------------------------------------------------------------------

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

struct Arm {               // of a when chain; no condition: else
  ExprPtr condition;
  Block body;
  Span span;               // of `when CONDITION` or `else`
};

struct Stmt {
  enum class Kind : std::uint8_t {
    Error,
    Read,        // name: read
    ReadInto,    // read name: read | read name[a]: read
    Let,         // name = a
    Var,         // var name: type_name = a | var name: b..c = a
    Assign,      // name := a
    AssignElem,  // name[a] := b
    Emit,        // emit a [, args]
    Literals,    // literals read[a]
    Run,         // run a, count b [, step c]
    Copy,        // copy distance a, length b
    Build,       // build name[c] from source[a, b] | from source (a, b null)
    When,        // arms
    If,          // a: body
    RepeatForever, RepeatUntilEnd, RepeatTimes /*a*/, RepeatUntilOutputs /*a*/, RepeatUntil /*a*/,
                 // RepeatUntilEnd, RepeatUntil: at most b steps
    For,         // for name < a
    Stop, Pass,
    Return,      // [a]
    Reject,      // name
    Accept,      // name
    Require,     // require a else reject name
    Within,      // within a bytes [at b since name][, backward]: body; flag: a bits
                 // within dictionary: body; no a
    Producing,   // producing a: body
    Mark,        // name
    NewWindow,   // flag: after dictionary | after a bytes of dictionary
    Align,       // flag: zero else reject name
    Skip,        // skip a bytes
    Call,        // name(args)
    Into,        // into name: body; a buffer or a further output
    Stage,       // stage word name, a; inverse_mtf: alphabet source[a, b]; gather: from source
    EmitBuffer,  // emit word name; unshuffled, bit_unshuffled: size a; word literals: name[a, b]
    ReadSymbol,  // name[a] := next b bytes
    EmitSymbol,  // symbol name[a]
  };
  Kind kind = Kind::Error;
  Span span;               // the whole statement, without its block
  Name name, source, type_name, word;
  bool flag = false;
  bool backward = false;   // Within
  bool dictionary = false; // Within
  ReadType read;
  ExprPtr a, b, c;
  std::vector<ExprPtr> args;
  Block body;
  std::vector<Arm> arms;
};

// ---- Declarations --------------------------------------------------------------------------------------------

struct Param {             // of a format (compile time) or a rule (run time)
  Name name, type_name;    // format: an integer type, `bool`, or `integer`
  ExprPtr initial;         // format only; for `integer` a Ref naming a type
};

struct ListItem {          // V  or  V x N
  ExprPtr value, times;    // times null: once
};

struct Decl {
  enum class Kind : std::uint8_t {
    Error,
    Input,       // name: "bytes" or "bits"; order: "lsb"/"msb"
    Output,      // name: element type or "bytes"; a: window
    FurtherOutput,  // name, type_name: element type
    Dictionary,
    Argument,    // name, type_name, a
    Const,       // name, a
    Table,       // name, type_name, items
    Ranges,      // name, items (base), items2 (extra)
    Array,       // name, type_name, a (count)
    Var,         // name, type_name or range b..c, a
    PrefixCode,  // name, a symbols, b max bits, c copies; policy: "", "single", "accept"; order: "", "longest"
    StateCode,   // name, a symbols, b largest log
    Trailing,    // policy: "reject"/"accept"; name
    Assert,      // name: fact; op, a: bound
    Rule,        // name, params, type_name (result), body
    Buffer,      // name, a (limit)
    Symbols,     // name, a (count)
  };
  Kind kind = Kind::Error;
  Span span;
  Name name, type_name;
  std::string order, policy, op;
  ExprPtr a, b, c;
  std::vector<ListItem> items, items2;
  std::vector<Param> params;
  Block body;
};

struct Setting {           // of a module's parameter: name = value; a type is a Ref, as in Param::initial
  Name name;
  ExprPtr value;
};

struct Use {
  Name of;                 // `use of.name`: the module that `of`, named above, uses; else empty
  Name name;
  std::vector<Setting> settings;   // `use name(a = 1, b = 2)`
  Span span;
};

struct File {
  std::uint32_t file = 0;
  std::vector<Use> uses;
  Name format;
  std::vector<Param> params;
  std::vector<Decl> decls;   // in source order
  Block body;                // statements at format level, in source order
  bool ok = true;            // false when the parser reported an error
};

}  // namespace sluice::ast
