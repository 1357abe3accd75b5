#pragma once
// Indented text. `open("if (x) {")` ... `close()`. What is written from the spec says where it comes from, once for each
// of its lines: `at("lz4_block.sluice:18")` is a comment at the end of the next line, unless it was the last one.
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "compiler/emit/form.h"

namespace sluice::emit {

class Writer {
 public:
  explicit Writer(Notes notes) : notes_(notes) {}

  template <typename... A>
  void line(Form<std::type_identity_t<A>...> form, A&&... a) {
    indented(notes_.fill(form, std::forward<A>(a)...));
    if (!place_.empty() && place_ != said_) {
      text_ += "  // ";
      text_ += place_;
      said_ = place_;
    }
    text_ += '\n';
  }
  // Empty: what follows comes from no line of the spec.
  void at(std::string place) { place_ = std::move(place); }
  [[nodiscard]] const std::string& place() const { return place_; }
  // `u64 a = 0, b;`: eight on a line, however long their names are: a renamed spec is to make the same lines.
  void declare(std::string_view type, std::span<const std::string> declarators) {
    constexpr std::size_t kOnALine = 8;
    for (; !declarators.empty(); declarators = declarators.subspan(std::min(kOnALine, declarators.size())))
      line("{} {};", type, fmt::join(declarators.first(std::min(kOnALine, declarators.size())), ", "));
  }
  template <typename... A>
  void open(Form<std::type_identity_t<A>...> form, A&&... a) {
    line(form, std::forward<A>(a)...);
    ++depth_;
  }
  void close(Form<> form = "}") {
    --depth_;
    bare(form);
  }
  // Ends one block and starts its sibling: `} else {`.
  template <typename... A>
  void next(Form<std::type_identity_t<A>...> form, A&&... a) {
    --depth_;
    bare(form, std::forward<A>(a)...);
    ++depth_;
  }
  // Likewise, with a condition of its own: `} else if (...) {`.
  template <typename... A>
  void next_at(std::string place, Form<std::type_identity_t<A>...> form, A&&... a) {
    --depth_;
    at(std::move(place));
    open(form, std::forward<A>(a)...);
  }
  void label(std::string_view name) {
    text_ += fmt::format("{}{}:;\n", std::string(depth_ > 0 ? 2 * depth_ - 2 : 0, ' '), name);
  }
  // Text whose names have been noted as it was written, or with those that have been kept beside it.
  void raw(std::string_view text) { text_ += text; }
  void raw(std::string_view text, const embed::PrimitiveNames& names) {
    notes_.names->add(names);
    text_ += text;
  }
  std::string take() { return std::move(text_); }
  const std::string& text() const { return text_; }
  unsigned depth() const { return depth_; }
  void set_depth(unsigned d) { depth_ = d; }

 private:
  void indented(std::string_view line) {
    if (!line.empty()) text_.append(2 * depth_, ' ');
    text_ += line;
  }
  template <typename... A>
  void bare(Form<std::type_identity_t<A>...> form, A&&... a) {
    indented(notes_.fill(form, std::forward<A>(a)...));
    text_ += '\n';
  }

  Notes notes_;
  std::string text_;
  std::string place_, said_;
  unsigned depth_ = 0;
};

}  // namespace sluice::emit
