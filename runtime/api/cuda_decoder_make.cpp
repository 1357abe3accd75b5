// From a description to a decoder on the GPU.
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "compiler/schedule/directives.h"
#include "runtime/api/cuda_decoder_impl.h"
#include "runtime/api/cuda_unit.h"
#include "runtime/jit/nvrtc_ahead.h"
#include "runtime/launch/cuda_link.h"

namespace sluice::cuda {
namespace {

SpecOptions spec_options(const Options& options) { return {options.set, options.search, true, options.colour}; }

bool wanted(strategy::Alternative::Kind kind, const Options& options) {
  using Kind = strategy::Alternative::Kind;
  return kind == Kind::FewChunks ? options.few_chunks : kind == Kind::Compressible ? options.compressible : options.wide_values;
}

// $SLUICE_CUDA_QUICK_START before the caller's wish. `stays`, for tests: nothing takes the quick code's place.
struct QuickStart {
  runtime::QuickStart when = runtime::QuickStart::Free;
  bool stays = false;
};
QuickStart quick_start_of(const Options& options) {
  using When = runtime::QuickStart;
  const char* const text = std::getenv("SLUICE_CUDA_QUICK_START");
  const std::string_view word = text ? text : "";
  if (word == "stay") return {When::Always, true};
  if (word == "always") return {When::Always};
  return {word == "never" || !options.quick_start ? When::Never : When::Free};
}

// The code that decodes, for a start. Behind it the kernel itself may be under way then, as impl.better. `not_quick`: why there is no
// quick code, where there should be.
Result<runtime::CompiledCuda> compile_kernel(Decoder::Impl& impl, const runtime::CudaObjects& objects, const plan::LaunchPlan& plan,
                                             std::shared_ptr<const runtime::CudaDevice> device, const runtime::ObjectCache& cache,
                                             const Options& options, std::string& not_quick) {
  const auto whole = [text = impl.text, arch = impl.arch, cache] { return runtime::compile_cuda(text, arch, cache); };
  const QuickStart quick = quick_start_of(options);
  impl.waits = quick.stays || quick.when == runtime::QuickStart::Never;
  if (!runtime::quick_start(objects, impl.text, impl.arch, cache, quick.when)) return whole();
  const auto load_whole = [text = impl.text, arch = impl.arch, cache, device = std::move(device), plan] {
    return program_of(text, arch, cache, device, plan);
  };
  if (!quick.stays && !impl.better.start(load_whole)) return whole();
  auto quickly = runtime::compile_objects(impl.text, impl.arch, objects);
  if (quickly || quick.stays) return quickly;
  not_quick = "; not as objects: " + quickly.error().text;
  impl.better.settle();  // now it is in the cache, or has an error of its own
  return whole();
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

  // Of the kernels that a plan names, those that are not in its text are not to be looked for.
  plan::LaunchPlan plan = made->unit.plan;
  plan.count.clear();

  std::string not_quick;
  const auto decoding = compile_kernel(*impl, runtime::linked_on(*device, made->unit.objects), plan, *device, cache, options, not_quick);
  impl->timings.jit = since(clock);
  if (!decoding) return decoding.error();
  impl->timings.cached = decoding->cached;
  impl->log = decoding->code.log;
  impl->why = decoding->why + not_quick;

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
