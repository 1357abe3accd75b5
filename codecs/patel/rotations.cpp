#include "codecs/patel/rotations.h"

#include <algorithm>
#include <cstddef>

namespace sluice::encode {
namespace {

using Positions = std::vector<std::uint32_t>;

// Positions sorted by their first two bytes; equal ones in ascending order.
Positions by_two_bytes(std::span<const std::uint8_t> block, Positions& classes, std::uint32_t& class_count) {
  const std::size_t n = block.size();
  const auto key = [&](std::size_t i) {
    return static_cast<std::size_t>(block[i] << 8 | block[i + 1 == n ? 0 : i + 1]);
  };
  Positions next(65537, 0);
  for (std::size_t i = 0; i < n; ++i) ++next[key(i) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  Positions order(n);
  for (std::size_t i = 0; i < n; ++i) order[next[key(i)]++] = static_cast<std::uint32_t>(i);
  class_count = 0;
  for (std::size_t r = 0; r < n; ++r) {
    if (r > 0 && key(order[r]) != key(order[r - 1])) ++class_count;
    classes[order[r]] = class_count;
  }
  ++class_count;
  return order;
}

}  // namespace

// Invariant of the loop: `order` has the rotations sorted by their first `known` bytes, `classes` numbers the groups of
// equal ones. Rotations that start `known` earlier are then sorted by their second half; a stable sort by the first
// half makes that 2 * known bytes. A step that splits no group has sorted all there is to sort: what is equal stays
// equal.
std::vector<std::uint32_t> sorted_rotations(std::span<const std::uint8_t> block) {
  const std::size_t n = block.size();
  Positions classes(n);
  if (n < 2) return classes;
  std::uint32_t class_count = 0;
  Positions order = by_two_bytes(block, classes, class_count);
  Positions shifted(n);
  Positions split(n);
  Positions start;
  for (std::size_t known = 2; known < n && class_count < n; known *= 2) {
    const auto plus = [&](std::size_t i) { return i + known < n ? i + known : i + known - n; };
    for (std::size_t r = 0; r < n; ++r) {
      shifted[r] = static_cast<std::uint32_t>(order[r] >= known ? order[r] - known : order[r] + n - known);
    }
    start.assign(class_count + 1, 0);
    for (const std::uint32_t c : classes) ++start[c + 1];
    for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
    for (const std::uint32_t i : shifted) order[start[classes[i]]++] = i;
    std::uint32_t count = 0;
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t i = order[r];
      if (r > 0) {
        const std::size_t before = order[r - 1];
        if (classes[i] != classes[before] || classes[plus(i)] != classes[plus(before)]) ++count;
      }
      split[i] = count;
    }
    ++count;
    classes.swap(split);
    if (count == class_count) break;
    class_count = count;
  }
  return order;
}

}  // namespace sluice::encode
