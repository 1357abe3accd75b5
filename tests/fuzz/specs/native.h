// Emitted text to running code, in this process: the front end of the Clang plugin, a light pipeline behind it, and
// ORC.
//
// Most of the time of compiling a small decoder goes to the primitives at its head, which are the same in each: several
// decoders are one translation unit, with the primitives once and a namespace for each decoder.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "runtime/api/abi.h"
#include "tests/simt/lane.h"

namespace sluice::fuzz {

enum class Effort : std::uint8_t {
  Light,  // inlining where the text demands it, and registers: quick to compile
  Full,   // what the plugin does
};

// Code in memory; what it handed out is gone with it.
class Native {
 public:
  ~Native();
  Native(Native&&) noexcept;
  Native& operator=(Native&&) noexcept;
  [[nodiscard]] void* symbol(const std::string& name) const;

 private:
  friend struct NativeMaker;
  struct Code;
  explicit Native(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;
};

struct Decoder {
  sluice_decode_fn decode = nullptr, count = nullptr;
  std::uint64_t scratch_bytes = 0;
};

struct Decoders {
  std::optional<Native> code;
  std::vector<Decoder> decoders;  // one a module, in order
  std::string problem;            // the compiler's words; then there is no code
};

// A decoder and the prefix of its symbols.
struct Unit {
  emit::CpuBody decoder;
  std::string prefix;
};

// All as one translation unit. Prefixes differ.
[[nodiscard]] Decoders compile_decoders(std::span<const Unit> units, Effort effort);

struct Kernel {
  std::optional<Native> code;
  plan::LaunchPlan plan;
  void (*decode)(void* batch) = nullptr;  // one thread's run; the argument is a sluice_cuda_batch
  void (*count)(void* batch) = nullptr;
  simt::Region shared{};
  std::string problem;
};

// A kernel for the SIMT layer of tests/simt.
[[nodiscard]] Kernel compile_kernel(const emit::CudaUnit& unit);

}  // namespace sluice::fuzz
