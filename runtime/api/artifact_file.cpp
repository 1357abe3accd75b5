#include "runtime/api/artifact_file.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

#include "compiler/artifact/read.h"

namespace sluice {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

}  // namespace

std::optional<artifact::Artifact> read_artifact_file(const std::string& path, std::string& error) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes;
  // Not by iterators: they let the exception through that a directory is read with.
  while (file) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kPiece);
    file.read(reinterpret_cast<char*>(bytes.data() + before), kPiece);
    bytes.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) {
    error = "no such file, or it can't be read";
    return std::nullopt;
  }
  return artifact::read(bytes, error);
}

}  // namespace sluice
