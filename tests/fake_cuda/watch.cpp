// Which texts are compiled, and which kernels are launched how: for tests that ask.
#include <cstdlib>
#include <mutex>

#include "tests/fake_cuda/fake.h"

namespace fake {
namespace {

struct State {
  std::mutex mutex;
  Watched watched;
};

State& state() {
  static State instance;
  return instance;
}

bool is_watched(const std::string& text) {
  const char* words = std::getenv("SLUICE_FAKE_WATCH");
  return words && *words && text.find(words) != std::string::npos;
}

}  // namespace

void text_compiled(const std::string& text) {
  if (!is_watched(text)) return;
  const std::lock_guard lock(state().mutex);
  ++state().watched.compiled;
}

void kernel_launched(const std::string& text, unsigned blocks, unsigned threads) {
  const bool watched = is_watched(text);
  const std::lock_guard lock(state().mutex);
  state().watched.launched += watched ? 1 : 0;
  state().watched.blocks = blocks;
  state().watched.threads = threads;
}

}  // namespace fake

FAKE_EXPORT void fake_cuda_watched(fake::Watched* into) {
  const std::lock_guard lock(fake::state().mutex);
  *into = fake::state().watched;
}
