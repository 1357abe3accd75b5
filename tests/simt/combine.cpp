// What each collective computes (CUDA C++ Programming Guide, "Warp Vote", "Warp Match", "Warp Reduce", "Warp Shuffle").
#include <algorithm>

#include "tests/simt/block.h"

namespace sluice::simt {
namespace {

// Lane that `lane` reads from; its own where the distance leads out of the segment.
unsigned source_of(const Thread& thread, unsigned lane) {
  const unsigned inside = thread.width - 1;
  const unsigned start = lane & ~inside;
  switch (thread.op) {
    case Op::Shuffle:
      return start | (thread.argument & inside);
    case Op::ShuffleUp:
      return thread.argument <= lane - start ? lane - thread.argument : lane;
    case Op::ShuffleDown:
      return thread.argument <= start + inside - lane ? lane + thread.argument : lane;
    default: {
      // Reading from a later segment yields the own value, from an earlier one that lane's.
      const unsigned source = lane ^ (thread.argument & (kWarp - 1));
      return source <= (lane | inside) ? source : lane;
    }
  }
}

Fault shuffle(Thread* lanes, std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    Thread& thread = lanes[lane];
    if (!std::has_single_bit(thread.width) || thread.width > kWarp) return Fault::ShuffleWidth;
    const unsigned source = source_of(thread, lane);
    if ((mask >> source & 1) == 0) return Fault::ShuffleOutsideMask;
    thread.result = lanes[source].value;
  }
  return Fault::None;
}

std::uint32_t fold(Op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::MinUnsigned:
      return a < b ? a : b;
    case Op::MaxUnsigned:
      return a > b ? a : b;
    case Op::MinSigned:
      return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
    case Op::MaxSigned:
      return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    default:
      return a ^ b;
  }
}

// Calls body(lane's index, thread) for every lane of the mask.
template <class Body>
void each(Thread* lanes, std::uint32_t mask, const Body& body) {
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(mask));
    body(lane, lanes[lane]);
  }
}

void give_all(Thread* lanes, std::uint32_t mask, std::uint64_t result) {
  each(lanes, mask, [&](unsigned, Thread& thread) { thread.result = result; });
}

}  // namespace

Fault combine(Thread* first, std::uint32_t mask) {
  const auto lowest = static_cast<unsigned>(std::countr_zero(mask));
  const Op op = first[lowest].op;
  switch (op) {
    case Op::SyncWarp:
      return Fault::None;
    case Op::Shuffle:
    case Op::ShuffleUp:
    case Op::ShuffleDown:
    case Op::ShuffleXor:
      return shuffle(first, mask);
    case Op::Ballot:
    case Op::Any:
    case Op::All: {
      std::uint32_t votes = 0;
      each(first, mask, [&](unsigned lane, const Thread& thread) {
        votes |= static_cast<std::uint32_t>(static_cast<std::uint32_t>(thread.value) != 0) << lane;
      });
      give_all(first, mask, op == Op::Ballot ? votes : op == Op::Any ? votes != 0 : votes == mask);
      return Fault::None;
    }
    case Op::MatchAny:
      each(first, mask, [&](unsigned, Thread& thread) {
        std::uint32_t same = 0;
        each(first, mask, [&](unsigned other, const Thread& theirs) {
          same |= static_cast<std::uint32_t>(theirs.value == thread.value) << other;
        });
        thread.result = same;
      });
      return Fault::None;
    case Op::MatchAll: {
      bool all = true;
      each(first, mask, [&](unsigned, const Thread& thread) { all = all && thread.value == first[lowest].value; });
      give_all(first, mask, all ? mask : 0);
      return Fault::None;
    }
    default: {
      auto sum = static_cast<std::uint32_t>(first[lowest].value);
      each(first, mask & (mask - 1),
           [&](unsigned, const Thread& thread) { sum = fold(op, sum, static_cast<std::uint32_t>(thread.value)); });
      give_all(first, mask, sum);
      return Fault::None;
    }
  }
}

}  // namespace sluice::simt
