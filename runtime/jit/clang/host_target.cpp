#include "runtime/jit/clang/host_target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace sluice::clang_plugin {
namespace {

// A quarter of the code generator's time on AVX-512 machines, and no gain on this kind of code. LLVM has no other way
// to its options than this table of the process.
void switch_off_domain_reassignment() {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto it = options.find("disable-x86-domain-reassignment");
  if (it != options.end()) it->second->addOccurrence(0, "disable-x86-domain-reassignment", "true");
}

HostTarget start() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  switch_off_domain_reassignment();
  HostTarget host{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), {}};
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    host.features.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  return host;
}

#if defined(SLUICE_NVPTX)
bool start_nvptx() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  return true;
}
#endif

}  // namespace

bool gpu_target(const std::string& gpu, HostTarget& target) {
#if defined(SLUICE_NVPTX)
  host_target();  // options of the process first
  static const bool started = start_nvptx();
  // PTX 8.0 is what CUDA 12's first drivers read, and says all that sm_90 has.
  target = {"nvptx64-nvidia-cuda", gpu, {"+ptx80"}, true};
  return started;
#else
  static_cast<void>(gpu);
  static_cast<void>(target);
  return false;
#endif
}

const HostTarget& host_target() {
  static const HostTarget host = start();
  return host;
}

std::unique_ptr<llvm::TargetMachine> target_machine(const HostTarget& host, std::string& error) {
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  if (!target) return nullptr;
  std::string features;
  for (const std::string& feature : host.features) features += (features.empty() ? "" : ",") + feature;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(host.triple, host.cpu, features, llvm::TargetOptions{}, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine) error = "no code generator for " + host.triple;
  return machine;
}

}  // namespace sluice::clang_plugin
