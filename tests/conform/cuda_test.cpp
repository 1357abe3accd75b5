// The CUDA kernels of every codec under every schedule, run on this CPU lane by lane, against the interpreter: error
// word, produced, consumed, bytes, and nothing touched outside the buffers. So are their device functions, by kernels that
// store what these hand over (tests/simt/device_kernel.h). SLUICE_SIMT_WORK=N does N times as much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "compiler/strategy/strategies.h"
#include "tests/conform/cuda_cases.h"
#include "tests/conform/cuda_long.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kRoom = 1 << 17;  // elements; no vector makes as many
// What the cases of one test and codec may cost a kernel, in collectives of all threads: some 10 million a second, some
// million under sanitizers. A case costs as much as its vector does under the default schedule.
constexpr std::uint64_t kWork = 500'000;
constexpr std::uint64_t kCaseWork = 400;  // beside its collectives
constexpr std::size_t kFewest = 8;        // cases, whatever they cost
constexpr std::uint64_t kMaxLong = 8192;  // elements of a long input that a kernel has room for
constexpr std::uint64_t kSpareRoom = 64;  // elements that a mutant may make beyond what its vector makes

std::uint64_t effort() {
  const char* text = std::getenv("SLUICE_SIMT_WORK");
  const std::uint64_t factor = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  return factor == 0 ? 1 : factor;
}

// All vectors of all codecs, read once.
const std::vector<Vector>& vectors() {
  static const std::vector<Vector> all = all_vectors();
  return all;
}

struct Item {
  Vector vector;
  std::uint64_t made = 0;  // elements, with ample room
  std::uint64_t cost = 0;
};

// The vectors of one codec with equal parameters and dictionary, cheapest first.
struct Group {
  const Codec* codec = nullptr;
  Bytes dictionary;
  std::vector<const simt::Kernel*> kernels;
  std::vector<Item> items;
};

// Cases up to an amount of work.
class Budget {
 public:
  explicit Budget(const Group& group) : cases(*group.codec, group.dictionary) {}
  // False, and nothing added, when there is no work left for it, but for the first few.
  bool add(std::string what, const Item& item, std::span<const std::uint8_t> in, std::uint64_t capacity,
           std::size_t skew, double share = 1) {
    const auto most = static_cast<std::uint64_t>(share * static_cast<double>(kWork * effort()));
    if (number_ >= kFewest && used_ + item.cost > most) return false;
    used_ += item.cost;
    cases.add(std::move(what), in, capacity, skew);
    ++number_;
    return true;
  }
  // Cases until now.
  [[nodiscard]] std::size_t number() const { return number_; }
  CudaCases cases;

 private:
  std::uint64_t used_ = 0;
  std::size_t number_ = 0;
};

class Cuda : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<Group> groups() {
    std::vector<Group> result;
    for (const Vector& vector : vectors()) {
      if (vector.codec != GetParam()) continue;
      const Codec& codec = load_codec(vector.codec, vector.set);
      EXPECT_EQ(codec.problem, "");
      if (!codec.problem.empty()) return {};
      auto group = std::ranges::find_if(
          result, [&](const Group& g) { return g.codec == &codec && g.dictionary == vector.dictionary; });
      if (group == result.end()) {
        result.push_back({&codec, vector.dictionary, kernels_of(vector.codec, vector.set), {}});
        group = result.end() - 1;
      }
      EXPECT_FALSE(group->kernels.empty()) << vector.codec << " " << vector.set << " has no kernels";
      if (group->kernels.empty()) return {};
      Bytes room(kRoom * codec.element_bytes());
      const Request request{vector.in, room, vector.dictionary};
      const CudaRun run = run_kernel(*group->kernels.front(), codec, {&request, 1}, false, 0);
      EXPECT_EQ(run.fault, "") << vector.name;
      group->items.push_back({vector, run.outcomes.front().produced, kCaseWork + run.collectives});
    }
    for (Group& group : result) std::ranges::stable_sort(group.items, {}, &Item::cost);
    return result;
  }
};

