#include "compiler/emit/sure_steps.h"

#include <algorithm>

namespace sluice::emit {
namespace {

constexpr unsigned kMostWholeBytes = 4;  // widths of 8, 16, 24 and 32 bits have a loop of their own

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string field(const Context& c, const char* how, const std::string& width) {
  return fmt::format("prim::{}bits_at<{}>(src, bit, {})", how, c.msb(), width);
}

std::string move(const std::string& width) { return fmt::format("bit += {};\n", width); }

void write_loop(Writer& w, const SureSteps& steps, const std::string& sure, const std::string& text) {
  w.open("for (u64 k = 0; k < {}; ++k) {{", sure);
  const int depth = static_cast<int>(w.depth());
  w.raw(indented(steps.before, depth));
  w.raw(indented(text, depth));
  w.raw(indented(steps.after, depth));
  w.close();
}

}  // namespace

std::string only_field(const Context& c, const SureSteps& steps) {
  if (steps.steady_widths.size() != 1) return "";
  const std::string& width = steps.steady_widths[0];
  const bool one = occurrences(steps.text, "bits_at<") == 1 && occurrences(steps.text, "bit += ") == 1 &&
                   occurrences(steps.text, move(width)) == 1;
  return one && (occurrences(steps.text, field(c, "", width)) == 1 ||
                 occurrences(steps.text, field(c, "wide_", width)) == 1)
             ? width
             : "";
}

std::string indented(const std::string& text, int levels) {
  std::string r;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (levels < 0)
      at = std::min(at + 2 * static_cast<std::size_t>(-levels), end - 1);
    else if (end - at > 1)
      r.append(2 * static_cast<std::size_t>(levels), ' ');
    r.append(text, at, end - at);
    at = end;
  }
  return r;
}

void write_sure_steps(Writer& w, const Context& c, const SureSteps& steps, const std::string& sure,
                      std::uint64_t least_whole) {
  unsigned open = 0;
  const auto choose = [&](const std::string& condition) {
    if (open++ == 0)
      w.open("if ({}) {{", condition);
    else
      w.next(fmt::format("}} else if ({}) {{", condition));
  };
  if (const std::string width = c.cuda ? "" : only_field(c, steps); !width.empty()) {
    const std::string enough = least_whole == 0 ? "" : fmt::format("{} >= {} && ", sure, least_whole);
    w.line("const prim::Cursor field = prim::cursor(src, bit >> 3);");
    for (unsigned bytes = 1; bytes <= kMostWholeBytes; ++bytes) {
      choose(fmt::format("{}((bit & 7) | ({} ^ {})) == 0", enough, width, 8 * bytes));
      std::string text = steps.text;
      const std::string whole = fmt::format("prim::whole_at<{}, {}>(src, field, k)", c.msb(), bytes);
      replace_all(text, field(c, "wide_", width), whole);
      replace_all(text, field(c, "", width), whole);
      const std::size_t at = text.find(move(width)), line = text.rfind('\n', at) + 1;  // npos + 1: the first line
      text.erase(line, at + move(width).size() - line);
      write_loop(w, steps, sure, text);
      w.line("bit += {} * {};", 8 * bytes, sure);
    }
  }
  std::string narrow, text = steps.text;
  for (const std::string& width : steps.steady_widths) {
    if (occurrences(text, field(c, "wide_", width)) == 0) continue;
    narrow += fmt::format("{}{} <= 57", narrow.empty() ? "" : " && ", width);
    replace_all(text, field(c, "wide_", width), field(c, "", width));
  }
  if (!narrow.empty()) {
    choose(narrow);
    write_loop(w, steps, sure, text);
  }
  if (open > 0) w.next("} else {");
  write_loop(w, steps, sure, steps.text);
  if (open > 0) w.close();
}

}  // namespace sluice::emit
