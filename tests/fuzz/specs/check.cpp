#include "tests/fuzz/specs/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "compiler/analysis/walk.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/error_text.h"
#include "runtime/api/cuda_abi.h"
#include "tests/simt/simt.h"

namespace sluice::fuzz {
namespace {

constexpr std::size_t kScratch = std::size_t{8} << 20;

// What a kernel may take, in collectives of each of its threads, for a step of the interpreter, an element or a byte of
// input: formats take up to 2. More, and what a chunk takes anyway, is a kernel that goes on and on.
constexpr std::uint64_t kCollectivesOfStep = 16, kCollectivesOfChunk = std::uint64_t{1} << 14;
// A checksum goes over all there is, whenever a step asks for it: so many bytes are worth a step.
constexpr std::uint64_t kBytesOfSum = 128;
// Of an input: more would take the SIMT layer longer than a spec is given.
constexpr std::uint64_t kMaxCollectives = std::uint64_t{1} << 22;

std::uint64_t checksums_in(const ir::Module& module) {
  std::uint64_t n = 0;
  for (const ir::Rule& rule : module.rules)
    analysis::for_each_stmt(rule.body, [&](const ir::Stmt& s) {
      analysis::for_each_expr(s, [&](const ir::Expr& e) {
        analysis::for_each_node(e, [&](const ir::Expr& node) { n += node.op == ir::Op::Checksum; });
      });
    });
  return n;
}

std::string name_of(const ir::Module& module, std::uint64_t error) {
  if (error == 0) return "accepted";
  if (error == ir::kNoRoom) return "no_room";
  for (const ir::Site& site : module.sites)
    if ((ir::error_word(site, 0) ^ error) >> ir::kErrorPositionBits == 0)
      return fmt::format("{} (rule {}, clause {}) at bit {}", site.name, site.rule, site.clause,
                         error & ((std::uint64_t{1} << ir::kErrorPositionBits) - 1));
  return fmt::format("error word 0x{:x}", error);
}

// Room for further outputs on both sides, each between pages of its own.
class FurtherRooms {
 public:
  explicit FurtherRooms(const ir::Module& module) : module_(module) {}

  // Output `k` gets room for so many elements; in order.
  void add(std::uint64_t capacity, bool at_end) {
    const std::size_t element = module_.outputs[right_.size()].type.bits / 8u;
    right_.emplace_back(capacity * element);
    rooms_.push_back({right_.back(), capacity});
    out_.push_back(std::make_unique<test::GuardedBuffer>(capacity * element, at_end ? test::Flush::End : test::Flush::Start));
  }
  [[nodiscard]] std::span<const interp::Room> rooms() const { return rooms_; }
  [[nodiscard]] std::uint8_t* out(std::size_t k) { return out_[k]->bytes().data(); }
  [[nodiscard]] std::uint64_t capacity(std::size_t k) const { return rooms_[k].capacity_elements; }
  // The first byte that differs of those that the interpreter has made, in words; empty: none.
  [[nodiscard]] std::string differ(const interp::Result& right) const {
    for (std::size_t k = 0; k < right_.size(); ++k) {
      const std::size_t bytes = right.further[k] * (module_.outputs[k].type.bits / 8u);
      for (std::size_t i = 0; i < bytes; ++i)
        if (right_[k][i] != out_[k]->bytes()[i])
          return fmt::format("`{}`, room for {}: byte {} of {} is {:02x}, not {:02x}", module_.outputs[k].name, capacity(k), i, bytes,
                             out_[k]->bytes()[i], right_[k][i]);
    }
    return {};
  }

