#pragma once
// A kernel that many callers never need: the one behind decoded sizes, those for some batches alone. So a decoder of
// a description writes its text and compiles it when it is first needed; an artifact brings those that it has.
//
//   sizes.will_be(emit, "sm_90", cache, device);   // costs nothing
//   sizes.get(program)                             // emits, compiles and loads: seconds, or milliseconds from the cache
//   sizes.get(program)                             // the same program
//   few.soon()                                     // null: a thread has begun to make it
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "compiler/emit/cuda.h"
#include "runtime/api/replacement.h"
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
  // The same, but it waits for nothing: null while a thread makes it, which the first call starts, and where it can't be made. What is in
  // the cache is there at once.
  [[nodiscard]] std::shared_ptr<const runtime::CudaProgram> soon() const;
  // Waits for what soon() has begun.
  void settle() const;
  // What get() or soon() has given, or null; waits for a thread in get().
  [[nodiscard]] std::shared_ptr<const runtime::CudaProgram> made() const;

 private:
  Emit emit_;
  std::string arch_;
  runtime::ObjectCache cache_{std::filesystem::path()};
  std::shared_ptr<const runtime::CudaDevice> device_;
  mutable std::mutex making_;
  mutable std::shared_ptr<const runtime::CudaProgram> program_;
  mutable Replacement begun_;
};

// A text's program, compiled or from the cache. By any thread, also while another one's stream is captured.
[[nodiscard]] Result<std::shared_ptr<const runtime::CudaProgram>> program_of(const std::string& text, const std::string& arch,
                                                                             const runtime::ObjectCache& cache,
                                                                             const std::shared_ptr<const runtime::CudaDevice>& device,
                                                                             const plan::LaunchPlan& plan);

}  // namespace sluice::cuda
