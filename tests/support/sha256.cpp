#include "tests/support/sha256.h"

#include <openssl/sha.h>

#include <array>

namespace sluice::test {

std::string sha256_hex(std::span<const std::uint8_t> data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(data.data(), data.size(), digest.data());
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace sluice::test
