#include "runtime/cli/chunk_file.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "runtime/cli/files.h"

namespace sluice::cli {
namespace {

// The numbers of the text; false when there is anything else in it.
bool parse_sizes(std::string_view text, std::vector<std::uint64_t>& sizes) {
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (true) {
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    if (text.empty()) return true;
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && !blank(text.front())) return false;
    sizes.push_back(size);
  }
}

}  // namespace

std::optional<ChunkFile> read_chunk_file(const std::string& path, std::string& error) {
  auto bytes = read_file(path, error);
  if (!bytes) return std::nullopt;
  ChunkFile file;
  file.bytes = std::move(*bytes);
  const std::string sizes_path = path + ".sizes";
  std::error_code ignored;
  if (!std::filesystem::exists(sizes_path, ignored)) {
    file.chunks.push_back(file.bytes);
    return file;
  }
  const auto text = read_file(sizes_path, error);
  if (!text) return std::nullopt;
  std::vector<std::uint64_t> sizes;
  if (!parse_sizes({reinterpret_cast<const char*>(text->data()), text->size()}, sizes)) {
    error = sizes_path + " is not a list of sizes";
    return std::nullopt;
  }
  std::span<const std::uint8_t> rest = file.bytes;
  for (const std::uint64_t size : sizes) {
    if (size > rest.size()) {
      error = fmt::format("{} asks for more than the {} bytes of {}", sizes_path, file.bytes.size(), path);
      return std::nullopt;
    }
    file.chunks.push_back(rest.first(static_cast<std::size_t>(size)));
    rest = rest.subspan(static_cast<std::size_t>(size));
  }
  if (!rest.empty() || sizes.empty()) {
    error = fmt::format("{} leaves {} bytes of {} over", sizes_path, rest.size(), path);
    return std::nullopt;
  }
  return file;
}

}  // namespace sluice::cli
