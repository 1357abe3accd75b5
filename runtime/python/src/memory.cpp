// Output memory straight from the system, and how NumPy gets at it.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "runtime/python/src/module.h"
#include "runtime/python/src/output.h"

namespace sluice::python {
namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t to_page(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

// Mappings that were given back, for those that come: their pages are there, and for a decoder of gigabytes a second to touch
// new ones takes as long as to decode. No more than the C library's malloc keeps. Whoever finds the door locked goes to the
// system instead: no thread waits, and in a forked child, where it may be locked for ever, nothing is kept.
class Kept {
 public:
  struct Mapping {
    std::uint8_t* data = nullptr;
    std::size_t bytes = 0;
  };

  // The largest, empty when there is none.
  static Mapping take() {
    Kept& kept = get();
    const std::unique_lock lock(kept.mutex_, std::try_to_lock);
    if (!lock) return {};
    return std::exchange(*std::ranges::max_element(kept.mappings_, {}, &Mapping::bytes), {});
  }

  // False: there is no room for it.
  static bool put(Mapping mapping) {
    Kept& kept = get();
    const std::unique_lock lock(kept.mutex_, std::try_to_lock);
    if (!lock) return false;
    std::size_t all = mapping.bytes;
    for (const Mapping& one : kept.mappings_) all += one.bytes;
    const auto free = std::ranges::find(kept.mappings_, std::size_t{0}, &Mapping::bytes);
    if (all > kMostBytes || free == kept.mappings_.end()) return false;
    *free = mapping;
    return true;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20, kMost = 8;
  static Kept& get() {
    static Kept kept;
    return kept;
  }
  std::mutex mutex_;
  std::array<Mapping, kMost> mappings_;
};

// A kept mapping of that size, or a new one; null where there is none to be had.
void* map(std::size_t bytes) {
  if (const Kept::Mapping kept = Kept::take(); kept.data != nullptr) {
    if (void* data = mremap(kept.data, kept.bytes, bytes, MREMAP_MAYMOVE); data != MAP_FAILED) return data;
    munmap(kept.data, kept.bytes);
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Memory* memory = nb::inst_ptr<Memory>(self);
  const auto bytes = memory->bytes();
  return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()), 0, flags);
}

}  // namespace

std::unique_ptr<Memory> Memory::make(std::size_t bytes, bool large_pages) {
  const std::size_t mapped = to_page(std::max<std::size_t>(bytes, 1));
  if (mapped < bytes) return nullptr;
  void* data = map(mapped);
  if (data == nullptr) return nullptr;
  if (large_pages) static_cast<void>(madvise(data, mapped, MADV_HUGEPAGE));  // a wish: not every system grants it
  auto memory = std::unique_ptr<Memory>(new Memory(static_cast<std::uint8_t*>(data), mapped));
  memory->size_ = bytes;
  return memory;
}

Memory::~Memory() {
  if (mapped_ != 0 && !Kept::put({data_, mapped_})) munmap(data_, mapped_);
}

void Memory::shrink(std::size_t bytes) {
  if (bytes >= size_) return;
  size_ = bytes;
  const std::size_t kept = to_page(bytes);
  if (kept < mapped_) munmap(data_ + kept, mapped_ - kept);
  mapped_ = kept;
}

void Memory::drop(std::size_t from, std::size_t to) {
  from = to_page(from);
  to = std::min(to, mapped_) / page_bytes() * page_bytes();
  if (from < to) static_cast<void>(madvise(data_ + from, to - from, MADV_DONTNEED));
}

void bind_memory(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<Memory>(module, "Memory", nb::type_slots(slots), "Decoded bytes; arrays of NumPy are views of them.");
}

}  // namespace sluice::python
