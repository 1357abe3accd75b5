#pragma once
// Temporary memory of one thread of a batch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace sluice::runtime {

inline constexpr std::align_val_t kScratchAlign{64};

struct FreeScratch {
  void operator()(void* p) const { ::operator delete(p, kScratchAlign); }
};
using Scratch = std::unique_ptr<void, FreeScratch>;

// Null when there is no memory.
inline Scratch make_scratch(std::uint64_t bytes) {
  return Scratch(::operator new(std::max<std::size_t>(bytes, 1), kScratchAlign, std::nothrow));
}

}  // namespace sluice::runtime
