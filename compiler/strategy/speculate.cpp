// A warp a chunk, whose lanes guess where tokens begin: 32 segments of the input are walked at once, walks are
// repaired until they agree, and output is made of the tokens' records, a byte a lane, or a few elements where tokens are
// values. Where records are not enough, and where an input does not synchronise, the loops of strategy `warp` go on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "compiler/ir/table_shape.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/records.h"
#include "compiler/plan/walk.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

// Are its tokens records of literals and copies? Or of values?
bool has_copies(const plan::Loop& loop) { return loop.has_records() && !loop.records->values; }
bool is_chained(const plan::Loop& loop) { return loop.has_records() && loop.records->chained; }
bool has_state_walk(const plan::Loop& loop) { return is_chained(loop) && !loop.records->state_walk.empty(); }
bool has_values(const plan::Loop& loop) { return loop.has_records() && loop.records->values.has_value(); }
bool has_lists_of_numbers(const plan::Loop& loop) { return has_values(loop) && loop.records->values->list && loop.records->values->list->varints; }

// What a loop's records are to the cost model. Of bits, what looks beyond its token is another matter than what does not: Gompresso/Bit's
// parts end after 16 tokens, and a part is a tile.
Work work_of(const Subject&, const plan::Loop& loop) {
  if (!loop.has_records()) return Work::Tokens;
  const plan::Records& records = *loop.records;
  if (records.values) return Work::Values;
  if (records.chained) return Work::ChainedCopies;
  if (records.runs) return Work::RunsAndCopies;
  if (!records.added.empty()) return records.bits ? Work::SumsAndBitCopies : Work::SumsAndCopies;
  const bool alone = !records.has_late() && loop.captures.empty() && loop.globals.empty();
  return !records.bits ? Work::Copies : alone ? Work::BitCopies : Work::LateBitCopies;
}

// What a token is, of those.
std::string_view tokens_of(const plan::Records& records) {
  if (records.chained)
    return records.slices ? "literals out of a buffer and a copy, and begins as the one before it leaves off" : "a copy, and begins as the one before it leaves off";
  if (!records.values) return records.bits ? "a value and a copy at most" : records.runs ? "literals and a copy, or a run" : "literals and a copy";
  const bool lists = records.values->list.has_value();
  return records.runs ? lists ? "a value, a run or a list of them" : "a value or a run of them" : lists ? "a value or a list of them" : "a value";
}

// Some loop's tokens are records.
Legality legal(const Subject& subject) {
  Legality legality{false, {}};
  std::optional<Span> spread;
  for (const plan::Loop& loop : subject.tokens.warp.loops) {
    const ir::Stmt& stmt = plan::statement_at(subject.module.rules[loop.rule], loop.path);
    if (loop.has_records()) return {true, {{fmt::format("a token of this loop is {}", tokens_of(*loop.records)), stmt.span}}};
    if (loop.records) legality.why.push_back({loop.records->against, loop.records->span.length != 0 ? loop.records->span : stmt.span});
    if (loop.form == plan::LoopForm::SideBySide) spread = stmt.span;
  }
  if (!legality.why.empty()) return legality;
  if (spread) legality.why.push_back({"steps of its loops are spread over the lanes as they are", *spread});
  else legality.why.push_back({"no loop has a form for tokens", {}});
  return legality;
}

