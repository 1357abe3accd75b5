#include "dsl/source/source.h"

#include <algorithm>

namespace sluice {

std::uint32_t SourceSet::add(std::string name, std::string text) {
  if (text.size() > kMaxSourceBytes) text.resize(kMaxSourceBytes);
  File file{std::move(name), std::move(text), {0}};
  for (std::size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  files_.push_back(std::move(file));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view SourceSet::text(Span span) const {
  const std::string_view all = files_[span.file].text;
  const std::size_t from = std::min<std::size_t>(span.offset, all.size());
  return all.substr(from, span.length);
}

LineCol SourceSet::line_col(std::uint32_t file, std::uint32_t offset) const {
  const File& f = files_[file];
  offset = std::min(offset, static_cast<std::uint32_t>(f.text.size()));
  const auto after = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
  const std::uint32_t start = *(after - 1);
  return {static_cast<std::uint32_t>(after - f.line_starts.begin()),
          1 + code_points(std::string_view(f.text).substr(start, offset - start))};
}

std::string_view SourceSet::line_text(std::uint32_t file, std::uint32_t line) const {
  const File& f = files_[file];
  if (line == 0 || line > f.line_starts.size()) return {};
  std::string_view rest = std::string_view(f.text).substr(f.line_starts[line - 1]);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

std::uint32_t SourceSet::line_start(std::uint32_t file, std::uint32_t line) const {
  const File& f = files_[file];
  if (line == 0) return 0;
  if (line > f.line_starts.size()) return static_cast<std::uint32_t>(f.text.size());
  return f.line_starts[line - 1];
}

std::uint32_t code_points(std::string_view utf8) {
  return static_cast<std::uint32_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace sluice
