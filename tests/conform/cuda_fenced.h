// A buffer with wide fences on either side: bytes that AddressSanitizer lets nobody touch, and whose contents must stay
// as they are without it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* memory, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* memory, std::size_t size);
}

namespace sluice::test {

class Fenced {
 public:
  // `skew`: distance of the first byte from a multiple of kAlign, below that. Contents are kBlank.
  Fenced(std::size_t skew, std::size_t size)
      : memory_(new (std::align_val_t{kAlign}) std::uint8_t[kFence + skew + size + kFence]),
        start_(kFence + skew),
        size_(size) {
    std::fill_n(memory_.get(), whole(), kBlank);
    fence(__asan_poison_memory_region);
  }
  Fenced(Fenced&&) = default;
  Fenced& operator=(Fenced&&) = delete;
  ~Fenced() {
    if (memory_) fence(__asan_unpoison_memory_region);
  }

  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {memory_.get() + start_, size_}; }

  [[nodiscard]] bool intact() const {
    fence(__asan_unpoison_memory_region);
    const auto blank = [](std::uint8_t byte) { return byte == kBlank; };
    const std::uint8_t* const all = memory_.get();
    const bool yes = std::all_of(all, all + start_, blank) && std::all_of(all + start_ + size_, all + whole(), blank);
    fence(__asan_poison_memory_region);
    return yes;
  }

  static constexpr std::uint8_t kBlank = 0xcc;
  static constexpr std::size_t kAlign = 128;  // the most that a kernel may ask for

 private:
  // More than two of the lines in which a warp looks at its input.
  static constexpr std::size_t kFence = 3 * kAlign;
  struct Free {
    void operator()(std::uint8_t* memory) const { ::operator delete[](memory, std::align_val_t{kAlign}); }
  };
  [[nodiscard]] std::size_t whole() const { return 2 * kFence + (start_ - kFence) + size_; }
  // Whole units of eight bytes can be poisoned, and the ends of them.
  void fence(void (*function)(const volatile void*, std::size_t)) const {
    if (function == nullptr) return;
    function(memory_.get(), start_);
    function(memory_.get() + start_ + size_, kFence);
  }
  std::unique_ptr<std::uint8_t[], Free> memory_;
  std::size_t start_, size_;
};

}  // namespace sluice::test
