#pragma once
// What `sluice build` writes: one format compiled for any number of machines, with all that a loader must know of it.
// Plain values; nothing in an artifact depends on when or where it was built.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/launch.h"

namespace sluice::artifact {

using Bytes = std::vector<std::uint8_t>;

// A place that refuses data: what the upper 24 bits of an error word mean.
struct Site {
  std::uint32_t rule = 0;    // 0..1023
  std::uint32_t clause = 1;  // 1..16383
  std::string rule_name;     // "body"
  std::string name;          // "bad_distance", or the implicit reason: "end_of_input"
  std::string text;          // "deflate.sluice:31:7: reject bad_distance"
  friend bool operator==(const Site&, const Site&) = default;
};

// A run-time argument, in the order of the calls.
struct Argument {
  std::string name;
  std::uint64_t initial = 0;
  std::uint32_t bits = 64;
  bool is_signed = false;
  friend bool operator==(const Argument&, const Argument&) = default;
};

// An output beside the one that `element_bits` is of, in the order of the calls.
struct Output {
  std::string name;
  std::uint32_t element_bits = 8;
  bool element_signed = false;
  friend bool operator==(const Output&, const Output&) = default;
};

struct Format {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;  // as given: {"T", "i64"}
  std::uint32_t element_bits = 8;                               // of the output: 8, 16, 32 or 64
  bool element_signed = false;
  std::vector<Output> outputs;  // further ones
  bool has_dictionary = false;
  bool reads_dictionary = false;  // its error words tell positions in the dictionary, too
  bool countable = true;  // its size can be found without storing the output
  std::vector<Argument> arguments;
  std::vector<Site> sites;
  std::string facts;  // the JSON page of `sluice explain`
  friend bool operator==(const Format&, const Format&) = default;
};

// Machine code for a CPU: a relocatable x86-64 ELF object that exports what runtime/api/abi.h says.
struct CpuImage {
  std::string isa;        // a word of runtime/jit/isa.h ("x86-64-v3" and others), or "native"
  std::string host;       // isa "native": the machine it was built on, else empty
  std::uint32_t abi = 0;  // SLUICE_ABI_VERSION
  Bytes image;
  friend bool operator==(const CpuImage&, const CpuImage&) = default;
};

// What ptxas said of a kernel; informative.
struct Resources {
  std::string kernel;
  std::uint32_t registers = 0, shared = 0, stack = 0, spill_stores = 0, spill_loads = 0;
  friend bool operator==(const Resources&, const Resources&) = default;
};

// One compile of the kernels, with what a launcher must know: the LaunchPlan of compiler/plan/launch.h. Schedules may
// differ from architecture to architecture, and plans with them.
struct CudaImage {
  std::string arch;      // "sm_90": a CUBIN; "compute_80": PTX that ends in a zero byte
  std::string schedule;  // its directives
  plan::LaunchPlan plan;
  Bytes image;
  std::vector<Resources> kernels;
  bool is_ptx() const { return arch.starts_with("compute_"); }
  friend bool operator==(const CudaImage&, const CudaImage&) = default;
};

struct Cuda {
  std::uint32_t abi = 0;  // SLUICE_CUDA_ABI_VERSION
  std::vector<CudaImage> images;
  friend bool operator==(const Cuda&, const Cuda&) = default;
};

struct Artifact {
  std::string producer;  // "sluice 0.1.0"
  Format format;
  std::vector<CpuImage> cpu;  // in order of preference
  std::optional<Cuda> cuda;
  friend bool operator==(const Artifact&, const Artifact&) = default;
};

// note [artifact container]: everything little-endian.
//   0   8  89 'S' 'L' 'A' 0d 0a 1a 0a    damaged by every transfer that takes it for text
//   8   4  kVersion
//  12   8  size of the payload
//  20  16  XXH3-128 of bytes 0..19 and the payload: the content hash
//  36   .  payload: CBOR (RFC 8949), one map
// The hash finds accidents. An artifact is machine code: load none that you would not run.
inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'S', 'L', 'A', 0x0d, 0x0a, 0x1a, 0x0a};
inline constexpr std::uint32_t kVersion = 5;
inline constexpr std::size_t kHashAt = 20, kHashBytes = 16, kPayloadAt = kHashAt + kHashBytes;

// The upper 24 bits of an error word as a sentence: "deflate.sluice:31:7: reject bad_distance at bit 40213 of chunk
// 17". "ok" for 0.
[[nodiscard]] std::string describe(const Format& format, std::uint64_t word, std::uint64_t chunk);

}  // namespace sluice::artifact
