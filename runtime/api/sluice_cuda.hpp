#ifndef SLUICE_RUNTIME_API_SLUICE_CUDA_HPP
#define SLUICE_RUNTIME_API_SLUICE_CUDA_HPP
// Sluice on NVIDIA GPUs: compile a format's description to a kernel, decode batches of chunks with it.
//
//   auto decoder = sluice::cuda::Decoder::from_name("gzip");             // compiles, or takes it from the disk cache
//   if (!decoder) { std::cerr << decoder.error().text; return 1; }
//   cudaMalloc(&temp, decoder->temp_bytes(batch.chunks));                // 0 for formats without stages
//   std::string wrong = decoder->decode_async(batch, stream);            // queues one kernel, waits for nothing
//
// Shaped as nvCOMP's low-level batched calls: device arrays of pointers and sizes in, produced sizes and error words
// out. CUDA and NVRTC are loaded when first needed; nothing here needs CUDA's headers or libraries to build or link.
// CUDA's types appear as plain ones: a stream (CUstream, cudaStream_t) as void*, device pointers as pointers.
//
// Nothing keeps global state or prints, and nothing throws but std::bad_alloc. A Decoder is a handle to immutable
// compiled code: copying it is cheap, and every const member may be called from any number of threads at once. Calls
// leave the thread's current CUDA context as they found it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/sluice.hpp"

