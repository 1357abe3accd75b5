// A comment that names a line of a spec names one that belongs to a clause of it, and every rule has such a comment.
//
//   v0_id = prim::take_le(s, 16);  // gzip.sluice:31      line 31 of gzip.sluice holds a statement, or part of one
//
// A rule's comment is a place alone, as here: error words name all of a spec's places beside them. Comments are found by Clang's lexer: what looks like one in a string is none.
#include <algorithm>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Regex.h"
#include "tests/emitted/rules.h"

namespace sluice::emitted {
namespace {

// Rules with statements, none of whose lines stands alone in a comment.
void check_named(const Text& text, const Clauses& alone, Report& report) {
  for (const RuleLines& rule : text.rules) {
    bool named = rule.lines.empty();
    for (const auto& [file, lines] : rule.lines)
      if (const auto there = alone.find(file); there != alone.end())
        named = named || std::ranges::any_of(lines, [&](unsigned line) { return there->second.contains(line); });
    if (!named) report.add(1, "lines", "no comment names a line of rule " + rule.name);
  }
}

}  // namespace

void check_lines(const Text& text, Report& report) {
  using namespace clang;
  LangOptions language;
  language.CPlusPlus = language.LineComment = true;
  Lexer lexer(SourceLocation::getFromRawEncoding(1), language, text.text.c_str(), text.text.c_str(),
              text.text.c_str() + text.text.size());
  lexer.SetCommentRetentionState(true);
  const llvm::Regex place("([A-Za-z_0-9<>.-]+[.]sluice):([0-9]+)");
  Clauses alone;
  unsigned line = 1;
  std::size_t counted = 0;
  for (Token token; !lexer.LexFromRawLexer(token) || token.isNot(tok::eof);) {
    if (token.is(tok::eof)) break;
    if (token.isNot(tok::comment)) continue;
    const std::size_t at = token.getLocation().getRawEncoding() - 1;
    for (; counted < at; ++counted) line += text.text[counted] == '\n';
    llvm::StringRef rest(text.text.data() + at, token.getLength());
    const llvm::StringRef comment = rest.drop_front(2).trim();
    for (llvm::SmallVector<llvm::StringRef> parts; place.match(rest, &parts);) {
      rest = rest.drop_front(static_cast<std::size_t>(parts[0].end() - rest.begin()));
      const auto file = text.clauses.find(parts[1].str());
      unsigned long number = 0;
      if (file == text.clauses.end())
        report.add(line, "lines", parts[1].str() + " is no file that the text was made from");
      else if (parts[2].getAsInteger(10, number) || !file->second.contains(static_cast<unsigned>(number)))
        report.add(line, "lines", "line " + parts[2].str() + " of " + parts[1].str() + " belongs to no clause");
      else if (comment == parts[0])
        alone[parts[1].str()].insert(static_cast<unsigned>(number));
    }
  }
  check_named(text, alone, report);
}

}  // namespace sluice::emitted
