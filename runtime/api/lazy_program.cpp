#include "runtime/api/lazy_program.h"

#include <utility>

#include "runtime/jit/cuda_code.h"

namespace sluice::cuda {

void LazyProgram::will_be(Emit emit, std::string arch, runtime::ObjectCache cache,
                          std::shared_ptr<const runtime::CudaDevice> device) {
  emit_ = std::move(emit);
  arch_ = std::move(arch);
  cache_ = std::move(cache);
  device_ = std::move(device);
}

CallError LazyProgram::get(std::shared_ptr<const runtime::CudaProgram>& program) const {
  const std::lock_guard lock(making_);
  begun_.settle();
  if (!program_) program_ = begun_.made();
  if (!program_ && emit_) {
    const emit::CudaUnit unit = emit_();
    auto made = program_of(unit.text, arch_, cache_, device_, unit.plan);
    if (!made) return CallError::from(made.error());
    program_ = std::move(*made);
  }
  program = program_;
  return {};
}

std::shared_ptr<const runtime::CudaProgram> LazyProgram::soon() const {
  const std::lock_guard lock(making_);
  if (program_ || !emit_) return program_;
  if (!begun_.started()) {
    emit::CudaUnit unit = emit_();
    const bool cached = runtime::is_cached(unit.text, arch_, cache_);
    const auto make = [text = std::move(unit.text), arch = arch_, cache = cache_, device = device_, plan = std::move(unit.plan)] {
      return program_of(text, arch, cache, device, plan);
    };
    if (begun_.start(make) && cached) begun_.settle();
  }
  program_ = begun_.made();
  return program_;
}

void LazyProgram::settle() const {
  Replacement begun;
  {
    const std::lock_guard lock(making_);  // not while it waits: others are to find out that the program is not there
    begun = begun_;
  }
  begun.settle();
}

std::shared_ptr<const runtime::CudaProgram> LazyProgram::made() const {
  const std::lock_guard lock(making_);
  if (!program_) program_ = begun_.made();
  return program_;
}

Result<std::shared_ptr<const runtime::CudaProgram>> program_of(const std::string& text, const std::string& arch,
                                                               const runtime::ObjectCache& cache,
                                                               const std::shared_ptr<const runtime::CudaDevice>& device,
                                                               const plan::LaunchPlan& plan) {
  const auto code = runtime::compile_cuda(text, arch, cache);
  if (!code) return code.error();
  const runtime::UncapturedThread uncaptured(*device);
  return runtime::CudaProgram::load(device, code->code.image, plan);
}

}  // namespace sluice::cuda
