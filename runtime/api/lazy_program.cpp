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
  if (!program_ && emit_) {
    const emit::CudaUnit unit = emit_();
    const auto code = runtime::compile_cuda(unit.text, arch_, cache_);
    if (!code) return CallError::from(code.error());
    auto made = runtime::CudaProgram::load(device_, code->code.image, unit.plan);
    if (!made) return CallError::from(made.error());
    program_ = std::move(*made);
  }
  program = program_;
  return {};
}

std::shared_ptr<const runtime::CudaProgram> LazyProgram::made() const {
  const std::lock_guard lock(making_);
  return program_;
}

}  // namespace sluice::cuda
