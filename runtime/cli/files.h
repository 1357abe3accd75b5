#pragma once
// Files in and out, whole. "-" is standard input or standard output.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::cli {

// The file's bytes; nothing when it can't be read, and then `error` says why in a sentence.
std::optional<std::vector<std::uint8_t>> read_file(const std::string& path, std::string& error);

// Writes `bytes` to `path`, replacing what was there. False when that fails: `error` says why, and no half-written
// file is left behind.
bool write_file(const std::string& path, std::span<const std::uint8_t> bytes, std::string& error);

struct OutputFile {
  std::string path;
  std::span<const std::uint8_t> bytes;
};

// Writes all, in order, or none: when one fails, those written before it are removed and `error` says why.
bool write_files(std::span<const OutputFile> files, std::string& error);

// Whether `path` can be written to, to be asked before long work whose result goes there. Leaves everything as it was.
bool can_write(const std::string& path, std::string& error);

// Bytes of address space whose contents don't matter. Only what is written to takes memory, so a Buffer may be far
// larger than the machine's memory.
class Buffer {
 public:
  // Nothing when there is no such stretch of addresses.
  static std::optional<Buffer> make(std::uint64_t size);
  std::span<std::uint8_t> bytes() { return {data_.get(), data_.get_deleter().size}; }

 private:
  struct Unmap {
    std::size_t size = 0;
    void operator()(std::uint8_t* data) const;
  };
  explicit Buffer(std::unique_ptr<std::uint8_t, Unmap> data) : data_(std::move(data)) {}
  std::unique_ptr<std::uint8_t, Unmap> data_;
};

// The machine's memory in bytes.
std::uint64_t physical_memory();

}  // namespace sluice::cli
