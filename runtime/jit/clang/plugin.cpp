// The plugin's C face: compile, for CPUs and for GPUs.
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
#include "runtime/jit/isa.h"

namespace sluice::clang_plugin {
namespace {

struct Compilation {
  llvm::StringRef source;
  std::string gpu;    // to compile for, or empty
  HostTarget target;  // else a CPU: of its name, or this machine
  llvm::SmallVector<char, 0> object;  // or PTX
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
  if (!c.gpu.empty()) {
    if (!gpu_target(c.gpu, c.target)) c.failure = "this LLVM has no code generator for NVIDIA's GPUs";
  } else {
    const HostTarget& host = host_target();
    if (c.target.cpu.empty()) c.target = host;
    c.target.triple = host.triple;
  }
  if (!c.failure.empty()) return;
  const auto machine = target_machine(c.target, c.failure);
  if (!machine) return;
  llvm::LLVMContext context;
  const auto module = parse(c.source, c.target, context, c.errors);
  c.times.frontend = since(clock);
  if (!module) {
    if (c.errors.empty()) c.failure = "the front end gave no module";
    return;
  }
  c.errors.clear();
  optimise(*module, *machine);
  c.times.optimise = since(clock);
  generate(*module, *machine, c.target.cuda ? Output::Assembly : Output::Object, c.object, c.failure);
  c.times.codegen = since(clock);
}

// Compiles and deletes *c. It is on the heap because after a fatal error it stays there: LLVM's abandoned frames may
// still refer to it.
int run(Compilation* c, sluice_clang_bytes* output, sluice_clang_bytes* text, sluice_clang_times* times) {
  *output = *text = {};
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
    if (c->target.cuda) c->object.push_back(0);
    *output = to_bytes({c->object.data(), c->object.size()});
    if (!output->data) result = 2;
  }
  delete c;
  return result;
}

}  // namespace
}  // namespace sluice::clang_plugin

extern "C" {

unsigned sluice_clang_plugin_version(void) { return SLUICE_CLANG_PLUGIN_VERSION; }

int sluice_clang_compile(const char* source, size_t size, const char* cpu, sluice_clang_bytes* object,
                         sluice_clang_bytes* text, sluice_clang_times* times) {
  auto* c = new sluice::clang_plugin::Compilation;
  c->source = llvm::StringRef(source, size);
  if (cpu) {
    const sluice::runtime::Isa* const isa = sluice::runtime::isa_of(cpu);
    c->target.cpu = isa ? std::string(isa->level) : cpu;
    for (const std::string_view feature : isa ? isa->beyond : decltype(isa->beyond){})
      if (!feature.empty()) c->target.features.push_back("+" + std::string(feature));
  }
  return sluice::clang_plugin::run(c, object, text, times);
}

int sluice_clang_ptx(const char* source, size_t size, const char* gpu, sluice_clang_bytes* ptx,
                     sluice_clang_bytes* text) {
  auto* c = new sluice::clang_plugin::Compilation;
  c->source = llvm::StringRef(source, size);
  c->gpu = gpu;
  return sluice::clang_plugin::run(c, ptx, text, nullptr);
}

void sluice_clang_free(sluice_clang_bytes* bytes) {
  std::free(bytes->data);
  *bytes = {};
}

}  // extern "C"
