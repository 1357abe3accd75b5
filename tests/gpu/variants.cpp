#include "tests/gpu/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/strategy/strategies.h"
#include "tests/gpu/parallel.h"
#include "tests/support/files.h"
#include "tests/support/spec.h"

namespace sluice::gpu {
namespace {

constexpr std::size_t kComplaintBytes = 600;  // of a compiler's words

std::vector<Setting> settings_of(const std::string& set) {
  std::vector<Setting> settings;
  if (set.empty()) return settings;
  for (const std::string& word : test::split(set, ',')) {
    const auto at = word.find('=');
    settings.push_back({word.substr(0, at), at == std::string::npos ? "" : word.substr(at + 1)});
  }
  return settings;
}

// The error without its place.
std::string first_message(const DiagSink& sink) {
  return sink.diagnostics().empty() ? "refused" : sink.diagnostics().front().message;
}

// The specs decoded are those of the tree the program runs in, which may hold codecs that are not built in.
std::string path_of(const std::string& codec) { return fmt::format("codecs/{0}/{0}.sluice", codec); }

}  // namespace

std::string prepare(Variant& variant, const std::string& codec, const std::string& set,
                    std::span<const std::string> schedules) {
  variant.codec = codec;
  variant.set = set;
  std::string problem;
  auto module = test::compile_codec(path_of(codec), set, false, problem);
  driver::Request request;
  request.name = path_of(codec);
  for (const Setting& setting : settings_of(set)) request.params.push_back({setting.name, setting.value});
  driver::Compiled passed = driver::compile_spec(request);
  if (!module) return problem;
  if (!passed.ok()) return driver::failure_message(passed, false);
  variant.module = std::move(*module);
  const analysis::Facts facts = analysis::analyse(*passed.module);
  for (const strategy::Variant& schedule : strategy::variants()) {
    if (!schedules.empty() && std::ranges::find(schedules, schedule.name) == schedules.end()) continue;
    Compiled compiled;
    compiled.row.codec = codec;
    compiled.row.set = set;
    compiled.row.schedule = schedule.name;
    const driver::Scheduled chosen = driver::schedule_for(passed, request, facts, "cuda", schedule.directives);
    if (!chosen.schedule) compiled.row.refused = first_message(chosen.diags);
    variant.schedules.push_back(std::move(compiled));
  }
  return {};
}

void compile_all(std::span<Variant> variants, bool count, unsigned threads) {
  std::vector<std::pair<Variant*, std::size_t>> work;
  for (Variant& variant : variants)
    for (std::size_t k = 0; k < variant.schedules.size(); ++k)
      if (variant.schedules[k].row.refused.empty()) work.emplace_back(&variant, k);
  parallel_for(work.size(), threads, [&](std::size_t i) {
    auto& [variant, k] = work[i];
    Compiled& compiled = variant->schedules[k];
    cuda::Options how;
    how.device = 0;
    how.set = settings_of(variant->set);
    for (const strategy::Variant& schedule : strategy::variants())
      if (schedule.name == compiled.row.schedule) how.schedule = schedule.directives;
    how.sizes = count && k == 0;
    how.quick_start = false;
    auto made = cuda::Decoder::from_file(path_of(variant->codec), how);
    // Legal for the format, and not on this GPU.
    if (!made && made.error().kind == Error::Kind::Spec) {
      compiled.row.refused = test::split(made.error().text, '\n').front();
      return;
    }
    if (!made) {
      ++compiled.row.wrong;
      compiled.row.complaints.push_back("does not compile: " + made.error().text.substr(0, kComplaintBytes));
      return;
    }
    compiled.row.compile_ms = made->timings().jit;
    compiled.row.cached = made->timings().cached;
    compiled.row.kernel = made->kernel();
    compiled.decoder = std::move(*made);
    // Its kernel for decoded sizes, too, while there are threads to spare. Formats that have none say so when asked.
    if (how.sizes) static_cast<void>(compiled.decoder->decoded_sizes_async({}, nullptr));
  });
}

}  // namespace sluice::gpu
