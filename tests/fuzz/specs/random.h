// Random numbers that are the same on every machine: a finding is a seed.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace sluice::fuzz {

class Random : public test::Random {
 public:
  using test::Random::Random;

  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
  bool percent(unsigned p) { return below(100) < p; }
  // Small numbers mostly, at most `most`.
  std::uint64_t small(std::uint64_t most) {
    const std::uint64_t reach = below(most + 1);
    return below(reach + 1);
  }
  template <class T, std::size_t N>
  const T& pick(const T (&list)[N]) {
    return list[below(N)];
  }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <class Container>
  auto& pick(Container& list) {
    return list[below(list.size())];
  }
};

// The generator of item `index` of a run: each item can be made by itself.
inline Random random_of(std::uint64_t seed, std::uint64_t index) {
  Random mix(seed);
  return Random(mix.next() ^ (index * 0xd1342543de82ef95 + 1));
}

}  // namespace sluice::fuzz
