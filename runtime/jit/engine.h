#pragma once
// Engines turn the text of a generated translation unit into an ELF image that Program::load takes.
//
// Two are known: `clang`, a plugin with Clang and LLVM in it, found beside this library and loaded when first needed;
// `cxx`, the machine's C++ compiler as a process. They are tried in that order; $SLUICE_JIT=clang|cxx|none allows only
// one, or none. What was chosen and why is always said.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/result.hpp"
#include "runtime/jit/cache.h"
#include "runtime/jit/program.h"

namespace sluice::runtime {

class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Everything but the text that the image depends on: versions, flags, target. Cheap: part of the cache key, asked
  // for before the engine is started. Empty when the engine can't run here; `why_not` then has the reason.
  [[nodiscard]] virtual std::string identity(std::string& why_not) const = 0;
  // Thread-safe. Kind::Environment: the engine could not run, another may. Kind::Spec: it ran and refused the text,
  // which is a fault of the generator; the text of the compiler's errors is in Error::text.
  [[nodiscard]] virtual Result<std::vector<std::uint8_t>> compile(std::string_view text) const = 0;
  // The same as a relocatable object, to be kept and linked or loaded anywhere: for this machine when `cpu` is empty,
  // else for every machine of this architecture that is at least a `cpu`, named as compilers do: "x86-64-v3".
  [[nodiscard]] virtual Result<std::vector<std::uint8_t>> compile_object(std::string_view text,
                                                                         const std::string& cpu) const = 0;
  // Loads what compile made. The default is Program::load.
  [[nodiscard]] virtual Result<Program> load(std::span<const std::uint8_t> image) const { return Program::load(image); }
};

// The engines allowed here, in order of preference. `why` gets a sentence when $SLUICE_JIT rules something out.
[[nodiscard]] std::vector<std::unique_ptr<Engine>> engines(std::string& why);

// One each, for tests and tools.
[[nodiscard]] std::unique_ptr<Engine> make_clang_engine();
[[nodiscard]] std::unique_ptr<Engine> make_cxx_engine();

struct Jitted {
  Program program;
  std::string engine;  // name
  std::string why;     // "clang: from the cache"; "cxx: ...; clang: no plugin found in ..."
  bool cached = false;
};

// Text to running code by the first engine that works. Errors: no engine works (Kind::Environment, the reasons of all).
[[nodiscard]] Result<Jitted> jit(std::string_view text, const ObjectCache& cache);
// The same with given engines.
[[nodiscard]] Result<Jitted> jit(std::string_view text, const ObjectCache& cache,
                                 std::span<const std::unique_ptr<Engine>> engines, std::string why);

}  // namespace sluice::runtime
