#pragma once
// NVIDIA's run-time compiler, loaded when first needed: CUDA C++ text to a CUBIN or to PTX. Needs no GPU, no driver, no
// CUDA header at build time.
//
//   text, "sm_90"       ->  CUBIN for that GPU, with what ptxas said of its kernels
//   text, "compute_90"  ->  PTX, which the driver finishes for any GPU that is not older
//
// The library is looked for in this order; the first file found is taken:
//   $SLUICE_NVRTC          the file, or its directory; then nowhere else. "none": there is no NVRTC
//   $LD_LIBRARY_PATH, the system's library directories
//   lib64 and lib of $CUDA_HOME, $CUDA_PATH, /usr/local/cuda
//   Python packages (nvidia/cu13, nvidia/cuda_nvrtc) of $VIRTUAL_ENV, $CONDA_PREFIX and the first python3 in $PATH
//   whatever the dynamic loader finds by name
// Beside it lies libnvrtc-builtins, which NVRTC wants by name: it is loaded from there first.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/result.hpp"
#include "runtime/jit/ptxas_log.h"

namespace sluice::runtime {

// What a compile made.
struct DeviceCode {
  std::string arch;                      // "sm_90", "compute_90"
  std::vector<std::uint8_t> image;       // CUBIN; PTX with its terminating zero byte
  std::string log;                       // the compiler's warnings and ptxas' report
  std::vector<KernelResources> kernels;  // from the log; empty for PTX
  bool is_ptx() const { return arch.starts_with("compute_"); }
};

// "sm_90", "sm_90a", "compute_100f": two or three digits, perhaps a letter.
[[nodiscard]] bool is_cuda_arch(std::string_view arch);

// The flags of every compile. C++20 is what the primitives are written in; ptxas' report becomes KernelResources. At its level 2
// ptxas takes two thirds of the time of level 3, and makes kernels as fast (tests/bench/results/speculate.md). Warnings about
// generated text help nobody. Behind them those of $SLUICE_NVRTC_FLAGS, with blanks between: -lineinfo lets profilers
// show the kernel's text, and costs compile time.
[[nodiscard]] std::vector<std::string> nvrtc_flags();

class Nvrtc {
 public:
  // Finds the library's file; loads it only when the file is the loader's secret. Errors are Kind::Environment and say
  // where it was looked for.
  static Result<Nvrtc> find();

  // Names the file (path, size, time of change): equal texts mean the same compiler. For cache keys.
  const std::string& identity() const { return identity_; }
  const std::filesystem::path& path() const { return path_; }

  // Compiles `text`, with nvrtc_flags() and `more` behind them. Loads the library at the first call. Thread-safe, and calls of
  // several threads run side by side.
  // Kind::Environment: the library can't be loaded or does not know the architecture; Kind::Spec: it refused the text,
  // which is a fault of the generator; Error::text has the compiler's words.
  [[nodiscard]] Result<DeviceCode> compile(std::string_view text, const std::string& arch, std::span<const std::string> more = {}) const;

  // "13.0"; loads the library.
  [[nodiscard]] Result<std::string> version() const;

 private:
  struct Loaded;
  struct Holder;
  Nvrtc(std::filesystem::path path, std::string identity, std::shared_ptr<Holder> holder)
      : path_(std::move(path)), identity_(std::move(identity)), holder_(std::move(holder)) {}
  Result<const Loaded*> loaded() const;
  std::filesystem::path path_;
  std::string identity_;
  std::shared_ptr<Holder> holder_;
};

}  // namespace sluice::runtime
