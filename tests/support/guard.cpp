#include "tests/support/guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace sluice::test {
namespace {

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t size, Flush flush) : size_(size) {
  const std::size_t page = page_size();
  const std::size_t usable = (size + page - 1) / page * page;
  map_size_ = usable + 2 * page;
  void* map = mmap(nullptr, map_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) std::abort();
  map_ = static_cast<std::uint8_t*>(map);
  if (usable != 0 && mprotect(map_ + page, usable, PROT_READ | PROT_WRITE) != 0) std::abort();
  data_ = flush == Flush::Start ? map_ + page : map_ + page + usable - size;
}

GuardedBuffer::GuardedBuffer(std::span<const std::uint8_t> content, Flush flush) : GuardedBuffer(content.size(), flush) {
  if (!content.empty()) std::memcpy(data_, content.data(), content.size());
}

GuardedBuffer::~GuardedBuffer() { munmap(map_, map_size_); }

void GuardedBuffer::make_read_only() {
  const std::size_t page = page_size();
  if (map_size_ > 2 * page && mprotect(map_ + page, map_size_ - 2 * page, PROT_READ) != 0) std::abort();
}

}  // namespace sluice::test
