#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "tests/fake_cuda/fake.h"

namespace fake {
namespace {

struct State {
  std::mutex mutex;
  std::map<std::uint64_t, std::pair<std::size_t, bool>> pieces;  // address -> bytes, on the device
  std::string fail;                                              // $SLUICE_FAKE_FAIL as it was at the last call
  int calls = 0;                                                 // of the function it names, since it has been that
};

State& state() {
  static State instance;
  return instance;
}

bool inside(std::uint64_t at, std::size_t bytes, bool device) {
  const std::lock_guard lock(state().mutex);
  auto it = state().pieces.upper_bound(at);
  if (it == state().pieces.begin()) return false;
  --it;
  const auto& [size, is_device] = it->second;
  return is_device == device && at - it->first <= size && bytes <= size - (at - it->first);
}

}  // namespace

Code enter(const char* function, Needs needs) {
  if (const char* fail = std::getenv("SLUICE_FAKE_FAIL")) {
    const std::lock_guard lock(state().mutex);
    if (state().fail != fail) {
      state().fail = fail;
      state().calls = 0;
    }
    const std::string_view text = fail;
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && text.substr(0, colon) == function &&
        ++state().calls == std::atoi(fail + colon + 1))
      return kOutOfMemory;
  }
  return needs == Needs::Context && !context_is_current() ? kInvalidContext : kSuccess;
}

std::uint64_t allocate(std::size_t bytes, bool device) {
  constexpr std::size_t kAlign = 256;
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlign, bytes) != 0) return 0;
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(state().mutex);
  state().pieces[at] = {bytes, device};
  return at;
}

bool release(std::uint64_t at, bool device) {
  const std::lock_guard lock(state().mutex);
  const auto it = state().pieces.find(at);
  if (it == state().pieces.end() || it->second.second != device) return false;
  std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(at)));
  state().pieces.erase(it);
  return true;
}

bool on_device(std::uint64_t at, std::size_t bytes) { return inside(at, bytes, true); }
bool pinned(const void* at, std::size_t bytes) { return inside(reinterpret_cast<std::uintptr_t>(at), bytes, false); }

std::size_t live_pieces() {
  const std::lock_guard lock(state().mutex);
  return state().pieces.size();
}

}  // namespace fake
