// The driver's interface. A kernel is run by decoding each chunk with the CPU decoder of the format that
// $SLUICE_FAKE_SPEC names, through the same structure that the kernel gets.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "compiler/ir/error_text.h"
#include "runtime/api/cuda_abi.h"
#include "runtime/api/sluice.hpp"
#include "tests/fake_cuda/fake.h"

namespace fake {
namespace {

constexpr int kStaticShared = 48 << 10, kMaxShared = 227 << 10;  // of a block

struct Module;
struct Function {
  const Module* module = nullptr;
  bool count = false;
  int most_dynamic = kStaticShared, carve_out = -1;
};
struct Module {
  explicit Module(const char* image_text) : text(image_text) {}
  Module(const Module&) = delete;  // its functions know where it is
  Module& operator=(const Module&) = delete;
  std::string text;
  Function decode{this, false}, count{this, true};
};

struct Link {
  std::vector<std::string> texts;
  std::string linked;
};

int context_tag = 0;
thread_local std::vector<void*> contexts;
Stream default_stream;

// What device memory given by two pointers and a size must be.
template <class T>
bool array_ok(T* at, std::uint64_t count) {
  return on_device(reinterpret_cast<std::uintptr_t>(at), count * sizeof *at);
}

std::uintptr_t input_of(const sluice_cuda_batch& batch, std::uint64_t chunk) {
  return reinterpret_cast<std::uintptr_t>(batch.in[chunk]) + batch.in_base;
}
std::uintptr_t output_of(const sluice_cuda_batch& batch, std::uint64_t chunk) {
  return reinterpret_cast<std::uintptr_t>(batch.out[chunk]) + batch.out_base;
}
std::uint64_t input_size_of(const sluice_cuda_batch& batch, std::uint64_t chunk) {
  return batch.in_size ? batch.in_size[chunk] : input_of(batch, chunk + 1) - input_of(batch, chunk);
}

// The word of a kernel with promises for a chunk that lies elsewhere, or 0.
std::uint64_t refusal(const sluice_cuda_batch& batch, std::uint64_t chunk, bool count) {
  unsigned input = 1, output = 1;
  if (const char* promised = std::getenv("SLUICE_FAKE_ALIGNED"); promised && *promised)
    std::sscanf(promised, "%u:%u", &input, &output);
  if (input_of(batch, chunk) % input != 0) return sluice::ir::kMisalignedInput;
  if (!count && output_of(batch, chunk) % output != 0)
    return sluice::ir::kMisalignedOutput;
  return 0;
}

Code run_kernel(const sluice_cuda_batch& batch, bool count) {
  const char* spec = std::getenv("SLUICE_FAKE_SPEC");
  const auto decoder = sluice::Decoder::open(spec ? spec : "");
  if (!decoder) return kInvalidValue;
  if (!array_ok(batch.in, batch.chunks + (batch.in_size ? 0 : 1)) || (batch.in_size && !array_ok(batch.in_size, batch.chunks)) ||
      !array_ok(batch.produced, batch.chunks) || !array_ok(batch.error, batch.chunks) ||
      (batch.consumed && !array_ok(batch.consumed, batch.chunks)))
    return kIllegalAddress;
  if (!count && (!array_ok(batch.out, batch.chunks) || !array_ok(batch.out_capacity, batch.chunks)))
    return kIllegalAddress;
  if (batch.dictionary_size && !on_device(reinterpret_cast<std::uintptr_t>(batch.dictionary), batch.dictionary_size))
    return kIllegalAddress;
  const auto& outputs = decoder->further_outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const sluice_cuda_output& one = batch.further[k];
    if (!array_ok(one.produced, batch.chunks) || (!count && (!array_ok(one.out, batch.chunks) || !array_ok(one.out_capacity, batch.chunks))))
      return kIllegalAddress;
  }
  sluice::Batch shared;
  shared.dictionary = {batch.dictionary, batch.dictionary_size};
  const std::size_t arguments = decoder->arguments().size();
  std::vector<std::uint64_t> values(batch.args, batch.args + arguments);
  shared.arguments = values;
  for (std::uint64_t i = 0; i < batch.chunks; ++i) {
    const std::span<const std::uint8_t> in(reinterpret_cast<const std::uint8_t*>(input_of(batch, i)), input_size_of(batch, i));
    if (!in.empty() && !on_device(reinterpret_cast<std::uintptr_t>(in.data()), in.size())) return kIllegalAddress;
    sluice::Status status;
    if (const std::uint64_t word = refusal(batch, i, count)) {
      status = {word, 0, 0};
    } else if (count) {
      if (batch.out_capacity) shared.count_limit = batch.out_capacity[i];
      status = decoder->decoded_size(in, shared);
    } else {
      const std::uint64_t room = batch.out_capacity[i] * decoder->output_element_bytes();
      if (room && !on_device(output_of(batch, i), room)) return kIllegalAddress;
      std::vector<std::span<std::uint8_t>> further;
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(batch.further[k].out[i]) + batch.further[k].out_base;
        const std::uint64_t bytes = batch.further[k].out_capacity[i] * outputs[k].element_bytes;
        if (bytes && !on_device(at, bytes)) return kIllegalAddress;
        further.emplace_back(reinterpret_cast<std::uint8_t*>(at), bytes);
      }
      status = decoder->decode({in, {reinterpret_cast<std::uint8_t*>(output_of(batch, i)), room}, further}, shared);
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) batch.further[k].produced[i] = status.further[k];
    batch.produced[i] = status.produced;
    batch.error[i] = status.error;
    if (batch.consumed) batch.consumed[i] = status.consumed;
  }
  return kSuccess;
}

}  // namespace