namespace sluice::cuda {

using Stream = void*;  // CUstream or cudaStream_t of the decoder's context; null: the default stream

struct Options {
  // The GPU's ordinal, used with its primary context (the one of CUDA's runtime library, PyTorch, CuPy). -1: the
  // calling thread's current context; without one, device 0.
  int device = -1;
  // "sm_90": code of that GPU. "compute_90": PTX, which the driver finishes. Empty: the device's own; without NVRTC,
  // PTX that Clang makes.
  std::string arch;
  // Directives, between them commas or blanks: "strategy warp, input registers"; or the path of a file of them for several
  // targets, X.schedule. Empty: the format's own schedule.
  // "input_alignment 128, output_alignment 16" promises where chunks lie: see Decoder::input_alignment.
  std::string schedule;
  bool sizes = true;  // may decoded sizes be asked for? Their kernel is compiled when they first are
  // A kernel of its own for batches of few chunks, compiled at the first of them, where the format has one
  // (`sluice explain --target cuda` says). A batch of all sizes counts as so many of its largest chunk as make its output,
  // where DeviceBatch says so. Not where `schedule`, or the format's file, names `strategy`, `walker_warps`, `writer_warps`,
  // `chunk_warps` or `warps_per_block`: then all batches have the kernel that was asked for.
  bool few_chunks = true;
  // Likewise for highly compressible batches that are none of few chunks: of at least 12 bytes of output for each byte of input, as
  // far as DeviceBatch says so. Not where directives name `wide_parts`, or one of those above.
  bool compressible = true;
  // Likewise for batches of wide values, of formats whose lists may be patched (RLE v2): of at least 13 bits of input for each element of
  // output, as far as DeviceBatch says so.
  bool wide_values = true;
  // Where the device's host has processors enough: what decodes at first is code that is compiled in a third to a half of the time and runs
  // at 0.6 to 0.95 of the speed, until the kernel itself has been compiled in the background, which then decodes. And no batch waits for
  // a kernel of its own (few_chunks, compressible, wide_values): those before it is compiled have the usual one. See Decoder::finish_compiling. $SLUICE_CUDA_QUICK_START=never|always says it for all decoders.
  bool quick_start = true;
  std::vector<Setting> set;
  std::vector<std::string> search;  // directories with NAME.sluice or NAME/NAME.sluice, before the built-in codecs
  bool cache = true;                // keep compiled code on disk ($SLUICE_CACHE_DIR, else ~/.cache/sluice)
  bool colour = false;              // terminal colours in Error::text
};

// A further output of a batch in device memory, as DeviceBatch::out, out_capacity, produced and out_base.
struct DeviceOutput {
  void* const* out = nullptr;
  const std::uint64_t* out_capacity = nullptr;  // elements of that output's type
  std::uint64_t* produced = nullptr;
  void* out_base = nullptr;
};

// A batch in device memory. Arrays have `chunks` entries. No alignment is demanded of inputs and outputs unless the
// schedule promises one (Decoder::input_alignment), and no byte outside them is touched. What a later kernel on the stream needs of the batch must stay until then; this structure
// itself and `arguments` are read before the call returns.
struct DeviceBatch {
  const void* const* in = nullptr;              // device array of device pointers, or of offsets from in_base
  const std::uint64_t* in_bytes = nullptr;      // device array; null: each chunk ends where the next begins, `in` having an entry more
  void* const* out = nullptr;                   // device array of device pointers, or of offsets in bytes from out_base; not used by decoded_sizes_async
  const std::uint64_t* out_capacity = nullptr;  // device array: elements; decoded_sizes_async counts so far (null: on)
  std::uint64_t* produced = nullptr;            // device array, written: elements; of a failed chunk, the valid ones
  std::uint64_t* errors = nullptr;              // device array, written: 0, or the error word for describe()
  std::uint64_t* consumed = nullptr;            // device array, written: bytes of input; may be null
  std::size_t chunks = 0;
  const void* dictionary = nullptr;  // device: preset dictionary, for formats that declare one
  std::uint64_t dictionary_bytes = 0;
  std::span<const std::uint64_t> arguments = {};  // host: in declaration order, e.g. from bind(); empty: initial values
  void* temp = nullptr;                      // device: temp_bytes(chunks), contents irrelevant, any alignment
  std::uint64_t temp_bytes = 0;              // less is taken down to least_temp_bytes(), and is slower
  // Bytes of output of the largest chunk, of all together, and bytes of all input, as far as the caller knows; 0: unknown. Which
  // kernel a batch takes may depend on them (Options::few_chunks, compressible, wide_values), never what is decoded.
  std::uint64_t largest_output = 0, total_output = 0, total_input = 0;
  // Device: added to every entry of `in`, of `out`. Null where those are pointers.
  const void* in_base = nullptr;
  void* out_base = nullptr;
  std::span<const DeviceOutput> further = {};  // host: one for each of Decoder::further_outputs(), in order
};

// One kernel as it runs here.
struct Kernel {
  unsigned registers = 0;     // a thread
  unsigned shared_bytes = 0;  // a block
  unsigned local_bytes = 0;   // a thread: stack and spilled registers
  unsigned threads_per_block = 0, chunks_per_block = 0;
  unsigned blocks_per_sm = 0;  // resident at the same time
  double occupancy = 0;        // resident threads of those that a multiprocessor has room for
};

// What compiling cost, in milliseconds.
struct Timings {
  double front = 0;   // text to checked IR
  double emit = 0;    // IR to the kernel's text
  double jit = 0;     // text to device code by NVRTC, the quick one where there is one, or from the cache
  double device = 0;  // starting the driver and opening the device
  double load = 0;    // device code into the context
  bool cached = false;
};

class Decoder {
 public:
  // As the members of sluice::Decoder. Error::Kind::Environment: no driver, no device, no NVRTC, no memory.
  static Result<Decoder> from_text(std::string_view text, std::string_view name, const Options& options = {});
  static Result<Decoder> from_file(const std::string& path, const Options& options = {});
  static Result<Decoder> from_name(std::string_view name, const Options& options = {});
  // What `sluice build --target cuda` wrote: the image that suits the device, or PTX for the driver to finish. Nothing
  // is compiled here and NVRTC is not needed. options.set, search and schedule came too late and are refused.
  static Result<Decoder> from_artifact(std::span<const std::uint8_t> artifact, const Options& options = {});
  static Result<Decoder> from_artifact_file(const std::string& path, const Options& options = {});
  // An artifact when it ends in .sluicea, a path when it looks like one, else a name.
  static Result<Decoder> open(std::string_view path_or_name, const Options& options = {});

  // Bytes of DeviceBatch::temp for that many chunks: 0 for formats without stages. Depends on the number of chunks and
  // the device, never on data, and does not grow beyond what the device can run at once.
  [[nodiscard]] std::uint64_t temp_bytes(std::size_t chunks) const;
  [[nodiscard]] std::uint64_t least_temp_bytes() const;

  // Waits until the kernel itself decodes, and those of batches that there have been do (Options::quick_start): before measuring. A
  // graph captures no other: a call for a stream that is being captured waits by itself.
  void finish_compiling() const;