// Shared memory of a warp: a tile of input, starts of tokens, a step's stage, marks and entries (prim::tiles,
// prim::token_starts, prim::step_rooms), a token (prim::far_tokens).
constexpr std::uint64_t kTile = 1344, kSegments = 1024, kStart = 2, kFarToken = 20;
// Of literals and copies a lane's segment may be twice as long: fewer guesses, of which each that is wrong costs a few tokens until walks
// meet. Three warps: Snappy's x86 code in 1,500 chunks is 8 % faster, LZ4's 25 %, C++ text in 100 chunks 16 % slower and 4 % faster.
// One warp: LZ4 3 to 5 % faster. Where tokens are one part each, Snappy's, 2 % slower to 1 % faster, so there it is not. Where one warp
// does everything, starts go through a ring, with marks behind it (note [ring] of walks.h).
constexpr std::uint32_t kLongSegment = 64, kLessAhead = 48;
constexpr std::uint64_t kRingOfStarts = kStart * 256 + 2 * kSegments / 8;
// Likewise, of values: a tile, ends of numbers where lists are of them, marks and entries (prim::value_tiles, prim::value_step_rooms).
constexpr std::uint64_t kValueTile = 1120 + 32, kNumberEnds = 34 * 16 + 2 * 1120, kValueMarks = 256 + 48, kValueEntries = 256;
constexpr std::uint64_t kHandedPlace = 4;  // of an entry that goes to a sink, where it begins (ValueStepParts::offsets)
// Of tokens that lanes decode alone, their input (prim::kOwnRoom), which stands there, too.
constexpr std::uint64_t kOwnRoom = 32 * 120 + 120 + 56;
// Arrays that lists go through are lent a place there, if they are no longer than that.
constexpr std::uint64_t kMostLent = 5 << 10;
constexpr std::uint32_t kResidentNumberWarps = 28;  // which is what shared memory holds with those ends
constexpr std::uint64_t kDictionaryEnd = 8;  // prim::dictionary_ends
// Its work is arithmetic and loads that wait for each other: so many warps of a multiprocessor keep it busy, and leave a
// thread 48 registers, which is what it needs (of values, too, where none are numbers). 36 and 44 warps were no faster on any
// kind of data, to 4 % slower on most.
constexpr std::uint32_t kBlockWarps = 4, kResidentWarps = 40;
// Of tokens that are walked one after the other shared memory holds fewer: a thread has 128 registers and more.
constexpr std::uint32_t kResidentOfChain = 16;
// Three warps a chunk are for fewer chunks than that: a thread has 56 registers, and Snappy's bible is 3 % faster, x86 code 1 %, C++ text 1 % slower.
constexpr std::uint32_t kResidentOfThree = 36;
// Of tokens that are walked one after the other: their words (prim::chain_words).
constexpr std::uint64_t kChainWords = 256;
// Marks of output that is known and not made. Of such tokens 32 have been decoded, so where parts are long those that had no room would be
// again: with 2 KiB of output mortgage's column would take up seven at a time.
constexpr std::uint32_t kMarkWords = 64, kLongMarkWords = 128, kChainMarkWords = 256;

// Bytes of where such a token begins, and of what those that walk it know (prim::ChainStart).
std::uint32_t chain_start(const plan::TokenPlans& tokens) {
  constexpr std::uint32_t kPlace = 4, kUnit = 16;
  std::uint32_t most = 0;
  for (const plan::Loop& loop : tokens.warp.loops) {
    if (!is_chained(loop)) continue;
    std::uint32_t bytes = kPlace;
    for (const plan::Local l : loop.records->walked) {
      const std::uint32_t size = std::ranges::find(loop.narrow, l) != loop.narrow.end() ? 4 : 8;
      bytes = (bytes + size - 1) / size * size + size;
    }
    most = std::max(most, (bytes + kUnit - 1) / kUnit * kUnit);
  }
  return most;
}
// Likewise, of a stream of bits: a tile, marks and places of tokens (prim::bit_tiles, prim::bit_rooms).
constexpr std::uint64_t kBitTile = 1536 + 128, kBitMarks = schedule::kLanes * 13 * 4, kBitStarts = 128;
// Copies that reach no farther leave an entry 16 bits (prim::kShortEntries).
constexpr std::uint64_t kShortReach = 1 << 15;

// Of a team (prim::team_room, prim::team_step_room): of each of its warps a slice of the tile, a step's stage, its share of the
// rings of marks and entries, sources, what it tells the others; and what is there once, up to paddings.
constexpr std::uint64_t kTeamWarp = kSegments + 128 + 256 + 1024 + 2 * 2 * 128 + 2 * 20 + 8 + 16;
constexpr std::uint64_t kTeamOnce = (kTile - kSegments) + 64 + 64 + kFarToken + 12 + 4 * 128 + 2 * 16;
// Of a writer: packets, the loop's places, barriers (prim::writer_room).
constexpr std::uint64_t kWriter = 4 * 20 + 64 + 8 * 8 + 8;
// Beside a walker, of tokens that are one part each: Snappy's x86 code and bible are 3 % faster, C++ text 3 % slower. Where tokens
// have two parts, LZ4's, C++ text loses 10 %.
constexpr std::uint32_t kTokensALane = 2;
// Of a walker, beside a second tile: what it is given and what it tells, barriers (prim::walker_room).
constexpr std::uint64_t kWalker = 64 + 24 + 16 + 2 * 24 + 8 + 5 * 8 + 8;

