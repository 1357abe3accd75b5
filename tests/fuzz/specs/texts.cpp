#include "tests/fuzz/specs/texts.h"

#include <fmt/format.h>

#include <array>

#include "compiler/driver/library.h"
#include "compiler/emit/cuda.h"
#include "runtime/jit/nvrtc.h"
#include "tests/fuzz/specs/generate.h"
#include "tests/fuzz/specs/known.h"
#include "tests/fuzz/specs/mend.h"
#include "tests/fuzz/specs/rename.h"
#include "tests/fuzz/specs/schedules.h"
#include "tests/support/objects_link.h"

namespace sluice::fuzz {
namespace {

constexpr int kSkipped = 77;
constexpr std::array kArchitectures{"sm_80", "sm_90"};

// A random spec through the compiler, passes and all; nothing when it can't be mended.
std::optional<std::pair<driver::Request, driver::Compiled>> random_spec(std::uint64_t seed, std::uint64_t index) {
  Random random = random_of(seed, index);
  const auto mended = mend(generate(random_of(random.next(), index), "spec", leave()));
  if (!mended) return std::nullopt;
  driver::Request request = request_of(mended->lines, true);
  driver::Compiled compiled = driver::compile_spec(request);
  if (!compiled.ok()) return std::nullopt;
  return std::pair(std::move(request), std::move(compiled));
}

int differs(const std::string& what, const driver::Request& request, driver::Compiled& compiled, Random random) {
  const Finding finding = check_names(*compiled.module, legal_schedules(request, compiled), random);
  if (finding.any()) fmt::print("{}: {}\n", what, finding.detail);
  return finding.any() ? 1 : 0;
}

}  // namespace

int check_all_names(std::uint64_t seed, std::uint64_t specs) {
  constexpr std::uint64_t kRounds = 3;  // of other names for each codec
  int different = 0;
  const auto codecs = driver::builtin_codecs();
  for (const std::string& name : codecs) {
    driver::Request request;
    request.name = name;
    driver::Compiled compiled = driver::compile_spec(request);
    for (std::uint64_t round = 0; round < kRounds && compiled.ok(); ++round)
      different += differs(name, request, compiled, random_of(seed, round));
  }
  std::uint64_t checked = 0;
  for (std::uint64_t i = 0; i < specs; ++i) {
    auto spec = random_spec(seed, i);
    if (!spec) continue;
    ++checked;
    different += differs(fmt::format("spec {}", i), spec->first, spec->second, random_of(seed, i));
  }
  fmt::print("{} codecs and {} random specs under other names: {} differ\n", codecs.size(), checked, different);
  return different;
}

int compile_with_nvrtc(std::uint64_t seed, std::uint64_t specs) {
  const auto nvrtc = runtime::Nvrtc::find();
  if (!nvrtc) {
    fmt::print("skipped: {}\n", nvrtc.error().text);
    return kSkipped;
  }
  std::string why_not;
  const auto linker = test::ObjectsLinker::find(why_not);
  if (!linker) fmt::print("objects are not linked: {}\n", why_not);
  int refused = 0, compiled = 0, linked = 0;
  for (std::uint64_t i = 0; i < specs; ++i) {
    auto spec = random_spec(seed, i);
    if (!spec) continue;
    const auto schedules = legal_schedules(spec->first, spec->second);
    Random random = random_of(seed, i);
    for (const char* architecture : kArchitectures) {
      const emit::CudaUnit unit = emit::emit_cuda(*spec->second.module, {random.pick(schedules)});
      const auto made = nvrtc->compile(unit.text, architecture);
      ++compiled;
      if (!made) {
        if (is_known({"kernel does not compile", made.error().text}, *spec->first.text)) continue;
        fmt::print("spec {} for {}: {}\n", i, architecture, made.error().text.substr(0, 600));
        ++refused;
        continue;
      }
      if (unit.objects.count == 1 || !linker) continue;
      const auto link = [&](std::span<const runtime::DeviceCode> objects) { return linker->link(objects); };
      const auto objects = runtime::compile_objects(unit.text, architecture, {unit.objects.count, unit.objects.registers, link});
      ++linked;
      if (objects) continue;
      fmt::print("spec {} for {} as {} objects: {}\n", i, architecture, unit.objects.count, objects.error().text.substr(0, 600));
      ++refused;
    }
  }
  fmt::print("{} kernels of random specs, {} of them also as objects: NVRTC refuses {}\n", compiled, linked, refused);
  return refused == 0 ? 0 : 1;
}

}  // namespace sluice::fuzz
