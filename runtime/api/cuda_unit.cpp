#include "runtime/api/cuda_unit.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/analysis/facts.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/device_function.h"
#include "dsl/diag/render.h"

namespace sluice {
namespace {

// A kernel behind a device function's header that calls it with a sink that adds up: to see that it compiles, and what it takes.
std::string trial_of(const std::string& name, bool arguments) {
  return fmt::format(R"(
struct SluiceTrialSink {{
  unsigned long long sum;
  __device__ void put(unsigned long long index, {0}::Value value) {{ sum += index ^ (unsigned long long)value; }}
}};
extern "C" __global__ void {2}(const unsigned char* in, unsigned long long size, unsigned long long most,
                               const unsigned long long* args, unsigned long long* out) {{
  __shared__ {0}::Storage storage[1];  // launched with one warp
  SluiceTrialSink sink = {{0}};
  const {0}::Result r = {0}::decode(storage[0], in, size, most, sink{1});
  out[threadIdx.x] = sink.sum ^ r.error ^ r.produced ^ r.consumed;
}}
)",
                     name, arguments ? ", args" : "", kDeviceTrial);
}

}  // namespace

Result<CudaText> cuda_text(driver::Compiled& compiled, const driver::Request& request, std::string_view target,
                           std::string_view directives, CudaKernels kernels, bool colour) {
  const ir::Module& module = *compiled.module;
  driver::Scheduled chosen =
      driver::schedule_for(compiled, request, analysis::analyse(module), target, directives);
  if (!chosen.schedule)
    return Error{Error::Kind::Spec, render_all(compiled.sources, chosen.diags.diagnostics(), colour),
                 to_json(compiled.sources, chosen.diags.diagnostics())};
  return CudaText{*chosen.schedule, cuda_unit(compiled, *chosen.schedule, target, kernels), std::move(chosen.alternatives)};
}

emit::CudaUnit cuda_unit(const driver::Compiled& compiled, const schedule::Schedule& schedule, std::string_view target,
                         CudaKernels kernels) {
  return emit::emit_cuda(*compiled.module, {.schedule = schedule,
                                            .decode = kernels != CudaKernels::Count,
                                            .count = kernels != CudaKernels::Decode,
                                            .device = schedule::device_for(schedule::arch_of(target)),
                                            .sources = &compiled.sources});
}

Result<DeviceFunctionText> device_function(driver::Compiled& compiled, std::string_view target, std::string_view directives,
                                           std::span<const std::string> set, bool colour) {
  const ir::Module& module = *compiled.module;
  const driver::Scheduled chosen = driver::device_function_schedule(compiled, analysis::analyse(module), target, directives);
  if (!chosen.schedule)
    return Error{Error::Kind::Spec, render_all(compiled.sources, chosen.diags.diagnostics(), colour),
                 to_json(compiled.sources, chosen.diags.diagnostics())};
  const std::string name = emit::device_namespace(module, set);
  emit::CudaUnit unit = emit::emit_cuda(module, {.schedule = *chosen.schedule,
                                                 .device = schedule::device_for(schedule::arch_of(target)),
                                                 .sources = &compiled.sources,
                                                 .device_function = name});
  return DeviceFunctionText{*chosen.schedule, std::move(unit.text), trial_of(name, !module.args.empty())};
}

}  // namespace sluice
