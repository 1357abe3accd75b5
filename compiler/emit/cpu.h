#pragma once
// IR to C++ for the CPU: one header-free translation unit that exports what runtime/api/abi.h says.
//
//   abi, primitives  ->  constants and state  ->  fast loops  ->  rules (checked path)  ->  exports
//
// The text compiles with Clang and GCC, needs no header, allocates nothing and calls nothing but memcpy, memset,
// memmove and memcmp.
#include <cstdint>
#include <string>

#include "compiler/embed/primitives.h"
#include "compiler/ir/ir.h"
#include "dsl/source/source.h"

namespace sluice::emit {

// Which entry points a text exports: code for counting that nobody asks for costs as much compile time as the decoder.
enum class CpuEntries : std::uint8_t { Decode, Count, Both };

struct CpuOptions {
  // Prefix of the exported symbols: <prefix>_decode, <prefix>_count, <prefix>_scratch_bytes, <prefix>_abi_version.
  // Several decoders live in one program when their prefixes differ.
  std::string prefix = "sluice";
  bool fast_loops = true;  // false: the checked path alone, for comparison and for finding faults
  CpuEntries entries = CpuEntries::Both;
  const SourceSet* sources = nullptr;  // of the module's spans: comments then name the spec's lines

  [[nodiscard]] bool decodes() const { return entries != CpuEntries::Count; }
  [[nodiscard]] bool counts() const { return entries != CpuEntries::Decode; }
};

// The translation unit. Deterministic: equal modules give equal text.
std::string emit_cpu(const ir::Module& module, const CpuOptions& options = {});

// The same in two, for units of several decoders: what a decoder needs of the primitives, and its text behind them, which
// stands in an unnamed namespace and leaves that to export.
struct CpuBody {
  embed::PrimitiveNames names;
  std::string text;
};
CpuBody emit_cpu_body(const ir::Module& module, const CpuOptions& options = {});
// ABI and primitives, the latter in an unnamed namespace that goes on.
std::string emit_cpu_head(const embed::PrimitiveNames& names);

}  // namespace sluice::emit
