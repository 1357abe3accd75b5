#include "dsl/diag/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sluice {
namespace {

// A longer line is shown as a window around the span: tables may be thousands of columns wide.
constexpr std::size_t kMaxExcerptColumns = 140;
constexpr std::size_t kContextColumns = 50;  // kept before the span when the start of the line is cut

constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[1;31m", kYellow = "\x1b[1;33m", kBlue = "\x1b[1;34m",
                           kCyan = "\x1b[1;36m", kReset = "\x1b[0m";

class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  std::string operator()(std::string_view style, std::string_view text) const {
    return colour_ ? fmt::format("{}{}{}", style, text, kReset) : std::string(text);
  }

 private:
  bool colour_;
};

std::string_view style_of(Severity severity) {
  return severity == Severity::Error ? kRed : severity == Severity::Warning ? kYellow : kCyan;
}

// Length of the valid UTF-8 sequence at the start of `text`; 0: not valid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char c = byte(0);
  const std::size_t n = c < 0x80                ? 1
                        : c >= 0xc2 && c < 0xe0 ? 2
                        : c >= 0xe0 && c < 0xf0 ? 3
                        : c >= 0xf0 && c < 0xf5 ? 4
                                                : 0;
  if (n == 0 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return n;
}

// Source text made safe for a terminal: a space for a tab, `?` for other control characters and for what is no UTF-8.
std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text.substr(i));
    const unsigned char c = static_cast<unsigned char>(text[i]);
    // C1 controls (U+0080..U+009F) are two bytes in UTF-8 and act on terminals as the single bytes do.
    const bool c1 = n == 2 && c == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c == '\t')
      out += ' ';
    else if (n == 0 || c < ' ' || c == 0x7f || c1)
      out += '?';
    else
      out += text.substr(i, n);
    i += std::max<std::size_t>(n, 1);
  }
  return out;
}

// First `columns` code points of printable text.
std::string_view left_columns(std::string_view text, std::size_t columns) {
  std::size_t i = 0;
  while (i < text.size() && columns > 0) i += std::max<std::size_t>(utf8_length(text.substr(i)), 1), --columns;
  return text.substr(0, i);
}

unsigned gutter_width(const SourceSet& sources, const Diagnostic& d) {
  std::uint32_t line = sources.line_col(d.span).line;
  for (const Note& note : d.notes) line = std::max(line, sources.line_col(note.span).line);
  return static_cast<unsigned>(fmt::formatted_size("{}", line));
}

// ` --> file:line:column`, the line, and the marks under it. A span over several lines is marked up to its first
// line's end.
std::string excerpt(const SourceSet& sources, Span span, unsigned gutter, const Painter& paint,
                    std::string_view style) {
  const LineCol at = sources.line_col(span);
  const std::string_view raw = sources.line_text(span.file, at.line);
  const std::uint32_t start = sources.line_start(span.file, at.line);
  const std::size_t before = std::min<std::size_t>(span.offset - start, raw.size());
  const std::size_t under = std::min<std::size_t>(span.length, raw.size() - before);

  std::string head = printable(raw.substr(0, before));
  std::string body = printable(raw.substr(before));
  std::size_t column = code_points(head);
  std::size_t marks = std::max<std::size_t>(1, code_points(printable(raw.substr(before, under))));
  if (column + code_points(body) > kMaxExcerptColumns) {
    if (column > kContextColumns) {
      head = "..." + head.substr(left_columns(head, column - kContextColumns).size());
      column = kContextColumns + 3;
    }
    const std::size_t room = kMaxExcerptColumns - column;
    if (code_points(body) > room) body = std::string(left_columns(body, room)) + "...";
    marks = std::min(marks, room);
  }
  std::string text = head + body;
  text.erase(text.find_last_not_of(' ') + 1);

  const std::string bar = paint(kBlue, "|");
  std::string out = fmt::format("{:{}}{} {}:{}:{}\n", "", gutter, paint(kBlue, "-->"),
                                printable(sources.name(span.file)), at.line, at.column);
  out += fmt::format("{:{}} {}\n", "", gutter, bar);
  out += fmt::format("{} {}{}{}\n", paint(kBlue, fmt::format("{:>{}}", at.line, gutter)), bar, text.empty() ? "" : " ",
                     text);
  out +=
      fmt::format("{:{}} {} {:{}}{}\n", "", gutter, bar, "", column, paint(style, "^" + std::string(marks - 1, '~')));
  return out;
}

nlohmann::ordered_json place_json(const SourceSet& sources, Span span) {
  const LineCol from = sources.line_col(span);
  const LineCol to = sources.line_col(span.file, span.offset + span.length);
  return {{"file", sources.name(span.file)}, {"line", from.line},     {"column", from.column}, {"end_line", to.line},
          {"end_column", to.column},         {"offset", span.offset}, {"length", span.length}};
}

}  // namespace

std::string render(const SourceSet& sources, const Diagnostic& d, bool colour) {
  const Painter paint(colour);
  const std::string_view style = style_of(d.severity);
  std::string out = paint(style, fmt::format("{}[{}]", severity_name(d.severity), code_info(d.code).id));
  out += paint(kBold, ": " + printable(d.message)) + "\n";
  if (d.has_place && d.span.file < sources.size()) {
    const unsigned gutter = gutter_width(sources, d);
    out += excerpt(sources, d.span, gutter, paint, style);
    for (const Note& note : d.notes) {
      out += fmt::format("{}: {}\n", paint(kCyan, "note"), printable(note.text));
      out += excerpt(sources, note.span, gutter, paint, kCyan);
    }
  } else {
    for (const Note& note : d.notes) out += fmt::format("{}: {}\n", paint(kCyan, "note"), printable(note.text));
  }
  if (!d.help.empty()) out += fmt::format("{}: {}\n", paint(kCyan, "help"), printable(d.help));
  return out;
}

std::string render_all(const SourceSet& sources, const std::deque<Diagnostic>& diagnostics, bool colour) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render(sources, d, colour);
  }
  return out;
}

std::string to_json(const SourceSet& sources, const std::deque<Diagnostic>& diagnostics) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    const bool placed = d.has_place && d.span.file < sources.size();
    ordered_json notes = ordered_json::array();
    for (const Note& note : d.notes)
      notes.push_back(
          {{"text", note.text}, {"place", placed ? place_json(sources, note.span) : ordered_json(nullptr)}});
    ordered_json one = {{"code", code_info(d.code).id},
                        {"severity", severity_name(d.severity)},
                        {"title", code_info(d.code).title},
                        {"message", d.message},
                        {"place", placed ? place_json(sources, d.span) : ordered_json(nullptr)},
                        {"notes", std::move(notes)}};
    if (!d.help.empty()) one["help"] = d.help;
    list.push_back(std::move(one));
  }
  // File names and excerpts may hold any bytes; JSON is UTF-8.
  return ordered_json{{"diagnostics", std::move(list)}}.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace sluice