bool of_one_part(const plan::Loop& loop) { return !has_copies(loop) || loop.records->each_part; }

// Where tokens begin at bits.
bool short_entries(const plan::TokenPlans& tokens) {
  return std::ranges::all_of(tokens.warp.loops, [](const plan::Loop& loop) {
    return !has_copies(loop) || (loop.records->bits && loop.records->reach <= kShortReach);
  });
}

// Of one token, elements; ~0: any.
std::uint64_t longest_copy(const plan::TokenPlans& tokens) {
  std::uint64_t longest = 1;
  for (const plan::Loop& loop : tokens.warp.loops)
    if (has_copies(loop)) longest = std::max(longest, loop.records->longest);
  return longest;
}

std::uint64_t step_of(bool short_entries, bool writer) { return short_entries || writer ? 256 : 128; }  // prim::kStepBytes

// A step's stage, and the rings of marks and entries, the first ones of which stand there twice: prim::step_rooms, of
// kMarkWords (of four bytes: `marks`) and kEntries.
std::uint64_t step_room(bool short_entries, bool writer, bool links, std::uint64_t marks) {
  const std::uint64_t step = step_of(short_entries, writer);
  const std::uint64_t entries = (writer ? 1024 : 2 * step) + step;
  return (links ? 2 : 1) * step + marks + (short_entries ? 2 : 4) * entries;
}

// Bytes of any token that begins at a byte.
std::uint32_t min_token_of(const plan::TokenPlans& tokens) {
  std::uint32_t least = kSegments;
  for (const plan::Loop& loop : tokens.warp.loops)
    if (loop.has_records() && !loop.records->bits && !is_chained(loop)) least = std::min(least, loop.records->min_token);
  return least;
}
std::uint64_t starts_of(std::uint32_t min_token) { return kStart * (kSegments / min_token + schedule::kLanes); }

// Does a lane see all of a token that begins at its segment's end (prim::kTileAhead)?
bool fits_long_segments(const plan::Loop& loop) {
  const std::uint64_t told = has_copies(loop) && loop.records->first_byte ? loop.records->first_byte->most : 0;
  return is_chained(loop) || (!has_values(loop) && (!has_copies(loop) || told + loop.in_margin <= kTile - kSegments - kLessAhead));
}

// Do its lanes guess where tokens that copy begin? Or are all of them chained?
bool guesses_copies(const plan::TokenPlans& tokens) {
  return std::ranges::any_of(tokens.warp.loops, [](const plan::Loop& loop) { return has_copies(loop) && !is_chained(loop); });
}

// Are records of tokens that all are chained written by the warp that walks them, in wide steps? Then marks reach far, and
// batches of one period are looked for: note [periods] of runtime/prim/cuda/periods.h.
bool writes_far(const plan::TokenPlans& tokens, const schedule::Schedule& schedule) {
  return schedule.wide_parts != 0 && schedule.writer_warps == 0 && !plan::begin_at_bits(tokens.warp.loops) &&
         std::ranges::any_of(tokens.warp.loops, is_chained) && !guesses_copies(tokens);
}

bool has_long_segments(const plan::TokenPlans& tokens, const schedule::Schedule& schedule) {
  const auto& loops = tokens.warp.loops;
  if (!guesses_copies(tokens)) return false;
  return !plan::begin_at_bits(loops) && schedule.chunk_warps <= 1 && std::ranges::all_of(loops, fits_long_segments) &&
         (schedule.walker_warps != 0 || !std::ranges::all_of(loops, of_one_part));
}

// A tile of long segments, and its starts.
std::uint64_t long_tile(std::uint32_t min_token, bool walker) {
  const std::uint64_t starts = kStart * (2 * kSegments / min_token + schedule::kLanes);
  return kTile + kSegments - kLessAhead + (walker ? (starts + 3) / 4 * 4 : kRingOfStarts);
}

