#pragma once
// The texts being compiled, and where in them a span lies. Not thread-safe; texts are immutable once added and
// views of them stay valid as long as the set lives.
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/source/span.h"

namespace sluice {

// Largest text accepted by SourceSet::add: spans hold 32-bit offsets, and the end of the text is one of them.
inline constexpr std::size_t kMaxSourceBytes = 0xfffffff0u;

struct LineCol {
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in code points (UTF-8; a stray byte counts as one)
  friend bool operator==(const LineCol&, const LineCol&) = default;
};

class SourceSet {
 public:
  // Adds a text under a display name and returns its file id, counting from 0. A text longer than
  // kMaxSourceBytes is cut there.
  std::uint32_t add(std::string name, std::string text);

  std::size_t size() const { return files_.size(); }
  std::string_view text(std::uint32_t file) const { return files_[file].text; }
  const std::string& name(std::uint32_t file) const { return files_[file].name; }

  // The text under a span, clipped to the file.
  std::string_view text(Span span) const;

  // Where a span starts, or where it ends (one past its last byte).
  LineCol line_col(Span span) const { return line_col(span.file, span.offset); }
  LineCol line_col(std::uint32_t file, std::uint32_t offset) const;

  // Line `line` (1-based) without its newline; empty when there is no such line.
  std::string_view line_text(std::uint32_t file, std::uint32_t line) const;
  // Offset of the first byte of line `line` (1-based).
  std::uint32_t line_start(std::uint32_t file, std::uint32_t line) const;

 private:
  struct File {
    std::string name, text;
    std::vector<std::uint32_t> line_starts;
  };
  std::deque<File> files_;  // a deque: views into texts survive add()
};

// Number of code points in UTF-8 text: bytes that are not continuation bytes.
std::uint32_t code_points(std::string_view utf8);

}  // namespace sluice
