#pragma once
// Text to tokens. Indentation becomes Indent and Dedent, the end of a logical line becomes Newline; inside ( ) and
// [ ] a line goes on. Comments are kept beside the tokens, for the formatter.
//
//   if x            ->  Word(if) Word(x) Newline Indent Word(stop) Newline Dedent End
//     stop
#include <cstdint>
#include <string_view>
#include <vector>

#include "dsl/diag/diag.h"
#include "dsl/source/source.h"

namespace sluice::ast {

struct Token {
  enum class Kind : std::uint8_t {
    Word,     // a name or a keyword
    Number,   // value; also character literals and strings
    Punct,    // operators and brackets
    Newline,  // empty span after the line's last token
    Indent,
    Dedent,
    Bad,  // already reported
    End,
  };
  // What the parser found out about a token, for the formatter.
  enum class Role : std::uint8_t {
    None,
    Prefix,  // unary operator: no space after it
    Tight,   // bracket of a call, parameters or index: no space before it
  };
  Kind kind = Kind::End;
  Role role = Role::None;
  bool silent = false;  // an error about this place was reported already
  Span span;
  std::string_view text;  // into the SourceSet
  std::uint64_t value = 0;
  unsigned characters = 0;  // of a string; 0: the token is none

  bool is(Kind k) const { return kind == k; }
  bool is(std::string_view t) const { return (kind == Kind::Word || kind == Kind::Punct) && text == t; }
};

struct Comment {
  Span span;             // from `#` to the end of the line, without trailing blanks
  bool own_line = true;  // nothing but blanks before it
};

// What stands on many lines of a text once it stands on one; reported once, where it is first (parse).
struct Habit {
  Code code;
  std::string_view message, help;
  std::vector<Span> places;
};

struct Tokens {
  std::vector<Token> tokens;      // ends with End; Indents and Dedents balance
  std::vector<Comment> comments;  // in source order
  std::vector<Habit> habits;      // with at least one place
  // Where the first tab stands in an indentation while other lines are indented with spaces: from there on nobody knows
  // which block a line belongs to.
  static constexpr std::uint32_t kNoTab = 0xffffffff;
  std::uint32_t first_tab = kNoTab;
};

// Never fails: what is no token is reported, or noted as a habit, and becomes Bad.
Tokens lex(const SourceSet& sources, std::uint32_t file, DiagSink& sink);

}  // namespace sluice::ast
