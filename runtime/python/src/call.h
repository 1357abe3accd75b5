#pragma once
// Running a decoder from Python: without the GIL where that pays, to be interrupted by Ctrl-C, with progress, and so that
// neither the interpreter's end nor a fork finds a decode under way.
//
// note [calls in flight]: every call that gives up the GIL stands in a list, which only holders of the GIL touch. The
// interpreter's exit (atexit, while threads still may run) cancels what is in the list, waits for it to be empty and lets
// nothing new in. So no thread comes back for the GIL when there is no interpreter any more, which would end it inside of
// C++. In a child process the calls of other threads do not exist, and the list begins empty.
#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "runtime/api/sluice.hpp"

namespace sluice::python {
namespace nb = nanobind;

// How much there is to do, and who wants to hear of it.
struct Work {
  std::uint64_t bytes = 0;   // of input and of room for output: what the time depends on
  std::uint64_t chunks = 1;
  bool slow = false;         // the interpreter, or stages: bytes say little about the time
  nb::handle progress;       // called with (chunks done, chunks); not valid: nobody
};

// Runs `task` with a flag to be passed on as Batch::cancel and a count for Batch::finished; either may be null, when
// nobody can set or read it. Little work is done at once. From the main thread, or with progress, the rest is done by
// another thread, while this one looks after signals. Throws what a signal handler or `progress` raised, after the
// decode has ended; RuntimeError when the interpreter is about to end. With the GIL, which `task` must not need.
using Task = std::function<CallError(const std::atomic<bool>* cancel, std::atomic<std::uint64_t>* finished)>;
[[nodiscard]] CallError run(const Work& work, const Task& task);

// note [calls in flight]
void end_all_calls();
void forget_calls_after_fork();

}  // namespace sluice::python
