// From an artifact to a decoder on the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "compiler/artifact/make.h"
#include "runtime/api/cuda_decoder_impl.h"

namespace sluice::cuda {
namespace {

// The image that was asked for, else the one that suits the device.
const artifact::CudaImage* choose(const artifact::Cuda& cuda, const std::string& arch,
                                  const runtime::CudaDevice& device) {
  if (arch.empty()) return artifact::image_for(cuda, device.major, device.minor);
  const auto it = std::ranges::find(cuda.images, arch, &artifact::CudaImage::arch);
  return it == cuda.images.end() ? nullptr : &*it;
}

std::string archs_of(const artifact::Cuda& cuda) {
  std::string list;
  for (const artifact::CudaImage& image : cuda.images) list += (list.empty() ? "" : ", ") + image.arch;
  return list;
}

}  // namespace

Error Decoder::Impl::unable(const std::string& from, const std::string& text) {
  return {Error::Kind::Environment, fmt::format("{}: {}", from, text), {}};
}

Result<Decoder> Decoder::Impl::make(artifact::Artifact artifact, const Options& options, const std::string& from) {
  if (!options.set.empty() || !options.schedule.empty())
    return Error{Error::Kind::Usage, fmt::format("{}: parameters and schedule were set when it was built", from), {}};
  if (!artifact.cuda || artifact.cuda->images.empty()) return unable(from, "it has no code for GPUs");
  if (artifact.cuda->abi != SLUICE_CUDA_ABI_VERSION)
    return unable(from, fmt::format("its kernels have interface {}; this library speaks {}", artifact.cuda->abi,
                                    SLUICE_CUDA_ABI_VERSION));
  if (artifact.format.arguments.size() > SLUICE_CUDA_ARGUMENTS)
    return unable(from, "it has more run-time arguments than a kernel takes");
  auto clock = std::chrono::steady_clock::now();
  auto device = runtime::CudaDevice::open(options.device);
  if (!device) return device.error();
  const artifact::CudaImage* image = choose(*artifact.cuda, options.arch, **device);
  if (!image)
    return unable(from, fmt::format("it has code for {}, none for {}", archs_of(*artifact.cuda),
                                    options.arch.empty() ? (*device)->arch : options.arch));
  auto impl = std::make_shared<Impl>();
  impl->timings.device = since(clock);
  auto program = runtime::CudaProgram::load(std::move(*device), image->image, image->plan);
  if (!program) return unable(from, program.error().text);
  impl->program = std::move(*program);
  impl->sizes.is(impl->program);
  impl->timings.load = since(clock);
  impl->timings.cached = true;
  impl->arch = image->arch;
  impl->schedule = image->schedule;
  impl->why = fmt::format("{}: {} by {}", from, image->arch, artifact.producer);
  impl->describe(std::move(artifact.format));
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_artifact(std::span<const std::uint8_t> artifact, const Options& options) {
  return make_built<Impl>(artifact, options);
}

Result<Decoder> Decoder::from_artifact_file(const std::string& path, const Options& options) {
  return make_built<Impl>(path, options);
}

}  // namespace sluice::cuda
