#pragma once
// Indented text. `open("if (x) {")` ... `close()`.
#include <fmt/core.h>

#include <string>
#include <string_view>

namespace sluice::emit {

class Writer {
 public:
  void line(std::string_view text) {
    if (!text.empty()) text_.append(2 * depth_, ' ');
    text_ += text;
    text_ += '\n';
  }
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
    line(text);
  }
  // Ends one block and starts its sibling: `} else {`.
  void next(std::string_view text) {
    --depth_;
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
  std::string text_;
  unsigned depth_ = 0;
};

}  // namespace sluice::emit
