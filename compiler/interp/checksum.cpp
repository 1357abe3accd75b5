#include "compiler/interp/checksum.h"

#include <array>
#include <bit>

namespace sluice::interp {
namespace {

std::uint32_t adler32(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kBase = 65521;  // the largest prime below 2^16
  std::uint32_t a = 1, b = 0;
  for (const std::uint8_t byte : bytes) {
    a = (a + byte) % kBase;
    b = (b + a) % kBase;
  }
  return (b << 16) | a;
}

// Least significant bit first; `polynomial` has its bits reversed.
constexpr std::array<std::uint32_t, 256> reflected_table(std::uint32_t polynomial) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    table[i] = crc;
  }
  return table;
}

// Most significant bit first.
constexpr std::array<std::uint32_t, 256> forward_table(std::uint32_t polynomial) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc >> 31) != 0 ? polynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr auto kCrc32 = reflected_table(0xedb88320u);
constexpr auto kCrc32c = reflected_table(0x82f63b78u);
constexpr auto kCrc32Bzip2 = forward_table(0x04c11db7u);

std::uint32_t crc_reflected(const std::array<std::uint32_t, 256>& table, std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ table[(crc ^ byte) & 0xff];
  return ~crc;
}

std::uint32_t crc_forward(const std::array<std::uint32_t, 256>& table, std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const std::uint8_t byte : bytes) crc = (crc << 8) ^ table[(crc >> 24) ^ byte];
  return ~crc;
}

std::uint32_t xxhash32(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kPrime1 = 0x9e3779b1u, kPrime2 = 0x85ebca77u, kPrime3 = 0xc2b2ae3du, kPrime4 = 0x27d4eb2fu,
                          kPrime5 = 0x165667b1u;
  const auto word = [&](std::size_t at) {
    return static_cast<std::uint32_t>(bytes[at]) | static_cast<std::uint32_t>(bytes[at + 1]) << 8 |
           static_cast<std::uint32_t>(bytes[at + 2]) << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
  };
  std::size_t at = 0;
  std::uint32_t hash = kPrime5;
  if (bytes.size() >= 16) {
    std::array<std::uint32_t, 4> lane{kPrime1 + kPrime2, kPrime2, 0u, 0u - kPrime1};
    for (; at + 16 <= bytes.size(); at += 16) {
      for (std::size_t i = 0; i < 4; ++i) lane[i] = std::rotl(lane[i] + word(at + 4 * i) * kPrime2, 13) * kPrime1;
    }
    hash = std::rotl(lane[0], 1) + std::rotl(lane[1], 7) + std::rotl(lane[2], 12) + std::rotl(lane[3], 18);
  }
  hash += static_cast<std::uint32_t>(bytes.size());
  for (; at + 4 <= bytes.size(); at += 4) hash = std::rotl(hash + word(at) * kPrime3, 17) * kPrime4;
  for (; at < bytes.size(); ++at) hash = std::rotl(hash + bytes[at] * kPrime5, 11) * kPrime1;
  hash = (hash ^ (hash >> 15)) * kPrime2;
  hash = (hash ^ (hash >> 13)) * kPrime3;
  return hash ^ (hash >> 16);
}

// Least significant byte first.
std::uint64_t little(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) word |= std::uint64_t{bytes[at + i]} << (8 * i);
  return word;
}

std::uint64_t xxhash64(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87u, kPrime2 = 0xc2b2ae3d27d4eb4fu, kPrime3 = 0x165667b19e3779f9u,
                          kPrime4 = 0x85ebca77c2b2ae63u, kPrime5 = 0x27d4eb2f165667c5u;
  const auto round = [](std::uint64_t sum, std::uint64_t word) { return std::rotl(sum + word * kPrime2, 31) * kPrime1; };
  std::size_t at = 0;
  std::uint64_t hash = kPrime5;
  if (bytes.size() >= 32) {
    std::array<std::uint64_t, 4> lane{kPrime1 + kPrime2, kPrime2, 0u, 0u - kPrime1};
    for (; at + 32 <= bytes.size(); at += 32) {
      for (std::size_t i = 0; i < 4; ++i) lane[i] = round(lane[i], little(bytes, at + 8 * i, 8));
    }
    hash = std::rotl(lane[0], 1) + std::rotl(lane[1], 7) + std::rotl(lane[2], 12) + std::rotl(lane[3], 18);
    for (const std::uint64_t sum : lane) hash = (hash ^ round(0, sum)) * kPrime1 + kPrime4;
  }
  hash += bytes.size();
  for (; at + 8 <= bytes.size(); at += 8) hash = std::rotl(hash ^ round(0, little(bytes, at, 8)), 27) * kPrime1 + kPrime4;
  if (at + 4 <= bytes.size()) {
    hash = std::rotl(hash ^ little(bytes, at, 4) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < bytes.size(); ++at) hash = std::rotl(hash ^ bytes[at] * kPrime5, 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace

std::uint64_t checksum(ir::Algo algo, std::span<const std::uint8_t> bytes) {
  switch (algo) {
    case ir::Algo::Adler32: return adler32(bytes);
    case ir::Algo::Crc32: return crc_reflected(kCrc32, bytes);
    case ir::Algo::Crc32c: return crc_reflected(kCrc32c, bytes);
    case ir::Algo::Crc32Bzip2: return crc_forward(kCrc32Bzip2, bytes);
    case ir::Algo::XxHash32: return xxhash32(bytes);
    case ir::Algo::XxHash64: return xxhash64(bytes);
  }
  return 0;
}

}  // namespace sluice::interp
