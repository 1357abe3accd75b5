#include "compiler/artifact/hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <memory>

namespace sluice::artifact {

std::array<std::uint8_t, kHashBytes> content_hash(std::span<const std::uint8_t> head,
                                                  std::span<const std::uint8_t> payload) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), head.data(), head.size());
  XXH3_128bits_update(state.get(), payload.data(), payload.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
  std::array<std::uint8_t, kHashBytes> hash;
  static_assert(sizeof canonical.digest == kHashBytes);
  std::memcpy(hash.data(), canonical.digest, kHashBytes);
  return hash;
}

std::string hash_text(std::span<const std::uint8_t> file) {
  if (file.size() < kPayloadAt) return {};
  std::string text;
  for (const std::uint8_t byte : file.subspan(kHashAt, kHashBytes)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace sluice::artifact
