// From a description to a decoder on the GPU.
#include <chrono>
#include <utility>

#include "compiler/schedule/directives.h"
#include "runtime/api/cuda_decoder_impl.h"
#include "runtime/api/cuda_unit.h"
#include "runtime/jit/cuda_code.h"
#include "runtime/jit/nvrtc_ahead.h"

namespace sluice::cuda {
namespace {

SpecOptions spec_options(const Options& options) { return {options.set, options.search, true, options.colour}; }

bool wanted(strategy::Alternative::Kind kind, const Options& options) {
  return kind == strategy::Alternative::Kind::FewChunks ? options.few_chunks : options.compressible;
}

}  // namespace

Result<Decoder> Decoder::Impl::make(const driver::Request& request, const Options& options) {
  auto impl = std::make_shared<Impl>();
  auto clock = std::chrono::steady_clock::now();
  if (auto error = impl->describe(request, options.colour)) return *std::move(error);
  impl->timings.front = since(clock);
  driver::Compiled& compiled = *impl->compiled;
  if (impl->arguments.size() > SLUICE_CUDA_ARGUMENTS)
    return Error{Error::Kind::Usage, impl->name + " has more run-time arguments than a kernel takes", {}};

  const auto cache = options.cache ? runtime::ObjectCache::standard() : runtime::ObjectCache({});
  const auto reading = runtime::read_nvrtc_ahead(cache);
  auto device = runtime::CudaDevice::open(options.device);
  impl->timings.device = since(clock);
  if (!device) return device.error();
  impl->arch = options.arch.empty() ? runtime::compilable_arch((*device)->arch) : options.arch;

  const std::string target = "cuda:" + impl->arch;
  auto made = cuda_text(compiled, request, target, options.schedule, CudaKernels::Decode, options.colour);
  if (!made) return made.error();
  impl->schedule = schedule::to_text(made->schedule);
  impl->text = std::move(made->unit.text);
  std::erase_if(made->alternatives, [&](const strategy::Alternative& one) { return !wanted(one.kind, options); });
  impl->timings.emit = since(clock);

  const auto decoding = runtime::compile_cuda(impl->text, impl->arch, cache);
  impl->timings.jit = since(clock);
  if (!decoding) return decoding.error();
  impl->timings.cached = decoding->cached;
  impl->log = decoding->code.log;
  impl->why = decoding->why;

  // Of the kernels that a plan names, those that are not in its text are not to be looked for.
  plan::LaunchPlan plan = made->unit.plan;
  plan.count.clear();
  const auto will_be = [&](LazyProgram& program, const schedule::Schedule& schedule, CudaKernels kernels) {
    const auto emit = [of = impl.get(), schedule, target, kernels] {  // which holds the program, and is immutable
      emit::CudaUnit unit = cuda_unit(*of->compiled, schedule, target, kernels);
      (kernels == CudaKernels::Count ? unit.plan.decode : unit.plan.count).clear();
      return unit;
    };
    program.will_be(emit, impl->arch, cache, *device);
  };
  if (options.sizes && impl->countable) will_be(impl->sizes, made->schedule, CudaKernels::Count);
  for (const strategy::Alternative& alternative : made->alternatives) {
    Alternative& one = impl->alternatives.emplace_back();
    one.when = alternative.when;
    one.schedule = schedule::to_text(alternative.schedule);
    will_be(one.program, alternative.schedule, CudaKernels::Decode);
  }
  auto program = runtime::CudaProgram::load(std::move(*device), decoding->code.image, plan);
  impl->timings.load = since(clock);
  if (!program) return program.error();
  impl->program = std::move(*program);
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_text(std::string_view text, std::string_view name, const Options& options) {
  return make_requested<Impl>(request_text(text, name, spec_options(options)), options);
}

Result<Decoder> Decoder::from_file(const std::string& path, const Options& options) {
  return make_requested<Impl>(request_file(path, spec_options(options)), options);
}

Result<Decoder> Decoder::from_name(std::string_view name, const Options& options) {
  return make_requested<Impl>(request_name(name, spec_options(options)), options);
}

Result<Decoder> Decoder::open(std::string_view path_or_name, const Options& options) {
  if (path_or_name.ends_with(kArtifactSuffix)) return from_artifact_file(std::string(path_or_name), options);
  return make_requested<Impl>(request_open(path_or_name, spec_options(options)), options);
}

}  // namespace sluice::cuda
