#pragma once
// Indented text. `open("if (x) {")` ... `close()`. What is written from the spec says where it comes from, once for each
// of its lines: `at("lz4_block.sluice:18")` is a comment at the end of the next line, unless it was the last one.
#include <fmt/core.h>

#include <string>
#include <string_view>

namespace sluice::emit {

class Writer {
 public:
  void line(std::string_view text) {
    if (!text.empty()) text_.append(2 * depth_, ' ');
    text_ += text;
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
  template <typename... A>
  void line(fmt::format_string<A...> f, A&&... a) requires(sizeof...(A) > 0) {
    line(std::string_view(fmt::format(f, std::forward<A>(a)...)));
  }
  void open(std::string_view text) {
    line(text);
    ++depth_;
  }
  template <typename... A>
  void open(fmt::format_string<A...> f, A&&... a) requires(sizeof...(A) > 0) {
    open(std::string_view(fmt::format(f, std::forward<A>(a)...)));
  }
  void close(std::string_view text = "}") {
    --depth_;
    bare(text);
  }
  // Ends one block and starts its sibling: `} else {`.
  void next(std::string_view text) {
    --depth_;
    bare(text);
    ++depth_;
  }
  // Likewise, with a condition of its own: `} else if (...) {`.
  void next(std::string_view text, std::string place) {
    --depth_;
    at(std::move(place));
    line(text);
    ++depth_;
  }
  void label(std::string_view name) {
    text_ += fmt::format("{}{}:;\n", std::string(depth_ > 0 ? 2 * depth_ - 2 : 0, ' '), name);
  }
  void raw(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }
  const std::string& text() const { return text_; }
  unsigned depth() const { return depth_; }
  void set_depth(unsigned d) { depth_ = d; }

 private:
  void bare(std::string_view text) {
    text_.append(2 * depth_, ' ');
    text_ += text;
    text_ += '\n';
  }

  std::string text_;
  std::string place_, said_;
  unsigned depth_ = 0;
};

}  // namespace sluice::emit
