#include "runtime/api/replacement.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace sluice::cuda {
namespace {

// Threads that compile. Never destroyed: it is asked when the process ends.
struct Running {
  std::mutex mutex;
  std::condition_variable fewer;
  unsigned threads = 0;
  bool waits_at_exit = false;
};
Running& running() {
  static Running* const all = new Running;
  return *all;
}

void wait_for_all() {
  Running& all = running();
  std::unique_lock lock(all.mutex);
  all.fewer.wait(lock, [&] { return all.threads == 0; });
}

// Counts a thread, from before it starts.
class Counted {
 public:
  Counted() {
    Running& all = running();
    const std::lock_guard lock(all.mutex);
    ++all.threads;
    // Registered behind what NVRTC and the driver have registered, so it is called before.
    if (!std::exchange(all.waits_at_exit, true)) static_cast<void>(std::atexit(wait_for_all));
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    Running& all = running();
    const std::lock_guard lock(all.mutex);
    --all.threads;
    all.fewer.notify_all();
  }
};

}  // namespace

bool Replacement::start(std::function<Result<Program>()> make) {
  std::promise<Result<Program>> promise;
  std::shared_future<Result<Program>> future = promise.get_future().share();
  try {
    std::thread([counted = std::make_unique<Counted>(), promise = std::move(promise), make = std::move(make)]() mutable {
      try {
        promise.set_value(make());
      } catch (const std::bad_alloc&) {
        promise.set_value(Error{Error::Kind::NoMemory, "no memory to compile in", {}});
      }
      make = nullptr;  // with the device it holds, before the thread counts as gone
    }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  made_ = std::move(future);
  return true;
}

bool Replacement::pending() const {
  return made_.valid() && made_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

Replacement::Program Replacement::made() const {
  if (!made_.valid() || pending()) return nullptr;
  const Result<Program>& made = made_.get();
  return made ? *made : nullptr;
}

}  // namespace sluice::cuda
