#pragma once
// Files read whole, and memory to decode into. Writing files: output_file.h.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::cli {

// The file's bytes, "-" being standard input; nothing when it can't be read, and then `error` says why in a sentence.
std::optional<std::vector<std::uint8_t>> read_file(const std::string& path, std::string& error);

// Bytes of address space whose contents don't matter. Only what is written to takes memory, so a Buffer may be far
// larger than the machine's memory.
class Buffer {
 public:
  // Nothing when there is no such stretch of addresses.
  static std::optional<Buffer> make(std::uint64_t size);
  // A file's contents, each page read when it is first looked at; what is written to them stays in memory. Nothing for
  // what is no regular file, can't be opened, or is empty.
  static std::optional<Buffer> map_file(const std::string& path);
  // As read_file of a file read at once, in memory that is cheap to fill.
  static std::optional<Buffer> read(const std::string& path, std::string& error);

  std::span<std::uint8_t> bytes() { return {data_.get(), size_}; }
  std::span<const std::uint8_t> bytes() const { return {data_.get(), size_}; }

 private:
  struct Unmap {
    std::size_t size = 0;
    void operator()(std::uint8_t* data) const;
  };
  Buffer(void* data, std::size_t size) : data_(static_cast<std::uint8_t*>(data), Unmap{size}), size_(size) {}
  std::unique_ptr<std::uint8_t, Unmap> data_;
  std::size_t size_;  // no more than is mapped
};

}  // namespace sluice::cli
