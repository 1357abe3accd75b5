// Random numbers that are the same on every machine: a finding is a seed.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sluice::fuzz {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 .. bound - 1; bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
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

 private:
  std::uint64_t state_;
};

// The generator of item `index` of a run: each item can be made by itself.
inline Random random_of(std::uint64_t seed, std::uint64_t index) {
  Random mix(seed);
  return Random(mix.next() ^ (index * 0xd1342543de82ef95 + 1));
}

}  // namespace sluice::fuzz
