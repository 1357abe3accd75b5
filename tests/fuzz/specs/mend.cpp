#include "tests/fuzz/specs/mend.h"

#include <algorithm>
#include <set>

namespace sluice::fuzz {
namespace {

bool declares(const std::string& text) {
  static constexpr const char* kWords[]{"format ", "input ",  "output ",  "table ", "array ",    "prefix_code ", "state_code ",
                                        "ranges ", "buffer ", "symbols ", "const ", "argument ", "use "};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const char* word) { return text.starts_with(word); });
}

// A line that keeps the names it made, or nothing when the line can go.
std::optional<std::string> instead_of(const std::string& text, Code code) {
  const std::vector<std::string> tokens = tokens_of(text);
  if (tokens.size() > 2 && is_word(tokens[0])) {
    if (tokens[1] == "=" && text != tokens[0] + " = 1") return tokens[0] + " = 1";
    if (tokens[0] == "var") {
      const std::size_t equals = text.find(" = ");
      if (equals != std::string::npos && text.substr(equals) != " = 0") return text.substr(0, equals) + " = 0";
    }
    if (tokens[0] == "return" && text != "return 1") return "return 1";
    if (tokens[1] == ":" && tokens[2] != "u8" && code != Code::Undefined) return tokens[0] + ": u8";
    if (tokens[0] == "for" && text.find(" < ") != std::string::npos && tokens[3] != "3")
      return "for " + tokens[1] + " < 3";
    if (tokens[0] == "repeat" && tokens.back() == "times" && tokens[1] != "3") return "repeat 3 times";
    if (tokens[0] == "repeat" && tokens[1] == "until" && text != "repeat until end of input")
      return "repeat until end of input";
  }
  return std::nullopt;
}

// Mends the line that holds a diagnostic's place. False when there is nothing to be done.
bool mend_line(Lines& lines, std::size_t at, Code code, std::set<std::size_t>& dropped) {
  Line& line = lines[at];
  if (code == Code::NoProgress || code == Code::IdleLoop) {
    // Something to read in every step.
    if (end_of_block(lines, at) > at + 1) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, {lines[at + 1].indent, "_: u8"});
      dropped.insert(lines.size());
      return true;
    }
  }
  if (code == Code::NotExhaustive || code == Code::NotProvenExhaustive) {
    std::size_t end = end_of_block(lines, at);
    while (end < lines.size() && lines[end].indent == line.indent && lines[end].text.starts_with("when "))
      end = end_of_block(lines, end);
    if (end < lines.size() && lines[end].indent == line.indent && lines[end].text == "else") return false;
    const unsigned indent = line.indent;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), {{indent, "else"}, {indent + 2, "pass"}});
    return true;
  }
  if (auto text = instead_of(line.text, code)) {
    line.text = *text;
    return true;
  }
  if (line.text.starts_with("format ") || line.text.starts_with("input ") || line.text.starts_with("output "))
    return false;
  if (line.text == "pass") return false;
  if (declares(line.text) || line.text.starts_with("rule ")) {
    lines = without(lines, at, end_of_block(lines, at));
    return true;
  }
  std::size_t end = end_of_block(lines, at);
  // A chain without its first arm is one no more: an `else` alone goes too.
  if (line.text.starts_with("when ") && end < lines.size() && lines[end].indent == line.indent &&
      lines[end].text == "else" && (at == 0 || !lines[at - 1].text.starts_with("when "))) {
    std::size_t before = at;
    bool first = true;
    while (before > 0) {
      --before;
      if (lines[before].indent > line.indent) continue;
      first = !(lines[before].indent == line.indent && lines[before].text.starts_with("when "));
      break;
    }
    if (first) end = end_of_block(lines, end);
  }
  lines = without(lines, at, end);
  return true;
}

}  // namespace

driver::Request request_of(const Lines& lines, bool passes) {
  driver::Request request;
  request.name = "spec.sluice";
  request.text = print_lines(lines);
  request.passes = passes;
  return request;
}

std::optional<Mended> mend(Lines lines, unsigned most_rounds) {
  std::string last;
  for (unsigned round = 0; round <= most_rounds; ++round) {
    driver::Compiled compiled = driver::compile_spec(request_of(lines, false));
    if (compiled.failure != driver::Failure::Diagnosed) return Mended{std::move(lines), std::move(compiled), round};
    // From the last line to the first, so that places above stay what they are; one diagnostic a line.
    std::vector<std::pair<std::size_t, Code>> places;
    for (const Diagnostic& d : compiled.diags.diagnostics()) {
      if (d.severity != Severity::Error) continue;
      if (!d.has_place || d.span.file != 0) return std::nullopt;
      const std::size_t at = compiled.sources.line_col(d.span).line - 1;
      if (at < lines.size()) places.emplace_back(at, d.code);
    }
    std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::set<std::size_t> dropped;
    std::size_t before = lines.size() + 1;
    bool changed = false;
    for (const auto& [at, code] : places) {
      if (at >= before || at >= lines.size()) continue;
      before = at;
      if (mend_line(lines, at, code, dropped)) changed = true;
    }
    if (!changed) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sluice::fuzz