TEST_P(Cuda, StatedResults) {
  for (const Group& group : groups()) {
    CudaCases cases(*group.codec, group.dictionary);
    for (const Item& item : group.items) {
      cases.add(item.vector.name, item.vector.in, kRoom, cases.cases().size());
      const CudaCase& one = cases.cases().back();
      if (item.vector.out) {
        EXPECT_EQ(one.right_bytes, *item.vector.out) << item.vector.name;
      } else {
        EXPECT_EQ(error_text(group.codec->module, one.right.error), item.vector.error) << item.vector.name;
      }
    }
    cases.check(group.kernels, 0);
  }
}

// Exactly enough, one element short, half, a third, one, none.
TEST_P(Cuda, EveryCapacity) {
  for (const Group& group : groups()) {
    Budget budget(group);
    for (const Item& item : group.items) {
      const std::uint64_t made = item.made;
      for (const std::uint64_t capacity : std::set<std::uint64_t>{made, made - (made > 0), made / 2, made / 3, 1, 0}) {
        budget.add(item.vector.name, item, item.vector.in, capacity, 5 * budget.number(), 0.5);
      }
    }
    budget.cases.check(group.kernels, 1);
  }
}

// Vectors at each of the 64 ways in which input and output can lie; expensive ones at some of them.
TEST_P(Cuda, EveryAlignment) {
  constexpr std::size_t kWays = 64;
  constexpr std::size_t kStep = 9;  // moves both, and comes by all of them
  for (const Group& group : groups()) {
    Budget budget(group);
    for (const Item& item : group.items) {
      if (!item.vector.out || item.vector.out->empty()) continue;
      for (std::size_t i = 0; i < kWays; ++i) {
        const std::size_t way = i * kStep % kWays;
        if (!budget.add(item.vector.name + " way " + std::to_string(way), item, item.vector.in, item.made, way, 0.4))
          break;
      }
    }
    budget.cases.check(group.kernels, 0);
  }
}

// Inputs over which a kernel moves its window many times; whole, cut, and with a bit turned over.
TEST_P(Cuda, LongInputs) {
  std::set<std::string> sets{""};
  for (const simt::Kernel* kernel : simt::kernels())
    if (kernel->codec == GetParam()) sets.emplace(kernel->set);
  for (const std::string& set : sets) {
    const Codec& codec = load_codec(GetParam(), set);
    ASSERT_EQ(codec.problem, "");
    CudaCases cases(codec, {});
    for (const auto& [name, in] : long_inputs(GetParam(), vectors())) {
      Bytes room(kRoom * codec.element_bytes());
      Outcome right = interpreter(codec)->decode({in, room});
      right.produced = std::min<std::uint64_t>(right.produced, kMaxLong);
      const auto add = [&](const std::string& what, std::span<const std::uint8_t> bytes, std::uint64_t most) {
        const std::size_t n = cases.cases().size();
        cases.add(what, bytes, most, 8 * codec.element_bytes() * n + (n + 3) % 8);  // elements at multiples of their size
      };
      add(name, in, right.produced);
      add(name + ", cut", std::span(in).first(in.size() * 2 / 3), right.produced);
      Bytes flipped = in;
      flipped[in.size() / 2] ^= 16;
      add(name + ", bit flipped", flipped, right.produced + kSpareRoom);
    }
    cases.check(kernels_of(GetParam(), set), 0);
  }
}

// A few bytes changed, and now and then a piece left out or written twice.
Bytes scrambled(Bytes bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::ptrdiff_t>(random() % n); };
  if (!bytes.empty() && random() % 4 == 0) {
    const auto from = below(bytes.size());
    const auto to = from + 1 + below(bytes.size() - static_cast<std::size_t>(from));
    const Bytes piece(bytes.begin() + from, bytes.begin() + to);
    if (random() % 2)
      bytes.insert(bytes.begin() + below(bytes.size() + 1), piece.begin(), piece.end());
    else
      bytes.erase(bytes.begin() + from, bytes.begin() + to);
  }
  for (std::size_t n = 1 + random() % 6; n > 0 && !bytes.empty(); --n) {
    constexpr std::uint8_t kTelling[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
    std::uint8_t& byte = bytes[static_cast<std::size_t>(below(bytes.size()))];
    byte = random() % 2 ? kTelling[random() % std::size(kTelling)] : static_cast<std::uint8_t>(random());
  }
  return bytes;
}

