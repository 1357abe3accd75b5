// The plugin's C face: linking an object in memory with ORC.
#include <memory>
#include <string>

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectTransformLayer.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "runtime/jit/clang/bytes.h"
#include "runtime/jit/clang/guard.h"
#include "runtime/jit/clang/host_target.h"
#include "runtime/jit/clang/plugin_abi.h"

struct sluice_clang_program {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

namespace sluice::clang_plugin {
namespace {

struct Load {
  llvm::StringRef object;
  std::unique_ptr<sluice_clang_program> program = std::make_unique<sluice_clang_program>();
  std::string error;
};

void load(void* state) {
  auto& l = *static_cast<Load*>(state);
  host_target();  // starts the code generator's tables
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) {
    l.error = llvm::toString(jit.takeError());
    return;
  }
  // Missing symbols come back from lookup; without this they would be printed as well.
  (*jit)->getExecutionSession().setErrorReporter([](llvm::Error e) { llvm::consumeError(std::move(e)); });
  if (auto e = (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(l.object, "decoder.o"))) {
    l.error = llvm::toString(std::move(e));
    return;
  }
  // Linking is lazy: ask for the entry point now, so that what is wrong is known now.
  if (auto entry = (*jit)->lookup("sluice_decode"); !entry) {
    l.error = llvm::toString(entry.takeError());
    return;
  }
  l.program->jit = std::move(*jit);
}

}  // namespace
}  // namespace sluice::clang_plugin

extern "C" {

int sluice_clang_load(const unsigned char* object, size_t size, sluice_clang_program** program,
                      sluice_clang_bytes* text) {
  using namespace sluice::clang_plugin;
  *program = nullptr;
  *text = {};
  auto* l = new Load;
  l->object = llvm::StringRef(reinterpret_cast<const char*>(object), size);
  std::string fatal;
  if (!guarded(load, l, fatal)) {
    *text = to_bytes(fatal);
    return 2;
  }
  const bool loaded = l->program->jit != nullptr;
  if (loaded)
    *program = l->program.release();
  else
    *text = to_bytes(l->error);
  delete l;
  return loaded ? 0 : 2;
}

void* sluice_clang_symbol(sluice_clang_program* program, const char* name) {
  auto address = program->jit->lookup(name);
  if (address) return address->toPtr<void*>();
  llvm::consumeError(address.takeError());
  return nullptr;
}

void sluice_clang_unload(sluice_clang_program* program) { delete program; }

}  // extern "C"
