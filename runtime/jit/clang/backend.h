#pragma once
// An LLVM module to the bytes of an object file.
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sluice::clang_plugin {

// LLVM's -O2 pipeline, without what costs time and does nothing for decoders (straight-line vectorisation).
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

// False with `error` set when the code generator can't write object files.
bool generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::SmallVectorImpl<char>& object,
              std::string& error);

}  // namespace sluice::clang_plugin
