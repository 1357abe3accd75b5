// A comment that names a line of a spec names one that belongs to a clause of it.
//
//   v0_id = prim::take_le(s, 16);  // gzip.sluice:31      line 31 of gzip.sluice holds a statement, or part of one
//
// Comments are found by Clang's lexer: what looks like one in a string is none.
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Regex.h"
#include "tests/emitted/rules.h"

namespace sluice::emitted {

void check_lines(const Text& text, Report& report) {
  using namespace clang;
  LangOptions language;
  language.CPlusPlus = language.LineComment = true;
  Lexer lexer(SourceLocation::getFromRawEncoding(1), language, text.text.c_str(), text.text.c_str(),
              text.text.c_str() + text.text.size());
  lexer.SetCommentRetentionState(true);
  const llvm::Regex place("([A-Za-z_0-9<>.-]+[.]sluice):([0-9]+)");
  unsigned line = 1;
  std::size_t counted = 0;
  for (Token token; !lexer.LexFromRawLexer(token) || token.isNot(tok::eof);) {
    if (token.is(tok::eof)) break;
    if (token.isNot(tok::comment)) continue;
    const std::size_t at = token.getLocation().getRawEncoding() - 1;
    for (; counted < at; ++counted) line += text.text[counted] == '\n';
    llvm::StringRef rest(text.text.data() + at, token.getLength());
    for (llvm::SmallVector<llvm::StringRef> parts; place.match(rest, &parts);) {
      rest = rest.drop_front(static_cast<std::size_t>(parts[0].end() - rest.begin()));
      const auto file = text.clauses.find(parts[1].str());
      unsigned long number = 0;
      if (file == text.clauses.end())
        report.add(line, "lines", parts[1].str() + " is no file that the text was made from");
      else if (parts[2].getAsInteger(10, number) || !file->second.contains(static_cast<unsigned>(number)))
        report.add(line, "lines", "line " + parts[2].str() + " of " + parts[1].str() + " belongs to no clause");
    }
  }
}

}  // namespace sluice::emitted
