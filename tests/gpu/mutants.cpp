#include "tests/gpu/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::gpu {
namespace {

// Vectors beyond these sizes say little more than small ones and cost much: one in kRare draws of them counts.
constexpr std::size_t kLargeInput = 1024, kLargeOutput = 8192;
constexpr std::uint64_t kRare = 64;

constexpr std::array<std::uint8_t, 8> kTelling{0x00, 0x01, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x40};

using Change = std::string (*)(Bytes& bytes, const Bytes& other, Random& random);

// Where in `bytes` something happens; `bytes` is not empty.
std::size_t place(const Bytes& bytes, Random& random) { return random.below(bytes.size()); }

std::string flip(Bytes& bytes, const Bytes&, Random& random) {
  const std::size_t bit = random.below(8 * bytes.size());
  bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  return fmt::format("bit {} flipped", bit);
}

std::string flip_several(Bytes& bytes, const Bytes& other, Random& random) {
  std::string how;
  for (std::uint64_t n = 2 + random.below(7); n > 0; --n) how += (how.empty() ? "" : ", ") + flip(bytes, other, random);
  return how;
}

std::string cut(Bytes& bytes, const Bytes&, Random& random) {
  bytes.resize(place(bytes, random));
  return fmt::format("cut to {}", bytes.size());
}

std::string lengthen(Bytes& bytes, const Bytes&, Random& random) {
  const std::uint64_t more = 1 + random.below(40);
  for (std::uint64_t n = 0; n < more; ++n) bytes.push_back(static_cast<std::uint8_t>(random.next()));
  return fmt::format("{} bytes behind it", more);
}

std::string overwrite(Bytes& bytes, const Bytes&, Random& random) {
  const std::size_t at = place(bytes, random);
  bytes[at] = random.below(2) == 0 ? kTelling[random.below(kTelling.size())] : static_cast<std::uint8_t>(random.next());
  return fmt::format("byte {} = {:#04x}", at, bytes[at]);
}

// A field that lies: a number of up to four bytes, of either byte order, a little or very wrong.
std::string lie(Bytes& bytes, const Bytes&, Random& random) {
  const std::size_t at = place(bytes, random);
  const std::size_t width = std::min<std::size_t>(1 + random.below(4), bytes.size() - at);
  const bool big = random.below(2) == 0;
  const auto byte = [&](std::size_t k) -> std::uint8_t& { return bytes[at + (big ? width - 1 - k : k)]; };
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < width; ++k) value |= std::uint64_t{byte(k)} << 8 * k;
  switch (random.below(5)) {
    case 0: value += 1 + random.below(4); break;
    case 1: value -= 1 + random.below(4); break;
    case 2: value *= 2; break;
    case 3: value = random.next(); break;
    default: value = ~std::uint64_t{0} << random.below(8 * width); break;
  }
  for (std::size_t k = 0; k < width; ++k) byte(k) = static_cast<std::uint8_t>(value >> 8 * k);
  return fmt::format("{} bytes at {} read as {:#x}", width, at, value & ((std::uint64_t{1} << 8 * width) - 1));
}

std::string splice(Bytes& bytes, const Bytes& other, Random& random) {
  const std::size_t head = random.below(bytes.size() + 1);
  const std::size_t tail = random.below(other.size() + 1);
  bytes.resize(head);
  bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(tail), other.end());
  return fmt::format("{} bytes of it, then another from byte {}", head, tail);
}

std::string remove(Bytes& bytes, const Bytes&, Random& random) {
  const std::size_t at = place(bytes, random);
  const std::size_t count = std::min<std::size_t>(1 + random.below(8), bytes.size() - at);
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
  return fmt::format("{} bytes at {} removed", count, at);
}

std::string repeat(Bytes& bytes, const Bytes&, Random& random) {
  const std::size_t at = place(bytes, random);
  const std::size_t count = std::min<std::size_t>(1 + random.below(32), bytes.size() - at);
  const Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
  return fmt::format("{} bytes at {} twice", count, at);
}

// What hits most often what a format checks stands here more than once.
constexpr std::array<Change, 14> kChanges{flip, flip, flip,      flip,   flip_several, cut,    lengthen,
                                          lie,  lie,  overwrite, splice, splice,       remove, repeat};

}  // namespace

Mutator::Mutator(std::vector<const Vector*> vectors, std::uint64_t seed) : vectors_(std::move(vectors)), random_(seed) {}

const Vector& Mutator::draw() {
  while (true) {
    const Vector& vector = *vectors_[random_.below(vectors_.size())];
    const bool large = vector.in.size() > kLargeInput || (vector.out && vector.out->size() > kLargeOutput);
    if (!large || vectors_.size() == 1 || random_.below(kRare) == 0) return vector;
  }
}

Mutant Mutator::next() {
  const Vector& from = draw();
  Mutant mutant{from.in, &from, "", 0};
  std::uint64_t changes = 1 + random_.below(8) / 6;  // mostly one: two errors hide each other
  while (changes-- > 0) {
    const Change change = mutant.bytes.empty() ? lengthen : kChanges[random_.below(kChanges.size())];
    mutant.how += (mutant.how.empty() ? "" : "; ") + change(mutant.bytes, draw().in, random_);
  }
  constexpr std::uint64_t kMore = 700, kAmple = 4096;
  mutant.room = (from.out ? from.out->size() : 0) + kMore;
  if (random_.below(8) == 0) mutant.room = std::max(mutant.room, kAmple);
  return mutant;
}

}  // namespace sluice::gpu
