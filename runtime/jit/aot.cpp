#include "runtime/jit/aot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/jit/engine.h"
#include "runtime/jit/host_cpu.h"
#include "runtime/jit/isa.h"

namespace sluice::runtime {
namespace {

constexpr std::string_view kNative = "native";

Error unable(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

#if defined(__x86_64__)
// The words of isa.h. (Compilers ask for literals.)
bool has_level(std::string_view level) {
  if (level == "x86-64") return true;
  if (level == "x86-64-v2") return __builtin_cpu_supports("x86-64-v2") != 0;
  if (level == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3") != 0;
  return level == "x86-64-v4" && __builtin_cpu_supports("x86-64-v4") != 0;
}
bool has_feature(std::string_view feature) {
  if (feature.empty()) return true;
  if (feature == "pclmul") return __builtin_cpu_supports("pclmul") != 0;
  if (feature == "vpclmulqdq") return __builtin_cpu_supports("vpclmulqdq") != 0;
  if (feature == "avx512vbmi") return __builtin_cpu_supports("avx512vbmi") != 0;
  return feature == "avx512vbmi2" && __builtin_cpu_supports("avx512vbmi2") != 0;
}
#endif

}  // namespace

bool is_isa(std::string_view word) { return word == kNative || isa_of(word) != nullptr; }

bool runs_here(std::string_view isa, std::string_view host) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (isa == kNative) return host == host_cpu_id();
  const Isa* const known = isa_of(isa);
  return known && has_level(known->level) && std::ranges::all_of(known->beyond, has_feature);
#else
  (void)isa, (void)host;
  return false;
#endif
}

Result<std::vector<std::uint8_t>> compile_cpu_object(std::string_view text, std::string_view isa) {
#if !defined(__x86_64__)
  (void)text;
  return unable(fmt::format("no code for {}: ahead-of-time code is made on x86-64 machines only", isa));
#else
  std::string why;
  for (const auto& engine : engines(why)) {
    const auto add = [&](std::string_view what) {
      why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", engine->name(), what);
    };
    std::string why_not;
    if (engine->identity(why_not).empty()) {
      add(why_not);
      continue;
    }
    auto object = engine->compile_object(text, isa == kNative ? std::string() : std::string(isa));
    if (object) return object;
    add(object.error().text);
    if (object.error().kind == Error::Kind::Spec) return unable("the generated code does not compile: " + why);
  }
  return unable(fmt::format("no compiler for {}: {}", isa, why));
#endif
}

Result<artifact::CpuImage> compile_cpu_image(std::string_view text, std::string_view isa) {
  auto object = compile_cpu_object(text, isa);
  if (!object) return object.error();
  // Loading runs none of its code: an image that our loader refuses must not leave this machine.
  const auto loaded = Program::load(*object);
  if (!loaded) return unable(fmt::format("the code for {} can't be loaded: {}", isa, loaded.error().text));
  artifact::CpuImage image;
  image.isa = isa;
  image.host = isa == kNative ? host_cpu_id() : std::string();
  image.abi = SLUICE_ABI_VERSION;
  image.image = std::move(*object);
  return image;
}

Result<LoadedImage> load_cpu_image(std::span<const artifact::CpuImage> images) {
  std::string others;
  for (const artifact::CpuImage& image : images) {
    if (image.abi == SLUICE_ABI_VERSION && runs_here(image.isa, image.host)) {
      auto program = Program::load(image.image);
      if (!program) return program.error();
      return LoadedImage{std::move(*program), image.isa};
    }
    others += fmt::format("{}{}", others.empty() ? "" : ", ", image.isa);
    if (image.abi != SLUICE_ABI_VERSION) others += fmt::format(" (ABI version {})", image.abi);
  }
  return unable(others.empty() ? std::string("the artifact holds no code for CPUs: build it with --target cpu")
                               : fmt::format("the artifact's code for CPUs does not run on this machine: {}", others));
}

}  // namespace sluice::runtime
