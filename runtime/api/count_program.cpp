#include "runtime/api/count_program.h"

#include <utility>

#include "runtime/jit/engine.h"

namespace sluice {

void CountProgram::is(runtime::Program program) {
  program_ = std::move(program);
  there_ = &program_;
}

void CountProgram::will_be(Emit emit, runtime::ObjectCache cache) {
  emit_ = std::move(emit);
  cache_ = std::move(cache);
}

CallError CountProgram::get(const runtime::Program*& program) const {
  program = there_;
  if (program) return {};
  const std::lock_guard lock(making_);
  if (!there_) {
    auto made = runtime::jit(emit_(), cache_);
    if (!made) return CallError::from(made.error());
    program_ = std::move(made->program);
    there_ = &program_;
  }
  program = there_;
  return {};
}

}  // namespace sluice
