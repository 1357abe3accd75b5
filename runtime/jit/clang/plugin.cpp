// The plugin's C face: compile.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "runtime/jit/clang/backend.h"
#include "runtime/jit/clang/bytes.h"
#include "runtime/jit/clang/frontend.h"
#include "runtime/jit/clang/guard.h"
#include "runtime/jit/clang/host_target.h"
#include "runtime/jit/clang/plugin_abi.h"

namespace sluice::clang_plugin {
namespace {

struct Compilation {
  llvm::StringRef source;
  llvm::SmallVector<char, 0> object;
  std::string errors, failure;
  sluice_clang_times times{};
};

double since(std::chrono::steady_clock::time_point& start) {
  const auto now = std::chrono::steady_clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return ms;
}

void compile(void* state) {
  auto& c = *static_cast<Compilation*>(state);
  auto clock = std::chrono::steady_clock::now();
  const HostTarget& host = host_target();
  const auto machine = target_machine(host, c.failure);
  if (!machine) return;
  llvm::LLVMContext context;
  const auto module = parse(c.source, host, context, c.errors);
  c.times.frontend = since(clock);
  if (!module) {
    if (c.errors.empty()) c.failure = "the front end gave no module";
    return;
  }
  c.errors.clear();
  optimise(*module, *machine);
  c.times.optimise = since(clock);
  generate(*module, *machine, c.object, c.failure);
  c.times.codegen = since(clock);
}

}  // namespace
}  // namespace sluice::clang_plugin

extern "C" {

unsigned sluice_clang_plugin_version(void) { return SLUICE_CLANG_PLUGIN_VERSION; }

int sluice_clang_compile(const char* source, size_t size, sluice_clang_bytes* object, sluice_clang_bytes* text,
                         sluice_clang_times* times) {
  using namespace sluice::clang_plugin;
  *object = *text = {};
  // On the heap and, after a fatal error, left there: LLVM's abandoned frames may still be referred to by it.
  auto* c = new Compilation;
  c->source = llvm::StringRef(source, size);
  std::string fatal;
  if (!guarded(compile, c, fatal)) {
    *text = to_bytes(fatal);
    return 2;
  }
  if (times) *times = c->times;
  int result = 0;
  if (!c->failure.empty()) {
    *text = to_bytes(c->failure);
    result = 2;
  } else if (!c->errors.empty()) {
    *text = to_bytes(c->errors);
    result = 1;
  } else {
    *object = to_bytes({c->object.data(), c->object.size()});
    if (!object->data) result = 2;
  }
  delete c;
  return result;
}

void sluice_clang_free(sluice_clang_bytes* bytes) {
  std::free(bytes->data);
  *bytes = {};
}

}  // extern "C"
