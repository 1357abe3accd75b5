#pragma once
// Names the processor for the cache key: code made for one must not run on a machine that lacks its instructions.
#include <string>

namespace sluice::runtime {

// Architecture, model and instruction-set bits as text, e.g. "x86_64 0x00b00f21 ...". Equal texts mean that code
// compiled for "this machine" on one runs on the other. Takes microseconds and starts no LLVM.
[[nodiscard]] std::string host_cpu_id();

}  // namespace sluice::runtime
