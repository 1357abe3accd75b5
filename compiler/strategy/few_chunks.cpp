#include "compiler/strategy/few_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/schedule/directives.h"
#include "compiler/strategy/choose.h"

namespace sluice::strategy {
namespace {

// Who names one of these, with whatever value, has chosen how warps share the work, and gets that for every batch.
constexpr std::array<std::string_view, 5> kPinning{"strategy", "walker_warps", "writer_warps", "chunk_warps", "warps_per_block"};

bool pins(const schedule::Setting& setting) { return std::ranges::find(kPinning, setting.directive->name) != kPinning.end(); }

}  // namespace

std::optional<FewChunks> few_chunks(const Subject& subject, const schedule::Device& device,
                                    const schedule::Schedule& usual, std::span<const schedule::Setting> settings) {
  if (usual.strategy != schedule::Strategy::Speculate || std::ranges::any_of(settings, pins)) return std::nullopt;
  // As many warps as can share a chunk's work.
  const std::array three{schedule::Setting{schedule::find_directive("writer_warps"), "1", {}, {}},
                         schedule::Setting{schedule::find_directive("walker_warps"), "1", {}, {}}};
  std::optional<schedule::Schedule> made;
  for (std::size_t named = three.size(); named > 0 && !made; --named) {
    DiagSink refused;  // nobody asked for it, so nobody is told
    made = choose(subject, device, usual, std::span(three).first(named), refused);
  }
  if (!made) return std::nullopt;
  const bool bytes = subject.module.input == ir::Input::Bytes;
  return FewChunks{*made, bytes ? kFewBytesPerMultiprocessor : kFewBitsPerMultiprocessor};
}

std::string explain_few_chunks(const FewChunks& few) {
  return fmt::format("writer_warps {}{}, below {} chunks a multiprocessor (compiled at the first such batch)", few.schedule.writer_warps,
                     few.schedule.walker_warps == 0 ? "" : fmt::format(", walker_warps {}", few.schedule.walker_warps),
                     few.per_multiprocessor);
}

}  // namespace sluice::strategy
