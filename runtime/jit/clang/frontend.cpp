#include "runtime/jit/clang/frontend.h"

#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "runtime/jit/clang/host_target.h"

namespace sluice::clang_plugin {
namespace {

// Absolute: the in-memory file system has no current directory.
constexpr const char* kFile = "/decoder.cpp";

// The device's half of CUDA C++, with nothing of the toolkit: the text has its own prelude.
std::vector<std::string> cuda_arguments(const HostTarget& gpu) {
  std::vector<std::string> args{"-triple", gpu.triple, "-target-cpu", gpu.cpu, "-std=c++20", "-x", "cuda",
                                "-fcuda-is-device", "-O2", "-disable-llvm-passes", "-ffreestanding", "-nostdsysteminc",
                                "-nobuiltininc", "-fno-rtti", "-fno-threadsafe-statics", "-mframe-pointer=none"};
  for (const std::string& feature : gpu.features) {
    args.push_back("-target-feature");
    args.push_back(feature);
  }
  args.push_back(kFile);
  return args;
}

std::vector<std::string> arguments(const HostTarget& host) {
  if (host.cuda) return cuda_arguments(host);
  std::vector<std::string> args{
      "-triple", host.triple, "-target-cpu", host.cpu, "-std=c++17", "-x", "c++", "-O2",
      // Our own pipeline runs over the result.
      "-disable-llvm-passes",
      // Freestanding: loops are not turned into library calls, and nothing is looked for on this machine.
      "-ffreestanding", "-nostdsysteminc", "-nobuiltininc",
      // As for an executable: own symbols are reached directly, without a table.
      "-mrelocation-model", "pic", "-pic-level", "2", "-pic-is-pie", "-fno-rtti", "-fno-threadsafe-statics",
      "-mframe-pointer=none"};
  for (const std::string& feature : host.features) {
    args.push_back("-target-feature");
    args.push_back(feature);
  }
  args.push_back(kFile);
  return args;
}

}  // namespace

std::unique_ptr<llvm::Module> parse(llvm::StringRef source, const HostTarget& host, llvm::LLVMContext& context,
                                    std::string& errors) {
  llvm::raw_string_ostream stream(errors);
  // Heap and counted: the engine is shared by everything below, and its consumer must go with it, not before.
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, options, new clang::TextDiagnosticPrinter(stream, options.get()), true));

  diagnostics->setIgnoreAllWarnings(true);  // warnings are for people who write code
  diagnostics->setErrorLimit(10);

  const std::vector<std::string> words = arguments(host);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argv, *diagnostics)) return nullptr;

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files(new llvm::vfs::InMemoryFileSystem);
  files->addFile(kFile, 0, llvm::MemoryBuffer::getMemBuffer(source, kFile, false));

  clang::CompilerInstance compiler;
  compiler.setInvocation(std::move(invocation));
  compiler.setDiagnostics(diagnostics.get());
  compiler.setFileManager(new clang::FileManager(clang::FileSystemOptions{}, files));
  compiler.getFrontendOpts().DisableFree = false;  // a library frees what it made

  clang::EmitLLVMOnlyAction action(&context);
  if (!compiler.ExecuteAction(action)) return nullptr;
  return action.takeModule();
}

}  // namespace sluice::clang_plugin
