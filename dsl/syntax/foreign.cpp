#include "dsl/syntax/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dsl/syntax/words.h"

namespace sluice::ast {
namespace {

struct Row {
  Place place;
  std::string_view pattern;
  std::string_view help;
  std::string_view message = {};  // empty: "`{0}` is not a word of this language"
  bool hides_block = false;
};

constexpr std::string_view kChain =
    "a chain is one `when` below the other, with one `else` at its end: `when n < 3`, `when n < 9`, `else`";
constexpr std::string_view kCases = "write a chain: `when n == 0`, below it `when n in 1..3`, at its end `else`";
constexpr std::string_view kUntil =
    "`repeat until CONDITION` goes on until the condition holds: `repeat until n == 0`, `repeat until end of input`";
constexpr std::string_view kRepeat =
    "write `repeat`, with `if CONDITION: stop` where it ends; or `repeat n times`, `repeat until end of input`";
constexpr std::string_view kFor = "write `for {0} < n`: {0} is 0, 1, ... n - 1";
constexpr std::string_view kContinue =
    "put what is left of the step into a block: `if CONDITION`, or `when CONDITION` with `else`";
constexpr std::string_view kRule = "write `rule {1}(n: u8)`, or `rule {1}(n: u8) -> u32` for a result";
constexpr std::string_view kGroup = "fields that belong together are a rule: `rule header`, its fields indented below";
constexpr std::string_view kFormat =
    "a spec starts with `format NAME`; its fields are lines indented below, such as `size: u32le`";
constexpr std::string_view kLet =
    "write `{1} = VALUE` for a value that stays, `var {1}: u32 = VALUE` for one that changes";
constexpr std::string_view kEnds = "a block ends where its indentation ends";
constexpr std::string_view kReject = "write `reject NAME`, or `require CONDITION else reject NAME`";
constexpr std::string_view kEmit =
    "output is made with `emit VALUE`, `literals u8[n]`, `run VALUE, count n` and `copy`";
constexpr std::string_view kFirst =
    "fields can't be read inside expressions: read into a name first, `x: u8`, then use `x`";
constexpr std::string_view kFloat =
    "there are no floating-point values: read and emit the bits, `x: u32le` or `x: u64le`";
constexpr std::string_view kText =
    "strings of bytes go to the output with `literals u8[n]`, or are left out with `skip n bytes`";
constexpr std::string_view kPosition =
    "`mark NAME` remembers a place; `consumed since NAME` is the number of bytes read since";
constexpr std::string_view kIncrement = "write `{0} := {0} {1} 1`; `{0}` is declared with `var {0}: u32 = 0`";
constexpr std::string_view kNoPower = "there is no power; a power of two is `1 << n`";

// Several words with one answer are several rows: what is written is found by reading down the column.
constexpr auto kRows = std::to_array<Row>({
    {Place::File, "import", "another format is used with `use NAME` above `format`"},
    {Place::File, "include", "another format is used with `use NAME` above `format`"},
    {Place::File, "from", "another format is used with `use NAME` above `format`"},
    {Place::File, "require", "another format is used with `use NAME` above `format`"},
    {Place::File, "struct", kFormat, {}, true},
    {Place::File, "class", kFormat, {}, true},
    {Place::File, "message", kFormat, {}, true},
    {Place::File, "package", kFormat, {}, true},
    {Place::File, "syntax =", kFormat, {}, true},
    {Place::File, "meta :", kFormat, {}, true},
    {Place::File, "seq :", kFormat, {}, true},
    {Place::File, "def", kFormat, {}, true},
    {Place::File, "typedef", kFormat, {}, true},

    {Place::Line, "elif", kChain},
    {Place::Line, "elsif", kChain},
    {Place::Line, "elseif", kChain},
    {Place::Line, "unless", "write `if not (CONDITION)`"},
    {Place::Line, "switch", kCases, {}, true},
    {Place::Line, "match", kCases, {}, true},
    {Place::Line, "case", kCases},
    {Place::Line, "default", kCases},
    {Place::Line, "while true", kRepeat},
    {Place::Line, "while True", kRepeat},
    {Place::Line, "while 1", kRepeat},
    {Place::Line, "until ANY", "write `repeat until CONDITION`, `repeat until end of input`",
     "`until` stands after `repeat`"},
    {Place::Line, "oneof", kCases, {}, true},
    {Place::Line, "global NAME", "what rules share is declared at the format's level: `var {1}: u32 = 0`"},
    {Place::Line, "while", kUntil},
    {Place::Line, "do", kRepeat},
    {Place::Line, "loop", kRepeat},
    {Place::Line, "forever", kRepeat},
    {Place::Line, "foreach", "write `for i < n`: i is 0, 1, ... n - 1"},
    {Place::Line, "break", "`stop` leaves the innermost loop: `if c == 0: stop`"},
    {Place::Line, "continue", kContinue},
    {Place::Line, "goto", "there are no jumps: loops are `repeat` and `for`, left with `stop`"},
    {Place::Line, "def NAME", kRule},
    {Place::Line, "fn NAME", kRule},
    {Place::Line, "fun NAME", kRule},
    {Place::Line, "func NAME", kRule},
    {Place::Line, "function NAME", kRule},
    {Place::Line, "proc NAME", kRule},
    {Place::Line, "void NAME", kRule},
    {Place::Line, "let NAME", kLet},
    {Place::Line, "val NAME", kLet},
    {Place::Line, "auto NAME", kLet},
    {Place::Line, "set NAME", "a variable is assigned with `{1} := VALUE`"},
    {Place::Line, "struct", kGroup, {}, true},
    {Place::Line, "class", kGroup, {}, true},
    {Place::Line, "type", kGroup, {}, true},
    {Place::Line, "message", kGroup, {}, true},
    {Place::Line, "repeated",
     "write `literals TYPE[n]` to output n fields, or a loop: `repeat n times` with `x: u8` in it"},
    {Place::Line, "optional", "a field that may be missing stands below `if`: `if flags & 1 != 0`, indented `x: u8`"},
    {Place::Line, "enum", "there are no enumerations: name a number with `const NAME = 3`", {}, true},
    {Place::Line, "seq :", "fields are lines of their own: `size: u32le`", {}, true},
    {Place::Line, "- NAME :", "fields are lines of their own: `size: u32le`", "a statement can't start with `-`", true},
    {Place::Line, "import", "another format is used with `use NAME` above `format`"},
    {Place::Line, "include", "another format is used with `use NAME` above `format`"},
    {Place::Line, "print", kEmit},
    {Place::Line, "printf", kEmit},
    {Place::Line, "put", kEmit},
    {Place::Line, "putc", kEmit},
    {Place::Line, "write", kEmit},
    {Place::Line, "yield", kEmit},
    {Place::Line, "append", kEmit},
    {Place::Line, "memcpy", "earlier output is repeated with `copy distance D, length N`"},
    {Place::Line, "memset", "a value is repeated with `run VALUE, count N`"},
    {Place::Line, "throw", kReject},
    {Place::Line, "raise", kReject},
    {Place::Line, "error", kReject},
    {Place::Line, "fail", kReject},
    {Place::Line, "check", kReject},
    {Place::Line, "ensure", kReject},
    {Place::Line, "exit", "`accept NAME` ends the chunk, `reject NAME` refuses it, `stop` leaves a loop"},
    {Place::Line, "quit", "`accept NAME` ends the chunk, `reject NAME` refuses it, `stop` leaves a loop"},
    {Place::Line, "try", "nothing can be caught: what a format refuses ends the chunk with `reject NAME`"},
    {Place::Line, "seek", "the input is read in order: `skip n bytes` goes on, nothing goes back"},
    {Place::Line, "end", kEnds},
    {Place::Line, "endif", kEnds},
    {Place::Line, "done", kEnds},
    {Place::Line, "fi", kEnds},
    {Place::Line, "pad", "`skip n bytes` leaves out bytes; `align` goes to the next byte boundary"},
    {Place::Line, "padding", "`skip n bytes` leaves out bytes; `align` goes to the next byte boundary"},
    {Place::Line, "input :", "write `input bytes`, `input bits lsb` or `input bits msb`",
     "`input` is followed by what it is, without `{1}`"},
    {Place::Line, "input =", "write `input bytes`, `input bits lsb` or `input bits msb`",
     "`input` is followed by what it is, without `{1}`"},
    {Place::Line, "output :", "write `output bytes`, or `output u32[]`",
     "`output` is followed by what it is, without `{1}`"},
    {Place::Line, "output =", "write `output bytes`, or `output u32[]`",
     "`output` is followed by what it is, without `{1}`"},
    {Place::Line, "NAME + +", kIncrement, "there is no `++`"},
    {Place::Line, "NAME - -", kIncrement, "there is no `--`"},
    {Place::Line, "+ + NAME", "write `{2} := {2} + 1`; `{2}` is declared with `var {2}: u32 = 0`", "there is no `++`"},
    {Place::Line, "- - NAME", "write `{2} := {2} - 1`; `{2}` is declared with `var {2}: u32 = 0`", "there is no `--`"},
    {Place::Line, "NAME OP =", "write `{0} := {0} {1} ...`", "there is no `{1}=`"},
    {Place::Line, "NAME < -", "`{0}: TYPE` reads, `{0} = VALUE` names a value, `{0} := VALUE` assigns",
     "there is no `<-`"},
    {Place::Line, "NAME , NAME", "one line for each: `{0}: u8`, below it `{2}: u8`", "one statement names one thing"},
    {Place::Line, "TYPE NAME (", kRule, "a rule starts with `rule`", true},
    {Place::Line, "OWN NAME", "the name comes first: `{1}: {0}` reads a field", "the type comes first here"},
    {Place::Line, "NAME : NL", "`{0}: u8` reads a field; fields that belong together are a rule: `rule {0}`",
     "a field has no type", true},
    {Place::Line, "TYPE NAME", "the name comes first: `{1}: u8` reads a field, `var {1}: u8 = 0` is a variable",
     "the type comes first here"},
    {Place::Line, "TYPE", "a field is read into a name: `x: {0}`, or dropped with `_: {0}`", "a field has no name"},

    {Place::ForHead, "NAME in", kFor, "`for` counts from 0 up to a bound"},
    {Place::ForHead, "NAME =", kFor, "`for` counts from 0 up to a bound"},
    {Place::ForHead, "NAME :=", kFor, "`for` counts from 0 up to a bound"},
    {Place::ForHead, "NAME :", kFor, "`for` counts from 0 up to a bound"},
    {Place::ForHead, "NAME ,", kFor, "`for` counts from 0 up to a bound"},
    {Place::ForHead, "NAME <=", "the bound itself is not reached: write `for {0} < n + 1`",
     "`for` takes `<`, not `<=`"},
    {Place::ForHead, "TYPE NAME", "write `for {1} < n`: {1} is 0, 1, ... n - 1", "`for` counts from 0 up to a bound"},
    {Place::ForHead, "( TYPE NAME", "write `for {2} < n`: {2} is 0, 1, ... n - 1", "`for` counts from 0 up to a bound"},
    {Place::ForHead, "( NAME", "write `for {1} < n`: {1} is 0, 1, ... n - 1", "`for` counts from 0 up to a bound"},

    {Place::AfterRead, "=",
     "`NAME: TYPE` reads a field; write `NAME = VALUE` for a value that stays, `var NAME: TYPE = VALUE` for one that "
     "changes",
     "a field that is read has no value given"},
    {Place::AfterRead,
     "==", "read the field, then test it on the next line: `require NAME == VALUE else reject bad_NAME`",
     "a field is not tested where it is read"},
    {Place::AfterRead, "if", "a field that may be missing stands below `if CONDITION`, indented",
     "a field has no condition of its own"},
    {Place::AfterRead, ":", "a type has its width in its name: `u3` is three bits, `uint(n)` n of them",
     "a width is part of the type"},
    {Place::AfterRead, "repeat",
     "write a loop, `repeat n times`, and the field indented below; `literals u8[n]` outputs n fields",
     "a field is read once"},
    {Place::AfterRule, ": TYPE NL", "write `-> {1}`", "the type of a result stands after `->`"},
    {Place::AfterTable, "[", "a table is as long as its list: `table NAME: u8 = [1, 2, 3]`",
     "a table is given no size"},
    {Place::AfterArray, "=", "an array starts as zeros; constants are a table, `table NAME: u8 = [1, 2, 3]`",
     "an array is given no values"},

    {Place::After, ":", kFirst, "a field can't be read here"},
    {Place::After, "=", "equality is written `==`", "`=` does not compare"},
    {Place::After, "not in", "write `not (x in A..B)`", "there is no `not in`"},
    {Place::After, "then", "the block is indented below; one simple statement may stand on this line after `:`"},
    {Place::After, "do", "the block is indented below; one simple statement may stand on this line after `:`"},
    {Place::After, "if",
     "a choice between two values is `select(CONDITION, A, B)`; an optional part stands below `if CONDITION`",
     "`if` starts a line of its own"},
    {Place::After, "mod", "the remainder is written `%`"},
    {Place::After, "div", "the quotient is written `/`"},
    {Place::After, "xor", "exclusive or is written `^`"},
    {Place::After, "shl", "shifts are written `<<` and `>>`"},
    {Place::After, "shr", "shifts are written `<<` and `>>`"},
    {Place::After, "is", "equality is written `==`"},
    {Place::After, ".",
     "the input's end is `end of input`, its size `remaining`; a rule of a module is read: `x: MODULE.RULE`",
     "a value has no parts"},
    {Place::Brackets, ":", kFirst, "a field can't be read inside an expression"},

    {Place::Operand, "& ANY", "the logical operator is written `and`", "there is no `&&`"},
    {Place::Operand, "| ANY", "the logical operator is written `or`", "there is no `||`"},
    {Place::Operand, "= =", "equality is written `==`", "there is no `===`"},
    {Place::Operand, "* ANY", "there are no pointers, and no power `**`: a power of two is `1 << n`",
     "an expression can't start with `*`"},
    {Place::Operand, "( TYPE ) NAME", "write `{3} as {1}`", "a value's type stands after it"},
    {Place::Operand, "+", "a number is written without `+`", "there is no `+` before a value"},
    {Place::Operand, "[",
     "lists stand in declarations only, such as `table t: u8 = [1, 2]`; a test is `n == 3 or n == 4`",
     "a list is no value"},
    {Place::InSet, "[", "write `n == 3 or n == 4`; values without a gap are `n in 3..4`",
     "`in` takes a range, not a list"},
    {Place::InSet, "( ANY ,", "write `n == 3 or n == 4`; values without a gap are `n in 3..4`",
     "`in` takes a range, not a list"},
    {Place::InSet, "range (", "write `n in 0..9`: both ends are included", "`in` takes a range `A..B`"},
    {Place::InEnd, "=", "both ends are included: write `A..B`", "there is no `..=`"},
    {Place::InEnd, "<", "both ends are included: write `A..B - 1`", "there is no `..<`"},
    {Place::InEnd, ".", "both ends are included: write `A..B`", "there is no `...`"},

    {Place::Type, "uint8_t", "write `u8`"},
    {Place::Type, "uint8", "write `u8`"},
    {Place::Type, "byte", "write `u8`"},
    {Place::Type, "char", "write `u8`"},
    {Place::Type, "uchar", "write `u8`"},
    {Place::Type, "int8_t", "write `i8`"},
    {Place::Type, "int8", "write `i8`"},
    {Place::Type, "uint16_t", "write `u16`; read from bytes it is `u16le` or `u16be`"},
    {Place::Type, "uint16", "write `u16`; read from bytes it is `u16le` or `u16be`"},
    {Place::Type, "ushort", "write `u16`; read from bytes it is `u16le` or `u16be`"},
    {Place::Type, "word", "write `u16`; read from bytes it is `u16le` or `u16be`"},
    {Place::Type, "int", "write `i32`; read from bytes it is `i32le` or `i32be`"},
    {Place::Type, "int16_t", "write `i16`; read from bytes it is `i16le` or `i16be`"},
    {Place::Type, "int16", "write `i16`; read from bytes it is `i16le` or `i16be`"},
    {Place::Type, "short", "write `i16`; read from bytes it is `i16le` or `i16be`"},
    {Place::Type, "uint32_t", "write `u32`; read from bytes it is `u32le` or `u32be`"},
    {Place::Type, "uint32", "write `u32`; read from bytes it is `u32le` or `u32be`"},
    {Place::Type, "dword", "write `u32`; read from bytes it is `u32le` or `u32be`"},
    {Place::Type, "unsigned", "write `u32`; read from bytes it is `u32le` or `u32be`"},
    {Place::Type, "fixed32", "write `u32`; read from bytes it is `u32le`"},
    {Place::Type, "int32_t", "write `i32`; read from bytes it is `i32le` or `i32be`"},
    {Place::Type, "int32", "write `i32`; read from bytes it is `i32le` or `i32be`"},
    {Place::Type, "uint64_t", "write `u64`; read from bytes it is `u64le` or `u64be`"},
    {Place::Type, "uint64", "write `u64`; read from bytes it is `u64le` or `u64be`"},
    {Place::Type, "size_t", "write `u64`; read from bytes it is `u64le` or `u64be`"},
    {Place::Type, "usize", "write `u64`; read from bytes it is `u64le` or `u64be`"},
    {Place::Type, "fixed64", "write `u64`; read from bytes it is `u64le`"},
    {Place::Type, "int64_t", "write `i64`; read from bytes it is `i64le` or `i64be`"},
    {Place::Type, "int64", "write `i64`; read from bytes it is `i64le` or `i64be`"},
    {Place::Type, "long", "write `i64`; read from bytes it is `i64le` or `i64be`"},
    {Place::Type, "bit", "write `u1`, or `bool` for a truth value"},
    {Place::Type, "bits", "write `u5` for five bits, `uint(n)` for n of them"},
    {Place::Type, "nibble", "write `u4`"},
    {Place::Type, "boolean", "write `bool`"},
    {Place::Type, "_Bool", "write `bool`"},
    {Place::Type, "float", kFloat},
    {Place::Type, "double", kFloat},
    {Place::Type, "f32", kFloat},
    {Place::Type, "f64", kFloat},
    {Place::Type, "string", kText},
    {Place::Type, "str", kText},
    {Place::Type, "strz", kText},
    {Place::Type, "bytes", kText},
    {Place::Type, "leb128", "write `varint(u32)`, or `varint(i32)` for zigzag coding"},
    {Place::Type, "uleb128", "write `varint(u32)`"},
    {Place::Type, "vlq", "write `varint(u32)`, or `varint(i32)` for zigzag coding"},
    {Place::Type, "varint32", "write `varint(u32)`, or `varint(i32)` for zigzag coding"},
    {Place::Type, "varint64", "write `varint(u64)`, or `varint(i64)` for zigzag coding"},
    {Place::Type, "sint32", "write `varint(i32)`: LEB128 with zigzag coding"},
    {Place::Type, "sint64", "write `varint(i64)`: LEB128 with zigzag coding"},

    {Place::Value, "True", "write `true`"},
    {Place::Value, "TRUE", "write `true`"},
    {Place::Value, "False", "write `false`"},
    {Place::Value, "FALSE", "write `false`"},
    {Place::Value, "None", "every name has a value; a field that may be missing stands below `if CONDITION`"},
    {Place::Value, "null", "every name has a value; a field that may be missing stands below `if CONDITION`"},
    {Place::Value, "NULL", "every name has a value; a field that may be missing stands below `if CONDITION`"},
    {Place::Value, "end", "write `end of input`"},
    {Place::Value, "eof", "write `end of input`"},
    {Place::Value, "EOF", "write `end of input`"},
    {Place::Value, "at_end", "write `end of input`"},
    {Place::Value, "pos", kPosition},
    {Place::Value, "position", kPosition},
    {Place::Value, "offset", kPosition},
    {Place::Value, "tell", kPosition},
    {Place::Value, "len",
     "write `count of BUFFER`, `remaining` for the bytes of input left, `produced` for the output"},
    {Place::Value, "size",
     "write `count of BUFFER`, `remaining` for the bytes of input left, `produced` for the output"},
    {Place::Value, "sizeof", "write `bits of TYPE`, `count of BUFFER`, or `remaining` for the bytes of input left"},
    {Place::Value, "pow", kNoPower},
    {Place::Value, "abs", "write `select(x < 0, -x, x)`"},
    {Place::Value, "int", "a value is cut to a type with `x as u8`"},
    {Place::Value, "range", "write `for i < n`, or `x in A..B`"},
    {Place::Value, "read", kFirst},
    {Place::Value, "getc", kFirst},
    {Place::Value, "getbits",
     "fields can't be read inside expressions: read into a name first, `x: uint(n)`, then use `x`"},

    {Place::Character, "!", "negation is written `not`, inequality `!=`"},
    {Place::Character, "?", "a choice between two values is `select(CONDITION, A, B)`"},
    {Place::Character, "$", "hexadecimal numbers are written `0xff`; names are letters, digits and `_`"},
    {Place::Character, "@", "a name is letters, digits and `_`"},
    {Place::Character, "\\", "a line goes on inside `(` and `[` until the bracket is closed"},
});

// u8, i64le, bool.
bool is_own_type(std::string_view word) {
  if (word == "bool") return true;
  if (word.ends_with("le") || word.ends_with("be")) word.remove_suffix(2);
  if (word.size() < 2 || word.size() > 3 || (word[0] != 'u' && word[0] != 'i')) return false;
  return std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_operator(const Token& t) {
  constexpr std::string_view kOperators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "+%", "-%", "*%"};
  return std::any_of(std::begin(kOperators), std::end(kOperators), [&](std::string_view op) { return t.is(op); });
}

bool matches(std::string_view element, const Token& t) {
  if (element == "ANY") return !t.is(Token::Kind::Newline) && !t.is(Token::Kind::End);
  if (element == "OP") return is_operator(t);
  if (element == "NAME") return t.is(Token::Kind::Word) && classify(t.text) == WordClass::Name;
  if (element == "NL") return t.is(Token::Kind::Newline);
  if (element == "OWN") return t.is(Token::Kind::Word) && is_own_type(t.text);
  if (element == "TYPE") return t.is(Token::Kind::Word) && looks_like_type(t.text);
  return (t.is(Token::Kind::Bad) && t.text == element) || t.is(element);
}

std::optional<Foreign> answer(const Row& row, const std::array<std::string, 4>& words) {
  const std::string_view message = row.message.empty() ? "`{0}` is not a word of this language" : row.message;
  return Foreign{fmt::format(fmt::runtime(message), words[0], words[1], words[2], words[3]),
                 fmt::format(fmt::runtime(row.help), words[0], words[1], words[2], words[3]), row.hides_block};
}

// A word alone may be a name of the author's all the same: `loop: u8`, `check(n)`, `end[i] := 0`.
bool may_be_a_name(const std::function<Token(std::size_t)>& token) {
  const Token next = token(1);
  if (next.is(":")) return !token(2).is(Token::Kind::Newline) && !token(2).is(Token::Kind::End);
  if (next.is("(")) {  // a call holds no block
    std::size_t at = 2;
    while (!token(at).is(Token::Kind::Newline) && !token(at).is(Token::Kind::End)) ++at;
    return !token(at + 1).is(Token::Kind::Indent) && !token(at - 1).is(":") && !token(at - 1).is(Token::Kind::Bad);
  }
  return next.is("=") || next.is(":=") || next.is("[") || next.is(".");
}

struct Shape {
  std::string_view word, text;
};

constexpr auto kShapes = std::to_array<Shape>({
    {"accept", "the name says why: `accept last_block`"},
    {"align", "write `align`, or `align zero else reject NAME`"},
    {"argument", "write `argument NAME: u32 = 0`: the number after `=` is used when the caller gives none"},
    {"array", "write `array NAME: TYPE[SIZE]`, such as `array lengths: u8[288]`"},
    {"build", "write `build CODE from LENGTHS[START, COUNT]`, such as `build litlen from lengths[0, 257]`"},
    {"const", "write `const NAME = VALUE`"},
    {"copy", "write `copy distance D, length N`, such as `copy distance 1, length 4`"},
    {"for", "write `for i < n`: i is 0, 1, ... n - 1"},
    {"literals", "write `literals TYPE[COUNT]`, such as `literals u8[n]`, or `literals BUFFER[FROM, COUNT]`"},
    {"new", "write `new window`, or `new window after dictionary`"},
    {"output", "write `output bytes`, or `output u32[]` for elements of 32 bits"},
    {"prefix_code", "write `prefix_code NAME(SYMBOLS, LONGEST)`, such as `prefix_code litlen(288, 15)`"},
    {"producing", "write `producing N`, and what makes the N outputs indented below"},
    {"ranges", "write `ranges NAME = base [1, 2, 3, 5] extra [0, 0, 1, 1]`"},
    {"reject", "the name says why: `reject bad_length`"},
    {"repeat",
     "write `repeat N times`, `repeat until CONDITION`, `repeat until end of input`, or `repeat` with a `stop` in it"},
    {"require", "write `require CONDITION else reject NAME`"},
    {"run", "write `run VALUE, count N`, such as `run value, count n + 3`"},
    {"skip", "write `skip N bytes`; bits are read and dropped: `_: u5`, or `_: uint(n)`"},
    {"stage", "write `stage inverse_bwt BUFFER, origin ROW`, for example; dsl/grammar.md lists the stages"},
    {"state_code", "write `state_code NAME(SYMBOLS, LARGEST)`, such as `state_code offsets(32, 8)`: at most 32 symbols and 1 << 8 states"},
    {"symbol", "write `symbol NAME[INDEX]`"},
    {"table", "write `table NAME: TYPE = [1, 2, 3]`"},
    {"trailing", "write `trailing reject NAME` or `trailing accept NAME`"},
    {"var", "write `var NAME: TYPE = VALUE`, such as `var left: u32 = 0`"},
    {"within", "write `within N bytes`, and what is read there indented below"},
});

}  // namespace

std::optional<Foreign> find_foreign(Place place, const std::function<Token(std::size_t)>& token) {
  for (const Row& row : kRows) {
    if (row.place != place) continue;
    std::array<std::string, 4> words;
    std::size_t count = 0;
    bool same = true;
    for (std::string_view rest = row.pattern; same && !rest.empty(); ++count) {
      const std::string_view element = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), element.size() + 1));
      same = matches(element, token(count));
      words[count] = token(count).text;
    }
    if (!same || (place == Place::Line && count == 1 && may_be_a_name(token))) continue;
    return answer(row, words);
  }
  return std::nullopt;
}

std::optional<Foreign> find_foreign(Place place, std::string_view word) {
  for (const Row& row : kRows)
    if (row.place == place && row.pattern == word) return answer(row, {std::string(word), "", "", ""});
  return std::nullopt;
}

std::string_view shape_of(std::string_view word) {
  for (const Shape& shape : kShapes)
    if (shape.word == word) return shape.text;
  return {};
}

bool looks_like_type(std::string_view word) { return is_own_type(word) || find_foreign(Place::Type, word).has_value(); }

}  // namespace sluice::ast
