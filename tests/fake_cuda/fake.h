#pragma once
// The stand-in's memory and streams. Work is queued and runs only when somebody waits, so what forgets to wait sees
// stale data; memory is known by the byte, so copies outside it are refused.
//
// $SLUICE_FAKE_ALIGNED=128:16          kernels refuse inputs and outputs that start elsewhere than at such multiples
// $SLUICE_FAKE_REFUSES=word           NVRTC refuses texts with that word
// $SLUICE_FAKE_CAPTURING=1            streams are being captured
// $SLUICE_FAKE_FAIL=cuMemAlloc_v2:3   the third call of that function gives error 2
// $SLUICE_FAKE_WATCH=words            texts with those words are counted: see Watched
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

using Code = int;
enum : Code {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
};

// 2 when $SLUICE_FAKE_FAIL says that this call fails, kInvalidContext when it needs a context and none is current.
enum class Needs : bool { Nothing, Context };
Code enter(const char* function, Needs needs);

// Device or pinned memory, byte-exact, at multiples of 256 bytes as CUDA's is.
std::uint64_t allocate(std::size_t bytes, bool device);
bool release(std::uint64_t at, bool device);
bool on_device(std::uint64_t at, std::size_t bytes);  // wholly inside one live piece
bool pinned(const void* at, std::size_t bytes);
std::size_t live_pieces();

struct Stream {
  std::deque<std::function<Code()>> work;
  // Runs what is queued; the first failure sticks, as in CUDA.
  Code run();
};
Stream& stream_of(void* handle);  // null: the default stream

struct Event {
  Stream* stream = nullptr;  // on which it was recorded last
  std::shared_ptr<bool> reached;
};

// What became of texts with the words of $SLUICE_FAKE_WATCH since the library was loaded, and the last launch of any.
struct Watched {
  unsigned compiled = 0;              // times that NVRTC took such a text
  unsigned launched = 0;              // launches of kernels of such texts
  unsigned blocks = 0, threads = 0;   // of the last launch; threads of a block
};
void text_compiled(const std::string& text);
void kernel_launched(const std::string& text, unsigned blocks, unsigned threads);

// A context's stack, per thread.
bool context_is_current();

}  // namespace fake