// The arrays that lists go through, and their bytes.
std::uint64_t lend(const ir::Module& module, const plan::TokenPlans& tokens, std::set<std::uint32_t>& arrays) {
  for (const plan::Loop& loop : tokens.warp.loops)
    if (has_values(loop))
      plan::for_each_step(loop.body, [&](const plan::Step& s) {
        const auto* each = std::get_if<plan::SideBySide>(&s.what);
        if (each != nullptr && each->list == plan::ListPart::Array) arrays.insert(std::get<plan::SetElement>(each->body.back().what).array);
      });
  std::uint64_t bytes = 0;
  for (const std::uint32_t array : arrays) bytes += (module.arrays[array].count * std::bit_ceil(std::max<unsigned>(module.arrays[array].elem.bits, 8)) / 8 + 7) / 8 * 8;
  if (bytes > kMostLent) arrays.clear();
  return bytes > kMostLent ? 0 : bytes;
}

// What loops take whose tokens are values.
void add_values(const ir::Module& module, const plan::TokenPlans& tokens, plan::Kernel& kernel) {
  if (std::ranges::none_of(tokens.warp.loops, has_values)) return;
  const std::uint32_t element = module.output.bits / 8;
  std::uint64_t room = kValueMarks + (element == 8 ? 16 : 8) * kValueEntries;
  if (kernel.outputs == plan::Outputs::Sink) room += kHandedPlace * kValueEntries;
  if (std::ranges::any_of(tokens.warp.loops, has_lists_of_numbers)) {
    kernel.staging_bytes += kNumberEnds;
    kernel.resident_warps = kResidentNumberWarps;
    kernel.defines.push_back({"SLUICE_NUMBERS", 1});
  }
  const auto added = [](const plan::Loop& loop) { return has_values(loop) && (loop.records->values->sums || loop.records->values->arrays); };
  if (std::ranges::any_of(tokens.warp.loops, added)) {
    const std::uint32_t word = std::max(element, 4u);
    room += (element <= 4 ? word * kValueEntries : 0) + 2 * word * schedule::kLanes;
    kernel.defines.push_back({"SLUICE_ADDED", 1});
    // A multiprocessor's cache holds 32 KiB of instructions: what waits for them loses more than a test a token. On an H200, RLE v2: 6 to 16 % faster.
    kernel.defines.push_back({"SLUICE_ONE_WALK", 1});
  }
  std::uint64_t lent = lend(module, tokens, kernel.lent_arrays);
  const auto own = [](const plan::Loop& loop) { return has_values(loop) && !loop.records->values->two_bytes.empty(); };
  if (kernel.outputs != plan::Outputs::Sink && std::ranges::none_of(tokens.warp.loops, has_lists_of_numbers) && std::ranges::any_of(tokens.warp.loops, own)) {
    kernel.own_tokens = true;
    lent = std::max(lent, kOwnRoom);
    kernel.defines.push_back({"SLUICE_OWN", 1});
  }
  if (lent != 0) {
    room = std::max(room, lent + 16);
    kernel.defines.push_back({"SLUICE_LENT", static_cast<std::uint32_t>(lent)});
  }
  kernel.staging_bytes += kValueTile + room + starts_of(min_token_of(tokens));
  kernel.defines.push_back({"SLUICE_ELEMENT", element});
}

