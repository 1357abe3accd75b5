#include "dsl/syntax/format.h"

#include <algorithm>

#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parser.h"

namespace sluice::ast {
namespace {

using Kind = Token::Kind;
using Role = Token::Role;

constexpr std::size_t kIndent = 2, kContinuationIndent = 4;

bool opens(const Token& t) { return t.is("(") || t.is("["); }
bool closes(const Token& t) { return t.is(")") || t.is("]"); }

bool space_between(const Token& left, const Token& right) {
  if (opens(left) || closes(right)) return false;
  if (opens(right) && (right.role == Role::Tight)) return false;
  if (left.role == Role::Prefix) return false;
  if (right.is(",") || right.is(";") || right.is(":") || right.is(".") || left.is(".")) return false;
  return !left.is("..") && !right.is("..");
}

class Formatter {
 public:
  Formatter(const SourceSet& sources, std::uint32_t file, const Tokens& in)
      : text_(sources.text(file)), tokens_(in.tokens), comments_(in.comments) {}

  std::string run() {
    for (std::size_t i = 0; i < tokens_.size();) {
      const Token& t = tokens_[i];
      if (t.is(Kind::Indent)) {
        columns_.push_back(t.span.length);
        block_start_ = true;
        ++i;
      } else if (t.is(Kind::Dedent)) {
        // Comments above this line may still belong to the block that ends: decided by their column.
        std::size_t next = i;
        while (tokens_[next].is(Kind::Dedent)) ++next;
        comments_before(tokens_[next].span.offset, columns_.size() - 1 - (next - i), columns_.size() - 1);
        columns_.resize(columns_.size() - (next - i));
        i = next;
      } else if (t.is(Kind::End)) {
        comments_before(static_cast<std::uint32_t>(text_.size()), 0, columns_.size() - 1);
        ++i;
      } else {
        comments_before(t.span.offset, columns_.size() - 1, columns_.size() - 1);
        std::size_t end = i;
        while (!tokens_[end].is(Kind::Newline)) ++end;
        logical_line(i, end);
        i = end + 1;
      }
    }
    return std::move(out_);
  }

 private:
  std::size_t column_of(std::uint32_t offset) const {
    const std::size_t newline = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
    return offset - (newline == std::string_view::npos ? 0 : newline + 1);
  }

  // Whether an empty line stood between what was written last and `offset`; written if so.
  void keep_empty_line(std::uint32_t offset) {
    const std::string_view gap = text_.substr(written_, offset - written_);
    const bool empty_line = std::count(gap.begin(), gap.end(), '\n') > 1;
    if (empty_line && !block_start_ && !out_.empty()) out_ += '\n';
    block_start_ = false;
  }

  // Comments on lines of their own before `offset`, at the deepest level of [low, high] their column reaches.
  void comments_before(std::uint32_t offset, std::size_t low, std::size_t high) {
    for (; next_comment_ < comments_.size() && comments_[next_comment_].span.offset < offset; ++next_comment_) {
      const Span span = comments_[next_comment_].span;
      std::size_t level = high;
      while (level > low && columns_[level] > column_of(span.offset)) --level;
      high = level;  // a deeper comment below a shallower one would be read as another block's
      keep_empty_line(span.offset);
      out_.append(level * kIndent, ' ').append(text_.substr(span.offset, span.length)).append("\n");
      written_ = span.offset + span.length;
    }
  }

  // Tokens [begin, end) of one line, its inner comments and the comment after it.
  void logical_line(std::size_t begin, std::size_t end) {
    keep_empty_line(tokens_[begin].span.offset);
    const std::size_t indent = (columns_.size() - 1) * kIndent;
    out_.append(indent, ' ');
    column_ = indent;
    const bool fits = indent + width(begin, end) <= kMaxColumns;
    unsigned depth = 0;
    bool fresh = true;  // nothing written on this physical line yet
    for (std::size_t i = begin; i < end; ++i) {
      const Token& t = tokens_[i];
      while (next_comment_ < comments_.size() && comments_[next_comment_].span.offset < t.span.offset) {
        inner_comment(fresh, indent);
        new_line(indent);
        fresh = true;
      }
      const bool space = !fresh && space_between(tokens_[i - 1], t);
      if (!fits && !fresh && depth > 0 && may_break(i)) {
        if (column_ + space + width(i, next_break(i, end)) > kMaxColumns) {
          new_line(indent);
          fresh = true;
        }
      }
      if (space && !fresh) out_ += ' ', ++column_;
      out_ += t.text;
      column_ += t.text.size();
      fresh = false;
      if (opens(t)) ++depth;
      if (closes(t) && depth > 0) --depth;
    }
    written_ = tokens_[end].span.offset;
    // A comment after the line's code.
    if (next_comment_ < comments_.size() && !comments_[next_comment_].own_line &&
        text_.substr(written_, comments_[next_comment_].span.offset - written_).find('\n') == std::string_view::npos) {
      inner_comment(false, indent);
    }
    out_ += '\n';
  }

  void inner_comment(bool fresh, std::size_t indent) {
    const Comment& c = comments_[next_comment_++];
    if (c.own_line && !fresh) new_line(indent);
    if (!c.own_line) out_ += "  ";
    out_ += text_.substr(c.span.offset, c.span.length);
    written_ = c.span.offset + c.span.length;
  }

  void new_line(std::size_t indent) {
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
    out_.append(indent + kContinuationIndent, ' ');
    column_ = indent + kContinuationIndent;
  }

  // A line in brackets may be broken before this token: an element of a list or of arguments, or `and` and `or`.
  bool may_break(std::size_t i) const {
    const Token& left = tokens_[i - 1];
    const bool list_start = left.is("[") && left.role == Role::None;
    return left.is(",") || list_start || tokens_[i].is("and") || tokens_[i].is("or");
  }

  std::size_t next_break(std::size_t i, std::size_t end) const {
    for (std::size_t j = i + 1; j < end; ++j)
      if (may_break(j)) return j;
    return end;
  }

  // Columns of tokens [begin, end) on one line.
  std::size_t width(std::size_t begin, std::size_t end) const {
    std::size_t columns = 0;
    for (std::size_t i = begin; i < end; ++i)
      columns += tokens_[i].text.size() + (i > begin && space_between(tokens_[i - 1], tokens_[i]) ? 1 : 0);
    return columns;
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  const std::vector<Comment>& comments_;
  std::vector<std::size_t> columns_ = {0};  // source columns of the open blocks
  std::size_t next_comment_ = 0;
  std::size_t written_ = 0;  // source offset up to which everything is written
  std::size_t column_ = 0;   // in the line being written
  bool block_start_ = true;
  std::string out_;
};

}  // namespace

std::string format(const SourceSet& sources, std::uint32_t file) {
  DiagSink sink;
  Tokens tokens = lex(sources, file, sink);
  Parser(tokens.tokens, file, sink).run();
  if (!sink.ok() || !tokens.habits.empty()) return std::string(sources.text(file));
  return Formatter(sources, file, tokens).run();
}

}  // namespace sluice::ast
