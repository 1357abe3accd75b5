#include "runtime/cli/build_artifact.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/artifact/make.h"
#include "compiler/emit/cpu.h"
#include "compiler/schedule/directives.h"
#include "runtime/api/cuda_abi.h"
#include "runtime/api/cuda_unit.h"
#include "runtime/api/sluice.hpp"
#include "runtime/cli/units.h"
#include "runtime/jit/aot.h"
#include "runtime/jit/cuda_code.h"

namespace sluice::cli {
namespace {

void tell(const BuildRequest& request, const std::string& what, std::size_t bytes, const Stopwatch& watch) {
  if (request.made) request.made(what, bytes, watch.seconds());
}

// PTX for compute_90 follows the schedule for sm_90.
std::string schedule_target(const std::string& arch) { return "cuda:sm_" + arch.substr(arch.find('_') + 1); }

Result<artifact::CudaImage> build_cuda(const BuildRequest& request, driver::Compiled& compiled, CudaKernels kernels,
                                       const std::string& arch) {
  const Stopwatch watch;
  const auto made = cuda_text(compiled, request.spec, schedule_target(arch), request.schedule, kernels, request.colour);
  if (!made) return made.error();
  auto code = runtime::compile_cuda(made->unit.text, arch, runtime::ObjectCache::standard());
  if (!code) return code.error();
  artifact::CudaImage image{arch, schedule::to_text(made->schedule), made->unit.plan, {}, {}};
  image.image = std::move(code->code.image);
  for (const runtime::KernelResources& k : code->code.kernels)
    if (k.kernel) image.kernels.push_back({k.name, k.registers, k.shared, k.stack, k.spill_stores, k.spill_loads});
  tell(request, (image.is_ptx() ? "ptx " : "cuda ") + arch, image.image.size(), watch);
  return image;
}

}  // namespace

Result<artifact::Artifact> build_artifact(const BuildRequest& request, driver::Compiled& compiled) {
  artifact::Artifact artifact;
  artifact.producer = fmt::format("sluice {}", version());
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const auto& parameter : request.spec.params) parameters.emplace_back(parameter.name, parameter.value);
  artifact.format = artifact::make_format(*compiled.module, compiled.sources, std::move(parameters));

  // What finds decoded sizes is there wherever sizes can be found.
  const emit::CpuEntries entries = artifact.format.countable ? emit::CpuEntries::Both : emit::CpuEntries::Decode;
  const std::string text =
      request.targets.isas.empty() ? std::string() : emit::emit_cpu(*compiled.module, {.entries = entries, .sources = &compiled.sources});
  for (const std::string& isa : request.targets.isas) {
    const Stopwatch watch;
    auto image = runtime::compile_cpu_image(text, isa);
    if (!image) return image.error();
    tell(request, "cpu " + isa, image->image.size(), watch);
    artifact.cpu.push_back(std::move(*image));
  }
  if (!request.targets.archs.empty()) artifact.cuda = artifact::Cuda{SLUICE_CUDA_ABI_VERSION, {}};
  const CudaKernels kernels = artifact.format.countable ? CudaKernels::Both : CudaKernels::Decode;
  for (const std::string& arch : request.targets.archs) {
    auto image = build_cuda(request, compiled, kernels, arch);
    if (!image) return image.error();
    artifact.cuda->images.push_back(std::move(*image));
  }
  artifact::add_call_errors(artifact);
  return artifact;
}

Result<std::vector<std::uint8_t>> build_object(const driver::Compiled& compiled, const std::string& name,
                                               const BuildTargets& targets) {
  emit::CpuOptions options;
  options.prefix = name;
  options.sources = &compiled.sources;
  const std::string isa = targets.isas.empty() ? std::string("x86-64") : targets.isas.back();
  return runtime::compile_cpu_object(emit::emit_cpu(*compiled.module, options), isa);
}

}  // namespace sluice::cli
