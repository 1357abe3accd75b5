#include "tests/fuzz/specs/kernel_prelude.h"

#include "tests/simt/lane.h"

// Where the running thread is. A thread-local variable of this program is out of reach of code that ORC links.
extern "C" const sluice::simt::Place& sluice_fuzz_place() { return sluice::simt::place; }

namespace sluice::fuzz {
namespace {

constexpr const char* kStandard = R"(
typedef unsigned char fuzz_u8; typedef unsigned int fuzz_u32; typedef unsigned long fuzz_u64;
namespace std {
enum class byte : unsigned char {};
typedef unsigned long size_t; typedef fuzz_u8 uint8_t; typedef fuzz_u32 uint32_t; typedef fuzz_u64 uint64_t;
template <class T, class F> inline T bit_cast(const F& from) { return __builtin_bit_cast(T, from); }
inline int countl_zero(uint32_t x) { return x == 0 ? 32 : __builtin_clz(x); }
inline int countl_zero(uint64_t x) { return x == 0 ? 64 : __builtin_clzl(x); }
inline int popcount(unsigned x) { return __builtin_popcount(x); }
inline int popcount(unsigned long long x) { return __builtin_popcountll(x); }
}
#define constinit
#define memcpy __builtin_memcpy
)";

// Behind the SIMT layer's header.
constexpr const char* kPlaces = R"(
extern "C" const ::sluice::simt::Place& sluice_fuzz_place();
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#define threadIdx (sluice_fuzz_place().thread)
#define blockIdx (sluice_fuzz_place().block)
#define blockDim (sluice_fuzz_place().block_dim)
#define gridDim (sluice_fuzz_place().grid_dim)
)";

// Filled in by CMake with the text of tests/simt/lane.h and cuda_on_host.h.
constexpr const char* kHeaders[] = {
#include "kernel_headers.inc"
};

std::string without_directives(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (!line.starts_with("#pragma once") && !line.starts_with("#include")) result += line;
  }
  return result;
}

std::string make() {
  std::string text = kStandard;
  for (const char* header : kHeaders) text += without_directives(header);
  return text + kPlaces;
}

}  // namespace

const std::string& kernel_prelude() {
  static const std::string text = make();
  return text;
}

}  // namespace sluice::fuzz
