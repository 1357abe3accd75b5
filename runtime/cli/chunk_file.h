#pragma once
// A file of chunks: FILE holds them one after another, FILE.sizes their sizes in bytes, in order, as decimal numbers
// between blanks or newlines. A file without one is a single chunk.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice::cli {

struct ChunkFile {
  std::vector<std::uint8_t> bytes;
  std::vector<std::span<const std::uint8_t>> chunks;  // views of `bytes`
};

// Nothing when a file can't be read or the sizes don't add up to the file: `error` says so.
std::optional<ChunkFile> read_chunk_file(const std::string& path, std::string& error);

}  // namespace sluice::cli