void apply(const ir::Module& module, const plan::TokenPlans& tokens, plan::Kernel& kernel) {
  const bool team = kernel.schedule.chunk_warps > 1;  // to which copies out of a dictionary are the checked path's
  const bool bits = plan::begin_at_bits(tokens.warp.loops);
  const bool brief = short_entries(tokens);
  kernel.writer_warps = kernel.schedule.writer_warps;
  kernel.walker_warps = kernel.schedule.walker_warps;
  const bool writer = kernel.writer_warps != 0, walker = kernel.walker_warps != 0;
  const bool long_segments = has_long_segments(tokens, kernel.schedule);
  const std::uint32_t start = chain_start(tokens);
  const bool chained = start != 0, alone = chained && !guesses_copies(tokens);
  const bool far = writes_far(tokens, kernel.schedule);
  const std::uint64_t marks = 4 * (far ? kChainMarkWords : writer || long_segments ? kLongMarkWords : kMarkWords);
  const std::uint64_t step = step_room(brief, writer, walker, marks) + (writer ? kWriter : 0) + (module.has_dictionary ? kDictionaryEnd : 0);
  kernel.speculate = true;
  kernel.defines.push_back({"SLUICE_GUESSES", 1});
  kernel.resident_warps = walker ? kResidentOfThree : kResidentWarps;
  if (module.has_dictionary && !team) kernel.defines.push_back({"SLUICE_DICTIONARY", 1});
  if (writer) kernel.defines.push_back({"SLUICE_WRITER", 1});
  if (const std::uint32_t wide = kernel.schedule.wide_parts; wide != 0) kernel.defines.push_back({"SLUICE_WIDE_PARTS", wide});
  if (const std::uint64_t longest = longest_copy(tokens); longest <= ~std::uint32_t{0} && (bits || kernel.schedule.wide_parts != 0))
    kernel.defines.push_back({"SLUICE_LONGEST_COPY", static_cast<std::uint32_t>(longest)});
  if (bits) {
    kernel.blocks = writer ? plan::Blocks::OneChunk : plan::Blocks::Resident;  // walks wait for shared memory
    if (!writer) kernel.resident_warps = 0;
    kernel.staging_bytes = kBitTile + kBitMarks + kStart * kBitStarts + step;
    kernel.defines.push_back({"SLUICE_VALUES", 1});
    if (brief) kernel.defines.push_back({"SLUICE_SHORT_ENTRIES", 1});
    add_values(module, tokens, kernel);
    if (std::ranges::any_of(tokens.warp.loops, has_values)) kernel.defines.push_back({"SLUICE_MIN_TOKEN", min_token_of(tokens)});
    return;
  }
  const std::uint64_t chain = chained ? kChainWords + schedule::kLanes * start : 0;
  if (chained) kernel.defines.push_back({"SLUICE_CHAIN_START", start});
  const auto slices = [](const plan::Loop& loop) { return is_chained(loop) && loop.records->slices; };
  if (std::ranges::any_of(tokens.warp.loops, slices)) kernel.defines.push_back({"SLUICE_SLICES", 1});
  if (far) {
    kernel.defines.push_back({"SLUICE_MARK_WORDS", kChainMarkWords});
    kernel.defines.push_back({"SLUICE_PERIODS", 1});
  }
  if (alone) {  // few things stand in shared memory, and registers are no matter
    kernel.resident_warps = kResidentOfChain;
    kernel.blocks = writer ? plan::Blocks::OneChunk : plan::Blocks::Small;
    kernel.block_warps = kBlockWarps;
    kernel.staging_bytes = step + chain;
    const bool values = std::ranges::any_of(tokens.warp.loops, has_values);
    kernel.alike_ranges = !values && !std::ranges::all_of(tokens.warp.loops, [](const plan::Loop& loop) { return !is_chained(loop) || has_state_walk(loop); });
    add_values(module, tokens, kernel);
    if (values) kernel.defines.push_back({"SLUICE_MIN_TOKEN", min_token_of(tokens)});
    return;
  }
  const std::uint32_t min_token = min_token_of(tokens);
  if (team) {
    const std::uint32_t warps = kernel.chunk_warps = kernel.schedule.chunk_warps;
    kernel.blocks = plan::Blocks::OneChunk;
    kernel.staging_bytes = warps * kTeamWarp + kTeamOnce + kStart * (warps * kSegments / min_token + schedule::kLanes);
    kernel.defines.push_back({"SLUICE_TEAM", warps});
    kernel.defines.push_back({"SLUICE_MIN_TOKEN", min_token});
    return;
  }
  kernel.blocks = writer ? plan::Blocks::OneChunk : plan::Blocks::Small;
  kernel.block_warps = kBlockWarps;
  kernel.staging_bytes = 0;
  if (std::ranges::any_of(tokens.warp.loops, has_copies))
    kernel.staging_bytes += step + kFarToken + (walker ? 2 : 1) * (long_segments ? long_tile(min_token, walker) : kTile + starts_of(min_token));
  kernel.staging_bytes += chain;
  if (long_segments) kernel.defines.push_back({"SLUICE_SEGMENT", kLongSegment});
  add_values(module, tokens, kernel);
  if (walker) {
    kernel.staging_bytes += kWalker;
    kernel.defines.push_back({"SLUICE_WALKER", 1});
    kernel.defines.push_back({"SLUICE_LINKS", 1});
    if (std::ranges::all_of(tokens.warp.loops, of_one_part)) kernel.defines.push_back({"SLUICE_TOKENS_A_LANE", kTokensALane});
  }
  kernel.defines.push_back({"SLUICE_MIN_TOKEN", min_token});
}

