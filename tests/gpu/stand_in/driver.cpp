// A stand-in for the CUDA driver: device memory is the heap, kernels run on the SIMT layer, one block after another, when
// they are launched. Streams and events are there and mean nothing. Every allocation has guard bytes behind it that are
// checked when it is freed, and copies must stay within one. What the SIMT layer reports is an error that stays, as an
// illegal address would. Used through $SLUICE_CUDA_DRIVER (see nvrtc.cpp).
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "tests/gpu/stand_in/image.h"
#include "tests/simt/simt.h"

namespace {

using Code = int;
using Address = unsigned long long;
constexpr Code kInvalid = 1, kOutOfMemory = 2, kNoBinary = 209, kNotFound = 500, kIllegalAddress = 700;
constexpr std::size_t kGuard = 64;
constexpr unsigned char kGuardByte = 0x9d;
constexpr std::size_t kMemory = std::size_t{8} << 30;

struct Function {
  void (*run)(void*) = nullptr;
  sluice::simt::Region shared;
};
struct Module {
  void* library = nullptr;
  std::map<std::string, Function> functions;
};
struct Event {
  std::chrono::steady_clock::time_point time;
};

struct State {
  std::mutex mutex;
  std::map<Address, std::size_t> blocks;
  Code sticky = 0;
};
State& state() {
  static State all;
  return all;
}

bool guard_stands(Address at, std::size_t bytes) {
  const auto* guard = reinterpret_cast<const unsigned char*>(at) + bytes;
  for (std::size_t i = 0; i < kGuard; ++i)
    if (guard[i] != kGuardByte) return false;
  return true;
}

// Whether [at, at + bytes) lies in one allocation.
bool known(Address at, std::size_t bytes) {
  auto& all = state();
  const std::lock_guard lock(all.mutex);
  auto block = all.blocks.upper_bound(at);
  if (block == all.blocks.begin()) return false;
  --block;
  return at + bytes <= block->first + block->second;
}

Code copied(Address device, void* to, const void* from, std::size_t bytes) {
  if (state().sticky != 0) return state().sticky;
  if (!known(device, bytes)) return kInvalid;
  std::memcpy(to, from, bytes);
  return 0;
}

void* host(Address at) { return reinterpret_cast<void*>(at); }

}  // namespace

extern "C" {

Code cuInit(unsigned) { return 0; }
Code cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
Code cuGetErrorName(Code code, const char** text) {
  *text = code == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_STAND_IN";
  return 0;
}
Code cuGetErrorString(Code, const char** text) {
  *text = "the stand-in driver refuses";
  return 0;
}
Code cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
Code cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : kInvalid;
}
Code cuDeviceGetName(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "SIMT layer on this CPU");
  return 0;
}
Code cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 75: *value = 9; break;       // compute capability, major
    case 76: *value = 0; break;       // minor
    case 16: *value = 2; break;       // multiprocessors
    case 39: *value = 2048; break;    // threads of one
    default: *value = 1 << 16; break; // bytes of shared memory, L2
  }
  return 0;
}
Code cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = kMemory;
  return 0;
}
Code cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &state();
  return 0;
}
Code cuDevicePrimaryCtxRelease_v2(int) { return 0; }
Code cuCtxGetCurrent(void** context) {
  *context = nullptr;
  return 0;
}
Code cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
Code cuCtxPushCurrent_v2(void*) { return 0; }
Code cuCtxPopCurrent_v2(void**) { return 0; }

