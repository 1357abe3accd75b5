// nvCOMP as a black box: what is called here is declared from its public documentation, for the version that is checked
// when the library is opened. 6.0 renamed calls and changed their arguments: older ones would be called wrongly.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "runtime/jit/shared_library.h"
#include "tests/bench/cuda_codag/peers.h"

namespace sluice::bench {
namespace {

using gpu::Address;

using Status = int;
constexpr Status kSuccess = 0;
constexpr unsigned kMajor = 6;  // version words count 1000 for a major version, 100 for a minor one

struct Properties {
  std::uint32_t version = 0, cuda_runtime = 0;
};
struct Alignments {
  std::size_t input = 1, output = 1, temp = 1;
};
// Every format's options are 64 bytes and passed by value; 0 is the default backend, and gzip's plain algorithm.
struct Options {
  std::int32_t backend = 0;
  std::array<char, 60> others{};
};
static_assert(sizeof(Options) == 64);

using GetProperties = Status(Properties*);
using StatusText = const char*(Status);
using GetAlignments = Status(Options, Alignments*);
using GetTempSize = Status(std::size_t chunks, std::size_t longest, Options, std::size_t* bytes, std::size_t total,
                           void* stream);
using GetSizes = Status(const void* const* in, const std::size_t* in_bytes, std::size_t* out_bytes, std::size_t chunks,
                        void* stream);
using Decompress = Status(const void* const* in, const std::size_t* in_bytes, const std::size_t* capacity,
                          std::size_t* produced, std::size_t chunks, void* temp, std::size_t temp_bytes,
                          void* const* out, Options, Status* statuses, void* stream);

// gzip's other algorithm, which looks ahead, is for few and huge members: of members of 128 KiB it made 0.3 to 0.9 GB/s
// on an H200, with 33 GB of scratch.
struct Format {
  std::string_view codec, name;
};
constexpr std::array<Format, 5> kFormats{
    {{"lz4_block", "LZ4"}, {"snappy_raw", "Snappy"}, {"deflate", "Deflate"}, {"gzip", "Gzip"}, {"zstd", "Zstd"}}};

struct Calls {
  GetAlignments* alignments = nullptr;
  GetTempSize* temp_size = nullptr;
  GetSizes* sizes = nullptr;
  Decompress* decompress = nullptr;
  StatusText* text = nullptr;

  [[nodiscard]] std::string failure(std::string_view what, Status status) const {
    return status == kSuccess ? "" : fmt::format("nvCOMP's {}: {} ({})", what, text(status), status);
  }
};

std::string begin(const Calls& calls, const Options& options, const PeerBatch& batch, PeerSession& session) {
  const gpu::Device& device = *batch.device;
  std::size_t bytes = 0;
  {
    const runtime::Current current(device.properties());
    const std::string wrong = calls.failure("temp size", calls.temp_size(batch.chunks, batch.longest, options, &bytes,
                                                                         batch.output_bytes, device.stream()));
    if (!wrong.empty()) return wrong;
  }
  const auto temp = std::make_shared<gpu::Memory>();
  if (const std::string wrong = temp->reserve(device, std::max<std::size_t>(bytes, 1)); !wrong.empty())
    return fmt::format("{} bytes of scratch: {}", bytes, wrong);
  session.scratch_bytes = bytes;
  session.decode = [calls, options, batch, temp, bytes, &device] {
    const runtime::Current current(device.properties());
    return calls.failure(
        "decompression",
        calls.decompress(gpu::pointer<const void* const>(batch.in), gpu::pointer<const std::size_t>(batch.in_bytes),
                         gpu::pointer<const std::size_t>(batch.capacity), gpu::pointer<std::size_t>(batch.produced),
                         batch.chunks, gpu::pointer<void>(temp->at()), bytes, gpu::pointer<void* const>(batch.out),
                         options, gpu::pointer<Status>(batch.statuses), device.stream()));
  };
  session.count = [calls, batch, &device] {
    const runtime::Current current(device.properties());
    return calls.failure(
        "decoded sizes",
        calls.sizes(gpu::pointer<const void* const>(batch.in), gpu::pointer<const std::size_t>(batch.in_bytes),
                    gpu::pointer<std::size_t>(batch.produced), batch.chunks, device.stream()));
  };
  return "";
}

}  // namespace

std::string open_nvcomp(const std::string& path, const gpu::Device& device, std::vector<PeerDecoder>& decoders,
                        std::string& version) {
  std::string why;
  const auto library = runtime::SharedLibrary::open(path, why);
  if (!library) return why;
  GetProperties* properties = nullptr;
  StatusText* text = nullptr;
  if (!library->get("nvcompGetProperties", properties) || !library->get("nvcompGetStatusString", text))
    return path + " is no nvCOMP";
  const runtime::Current current(device.properties());
  Properties found;
  if (properties(&found) != kSuccess) return path + " does not tell its version";
  version = fmt::format("{}.{}.{}", found.version / 1000, found.version % 1000 / 100, found.version % 100);
  if (found.version / 1000 != kMajor)
    return fmt::format("{} is nvCOMP {}; version {} is asked for", path, version, kMajor);
  std::vector<PeerDecoder> made;
  for (const Format& format : kFormats) {
    Calls calls;
    calls.text = text;
    const auto name = [&](std::string_view call) { return fmt::format("nvcompBatched{}{}", format.name, call); };
    if (!library->get(name("DecompressGetRequiredAlignments").c_str(), calls.alignments) ||
        !library->get(name("DecompressGetTempSize").c_str(), calls.temp_size) ||
        !library->get(name("GetDecompressSizeAsync").c_str(), calls.sizes) ||
        !library->get(name("DecompressAsync").c_str(), calls.decompress))
      return fmt::format("{} has not all calls of {}", path, format.name);
    const Options options;
    Alignments alignments;
    const std::string wrong = calls.failure("alignments", calls.alignments(options, &alignments));
    if (!wrong.empty()) return wrong;
    PeerDecoder& one = made.emplace_back();
    one.peer = kNvcomp;
    one.codec = format.codec;
    one.input_alignment = alignments.input;
    one.output_alignment = alignments.output;
    one.begin = [calls, options](const PeerBatch& batch, PeerSession& session) {
      return begin(calls, options, batch, session);
    };
  }
  decoders.insert(decoders.end(), made.begin(), made.end());
  return "";
}

}  // namespace sluice::bench
