// Memory that ends (and starts) at pages which can't be touched: one byte read or written outside is a fault.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::test {

// Which end of the buffer lies against an untouchable page.
enum class Flush : std::uint8_t { Start, End };

// `size` usable bytes between two PROT_NONE pages, flush against one of them. Aborts when mmap fails.
class GuardedBuffer {
 public:
  GuardedBuffer(std::size_t size, Flush flush);
  GuardedBuffer(std::span<const std::uint8_t> content, Flush flush);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::span<std::uint8_t> bytes() { return {data_, size_}; }

  // From here on a write faults too.
  void make_read_only();

 private:
  std::uint8_t* map_ = nullptr;
  std::size_t map_size_ = 0;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sluice::test
