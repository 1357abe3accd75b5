// Small file helpers for tests: whole files, sorted directories, tab-separated tables.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

using Bytes = std::vector<std::uint8_t>;

// The whole file, or nothing when it can't be read.
std::optional<Bytes> read_file(const std::filesystem::path& path);

// The same as text.
std::optional<std::string> read_text(const std::filesystem::path& path);

// Regular files of a directory in name order; empty when there is no such directory.
std::vector<std::filesystem::path> list_files(const std::filesystem::path& directory);

// Rows of a tab-separated file, without its header line. Lines that start with '#' are left out.
std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path);

std::vector<std::string> split(std::string_view text, char separator);

// Name for a test parameter: everything but letters and digits becomes '_'.
std::string test_name(std::string_view text);

}  // namespace sluice::test