 private:
  const ir::Module& module_;
  std::deque<Bytes> right_;
  std::vector<interp::Room> rooms_;
  std::vector<std::unique_ptr<test::GuardedBuffer>> out_;
};

// Ample room, just enough, some more, too little.
std::uint64_t some_room(Random& random, std::uint64_t made) {
  const std::uint64_t choice = random.below(100);
  if (choice < 40) return std::min(made + random.below(300), kRoom);
  if (choice < 75 || made == 0) return made;
  return random.below(made);
}

}  // namespace

std::span<std::uint8_t> Arena::take(std::size_t size, std::size_t alignment) {
  const auto all = memory_.bytes();
  const auto end = reinterpret_cast<std::uintptr_t>(all.data()) + all.size();
  const auto start = (end - size) & ~(static_cast<std::uintptr_t>(alignment) - 1);
  return all.subspan(start - reinterpret_cast<std::uintptr_t>(all.data()), size);
}

Checker::Checker()
    : in_(kMostInput), out_(kRoom * 8 + 4096), dictionary_(4096), scratch_(kScratch), expected_(kRoom * 8 + 4096) {}

std::string Checker::differ(const ir::Module& module, const Side& right, const Side& other) {
  const auto made = [&](const Side& one) {
    std::string text = std::to_string(one.produced);
    for (std::size_t k = 0; k < module.outputs.size(); ++k) text += " and " + std::to_string(one.further[k]);
    return text;
  };
  return fmt::format("interpreter: {}, produced {}, consumed {}; other: {}, produced {}, consumed {}",
                     name_of(module, right.error), made(right), right.consumed, name_of(module, other.error), made(other),
                     other.consumed);
}

Finding Checker::cpu(const ir::Module& lowered, const Decoder& decoder, std::span<const std::uint8_t> input,
                     Random random, bool& slow) {
  const unsigned element = lowered.output.bits / 8u;
  const auto in = in_.take(input.size());
  std::copy(input.begin(), input.end(), in.begin());
  const auto probe = expected_.take(kRoom * element);
  const auto first = interpret_some(lowered, in, probe, nullptr);
  slow = !first || decoder.scratch_bytes > kScratch;
  if (slow) return {};
  const std::uint64_t made = std::min(first->produced, kRoom);

  const auto dictionary = dictionary_.take(lowered.has_dictionary ? kDictionary.size() : 0);
  std::copy_n(kDictionary.begin(), dictionary.size(), dictionary.begin());
  std::vector<unsigned long long> arguments;
  for (const ir::Argument& argument : lowered.args) arguments.push_back(argument.initial);
  sluice_job job{};
  job.in = in.data();
  job.in_size = in.size();
  job.dictionary = dictionary.data();
  job.dictionary_size = dictionary.size();
  job.args = arguments.data();
  const auto scratch = scratch_.take(decoder.scratch_bytes, 64);
  job.scratch = scratch.data();

  // Never more room than `first` had: that may have been refused for want of it.
  const std::size_t outputs = lowered.outputs.size();
  std::vector<sluice_output> further(outputs);
  job.further = further.data();
  const auto other_side = [&](std::uint64_t error) {
    Side side{error, job.produced, job.consumed, {}};
    for (std::size_t k = 0; k < outputs; ++k) side.further[k] = further[k].produced;
    return side;
  };
  const std::uint64_t rooms[]{kRoom, made, std::min(made + random.below(300), kRoom),
                              made == 0 ? 0 : random.below(made)};
  for (const std::uint64_t capacity : rooms) {
    const auto expected = expected_.take(capacity * element);
    FurtherRooms more(lowered);
    for (std::size_t k = 0; k < outputs; ++k) {
      const bool ample = capacity == kRoom || random.percent(30);
      more.add(ample ? kRoom : some_room(random, std::min(first->further[k], kRoom)), random.percent(80));
      further[k] = {more.out(k), more.capacity(k), ~0ull};
    }
    const interp::Result r = interp::interpret(lowered, {in, expected, capacity, dictionary, {}, more.rooms()});
    // Whatever lies there: noise of several kinds, or what the last run left.
    static constexpr std::uint8_t kNoise[]{0xa5, 0x00, 0xff, 0x01};
    if (++noise_ % 5 != 0) std::fill(scratch.begin(), scratch.end(), kNoise[noise_ % 4]);
    const auto out = out_.take(capacity * element);
    job.out = out.data();
    job.out_capacity = capacity;
    const std::uint64_t error = decoder.decode(&job);
    // What is no matter of room is the same with more room.
    const Side right = side(r), other = other_side(error);
    if (r.error != ir::kNoRoom && right != side(*first))
      return {"room", fmt::format("room for {}: {}", capacity, differ(lowered, right, side(*first)))};
    if (right != other) return {"decode", fmt::format("room for {}: {}", capacity, differ(lowered, right, other))};
    for (std::size_t i = 0; i < r.produced * element; ++i)
      if (expected[i] != out[i])
        return {"bytes", fmt::format("room for {}: byte {} of {} is {:02x}, not {:02x}", capacity, i,
                                     r.produced * element, out[i], expected[i])};
    if (const std::string wrong = more.differ(r); !wrong.empty()) return {"bytes", wrong};
  }
  // Without a limit only where the format itself comes to an end: counting takes checks of what is output as passed, and
  // goes on where decoding does not.
  job.out = nullptr;
  const bool ends = interp::count(lowered, in, dictionary, {}, kRoom).error != ir::kNoRoom;
  for (const std::uint64_t limit : {rooms[2], rooms[3], ends ? ir::kMaxCapacity : kRoom}) {
    const interp::Result counted = interp::count(lowered, in, dictionary, {}, limit);
    if (counted.error == interp::kBrokenModule) return {};  // its sizes are found by decoding
    job.out_capacity = limit;
    for (sluice_output& one : further) one = {nullptr, limit, ~0ull};
    const std::uint64_t error = decoder.count(&job);
    const Side right = side(counted), other = other_side(error);
    if (right != other) return {"count", fmt::format("counting up to {}: {}", limit, differ(lowered, right, other))};
  }
  return {};
}

Finding Checker::simt(const ir::Module& lowered, const Kernel& kernel, std::span<const Bytes> inputs, Random random) {
  const unsigned element = lowered.output.bits / 8u;
  const auto dictionary = dictionary_.take(lowered.has_dictionary ? kDictionary.size() : 0);
  std::copy_n(kDictionary.begin(), dictionary.size(), dictionary.begin());
  const std::uint64_t sums = checksums_in(lowered);
  for (const bool count : {false, true}) {
    std::vector<std::unique_ptr<test::GuardedBuffer>> in, out;
    std::vector<std::vector<std::uint8_t>> expected;
    std::vector<Side> right;
    std::vector<interp::Result> results;
    std::deque<FurtherRooms> more;
    std::vector<const unsigned char*> in_pointers;
    std::vector<unsigned char*> out_pointers;
    std::vector<unsigned long long> in_sizes, capacities;
    std::uint64_t work = 0;
    for (const Bytes& input : inputs) {
      Bytes probe(kRoom * element);
      std::uint64_t steps = 0;
      const auto first = interpret_some(lowered, input, probe, nullptr, &steps);
      if (!first) continue;
      std::uint64_t capacity = std::min(first->produced, kRoom);
      if (random.percent(40))
        capacity += random.below(300);
      else if (random.percent(30) && capacity > 0)
        capacity = random.below(capacity);
      const std::uint64_t of_step = kCollectivesOfStep * (1 + sums * (1 + (capacity * element + input.size()) / kBytesOfSum));
      const std::uint64_t of_input = kCollectivesOfChunk + of_step * (steps + capacity + input.size());
      if (of_input > kMaxCollectives) continue;
      work += of_input;
      in.push_back(
          std::make_unique<test::GuardedBuffer>(input, random.percent(80) ? test::Flush::End : test::Flush::Start));
      in.back()->make_read_only();
      out.push_back(std::make_unique<test::GuardedBuffer>(count ? 0 : capacity * element,
                                                          random.percent(80) ? test::Flush::End : test::Flush::Start));
      expected.emplace_back(capacity * element);
      FurtherRooms& rooms = more.emplace_back(lowered);
      for (std::size_t k = 0; k < lowered.outputs.size() && !count; ++k)
        rooms.add(some_room(random, std::min(first->further[k], kRoom)), random.percent(80));
      const interp::Result r = count ? interp::count(lowered, input, dictionary, {}, capacity)
                                     : interp::interpret(lowered, {input, expected.back(), capacity, dictionary, {}, rooms.rooms()});
      if (count && r.error == interp::kBrokenModule) return {};
      right.push_back(side(r));
      results.push_back(r);
      in_pointers.push_back(in.back()->bytes().data());
      out_pointers.push_back(out.back()->bytes().data());
      in_sizes.push_back(input.size());
      capacities.push_back(capacity);
    }
    const std::size_t n = in_pointers.size();
    if (n == 0) continue;
    std::vector<unsigned long long> produced(n, ~0ull), consumed(n, ~0ull), error(n, ~0ull);
    sluice_cuda_batch batch{};
    batch.in = in_pointers.data();
    batch.in_size = in_sizes.data();
    batch.out = count ? nullptr : out_pointers.data();
    batch.out_capacity = capacities.data();
    batch.produced = produced.data();
    batch.consumed = consumed.data();
    batch.error = error.data();
    batch.dictionary = dictionary.data();
    batch.dictionary_size = dictionary.size();
    for (std::size_t i = 0; i < lowered.args.size(); ++i) batch.args[i] = lowered.args[i].initial;
    batch.chunks = n;
    struct Arrays {
      std::vector<unsigned char*> out;
      std::vector<unsigned long long> capacity, produced;
    };
    std::vector<Arrays> further(lowered.outputs.size());
    for (std::size_t k = 0; k < further.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        further[k].out.push_back(count ? nullptr : more[i].out(k));
        further[k].capacity.push_back(count ? capacities[i] : more[i].capacity(k));
      }
      further[k].produced.assign(n, ~0ull);
      batch.further[k] = {count ? nullptr : further[k].out.data(), further[k].capacity.data(), further[k].produced.data(), 0};
    }
    std::uint64_t blocks = (n + kernel.plan.chunks_per_block - 1) / kernel.plan.chunks_per_block;
    std::unique_ptr<test::GuardedBuffer> temp;
    if (kernel.plan.temp_bytes_per_slot != 0) {
      blocks = std::min<std::uint64_t>(blocks, 2);
      batch.slots = blocks * kernel.plan.chunks_per_block;
      const std::size_t size = plan::kTempHeader + batch.slots * kernel.plan.temp_bytes_per_slot;
      if (size > (std::size_t{64} << 20)) return {};
      temp = std::make_unique<test::GuardedBuffer>((size + 255) / 256 * 256, test::Flush::End);
      std::fill(temp->bytes().begin(), temp->bytes().end(), static_cast<std::uint8_t>(random.next()));
      std::fill_n(temp->bytes().begin(), plan::kTempHeader, static_cast<std::uint8_t>(0));
      batch.temp = temp->bytes().data();
    }
    const std::uint64_t seed = random.percent(10) ? 0 : random.next();
    const simt::Launch launch{static_cast<unsigned>(blocks), kernel.plan.threads_per_block, seed, kernel.shared,
                              work * kernel.plan.threads_per_block};
    const simt::Report report = simt::launch(launch, count ? kernel.count : kernel.decode, &batch);
    if (!report.ok())
      return {"simt fault",
              fmt::format("block {}, seed {}{}: {}", report.block, seed, count ? ", counting" : "", report.text)};
    for (std::size_t i = 0; i < n; ++i) {
      Side other{error[i], produced[i], consumed[i], {}};
      for (std::size_t k = 0; k < further.size(); ++k) other.further[k] = further[k].produced[i];
      if (right[i] != other)
        return {count ? "simt count" : "simt decode",
                fmt::format("chunk {} of {}, room for {}, seed {}: {}", i, n, capacities[i], seed,
                            differ(lowered, right[i], other))};
      if (count) continue;
      const std::size_t bytes = right[i].produced * element;
      for (std::size_t k = 0; k < bytes; ++k)
        if (expected[i][k] != out[i]->bytes()[k])
          return {"simt bytes", fmt::format("chunk {} of {}, room for {}, seed {}: byte {} of {} is {:02x}, not {:02x}",
                                            i, n, capacities[i], seed, k, bytes, out[i]->bytes()[k], expected[i][k])};
      if (const std::string wrong = more[i].differ(results[i]); !wrong.empty())
        return {"simt bytes", fmt::format("chunk {} of {}, seed {}: {}", i, n, seed, wrong)};
    }
  }
  return {};
}

}  // namespace sluice::fuzz
