// From an artifact to a decoder on the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "compiler/artifact/make.h"
#include "compiler/artifact/read.h"
#include "runtime/api/artifact_file.h"
#include "runtime/api/cuda_decoder_impl.h"

namespace sluice::cuda {
namespace {

Error unable(const std::string& from, const std::string& text) {
  return {Error::Kind::Environment, fmt::format("{}: {}", from, text), {}};
}

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

Result<Decoder> Decoder::Impl::make(artifact::Artifact artifact, const Options& options, const std::string& from) {
  if (!options.set.empty() || !options.schedule.empty())
    return Error{Error::Kind::Usage, fmt::format("{}: parameters and schedule were set when it was built", from), {}};
  if (!artifact.cuda || artifact.cuda->images.empty()) return unable(from, "it has no code for GPUs");
  if (artifact.cuda->abi != SLUICE_CUDA_ABI_VERSION)
    return unable(from, fmt::format("its kernels have interface {}; this library speaks {}", artifact.cuda->abi,
                                    SLUICE_CUDA_ABI_VERSION));
  if (artifact.format.arguments.size() > SLUICE_CUDA_ARGUMENTS)
    return unable(from, "it has more run-time arguments than a kernel takes");
  const auto start = std::chrono::steady_clock::now();
  const auto milliseconds = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  auto device = runtime::CudaDevice::open(options.device);
  if (!device) return device.error();
  const artifact::CudaImage* image = choose(*artifact.cuda, options.arch, **device);
  if (!image)
    return unable(from, fmt::format("it has code for {}, none for {}", archs_of(*artifact.cuda),
                                    options.arch.empty() ? (*device)->arch : options.arch));
  auto impl = std::make_shared<Impl>();
  impl->timings.device = milliseconds();
  const std::span<const std::uint8_t> bytes = image->image;
  auto program = runtime::CudaProgram::load(std::move(*device), {&bytes, 1}, image->plan);
  if (!program) return unable(from, program.error().text);
  impl->program = std::move(*program);
  impl->timings.load = milliseconds() - impl->timings.device;
  impl->timings.cached = true;
  impl->arch = image->arch;
  impl->schedule = image->schedule;
  impl->why = fmt::format("{}: {} by {}", from, image->arch, artifact.producer);
  impl->name = artifact.format.name;
  impl->element_bytes = artifact.format.element_bits / 8;
  impl->has_dictionary = artifact.format.has_dictionary;
  impl->countable = artifact.format.countable;
  for (const artifact::Argument& a : artifact.format.arguments)
    impl->arguments.push_back({a.name, a.initial, a.bits, a.is_signed});
  impl->built = std::move(artifact.format);
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_artifact(std::span<const std::uint8_t> artifact, const Options& options) {
  std::string error;
  auto read = artifact::read(artifact, error);
  if (!read) return unable(kArtifactInMemory, error);
  return Impl::make(std::move(*read), options, kArtifactInMemory);
}

Result<Decoder> Decoder::from_artifact_file(const std::string& path, const Options& options) {
  std::string error;
  auto read = read_artifact_file(path, error);
  if (!read) return unable(path, error);
  return Impl::make(std::move(*read), options, path);
}

}  // namespace sluice::cuda
