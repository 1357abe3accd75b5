#pragma once
// C++ text to an LLVM module, in memory: no file, no header and no environment variable is read.
#include <memory>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace sluice::clang_plugin {

struct HostTarget;

// Null when the text has errors; they are in `errors`. The module is not optimised yet but carries the attributes
// that -O2 code has. `context` must outlive the module.
std::unique_ptr<llvm::Module> parse(llvm::StringRef source, const HostTarget& host, llvm::LLVMContext& context,
                                    std::string& errors);

}  // namespace sluice::clang_plugin
