#pragma once
// The machine this runs on, as LLVM names it; or another one to compile for.
#include <memory>
#include <string>
#include <vector>

#include "llvm/Target/TargetMachine.h"

namespace sluice::clang_plugin {

struct HostTarget {
  std::string triple, cpu;
  std::vector<std::string> features;  // "+avx2", "-amx-tile", ...
  bool cuda = false;                  // a GPU: the text is CUDA C++, the result is PTX
};

// Starts LLVM's code generator for this machine, once per process; safe to call from any thread.
const HostTarget& host_target();

// An NVIDIA GPU, "sm_80". False when this LLVM has no code generator for them.
bool gpu_target(const std::string& gpu, HostTarget& target);

// A new code generator at -O2, position-independent; null with `error` set when LLVM has none for the target.
std::unique_ptr<llvm::TargetMachine> target_machine(const HostTarget& host, std::string& error);

}  // namespace sluice::clang_plugin
