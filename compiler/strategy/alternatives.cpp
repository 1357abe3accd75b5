#include "compiler/strategy/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "compiler/plan/records.h"
#include "compiler/schedule/directives.h"
#include "compiler/strategy/choose.h"

namespace sluice::strategy {
namespace {

// Who names one of these, with whatever value, has chosen how warps share the work, and gets that for every batch.
constexpr std::array<std::string_view, 5> kPinning{"strategy", "walker_warps", "writer_warps", "chunk_warps", "warps_per_block"};

struct Directive {
  std::string_view name, value;
};

// As many warps as can share a chunk's work.
constexpr std::array<Directive, 2> kMoreWarps{{{"writer_warps", "1"}, {"walker_warps", "1"}}};
// And of prefix codes small tables, which leave room for more chunks: such data has few symbols.
constexpr std::array<Directive, 2> kWideSteps{{{"wide_parts", kCompressibleWideParts}, {"table_bits", kCompressibleTableBits}}};
// Or none to share it.
constexpr std::array<Directive, 2> kByItself{{{"strategy", "warp"}, {"input", "registers"}}};

bool any(const Subject&) { return true; }
// Do lists go through arrays?
bool has_arrays(const Subject& subject) {
  return std::ranges::any_of(subject.tokens.warp.loops, [](const plan::Loop& loop) { return loop.has_records() && loop.records->values && loop.records->values->arrays; });
}

struct Row {
  Alternative::Kind kind;
  std::string_view name;
  std::span<const Directive> directives;  // of which as many are taken as are legal together, the first one at least
  bool (*suits)(const Subject& subject);  // is it for such a format, if it is legal?
  Condition bytes, bits;                  // for tokens that begin at either
};

constexpr Condition kFewBytes{.chunks_below = kFewBytesPerMultiprocessor}, kFewBits{.chunks_below = kFewBitsPerMultiprocessor};
constexpr Condition kHighRatio{.output_from = kCompressibleRatio}, kManyBits{.bits_from = kWideValueBits};
// In order of preference: a GPU without work is the greater loss.
constexpr std::array<Row, 3> kRows{{
    {Alternative::Kind::FewChunks, "few chunks", kMoreWarps, any, kFewBytes, kFewBits},
    {Alternative::Kind::Compressible, "compressible", kWideSteps, any, kHighRatio, kHighRatio},
    {Alternative::Kind::WideValues, "wide values", kByItself, has_arrays, kManyBits, kManyBits},
}};

bool pins(const Row& row, const schedule::Setting& setting) {
  const std::string_view name = setting.directive->name;
  return std::ranges::find(kPinning, name) != kPinning.end() || std::ranges::find(row.directives, name, &Directive::name) != row.directives.end();
}

// Of a chunk. A batch brings what the usual kernel needs.
std::uint64_t temporary(const Subject& subject, const schedule::Schedule& schedule, const schedule::Device& device) {
  return kernel_of(subject, schedule, device).memory.temporary_bytes;
}

std::optional<Alternative> made(const Row& row, const Subject& subject, const schedule::Device& device, const schedule::Schedule& usual) {
  std::vector<schedule::Setting> settings;
  for (const Directive& one : row.directives) settings.push_back({schedule::find_directive(one.name), std::string(one.value), {}, {}});
  for (; !settings.empty(); settings.pop_back()) {
    DiagSink refused;  // nobody asked for it, so nobody is told
    const auto schedule = choose(subject, device, usual, settings, refused);
    if (!schedule || temporary(subject, *schedule, device) > temporary(subject, usual, device)) continue;
    Alternative out{row.kind, row.name, {}, *schedule, plan::begin_at_bits(subject.tokens.warp.loops) ? row.bits : row.bytes};
    out.when.element_bytes = subject.module.output.bits / 8;
    for (const schedule::Setting& one : settings)
      out.directives += fmt::format("{}{} {}", out.directives.empty() ? "" : ", ", one.directive->name, one.value);
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t BatchSizes::alike() const {
  return largest_output == 0 || total_output == 0 || chunks == 0 ? chunks
                                                                 : std::clamp<std::uint64_t>(total_output / largest_output, 1, chunks);
}

bool Condition::holds(const BatchSizes& batch, std::uint32_t multiprocessors) const {
  if (batch.chunks == 0) return false;
  if (chunks_below != 0 && batch.alike() >= std::uint64_t{chunks_below} * multiprocessors) return false;
  if (output_from != 0 && (batch.total_input == 0 || batch.total_output / batch.total_input < output_from)) return false;
  const std::uint64_t elements = batch.total_output / element_bytes;
  return bits_from == 0 || (elements != 0 && 8 * static_cast<double>(batch.total_input) >= bits_from * static_cast<double>(elements));
}

std::vector<Alternative> alternatives(const Subject& subject, const schedule::Device& device, const schedule::Schedule& usual,
                                      std::span<const schedule::Setting> settings) {
  std::vector<Alternative> all;
  if (usual.strategy != schedule::Strategy::Speculate) return all;
  for (const Row& row : kRows) {
    if (!row.suits(subject) || std::ranges::any_of(settings, [&](const schedule::Setting& setting) { return pins(row, setting); })) continue;
    if (auto one = made(row, subject, device, usual)) all.push_back(*std::move(one));
  }
  return all;
}

std::string explain_alternative(const Alternative& alternative) {
  std::string text = alternative.directives;
  if (const std::uint32_t below = alternative.when.chunks_below; below != 0) text += fmt::format(", below {} chunks a multiprocessor", below);
  if (const std::uint32_t from = alternative.when.output_from; from != 0) text += fmt::format(", from {} bytes of output a byte of input on", from);
  if (const std::uint32_t from = alternative.when.bits_from; from != 0) text += fmt::format(", from {} bits of input an element on", from);
  return text + " (compiled at the first such batch)";
}

}  // namespace sluice::strategy
