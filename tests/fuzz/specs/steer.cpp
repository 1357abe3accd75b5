#include "tests/fuzz/specs/steer.h"

#include <algorithm>

#include "compiler/ir/error_text.h"

namespace sluice::fuzz {
namespace {

struct OutOfSteps {};

// Bytes as formats have them: anything, small numbers, few values, runs.
void fill(Random& random, std::span<std::uint8_t> bytes) {
  const std::uint64_t style = random.below(6);
  const std::uint8_t few[]{static_cast<std::uint8_t>(random.next()), static_cast<std::uint8_t>(random.next()), 0, 0xff};
  for (std::uint8_t& b : bytes) {
    if (style <= 1) b = static_cast<std::uint8_t>(random.next());
    if (style == 2) b = static_cast<std::uint8_t>(random.below(5));
    if (style == 3) b = random.pick(few);
    if (style == 4) b = static_cast<std::uint8_t>(random.percent(80) ? random.below(32) : random.next());
    if (style == 5) b = static_cast<std::uint8_t>(random.percent(50) ? 0 : 1u << random.below(8));
  }
}

void append(Random& random, Bytes& bytes, std::size_t count) {
  const std::size_t from = bytes.size();
  if (from >= kMaxInput) return;
  bytes.resize(std::min(from + count, kMaxInput));
  fill(random, std::span(bytes).subspan(from));
}

struct Standing {
  bool accepted = false;
  std::uint64_t position = 0;  // of the refusal, in bits
  std::uint64_t produced = 0;
  bool ends = false;   // refused since the input ends
  bool fresh = false;  // a statement that nothing reached before
  bool slow = false;
  [[nodiscard]] std::uint64_t rank(std::size_t size) const { return accepted ? 8 * size + 1 : position; }
};

class Search {
 public:
  Search(const ir::Module& module, Random& random)
      : module_(module), random_(random), out_(kRoom * (module.output.bits / 8u)) {}

  Standing stand(const Bytes& in) {
    const std::size_t before = reached_.size();
    const auto result = interpret_some(module_, in, out_, &reached_);
    Standing s;
    s.slow = !result;
    if (!result) return s;
    s.accepted = result->error == 0;
    s.position = ir::error_position(result->error, ir::reads_dictionary(module_)).bit;
    s.produced = result->produced;
    s.ends = !s.accepted && result->site < module_.sites.size() &&
             module_.sites[result->site].reason == ir::Reason::EndOfInput;
    s.fresh = reached_.size() > before;
    return s;
  }

  Bytes grow(Bytes start, unsigned tries) {
    Bytes best = std::move(start);
    Standing at = stand(best);
    for (unsigned i = 0; i < tries; ++i) {
      Bytes next = best;
      if (at.slow) {
        next.resize(next.size() / 2);
      } else if (at.accepted || at.ends) {
        if (at.accepted && random_.percent(15)) break;
        append(random_, next, random_.percent(50) ? random_.between(1, 12) : random_.between(12, 300));
        if (random_.percent(30)) change(next, at.position);
      } else {
        change(next, at.position);
      }
      const Standing s = stand(next);
      if (s.slow && !at.slow) continue;
      if (at.slow || s.fresh || s.rank(next.size()) >= at.rank(best.size())) {
        best = std::move(next);
        at = s;
      }
    }
    return best;
  }

  void change(Bytes& bytes, std::uint64_t bit) {
    if (bytes.empty()) return append(random_, bytes, 8);
    for (std::uint64_t n = random_.between(1, 3); n > 0; --n) {
      const std::size_t at = std::min<std::size_t>(bit / 8, bytes.size() - 1);
      const std::size_t back = random_.percent(70) ? random_.below(4) : random_.below(at + 1);
      const std::size_t place =
          random_.percent(80) ? at - std::min(at, back) : std::min(at + random_.below(3), bytes.size() - 1);
      const std::uint64_t how = random_.below(10);
      if (how < 3)
        bytes[place] = static_cast<std::uint8_t>(random_.next());
      else if (how < 5)
        bytes[place] = static_cast<std::uint8_t>(random_.small(16));
      else if (how < 7)
        bytes[place] ^= static_cast<std::uint8_t>(1u << random_.below(8));
      else if (how < 8)
        bytes[place] = static_cast<std::uint8_t>(bytes[place] + (random_.percent(50) ? 1 : 255));
      else if (how < 9)
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(place), static_cast<std::uint8_t>(random_.next()));
      else if (bytes.size() > 1)
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(place));
      if (bytes.empty()) return;
    }
  }

 private:
  const ir::Module& module_;
  Random& random_;
  Bytes out_;
  std::unordered_set<const ir::Stmt*> reached_;
};

// In steps: a code is built with its tables, and a stage begins with lists and counts of 256, whatever they are of.
std::uint64_t worth(const interp::TraceEvent& event) {
  constexpr std::uint64_t kOfMany = 64;
  const bool many = event.kind == interp::TraceEvent::Kind::Build || event.kind == interp::TraceEvent::Kind::Stage;
  return many ? kOfMany + event.count : 1;
}

}  // namespace

std::optional<interp::Result> interpret_some(const ir::Module& module, std::span<const std::uint8_t> in,
                                             std::span<std::uint8_t> out,
                                             std::unordered_set<const ir::Stmt*>* reached, std::uint64_t* taken) {
  interp::Job job;
  job.in = in;
  job.out = out;
  job.capacity_elements = out.size() / (module.output.bits / 8u);
  if (module.has_dictionary)
    job.dictionary = {reinterpret_cast<const std::uint8_t*>(kDictionary.data()), kDictionary.size()};
  std::vector<Bytes> further;
  std::vector<interp::Room> rooms;
  for (const ir::Output& output : module.outputs) {
    further.emplace_back(kRoom * (output.type.bits / 8u));
    rooms.push_back({further.back(), kRoom});
  }
  job.further = rooms;
  std::uint64_t own = 0, &steps = taken != nullptr ? *taken : own;
  steps = 0;
  try {
    return interp::interpret(module, job, [&](const interp::TraceEvent& event) {
      steps += worth(event);
      if (steps > kMaxSteps) throw OutOfSteps{};
      if (reached) reached->insert(event.stmt);
    });
  } catch (const OutOfSteps&) {
    return std::nullopt;
  }
}

std::vector<Bytes> steer(const ir::Module& module, Random& random, unsigned count, std::span<const Bytes> seeds) {
  Search search(module, random);
  std::vector<Bytes> inputs;
  for (unsigned i = 0; i < count; ++i) {
    Bytes start;
    if (!seeds.empty() && random.percent(85)) {
      start = random.pick(seeds);
      if (start.size() > kMaxInput) start.resize(kMaxInput);
    } else if (!inputs.empty() && random.percent(40)) {
      start = random.pick(inputs);
    } else {
      append(random, start, random.percent(40) ? random.below(16) : random.below(500));
    }
    if (!seeds.empty() && random.percent(60)) {
      for (std::uint64_t n = random.below(4); n > 0; --n) search.change(start, 8 * random.below(start.size() + 1));
      inputs.push_back(std::move(start));
      continue;
    }
    Bytes input = search.grow(std::move(start), static_cast<unsigned>(random.between(4, 24)));
    if (random.percent(12) && !input.empty()) input.resize(random.below(input.size()));
    if (random.percent(10)) search.change(input, 8 * random.below(input.size() + 1));
    if (random.percent(8)) append(random, input, random.between(1, 4));
    if (interpret_some(module, input, {}, nullptr))
      inputs.push_back(std::move(input));
    else
      inputs.emplace_back();
  }
  return inputs;
}

}  // namespace sluice::fuzz