  // Queues the decoding of the batch on the stream and returns: no allocation, no synchronisation, no copy from host
  // memory, so it may be captured into a graph. Chunks that fail leave the others intact. Errors of the
  // call itself: arguments that don't fit, too little temporary memory, an error of the driver. The first batch of few
  // chunks, of highly compressible data or wide values, is another matter (Options::few_chunks, compressible, wide_values): without a quick start, and for a stream
  // that is being captured, it compiles its kernel, or takes it from the cache, and loads it. Where that fails, Kind::Driver, and the next
  // such batch tries again.
  [[nodiscard]] CallError decode_async(const DeviceBatch& batch, Stream stream) const;

  // The same for `produced` and `errors` alone, writing no output (sluice::Decoder::decoded_sizes). Refused for
  // formats that are not countable() and decoders made without Options::sizes. The first call of a decoder that was
  // not made of an artifact compiles the kernel, or takes it from the cache, and loads it: not to be captured, and
  // Kind::Driver where that fails. A batch of no chunks does this and no more.
  [[nodiscard]] CallError decoded_sizes_async(const DeviceBatch& batch, Stream stream) const;

  // Chunks in host memory, as sluice::Decoder::decode_batch: copied to the device and back in slices through pinned
  // buffers, two slices in flight. Allocates and waits. Batch::threads says nothing here.
  [[nodiscard]] CallError decode_batch(std::span<const Chunk> chunks, std::span<Status> statuses,
                                       const Batch& batch = {}) const;
  [[nodiscard]] CallError decoded_sizes(std::span<const std::span<const std::uint8_t>> inputs,
                                        std::span<Status> statuses, const Batch& batch = {}) const;

  [[nodiscard]] Result<std::vector<std::uint64_t>> bind(std::span<const NamedValue> values) const;

  // "deflate.sluice:31:7: reject bad_distance at bit 40213 of chunk 17"; empty for 0.
  [[nodiscard]] std::string describe(std::uint64_t error, std::uint64_t chunk) const;
  // The same in parts, as sluice::Decoder::place.
  [[nodiscard]] ErrorPlace place(std::uint64_t error) const;

  [[nodiscard]] const std::string& name() const noexcept;      // of the format
  [[nodiscard]] const std::string& arch() const noexcept;      // what the code was made for: "sm_90"
  [[nodiscard]] const std::string& device() const noexcept;    // "NVIDIA H200"
  [[nodiscard]] const std::string& schedule() const noexcept;  // in force, as directives
  [[nodiscard]] const std::string& schedule(std::size_t chunks) const noexcept;  // for a batch of so many, nothing else being known
  [[nodiscard]] const std::string& schedule(const DeviceBatch& batch) const noexcept;
  [[nodiscard]] const std::string& why() const noexcept;       // where the code came from, in a sentence
  [[nodiscard]] const std::string& warnings() const noexcept;  // rendered warnings about the spec, or empty
  [[nodiscard]] const std::string& text() const noexcept;      // the kernel's text; empty from an artifact
  [[nodiscard]] const std::string& log() const noexcept;       // what NVRTC and ptxas said; likewise
  [[nodiscard]] const Timings& timings() const noexcept;
  [[nodiscard]] Kernel kernel() const noexcept;  // the decoding one, of now
  [[nodiscard]] Kernel kernel(std::size_t chunks) const;  // for a batch of so many; all 0 until it is compiled
  [[nodiscard]] Kernel kernel(const DeviceBatch& batch) const;
  [[nodiscard]] std::size_t output_element_bytes() const noexcept;
  [[nodiscard]] bool output_is_signed() const noexcept;
  [[nodiscard]] const std::vector<FurtherOutput>& further_outputs() const noexcept;  // in order of declaration
  // Bytes of which every chunk's input, or outputs, must start at a multiple: what the schedule's directives promise, 1
  // unless they do. Of another chunk the error word says misaligned_input or misaligned_output (describe()), `produced`
  // is 0 and nothing of it is written; the other chunks are decoded. Batches in host memory may lie anywhere.
  [[nodiscard]] std::size_t input_alignment() const noexcept;
  [[nodiscard]] std::size_t output_alignment() const noexcept;
  [[nodiscard]] bool countable() const noexcept;  // decoded sizes can be found without decoding
  [[nodiscard]] bool takes_dictionary() const noexcept;
  [[nodiscard]] const std::vector<Argument>& arguments() const noexcept;

  struct Impl;  // of the library

 private:
  explicit Decoder(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace sluice::cuda

#endif