struct Mutant {
  const Item* item;
  std::size_t cut;   // bytes left
  std::size_t flip;  // bit turned over; past the end: none
  [[nodiscard]] Bytes bytes() const {
    Bytes made(item->vector.in.begin(), item->vector.in.begin() + static_cast<std::ptrdiff_t>(cut));
    if (flip / 8 < cut) made[flip / 8] ^= static_cast<std::uint8_t>(1u << flip % 8);
    return made;
  }
  [[nodiscard]] std::string what() const {
    return item->vector.name +
           (flip / 8 < cut ? " with bit " + std::to_string(flip) + " flipped" : " cut to " + std::to_string(cut));
  }
};

// Truncations at every byte, flips of every bit, and wilder changes of the vectors, in an order drawn once and for all,
// as many as the work allows. They make lying sizes of all kinds.
TEST_P(Cuda, Mutants) {
  for (const Group& group : groups()) {
    std::vector<Mutant> cuts, flips;
    for (const Item& item : group.items) {
      // Those of which less than a few hundred mutants can be had are left to the cheaper ones.
      constexpr std::uint64_t kFew = 256;
      if (!cuts.empty() && kFew * item.cost > kWork * effort()) continue;
      const std::size_t size = item.vector.in.size();
      for (std::size_t cut = 0; cut < size; ++cut) cuts.push_back({&item, cut, 8 * size});
      for (std::size_t bit = 0; bit < 8 * size; ++bit) flips.push_back({&item, size, bit});
    }
    std::mt19937_64 random(1);
    for (auto* mutants : {&cuts, &flips}) {
      for (std::size_t i = mutants->size(); i > 1; --i) std::swap((*mutants)[i - 1], (*mutants)[random() % i]);
    }
    Budget budget(group);
    const auto add = [&](const std::vector<Mutant>& mutants, double share) {
      for (const Mutant& one : mutants) {
        if (!budget.add(one.what(), *one.item, one.bytes(), one.item->made + kSpareRoom, random() % 64, share)) return;
      }
    };
    add(cuts, 0.3);
    add(flips, 0.8);
    for (bool room = !cuts.empty(); room;) {
      const Item& item = *cuts[random() % cuts.size()].item;
      room = budget.add(item.vector.name + " scrambled, number " + std::to_string(budget.number()), item,
                        scrambled(item.vector.in, random), item.made + kSpareRoom, random() % 64);
    }
    budget.cases.check(group.kernels, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, Cuda, testing::ValuesIn(codec_names()),
                         [](const auto& test) { return test_name(test.param); });

// Each codec runs under each schedule unless the compiler says that it can't, and why.
TEST(CudaSet, RefusalsHaveReasons) {
  std::set<std::string> built;
  for (const simt::Kernel* kernel : simt::kernels()) {
    const bool function = std::string_view(kernel->schedule).starts_with("device");
    if (kernel->refused == nullptr) {
      built.insert(kernel->schedule);
      continue;
    }
    EXPECT_NE(std::string(kernel->refused).find(function ? "has no device function: " : "not legal"), std::string::npos)
        << kernel->codec << ": " << kernel->refused;
    EXPECT_STRNE(kernel->schedule, "default") << kernel->codec;
  }
  std::set<std::string> wanted{"default", "device", "device/warp"};
  for (const strategy::Variant& variant : strategy::variants()) wanted.emplace(variant.name);
  EXPECT_EQ(built, wanted);
}

}  // namespace
}  // namespace sluice::test
