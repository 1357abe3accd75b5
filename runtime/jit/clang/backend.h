#pragma once
// An LLVM module to the bytes of an object file, or to PTX.
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sluice::clang_plugin {

// LLVM's -O2 pipeline, without what costs time and does nothing for decoders (straight-line vectorisation).
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

// An object file, or the text of assembly. False with `error` set when the code generator can't write such files.
enum class Output : bool { Object, Assembly };
bool generate(llvm::Module& module, llvm::TargetMachine& machine, Output kind, llvm::SmallVectorImpl<char>& output,
              std::string& error);

}  // namespace sluice::clang_plugin
