#pragma once
// A kernel that many callers never need: the one behind decoded sizes, those for some batches alone. So a decoder of
// a description writes its text and compiles it when it is first needed; an artifact brings those that it has.
//
//   sizes.will_be(emit, "sm_90", cache, device);   // costs nothing
//   sizes.get(program)                             // emits, compiles and loads: seconds, or milliseconds from the cache
//   sizes.get(program)                             // the same program
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "compiler/emit/cuda.h"
#include "runtime/jit/cache.h"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

class LazyProgram {
 public:
  // One that is there: an artifact's.
  void is(std::shared_ptr<const runtime::CudaProgram> program) { program_ = std::move(program); }
  // A kernel's text, and the plan that names the kernels in it. Called by one thread at a time, beside those of others.
  using Emit = std::function<emit::CudaUnit()>;
  // One to be made of what `emit` gives, for `arch`, on the device.
  void will_be(Emit emit, std::string arch, runtime::ObjectCache cache, std::shared_ptr<const runtime::CudaDevice> device);

  // The program, made by the first call that asks; `program` is null and the error says why where there is none. Any
  // number of threads may ask: one makes it, the others wait. After an error the next call tries again.
  CallError get(std::shared_ptr<const runtime::CudaProgram>& program) const;
  // What get() has given, or null; waits for a thread that is making it.
  [[nodiscard]] std::shared_ptr<const runtime::CudaProgram> made() const;

 private:
  Emit emit_;
  std::string arch_;
  runtime::ObjectCache cache_{std::filesystem::path()};
  std::shared_ptr<const runtime::CudaDevice> device_;
  mutable std::mutex making_;
  mutable std::shared_ptr<const runtime::CudaProgram> program_;
};

}  // namespace sluice::cuda
