#pragma once
// A program that takes another's place as soon as it is compiled: note [quick start] of runtime/jit/cuda_code.h.
//
//   better.start(make);      // a thread begins to compile
//   better.made()            // null: not yet; then what decoded so far goes on
//   better.settle()          // until it is there, or will never be
#include <functional>
#include <future>
#include <memory>

#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

// Thread-safe once started. Destroying it waits for nothing, so `make` has all it needs of its own. A process that ends waits: a
// thread in NVRTC or in the driver would not survive their destructors.
class Replacement {
 public:
  using Program = std::shared_ptr<const runtime::CudaProgram>;

  // False: no thread was to be had, and `make` has not been called. NVRTC and the driver have been loaded.
  bool start(std::function<Result<Program>()> make);

  [[nodiscard]] bool started() const { return made_.valid(); }
  // The program, or null where none was started, it is being made, or it could not be.
  [[nodiscard]] Program made() const;
  // Is it being made?
  [[nodiscard]] bool pending() const;
  void settle() const {
    if (made_.valid()) made_.wait();
  }

 private:
  std::shared_future<Result<Program>> made_;
};

}  // namespace sluice::cuda
