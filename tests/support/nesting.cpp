#include "tests/support/nesting.h"

#include <array>

namespace sluice::test {
namespace {

constexpr unsigned kGroup = 32;
constexpr unsigned kStringSize = 16;

// Three disjoint sets of bytes. A string changes at the same end every second time, so that with 242 values for the
// ends a value comes back after 2 * 242 * 17 bytes: past the window.
constexpr unsigned kChanging = 242;
constexpr unsigned kInner = 7;
constexpr unsigned kSeparators = 7;  // coprime to the number of strings: two times of a string have different ones
static_assert(kChanging + kInner + kSeparators == 256);
static_assert(2 * kChanging * (kStringSize + 1) > 8192);

std::uint8_t changing(unsigned i) { return static_cast<std::uint8_t>(i % kChanging); }
std::uint8_t inner(unsigned i) { return static_cast<std::uint8_t>(kChanging + i % kInner); }
std::uint8_t separator(std::size_t i) { return static_cast<std::uint8_t>(kChanging + kInner + i % kSeparators); }

// String `which` when it comes round for the `time`th time. The two bytes behind the first tell the strings apart; the
// ends of different strings count from different values, with differences (11 and 5) that make no three bytes around
// a separator meet again within the window.
std::array<std::uint8_t, kStringSize> string_of(unsigned which, unsigned time) {
  std::array<std::uint8_t, kStringSize> bytes{};
  bytes.front() = changing(time / 2 + 11 * which);
  bytes.back() = changing((time + 1) / 2 + 5 * which);
  bytes[1] = inner(which);
  bytes[2] = inner(which / kInner);
  for (unsigned i = 3; i + 1 < kStringSize; ++i) bytes[i] = inner(which * i + i * i);
  return bytes;
}

}  // namespace

std::vector<std::uint8_t> nested_data(std::size_t size, unsigned depth) {
  const unsigned strings = kGroup / depth;
  std::vector<std::uint8_t> data;
  for (std::size_t n = 0; data.size() < size; ++n) {
    data.push_back(separator(n));
    const auto bytes =
        string_of(static_cast<unsigned>(n % strings), static_cast<unsigned>(n / strings % (2 * kChanging)));
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  data.resize(size);
  return data;
}

}  // namespace sluice::test
