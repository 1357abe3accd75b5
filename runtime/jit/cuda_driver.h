#pragma once
// The CUDA driver (libcuda.so.1), loaded when first needed: its functions as a table. No CUDA header at build time; the
// prototypes are declared here from its documentation. Everything else of CUDA that this project uses stands on these.
//
// Looked for as $SLUICE_CUDA_DRIVER (then nowhere else), as libcuda.so.1 by the loader, and in the directories where
// drivers are mounted into containers.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/api/result.hpp"

namespace sluice::runtime {

// The driver's types. Handles belong to a context; 0 is success.
namespace cu {
using Code = int;
inline constexpr Code kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY
inline constexpr Code kNotReady = 600;   // CUDA_ERROR_NOT_READY
using Device = int;
using Address = unsigned long long;  // of device memory
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Link = struct LinkTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;

enum DeviceAttribute : int {
  kSharedPerBlock = 8,
  kSmCount = 16,
  kL2Bytes = 38,
  kThreadsPerSm = 39,
  kMajor = 75,
  kMinor = 76,
  kSharedPerSm = 81,
};
enum FunctionAttribute : int {
  kMaxThreads = 0,
  kSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicShared = 8,
  kCarveOut = 9,
};
enum JitOption : int { kErrorLog = 5, kErrorLogBytes = 6 };
inline constexpr int kRelaxedCapture = 2;
inline constexpr int kLinkOfCubin = 0;  // a kind of what is linked
inline constexpr unsigned kNonBlockingStream = 1, kEventNoTiming = 2;
}  // namespace cu

struct CudaDriver {
  cu::Code (*init)(unsigned flags) = nullptr;
  cu::Code (*driver_version)(int* version) = nullptr;
  cu::Code (*error_name)(cu::Code code, const char** text) = nullptr;
  cu::Code (*error_string)(cu::Code code, const char** text) = nullptr;

  cu::Code (*device_count)(int* count) = nullptr;
  cu::Code (*device_get)(cu::Device* device, int ordinal) = nullptr;
  cu::Code (*device_name)(char* name, int size, cu::Device device) = nullptr;
  cu::Code (*device_attribute)(int* value, int attribute, cu::Device device) = nullptr;
  cu::Code (*device_memory)(std::size_t* bytes, cu::Device device) = nullptr;

  cu::Code (*primary_retain)(cu::Context* context, cu::Device device) = nullptr;
  cu::Code (*primary_release)(cu::Device device) = nullptr;
  cu::Code (*context_current)(cu::Context* context) = nullptr;
  cu::Code (*context_device)(cu::Device* device) = nullptr;
  cu::Code (*context_push)(cu::Context context) = nullptr;
  cu::Code (*context_pop)(cu::Context* context) = nullptr;

  cu::Code (*module_load)(cu::Module* module, const void* image, unsigned options, int* names, void** values) = nullptr;
  cu::Code (*module_unload)(cu::Module module) = nullptr;
  cu::Code (*module_function)(cu::Function* function, cu::Module module, const char* name) = nullptr;
  cu::Code (*function_attribute)(int* value, int attribute, cu::Function function) = nullptr;
  cu::Code (*set_function_attribute)(cu::Function function, int attribute, int value) = nullptr;
  cu::Code (*function_load)(cu::Function function) = nullptr;  // null in drivers before CUDA 12.4
  // The first one is null in a driver that lacks one of the four.
  cu::Code (*link_create)(unsigned options, int* names, void** values, cu::Link* link) = nullptr;
  cu::Code (*link_add)(cu::Link link, int kind, void* data, std::size_t bytes, const char* name, unsigned options, int* names,
                       void** values) = nullptr;
  cu::Code (*link_complete)(cu::Link link, void** image, std::size_t* bytes) = nullptr;
  cu::Code (*link_destroy)(cu::Link link) = nullptr;
  cu::Code (*resident_blocks)(int* blocks, cu::Function function, int threads, std::size_t dynamic_shared) = nullptr;
  cu::Code (*launch)(cu::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                     unsigned block_y, unsigned block_z, unsigned dynamic_shared, cu::Stream stream, void** parameters,
                     void** extra) = nullptr;

  cu::Code (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  cu::Code (*memory_alloc)(cu::Address* address, std::size_t bytes) = nullptr;
  cu::Code (*memory_free)(cu::Address address) = nullptr;
  cu::Code (*host_alloc)(void** address, std::size_t bytes, unsigned flags) = nullptr;
  cu::Code (*host_free)(void* address) = nullptr;
  cu::Code (*copy_to_device)(cu::Address to, const void* from, std::size_t bytes, cu::Stream stream) = nullptr;
  cu::Code (*copy_to_host)(void* to, cu::Address from, std::size_t bytes, cu::Stream stream) = nullptr;
  cu::Code (*copy_on_device)(cu::Address to, cu::Address from, std::size_t bytes, cu::Stream stream) = nullptr;
  cu::Code (*set_bytes)(cu::Address to, unsigned char value, std::size_t bytes, cu::Stream stream) = nullptr;

  cu::Code (*stream_create)(cu::Stream* stream, unsigned flags) = nullptr;
  cu::Code (*stream_destroy)(cu::Stream stream) = nullptr;
  cu::Code (*stream_synchronize)(cu::Stream stream) = nullptr;
  cu::Code (*event_create)(cu::Event* event, unsigned flags) = nullptr;
  cu::Code (*event_destroy)(cu::Event event) = nullptr;
  cu::Code (*event_record)(cu::Event event, cu::Stream stream) = nullptr;
  cu::Code (*event_synchronize)(cu::Event event) = nullptr;
  cu::Code (*event_query)(cu::Event event) = nullptr;  // kNotReady: work before it is under way
  cu::Code (*stream_wait)(cu::Stream stream, cu::Event event, unsigned flags) = nullptr;
  // Null in drivers that lack them.
  cu::Code (*stream_capturing)(cu::Stream stream, int* status) = nullptr;
  cu::Code (*exchange_capture_mode)(int* mode) = nullptr;  // this thread's
  cu::Code (*event_elapsed)(float* milliseconds, cu::Event from, cu::Event to) = nullptr;

  std::string path;  // where the library was found
  int version = 0;   // 13000 for CUDA 13.0

  // Loads the library and starts the driver. Kind::Environment when there is none, it is the toolkit's stand-in for
  // linking, or there is no device: the text says what was looked for. Thread-safe; loading twice costs little.
  static Result<std::shared_ptr<const CudaDriver>> load();

  // "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"; empty for success.
  [[nodiscard]] std::string failure(const char* what, cu::Code code) const;
  // The same as an Error of Kind::Environment, or NoMemory.
  [[nodiscard]] Error error(const char* what, cu::Code code) const {
    return {code == cu::kOutOfMemory ? Error::Kind::NoMemory : Error::Kind::Environment, failure(what, code), {}};
  }
  // The same of a call; Kind::None for success.
  [[nodiscard]] CallError call_error(const char* what, cu::Code code) const {
    return code == 0 ? CallError{} : CallError::from(error(what, code));
  }
};

}  // namespace sluice::runtime
