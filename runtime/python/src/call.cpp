#include "runtime/python/src/call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace sluice::python {
namespace {

using std::chrono::milliseconds;

// Below, giving up the GIL and taking it back costs as much as it lets others do.
constexpr std::uint64_t kAtOnceBytes = 32 << 10;
// From here on a decode takes some ten milliseconds in machine code, about as long as a signal waits below, too. Less does not
// pay for a thread: it takes 20 microseconds to start, and on a busy machine waits milliseconds for its first turn.
constexpr std::uint64_t kInterruptibleBytes = 16 << 20, kInterruptibleSlowBytes = 4 << 10;
// How long a signal, or news for `progress`, may wait.
constexpr milliseconds kPoll{20};

struct InFlight {
  std::atomic<bool> cancel{false};
};
// Only touched with the GIL: note [calls in flight].
std::vector<InFlight*> in_flight;
bool closing = false;

class Entry {
 public:
  explicit Entry(InFlight& call) : call_(call) { in_flight.push_back(&call); }
  Entry(const Entry&) = delete;
  ~Entry() { std::erase(in_flight, &call_); }

 private:
  InFlight& call_;
};

// Of Linux: Python's signal handlers run in this thread alone.
bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

// What the deciding thread and the decoding one share; whoever is last frees it.
struct Shared {
  InFlight call;
  std::atomic<std::uint64_t> finished{0};
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;  // with mutex
  CallError error;
  std::exception_ptr thrown;
};

void work_off(Shared& shared, const Task& task) {
  CallError error;
  std::exception_ptr thrown;
  try {
    error = task(&shared.call.cancel, &shared.finished);
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::lock_guard lock(shared.mutex);
  shared.error = std::move(error);
  shared.thrown = thrown;
  shared.done = true;
  shared.changed.notify_all();
}

// Signal handlers and the caller's progress, between two waits. False: one of them raised, and Python's error is set.
bool look_after_python(const Shared& shared, const Work& work, std::uint64_t& told) {
  if (PyErr_CheckSignals() != 0) return false;
  const std::uint64_t finished = shared.finished.load(std::memory_order_relaxed);
  if (!work.progress.is_valid() || finished == told) return true;
  told = finished;
  try {
    work.progress(finished, work.chunks);
  } catch (nb::python_error& error) {
    error.restore();
    return false;
  }
  return true;
}

CallError run_beside(const Work& work, const Task& task) {
  const auto shared = std::make_shared<Shared>();
  const Entry entry(shared->call);
  std::thread worker;
  try {
    worker = std::thread([shared, &task] { work_off(*shared, task); });
  } catch (const std::system_error&) {  // no thread to be had: then without signals
    const nb::gil_scoped_release release;
    work_off(*shared, task);
  }
  const pid_t process = getpid();
  bool raised = false;
  std::uint64_t told = 0;
  for (bool done = false; !done;) {
    {
      const nb::gil_scoped_release release;
      std::unique_lock lock(shared->mutex);
      done = shared->changed.wait_for(lock, kPoll, [&] { return shared->done; });
    }
    if (done || raised) continue;
    raised = !look_after_python(*shared, work, told);
    if (raised) shared->call.cancel.store(true, std::memory_order_relaxed);
    if (getpid() != process) {
      // A signal handler, or `progress`, has forked, and this is the child: the decoding thread is not here, and its
      // mutex may be locked for ever.
      static_cast<void>(new std::thread(std::move(worker)));  // neither to be joined nor to be detached
      PyErr_Clear();
      PyErr_SetString(PyExc_RuntimeError, "the process was forked while it decoded: the decode goes on in the parent alone");
      throw nb::python_error();
    }
  }
  if (worker.joinable()) worker.join();
  if (!raised) raised = !look_after_python(*shared, work, told);
  if (raised) throw nb::python_error();
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  return shared->error;
}

}  // namespace

CallError run(const Work& work, const Task& task) {
  if (closing) {
    PyErr_SetString(PyExc_RuntimeError, "the interpreter is about to end: nothing is decoded any more");
    throw nb::python_error();
  }
  const bool watched = work.progress.is_valid();
  if (!watched && !work.slow && work.bytes < kAtOnceBytes) return task(nullptr, nullptr);
  const bool interruptible = work.bytes >= (work.slow ? kInterruptibleSlowBytes : kInterruptibleBytes);
  if (watched || (interruptible && is_main_thread())) return run_beside(work, task);
  InFlight call;
  const Entry entry(call);
  const nb::gil_scoped_release release;
  return task(&call.cancel, nullptr);
}

void end_all_calls() {
  closing = true;
  for (InFlight* call : in_flight) call->cancel.store(true, std::memory_order_relaxed);
  while (!in_flight.empty()) {
    const nb::gil_scoped_release release;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void forget_calls_after_fork() { in_flight.clear(); }

}  // namespace sluice::python
