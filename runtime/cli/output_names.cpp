#include "runtime/cli/output_names.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <compare>
#include <filesystem>
#include <map>
#include <optional>

#include "runtime/cli/output_file.h"

namespace sluice::cli {
namespace {

struct FileKey {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // of a file that is not there yet, in that directory; empty: the file itself

  auto operator<=>(const FileKey&) const = default;
};

// A regular file that is there. "-" is standard input or output, by the descriptor that `dash` gives.
std::optional<FileKey> key_of_file(const std::string& path, int dash) {
  struct stat facts {};
  const std::string place = follow_links(path);
  const int descriptor = path == "-" ? dash : descriptor_of(place);
  const int failed = descriptor >= 0 ? ::fstat(descriptor, &facts) : ::stat(place.c_str(), &facts);
  if (failed != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return FileKey{facts.st_dev, facts.st_ino, {}};
}

// Nothing for streams and devices, and where no file can be.
std::optional<FileKey> key_of_output(const std::string& path) {
  if (auto key = key_of_file(path, STDOUT_FILENO)) return key;
  if (is_stream(path)) return std::nullopt;
  const std::filesystem::path place = follow_links(path);
  const std::filesystem::path directory = place.has_parent_path() ? place.parent_path() : ".";
  struct stat facts {};
  if (::stat(directory.c_str(), &facts) != 0) return std::nullopt;
  return FileKey{facts.st_dev, facts.st_ino, place.filename().string()};
}

}  // namespace

bool same_file(const std::string& input, const std::string& output) {
  const auto in = key_of_file(input, STDIN_FILENO);
  return in && in == key_of_file(output, STDOUT_FILENO);
}

std::string wrong_outputs(std::span<const std::string> inputs, std::span<const NamedOutput> outputs) {
  std::map<FileKey, const NamedOutput*> files;
  std::map<int, const NamedOutput*> streams;
  for (const NamedOutput& output : outputs) {
    const NamedOutput* before = nullptr;
    if (const auto key = key_of_output(output.path)) {
      before = files.try_emplace(*key, &output).first->second;
    } else if (const int descriptor = descriptor_of(follow_links(output.path)); descriptor >= 0) {
      before = streams.try_emplace(descriptor, &output).first->second;
    }
    if (before != nullptr && before != &output)
      return fmt::format("two outputs go to {}: {} and {}", output.path, before->of, output.of);
  }
  for (const std::string& input : inputs) {
    const auto key = key_of_file(input, STDIN_FILENO);
    const auto found = key ? files.find(*key) : files.end();
    if (found == files.end()) continue;
    const std::string& path = found->second->path;
    return path == input ? fmt::format("{} is to be read, and the output would replace it", input)
                         : fmt::format("{} is to be read, and the output {} is the same file", input, path);
  }
  return {};
}

}  // namespace sluice::cli
