#include "tests/support/files.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace sluice::test {

std::optional<Bytes> read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  Bytes bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return std::nullopt;
  return bytes;
}

std::optional<std::string> read_text(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  if (!bytes) return std::nullopt;
  return std::string(bytes->begin(), bytes->end());
}

std::vector<std::filesystem::path> list_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream stream(path);
  std::string line;
  bool header = true;
  while (std::getline(stream, line)) {
    if (line.empty() || line.front() == '#') continue;
    if (!header) rows.push_back(split(line, '\t'));
    header = false;
  }
  return rows;
}

std::string test_name(std::string_view text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

}  // namespace sluice::test
