#include "runtime/jit/engine.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "runtime/jit/host_cpu.h"

namespace sluice::runtime {

std::vector<std::unique_ptr<Engine>> engines(std::string& why) {
  const char* wanted_text = std::getenv("SLUICE_JIT");
  const std::string_view wanted = wanted_text ? wanted_text : "";
  std::vector<std::unique_ptr<Engine>> list;
  const bool all = wanted.empty() || wanted == "auto";
  if (all || wanted == "clang") list.push_back(make_clang_engine());
  if (all || wanted == "cxx") list.push_back(make_cxx_engine());
  if (!all)
    why = list.empty() && wanted != "none" ? fmt::format("SLUICE_JIT={} names no engine (clang, cxx, none)", wanted)
                                           : fmt::format("SLUICE_JIT={}", wanted);
  return list;
}

Result<Jitted> jit(std::string_view text, const ObjectCache& cache) {
  std::string why;
  const auto list = engines(why);
  return jit(text, cache, list, std::move(why));
}

Result<Jitted> jit(std::string_view text, const ObjectCache& cache, std::span<const std::unique_ptr<Engine>> list,
                   std::string why) {
  const auto add = [&](std::string_view name, std::string_view what) {
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", name, what);
  };
  const std::string cpu = host_cpu_id();
  const std::string abi = fmt::format("abi {}", SLUICE_ABI_VERSION);
  for (const auto& engine : list) {
    std::string why_not;
    const std::string identity = engine->identity(why_not);
    if (identity.empty()) {
      add(engine->name(), why_not);
      continue;
    }
    const CacheKey key = cache_key(std::array<std::string_view, 5>{engine->name(), identity, cpu, abi, text});
    if (const auto image = cache.load(key)) {
      if (Result<Program> program = engine->load(*image)) {
        add(engine->name(), "from the cache");
        return Jitted{std::move(*program), std::string(engine->name()), std::move(why), true};
      }
    }
    Result<std::vector<std::uint8_t>> image = engine->compile(text);
    if (!image) {
      add(engine->name(), image.error().text);
      if (image.error().kind != Error::Kind::Spec) continue;
      return Error{Error::Kind::Environment, "the generated code does not compile: " + why, {}};
    }
    Result<Program> program = engine->load(*image);
    if (!program) {
      add(engine->name(), program.error().text);
      continue;
    }
    cache.store(key, *image);
    add(engine->name(), "compiled");
    return Jitted{std::move(*program), std::string(engine->name()), std::move(why), false};
  }
  return Error{Error::Kind::Environment, "no engine for machine code: " + why, {}};
}

}  // namespace sluice::runtime