Code cuModuleLoadDataEx(Module** module, const void* image, unsigned, int*, void**) {
  sluice::gpu::ImageHead head{};
  std::memcpy(&head, image, sizeof head);
  if (head.magic != sluice::gpu::kImageMagic) return kNoBinary;
  const int file = memfd_create("kernel", 0);
  const bool written = file >= 0 && write(file, static_cast<const char*>(image) + sizeof head, head.bytes) ==
                                        static_cast<ssize_t>(head.bytes);
  void* library = written ? dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) std::fprintf(stderr, "stand-in driver: %s\n", written ? dlerror() : "no memory file");
  if (library == nullptr) return kNoBinary;
  // The file stays open: the loader takes libraries of one path for the same one.
  *module = new Module{library, {}};
  return 0;
}
Code cuModuleUnload(Module* module) {
  delete module;  // the library stays: its thread-local variables may be in use
  return 0;
}
Code cuModuleGetFunction(Function** function, Module* module, const char* name) {
  void* run = dlsym(module->library, (std::string("stand_in_run_") + name).c_str());
  void* shared = dlsym(module->library, "stand_in_shared");
  if (run == nullptr || shared == nullptr) return kNotFound;
  Function& found = module->functions[name];
  found.run = reinterpret_cast<void (*)(void*)>(run);
  reinterpret_cast<void (*)(sluice::simt::Region*)>(shared)(&found.shared);
  *function = &found;
  return 0;
}
Code cuFuncGetAttribute(int* value, int attribute, Function* function) {
  *value = attribute == 0 ? 1024 : attribute == 1 ? static_cast<int>(function->shared.size) : 0;
  return 0;
}
Code cuFuncSetAttribute(Function*, int, int) { return 0; }  // a variable has its size when its module is built
Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int, std::size_t) {
  *blocks = 2;
  return 0;
}
Code cuLaunchKernel(Function* function, unsigned grid, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                    void*, void** parameters, void**) {
  if (state().sticky != 0) return state().sticky;
  static std::mutex one_at_a_time;  // modules have one set of shared variables
  const std::lock_guard lock(one_at_a_time);
  const char* seed = std::getenv("SLUICE_STAND_IN_SEED");
  const sluice::simt::Launch how{
      .blocks = grid, .threads = threads, .seed = seed ? std::strtoull(seed, nullptr, 10) : 0, .shared = function->shared};
  const sluice::simt::Report report = sluice::simt::launch(how, function->run, parameters[0]);
  if (report.ok()) return 0;
  std::fprintf(stderr, "stand-in driver: block %u: %s\n", report.block, report.text.c_str());
  return state().sticky = kIllegalAddress;
}

Code cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = kMemory;
  return 0;
}
Code cuMemAlloc_v2(Address* address, std::size_t bytes) {
  if (bytes == 0) return kInvalid;
  constexpr std::size_t kAlign = 256;  // as CUDA's
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlign, bytes + kGuard) != 0) return kOutOfMemory;
  std::memset(memory, 0xee, bytes);
  std::memset(static_cast<char*>(memory) + bytes, kGuardByte, kGuard);
  *address = reinterpret_cast<Address>(memory);
  const std::lock_guard lock(state().mutex);
  state().blocks[*address] = bytes;
  return 0;
}
Code cuMemFree_v2(Address at) {
  const std::lock_guard lock(state().mutex);
  const auto block = state().blocks.find(at);
  if (block == state().blocks.end()) return kInvalid;
  if (!guard_stands(at, block->second)) {
    std::fprintf(stderr, "stand-in driver: bytes behind an allocation of %zu were written\n", block->second);
    state().sticky = kIllegalAddress;
  }
  state().blocks.erase(block);
  std::free(host(at));
  return 0;
}
Code cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  *address = std::malloc(bytes);
  return *address == nullptr ? kOutOfMemory : 0;
}
Code cuMemFreeHost(void* address) {
  std::free(address);
  return 0;
}
Code cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, void*) {
  return copied(to, host(to), from, bytes);
}
Code cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, void*) {
  return copied(from, to, host(from), bytes);
}
Code cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void*) {
  return known(to, bytes) ? copied(from, host(to), host(from), bytes) : kInvalid;
}
Code cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, void*) {
  if (state().sticky != 0) return state().sticky;
  if (!known(to, bytes)) return kInvalid;
  std::memset(host(to), value, bytes);
  return 0;
}

Code cuStreamCreate(void** stream, unsigned) {
  *stream = &state();
  return 0;
}
Code cuStreamDestroy_v2(void*) { return 0; }
Code cuStreamSynchronize(void*) { return state().sticky; }
Code cuEventCreate(Event** event, unsigned) {
  *event = new Event;
  return 0;
}
Code cuEventDestroy_v2(Event* event) {
  delete event;
  return 0;
}
Code cuEventRecord(Event* event, void*) {
  event->time = std::chrono::steady_clock::now();
  return 0;
}
Code cuEventSynchronize(Event*) { return state().sticky; }
Code cuEventQuery(Event*) { return state().sticky; }
Code cuStreamWaitEvent(void*, Event*, unsigned) { return state().sticky; }
Code cuEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return 0;
}
}
