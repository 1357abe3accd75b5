#include "compiler/schedule/directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "compiler/schedule/device.h"

namespace sluice::schedule {
namespace {

constexpr std::array kStrategies{
#define STRATEGY(Name, name) std::string_view(#name),
#define VARIANT(name, directives)
#include "compiler/schedule/strategies.def"
#undef STRATEGY
#undef VARIANT
};
constexpr std::array<std::string_view, 2> kInputs{"shared", "registers"};
constexpr std::array<std::string_view, 5> kResolves{"together", "sequential", "rounds", "independent", "steps"};
constexpr std::array<std::string_view, 2> kSwitch{"off", "on"};

constexpr std::uint32_t kMaxWarps = kMaxBlockThreads / kLanes;
// With a prefetch warp beside them, one warp fewer is left.
constexpr std::uint32_t kMaxChunkThreads = kMaxBlockThreads - kLanes;

// KiB that a block may have where it may have most.
constexpr std::uint32_t kMaxSharedKib = 227;

static_assert(kStrategies.size() <= 8 * sizeof(Strategies));
constexpr Strategies kEvery = (1u << kStrategies.size()) - 1;
constexpr Strategies kByWarp = set_of(Strategy::Warp) | set_of(Strategy::Leader) | set_of(Strategy::Speculate) | set_of(Strategy::Lanes);

// "warp, leader, block or split", with zeros behind it.
constexpr auto kStrategyList = [] {
  std::array<char, 16 * kStrategies.size()> text{};
  std::size_t at = 0;
  const auto add = [&](std::string_view more) {
    for (const char c : more) text.at(at++) = c;
  };
  for (std::size_t i = 0; i < kStrategies.size(); ++i) {
    if (i != 0) add(i + 1 == kStrategies.size() ? " or " : ", ");
    add(kStrategies[i]);
  }
  text.at(at) = 0;
  return text;
}();

template <std::size_t N>
std::optional<std::size_t> place(const std::array<std::string_view, N>& words, std::string_view value) {
  const auto at = std::ranges::find(words, value);
  if (at == words.end()) return std::nullopt;
  return static_cast<std::size_t>(at - words.begin());
}

template <class E, std::size_t N>
bool set_word(E& field, const std::array<std::string_view, N>& words, std::string_view value) {
  const auto at = place(words, value);
  if (at) field = static_cast<E>(*at);
  return at.has_value();
}

bool set_number(std::uint32_t& field, std::string_view value, std::uint32_t least, std::uint32_t most,
                std::uint32_t step) {
  std::uint32_t number = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (status != std::errc{} || end != value.data() + value.size()) return false;
  if (number < least || number > most || number % step != 0) return false;
  field = number;
  return true;
}

// Powers of two.
bool set_power(std::uint32_t& field, std::string_view value, std::uint32_t least, std::uint32_t most) {
  std::uint32_t number = 0;
  if (!set_number(number, value, least, most, 1) || !std::has_single_bit(number)) return false;
  field = number;
  return true;
}

constexpr std::array<Directive, 20> kDirectives{{
    {"strategy", kStrategyList.data(), "how a chunk is spread over threads", kEvery,
     [](Schedule& s, std::string_view v) { return set_word(s.strategy, kStrategies, v); },
     [](const Schedule& s) { return std::string(name(s.strategy)); }},
    {"input", "shared or registers", "where a warp keeps the two lines of input it looks at", kByWarp,
     [](Schedule& s, std::string_view v) { return set_word(s.input, kInputs, v); },
     [](const Schedule& s) { return std::string(name(s.input)); }},
    {"resolve", "together, sequential, rounds, independent or steps", "how a warp does the copies of a token loop",
     set_of(Strategy::Warp) | set_of(Strategy::Split),
     [](Schedule& s, std::string_view v) { return set_word(s.resolve, kResolves, v); },
     [](const Schedule& s) { return std::string(name(s.resolve)); }},
    {"warps_per_block", "auto or a number from 1 to 32", "chunks that share a thread block", kByWarp | set_of(Strategy::Split),
     [](Schedule& s, std::string_view v) {
       if (v != "auto") return set_number(s.warps_per_block, v, 1, kMaxWarps, 1);
       s.warps_per_block = 0;
       return true;
     },
     [](const Schedule& s) { return s.warps_per_block == 0 ? "auto" : fmt::format("{}", s.warps_per_block); }},
    {"chunk_warps", "1, 2, 4 or 8", "warps that find one chunk's tokens and make its output together, as a block",
     set_of(Strategy::Speculate) | set_of(Strategy::Lanes), [](Schedule& s, std::string_view v) { return set_power(s.chunk_warps, v, 1, 8); },
     [](const Schedule& s) { return fmt::format("{}", s.chunk_warps); }},
    {"writer_warps", "0 or 1", "warps that write a chunk's output while another one finds its tokens, as a block",
     set_of(Strategy::Speculate), [](Schedule& s, std::string_view v) { return set_number(s.writer_warps, v, 0, 1, 1); },
     [](const Schedule& s) { return fmt::format("{}", s.writer_warps); }},
    {"walker_warps", "0 or 1", "beside a writer, warps that walk a chunk's input ahead of the one that makes records",
     set_of(Strategy::Speculate), [](Schedule& s, std::string_view v) { return set_number(s.walker_warps, v, 0, 1, 1); },
     [](const Schedule& s) { return fmt::format("{}", s.walker_warps); }},
    {"wide_parts", "a number from 0 to 256", "bytes of a token's parts, on average, from which on output is made 8 bytes a lane; 0: never",
     set_of(Strategy::Speculate), [](Schedule& s, std::string_view v) { return set_number(s.wide_parts, v, 0, 256, 1); },
     [](const Schedule& s) { return fmt::format("{}", s.wide_parts); }},
    {"block_threads", "a multiple of 32 from 32 to 992", "threads that share a chunk", set_of(Strategy::Block),
     [](Schedule& s, std::string_view v) { return set_number(s.block_threads, v, kLanes, kMaxChunkThreads, kLanes); },
     [](const Schedule& s) { return fmt::format("{}", s.block_threads); }},
    {"table_bits", "auto or a number from 8 to 11", "index bits of look-up tables of large prefix codes; small ones have 2 less", kEvery,
     [](Schedule& s, std::string_view v) {
       if (v != "auto") return set_number(s.table_bits, v, 8, 11, 1);
       s.table_bits = 0;
       return true;
     },
     [](const Schedule& s) { return s.table_bits == 0 ? "auto" : fmt::format("{}", s.table_bits); }},
    {"checksum", "on or off", "whether checksums over the output are verified", kEvery,
     [](Schedule& s, std::string_view v) { return set_word(s.checksum, kSwitch, v); },
     [](const Schedule& s) { return std::string(kSwitch[s.checksum ? 1 : 0]); }},
    {"split_buffer", "16, 32, 64 or 128", "bytes staged for each lane's input and output; 16 in registers",
     set_of(Strategy::Split),
     [](Schedule& s, std::string_view v) {
       return (v == "16" || v == "32" || v == "64" || v == "128") && set_number(s.split_buffer, v, 16, 128, 16);
     },
     [](const Schedule& s) { return fmt::format("{}", s.split_buffer); }},
    {"part_copies", "8, 16, 32, 64 or 128", "copies of one part that wait for the other parts' literals",
     set_of(Strategy::Split),
     [](Schedule& s, std::string_view v) { return set_power(s.part_copies, v, 8, 128); },
     [](const Schedule& s) { return fmt::format("{}", s.part_copies); }},
    {"part_entries", "a multiple of 16 from 32 to 256", "values and copies of one part that a lane has room for, with `resolve steps`",
     set_of(Strategy::Split),
     [](Schedule& s, std::string_view v) { return set_number(s.part_entries, v, 32, 256, 16); },
     [](const Schedule& s) { return fmt::format("{}", s.part_entries); }},
    {"part_bytes", "256, 512 or 1024", "bytes of output of one part that a lane has room for, with `resolve steps`",
     set_of(Strategy::Split),
     [](Schedule& s, std::string_view v) { return set_power(s.part_bytes, v, 256, 1024); },
     [](const Schedule& s) { return fmt::format("{}", s.part_bytes); }},
    {"prefetch", "on or off", "one warp more, which loads the input ahead", set_of(Strategy::Block),
     [](Schedule& s, std::string_view v) { return set_word(s.prefetch, kSwitch, v); },
     [](const Schedule& s) { return std::string(kSwitch[s.prefetch ? 1 : 0]); }},
    {"shared_memory", "auto or a number from 48 to 227",
     "KiB of shared memory that a block may take: above 48 it is asked for at launch", kEvery,
     [](Schedule& s, std::string_view v) {
       if (v != "auto") return set_number(s.shared_memory, v, kStaticShared >> 10, kMaxSharedKib, 1);
       s.shared_memory = 0;
       return true;
     },
     [](const Schedule& s) { return s.shared_memory == 0 ? "auto" : fmt::format("{}", s.shared_memory); }},
    {"carve_out", "auto, max or a number from 0 to 100",
     "percentage of a multiprocessor's fast memory that is kept for shared memory, not for the L1 cache", kEvery,
     [](Schedule& s, std::string_view v) {
       std::uint32_t percent = kMaxCarveOut;
       if (v == "auto") {
         s.carve_out = kAnyCarveOut;
         return true;
       }
       if (v != "max" && !set_number(percent, v, 0, percent, 1)) return false;
       s.carve_out = static_cast<std::int32_t>(percent);
       return true;
     },
     [](const Schedule& s) {
       if (s.carve_out == kAnyCarveOut) return std::string("auto");
       return s.carve_out == kMaxCarveOut ? std::string("max") : fmt::format("{}", s.carve_out);
     }},
    {"input_alignment", "1, 2, 4, 8, 16, 32, 64 or 128", "bytes of which every chunk's input starts at a multiple",
     kEvery, [](Schedule& s, std::string_view v) { return set_power(s.input_alignment, v, 1, kMaxInputAlignment); },
     [](const Schedule& s) { return fmt::format("{}", s.input_alignment); }},
    {"output_alignment", "1, 2, 4, 8 or 16", "bytes of which every chunk's output starts at a multiple", kEvery,
     [](Schedule& s, std::string_view v) { return set_power(s.output_alignment, v, 1, kMaxOutputAlignment); },
     [](const Schedule& s) { return fmt::format("{}", s.output_alignment); }},
}};

}  // namespace

std::span<const Directive> directives() { return kDirectives; }

const Directive* find_directive(std::string_view name) {
  const auto at = std::ranges::find(kDirectives, name, &Directive::name);
  return at == kDirectives.end() ? nullptr : &*at;
}

std::string to_text(const Schedule& schedule) {
  std::string text;
  for (const Directive& directive : kDirectives)
    if (directive.strategies & set_of(schedule.strategy))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", directive.name, directive.get(schedule));
  return text;
}

std::string explain_alignment(std::uint32_t input, std::uint32_t output) {
  if (input == 1 && output == 1) return "none is demanded of a chunk's input and output";
  std::string promises;
  if (input > 1) promises = fmt::format("input at multiples of {} bytes", input);
  if (output > 1) promises += fmt::format("{}output at multiples of {} bytes", input > 1 ? ", " : "", output);
  return promises + ": promised by the caller, and a chunk that lies elsewhere is refused";
}

std::string_view name(Strategy strategy) { return kStrategies[static_cast<std::size_t>(strategy)]; }
std::string_view name(Resolve resolve) { return kResolves[static_cast<std::size_t>(resolve)]; }
std::string_view name(InputBuffer input) { return kInputs[static_cast<std::size_t>(input)]; }

}  // namespace sluice::schedule