Code Stream::run() {
  Code first = kSuccess;
  while (!work.empty()) {
    const auto task = std::move(work.front());
    work.pop_front();
    if (const Code code = task(); first == kSuccess) first = code;
  }
  return first;
}

Stream& stream_of(void* handle) { return handle ? *static_cast<Stream*>(handle) : default_stream; }

bool context_is_current() { return !contexts.empty() && contexts.back() == &context_tag; }

}  // namespace fake

using fake::Code;
using fake::enter;
using fake::Needs;

#define ENTER(needs) \
  if (const Code code = enter(__func__, needs)) return code

FAKE_EXPORT Code cuInit(unsigned) {
  ENTER(Needs::Nothing);
  return 0;
}
FAKE_EXPORT Code cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
FAKE_EXPORT Code cuGetErrorName(Code code, const char** text) {
  *text = code == fake::kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == fake::kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                          : "CUDA_ERROR_OTHER";
  return 0;
}
FAKE_EXPORT Code cuGetErrorString(Code, const char** text) {
  *text = "the stand-in's error";
  return 0;
}
FAKE_EXPORT Code cuDeviceGetCount(int* count) {
  ENTER(Needs::Nothing);
  *count = 1;
  return 0;
}
FAKE_EXPORT Code cuDeviceGet(int* device, int) {
  ENTER(Needs::Nothing);
  *device = 0;
  return 0;
}
FAKE_EXPORT Code cuDeviceGetName(char* name, int size, int) {
  ENTER(Needs::Nothing);
  std::strncpy(name, "Stand-in", static_cast<std::size_t>(size));
  return 0;
}
FAKE_EXPORT Code cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER(Needs::Nothing);
  switch (attribute) {
    case 16:
      *value = 4;
      break;  // multiprocessors
    case 38:
      *value = 1 << 20;
      break;  // level-2 cache
    case 39:
      *value = 2048;
      break;  // threads of a multiprocessor
    case 75:
      *value = 9;
      break;  // capability
    case 76:
      *value = 0;
      break;
    case 81:
      *value = 100 << 10;
      break;  // shared memory of a multiprocessor
    default:
      return fake::kInvalidValue;
  }
  return 0;
}
FAKE_EXPORT Code cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  ENTER(Needs::Nothing);
  *bytes = std::size_t{1} << 32;
  return 0;
}
FAKE_EXPORT Code cuDevicePrimaryCtxRetain(void** context, int) {
  ENTER(Needs::Nothing);
  *context = &fake::context_tag;
  return 0;
}
FAKE_EXPORT Code cuDevicePrimaryCtxRelease_v2(int) { return 0; }
FAKE_EXPORT Code cuCtxGetCurrent(void** context) {
  ENTER(Needs::Nothing);
  *context = fake::contexts.empty() ? nullptr : fake::contexts.back();
  return 0;
}
FAKE_EXPORT Code cuCtxGetDevice(int* device) {
  ENTER(Needs::Context);
  *device = 0;
  return 0;
}
FAKE_EXPORT Code cuCtxPushCurrent_v2(void* context) {
  ENTER(Needs::Nothing);
  fake::contexts.push_back(context);
  return 0;
}
FAKE_EXPORT Code cuCtxPopCurrent_v2(void** context) {
  ENTER(Needs::Context);
  *context = fake::contexts.back();
  fake::contexts.pop_back();
  return 0;
}
FAKE_EXPORT Code cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* names, void** values) {
  ENTER(Needs::Context);
  const char* text = static_cast<const char*>(image);
  if (std::strncmp(text, "FAKE", 4) != 0) {
    for (unsigned i = 0; i + 1 < count; ++i)  // the error log and its size, one after the other
      if (names[i] == 5)
        std::strncpy(static_cast<char*>(values[i]), "no image", reinterpret_cast<std::size_t>(values[i + 1]));
    return fake::kInvalidImage;
  }
  *module = new fake::Module(text + 4);
  return 0;
}
// What is linked is the first of the texts, with a line behind it.
FAKE_EXPORT Code cuLinkCreate_v2(unsigned, int*, void**, void** link) {
  ENTER(Needs::Context);
  *link = new fake::Link;
  return 0;
}
FAKE_EXPORT Code cuLinkAddData_v2(void* link, int kind, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  ENTER(Needs::Context);
  const std::string text(static_cast<const char*>(data), bytes);
  if (kind != 0 || !text.starts_with("FAKE")) return fake::kInvalidImage;
  static_cast<fake::Link*>(link)->texts.push_back(text.c_str());
  return 0;
}
FAKE_EXPORT Code cuLinkComplete(void* handle, void** image, std::size_t* bytes) {
  ENTER(Needs::Context);
  auto& link = *static_cast<fake::Link*>(handle);
  if (link.texts.size() < 2) return fake::kInvalidValue;
  link.linked = link.texts[0] + "\n// linked by the fake\n";
  *image = link.linked.data();
  *bytes = link.linked.size() + 1;
  return 0;
}
FAKE_EXPORT Code cuLinkDestroy(void* link) {
  delete static_cast<fake::Link*>(link);
  return 0;
}
FAKE_EXPORT Code cuStreamIsCapturing(void*, int* status) {
  ENTER(Needs::Context);
  const char* const capturing = std::getenv("SLUICE_FAKE_CAPTURING");
  *status = capturing && *capturing ? 1 : 0;
  return 0;
}
FAKE_EXPORT Code cuModuleUnload(void* module) {
  delete static_cast<fake::Module*>(module);
  return 0;
}
FAKE_EXPORT Code cuModuleGetFunction(void** function, void* handle, const char* name) {
  ENTER(Needs::Context);
  auto& module = *static_cast<fake::Module*>(handle);
  if (module.text.find(std::string(name) + "(") == std::string::npos) return fake::kNotFound;
  *function = std::strstr(name, "count") ? &module.count : &module.decode;
  return 0;
}
FAKE_EXPORT Code cuFuncGetAttribute(int* value, int attribute, void*) {
  ENTER(Needs::Context);
  *value = attribute == 0 ? 1024 : attribute == 1 ? 2048 : attribute == 3 ? 16 : 40;
  return 0;
}
FAKE_EXPORT Code cuFuncSetAttribute(void* function, int attribute, int value) {
  ENTER(Needs::Context);
  auto& of = *static_cast<fake::Function*>(function);
  const bool dynamic = attribute == 8;
  if (!dynamic && attribute != 9) return fake::kInvalidValue;
  if (dynamic ? value < 0 || value > fake::kMaxShared - 2048 : value < -1 || value > 100) return fake::kInvalidValue;
  (dynamic ? of.most_dynamic : of.carve_out) = value;
  return 0;
}
FAKE_EXPORT Code cuFuncLoad(void*) {
  ENTER(Needs::Context);
  return 0;
}
FAKE_EXPORT Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                             std::size_t dynamic) {
  ENTER(Needs::Context);
  const auto& of = *static_cast<fake::Function*>(function);
  *blocks = 512 / threads > 0 ? 512 / threads : 1;
  if (dynamic > static_cast<std::size_t>(of.most_dynamic)) *blocks = 0;
  if (dynamic > 0 && of.carve_out == 100 && *blocks > 2) *blocks = 2;  // so that tests see that it was set
  return 0;
}
FAKE_EXPORT Code cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty,
                                unsigned tz, unsigned dynamic, void* stream, void** parameters, void** extra) {
  ENTER(Needs::Context);
  if (!function || x == 0 || y != 1 || z != 1 || threads == 0 || threads > 1024 || ty != 1 || tz != 1 || extra ||
      dynamic > static_cast<unsigned>(static_cast<fake::Function*>(function)->most_dynamic))
    return fake::kInvalidValue;
  sluice_cuda_batch batch;
  std::memcpy(&batch, parameters[0], sizeof batch);
  const bool count = static_cast<fake::Function*>(function)->count;
  fake::kernel_launched(static_cast<fake::Function*>(function)->module->text, x, threads);
  fake::stream_of(stream).work.push_back([batch, count]() -> Code {
    if (batch.slots != 0) {
      const auto temp = reinterpret_cast<std::uintptr_t>(batch.temp);
      if (temp % 256 != 0 || !fake::on_device(temp, 256)) return fake::kIllegalAddress;
      for (unsigned i = 0; i < 256; ++i)
        if (batch.temp[i] != 0) return fake::kIllegalAddress;
      batch.temp[0] = 1;  // the counter is used up: the next launch has to clear it
    }
    return fake::run_kernel(batch, count);
  });
  return 0;
}
FAKE_EXPORT Code cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER(Needs::Context);
  *free = *total = std::size_t{1} << 30;
  return 0;
}
FAKE_EXPORT Code cuMemAlloc_v2(unsigned long long* at, std::size_t bytes) {
  ENTER(Needs::Context);
  *at = bytes ? fake::allocate(bytes, true) : 0;
  return *at ? 0 : fake::kInvalidValue;
}
FAKE_EXPORT Code cuMemFree_v2(unsigned long long at) {
  ENTER(Needs::Context);
  return fake::release(at, true) ? 0 : fake::kInvalidValue;
}
FAKE_EXPORT Code cuMemHostAlloc(void** at, std::size_t bytes, unsigned) {
  ENTER(Needs::Context);
  *at = reinterpret_cast<void*>(static_cast<std::uintptr_t>(bytes ? fake::allocate(bytes, false) : 0));
  return *at ? 0 : fake::kInvalidValue;
}
FAKE_EXPORT Code cuMemFreeHost(void* at) {
  ENTER(Needs::Context);
  return fake::release(reinterpret_cast<std::uintptr_t>(at), false) ? 0 : fake::kInvalidValue;
}
FAKE_EXPORT Code cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, std::size_t bytes, void* stream) {
  ENTER(Needs::Context);
  if (bytes == 0) return 0;
  if (!fake::on_device(to, bytes)) return fake::kInvalidValue;
  auto* target = reinterpret_cast<std::uint8_t*>(static_cast<std::uintptr_t>(to));
  const auto* source = static_cast<const std::uint8_t*>(from);
  // Pageable memory is read before the call returns, pinned memory when the copy runs.
  if (fake::pinned(from, bytes)) {
    fake::stream_of(stream).work.push_back([=]() -> Code {
      std::memcpy(target, source, bytes);
      return 0;
    });
  } else {
    fake::stream_of(stream).work.push_back(
        [target, staged = std::vector<std::uint8_t>(source, source + bytes)]() -> Code {
          std::memcpy(target, staged.data(), staged.size());
          return 0;
        });
  }
  return 0;
}
FAKE_EXPORT Code cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, std::size_t bytes, void* stream) {
  ENTER(Needs::Context);
  if (bytes == 0) return 0;
  if (!fake::on_device(from, bytes)) return fake::kInvalidValue;
  const auto* source = reinterpret_cast<const std::uint8_t*>(static_cast<std::uintptr_t>(from));
  fake::Stream& queue = fake::stream_of(stream);
  queue.work.push_back([=]() -> Code {
    std::memcpy(to, source, bytes);
    return 0;
  });
  return fake::pinned(to, bytes) ? 0 : queue.run();  // to pageable memory the copy waits
}
FAKE_EXPORT Code cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, std::size_t bytes, void* stream) {
  ENTER(Needs::Context);
  if (!fake::on_device(to, bytes) || !fake::on_device(from, bytes)) return fake::kInvalidValue;
  fake::stream_of(stream).work.push_back([=]() -> Code {
    std::memcpy(reinterpret_cast<void*>(static_cast<std::uintptr_t>(to)),
                reinterpret_cast<const void*>(static_cast<std::uintptr_t>(from)), bytes);
    return 0;
  });
  return 0;
}
FAKE_EXPORT Code cuMemsetD8Async(unsigned long long to, unsigned char value, std::size_t bytes, void* stream) {
  ENTER(Needs::Context);
  if (bytes == 0) return 0;
  if (!fake::on_device(to, bytes)) return fake::kInvalidValue;
  fake::stream_of(stream).work.push_back([=]() -> Code {
    std::memset(reinterpret_cast<void*>(static_cast<std::uintptr_t>(to)), value, bytes);
    return 0;
  });
  return 0;
}
FAKE_EXPORT Code cuStreamCreate(void** stream, unsigned) {
  ENTER(Needs::Context);
  *stream = new fake::Stream;
  return 0;
}
FAKE_EXPORT Code cuStreamDestroy_v2(void* stream) {
  static_cast<void>(fake::stream_of(stream).run());
  static_cast<fake::Stream*>(stream)->run();  // what was queued is done all the same
  delete static_cast<fake::Stream*>(stream);
  return 0;
}
FAKE_EXPORT Code cuStreamSynchronize(void* stream) {
  ENTER(Needs::Context);
  return fake::stream_of(stream).run();
}
FAKE_EXPORT Code cuEventCreate(void** event, unsigned) {
  ENTER(Needs::Context);
  *event = new fake::Event;
  return 0;
}
FAKE_EXPORT Code cuEventDestroy_v2(void* event) {
  delete static_cast<fake::Event*>(event);
  return 0;
}
FAKE_EXPORT Code cuEventRecord(void* event, void* stream) {
  ENTER(Needs::Context);
  auto& of = *static_cast<fake::Event*>(event);
  of.stream = &fake::stream_of(stream);
  of.reached = std::make_shared<bool>(false);
  of.stream->work.push_back([reached = of.reached]() -> Code {
    *reached = true;
    return 0;
  });
  return 0;
}
FAKE_EXPORT Code cuEventQuery(void* event) {
  ENTER(Needs::Context);
  const auto& of = *static_cast<fake::Event*>(event);
  return !of.stream || *of.reached ? 0 : fake::kNotReady;
}
FAKE_EXPORT Code cuStreamWaitEvent(void* stream, void* event, unsigned) {
  ENTER(Needs::Context);
  const auto& of = *static_cast<fake::Event*>(event);
  if (of.stream && !*of.reached)
    fake::stream_of(stream).work.push_back([other = of.stream, reached = of.reached]() -> Code { return *reached ? 0 : other->run(); });
  return 0;
}
FAKE_EXPORT Code cuEventSynchronize(void* event) {
  ENTER(Needs::Context);
  const auto& of = *static_cast<fake::Event*>(event);
  return of.stream && !*of.reached ? of.stream->run() : 0;
}
FAKE_EXPORT Code cuEventElapsedTime_v2(float* milliseconds, void*, void*) {
  ENTER(Needs::Context);
  *milliseconds = 1;
  return 0;
}
// For tests: pieces of memory that nobody has given back.
FAKE_EXPORT std::size_t fake_cuda_live_pieces() { return fake::live_pieces(); }