Works works(const Subject& subject) { return works_of_loops(subject, work_of); }

void add_wide_forms(const schedule::Schedule& schedule, const plan::TokenPlans& tokens, std::vector<std::string>& lines) {
  if (schedule.wide_parts == 0) return;
  lines.push_back(fmt::format("where parts are of {} bytes on average: 8 bytes a lane in steps of 256", schedule.wide_parts));
  if (writes_far(tokens, schedule))
    lines.push_back("where all tokens of a batch copy from the same 1, 2, 4 or 8 bytes back: a scan of what each changes of those bytes, and runs of 8 bytes a lane");
}

std::vector<std::string> explain(const schedule::Schedule& schedule, const Subject& subject) {
  if (const std::uint32_t warps = schedule.chunk_warps; warps > 1)
    return {fmt::format("a block of {} warps a chunk: each lane walks tokens from a guessed place, and walks are repaired until they "
                        "agree, within warps and then from one to the next",
                        warps),
            fmt::format("input: a tile of {} KiB in shared memory; output: rounds of {} bytes, a byte a lane, from records of the "
                        "tokens",
                        warps, 128 * warps)};
  const bool bytes = !plan::begin_at_bits(subject.tokens.warp.loops), writer = schedule.writer_warps != 0;
  if (!guesses_copies(subject.tokens) && std::ranges::any_of(subject.tokens.warp.loops, is_chained)) {
    const bool states = std::ranges::any_of(subject.tokens.warp.loops, has_state_walk);
    std::vector<std::string> lines{
        fmt::format("{} a chunk: all lanes walk the same {}, one after the other, and then each takes one of 32", writer ? "two warps" : "one warp",
                    states ? "states" : "tokens"),
        fmt::format("output: steps of {} bytes{}, a byte a lane, from records of the tokens", step_of(false, writer), writer ? ", by the second warp" : "")};
    add_wide_forms(schedule, subject.tokens, lines);
    return lines;
  }
  if (std::ranges::none_of(subject.tokens.warp.loops, has_copies))
    return {"one warp a chunk: each lane walks tokens from a guessed place, and walks are repaired until they agree",
            "input: a tile of 1 KiB in shared memory; output: steps of 128 elements, a few a lane, from records of the tokens' values"};
  std::vector<std::string> lines{
      fmt::format("{} a chunk: each lane walks tokens from a guessed {}, and walks are repaired until they agree",
                  schedule.walker_warps != 0 ? "three warps" : writer ? "two warps" : "one warp", bytes ? "place" : "bit"),
      fmt::format("input: a tile of {} KiB in shared memory; output: {}, a byte a lane, from records of the tokens",
                  !bytes ? "1.5" : has_long_segments(subject.tokens, schedule) ? "2" : "1",
                  fmt::format("steps of {} bytes{}", step_of(short_entries(subject.tokens), writer),
                              writer ? ", by the second warp" : ""))};
  if (schedule.walker_warps != 0) lines.push_back("walks: by the third warp, up to two tiles ahead of the records");
  add_wide_forms(schedule, subject.tokens, lines);
  if (const std::uint32_t most = schedule::asked_table_bits(schedule); most != 0 && !subject.tokens.warp.tables.empty())
    lines.push_back(fmt::format("tables of prefix codes: of {} bits at most, of small codes {} to {} less", most, ir::kLessOfSmall, ir::kLessOfShort));
  return lines;
}

}  // namespace

const StrategyRow& speculate_strategy() {
  static const StrategyRow row{schedule::Strategy::Speculate, "one warp a chunk, lanes guess where tokens begin", legal,
                               apply, works, nullptr, explain};
  return row;
}

}  // namespace sluice::strategy
