#include "compiler/interp/prefix_code.h"

namespace sluice::interp {

PrefixCode::Built PrefixCode::build(std::span<const std::uint64_t> lengths, ir::Incomplete policy) {
  count_.assign(max_bits_ + 1, 0);
  sorted_.clear();
  for (const std::uint64_t length : lengths) {
    if (length > max_bits_) return Built::Oversubscribed;
    if (length > 0) ++count_[length];
  }
  // Share of the code space in use, in units of 2^-max_bits. At most 2^32 symbols of weight 2^max_bits: no overflow.
  std::uint64_t used = 0;
  std::uint64_t codes = 0;
  for (unsigned length = 1; length <= max_bits_; ++length) {
    used += std::uint64_t{count_[length]} << (max_bits_ - length);
    codes += count_[length];
  }
  const std::uint64_t whole = std::uint64_t{1} << max_bits_;
  if (used > whole) return Built::Oversubscribed;
  const bool lone = codes == 1 && count_[1] == 1;
  const bool allowed = used == whole || codes == 0 || policy == ir::Incomplete::Accept ||
                       (policy == ir::Incomplete::Single && lone);
  if (!allowed) return Built::Incomplete;

  std::vector<std::size_t> next(max_bits_ + 1, 0);  // where the next symbol of each length goes
  for (unsigned length = 1; length < max_bits_; ++length) next[length + 1] = next[length] + count_[length];
  sorted_.resize(codes);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t symbol = longest_first_ ? lengths.size() - 1 - i : i;
    if (lengths[symbol] > 0) sorted_[next[lengths[symbol]]++] = static_cast<std::uint32_t>(symbol);
  }
  return Built::Ok;
}

PrefixCode::Symbol PrefixCode::decode(BitReader& in) const {
  BitReader ahead = in;
  const std::uint64_t available = in.left();
  std::uint64_t code = 0;   // the bits so far
  std::uint64_t first = 0;  // the first code of this length
  std::size_t before = 0;   // symbols with shorter codes
  for (unsigned length = 1; length <= max_bits_ && length <= available; ++length) {
    code = (code << 1) | (ahead.bit() ^ (longest_first_ ? 1u : 0u));
    if (code >= first && code - first < count_[length]) {
      in = ahead;
      return {sorted_[before + static_cast<std::size_t>(code - first)], Miss::NoSuchCode};
    }
    before += count_[length];
    first = (first + count_[length]) << 1;
  }
  return {std::nullopt, available < max_bits_ ? Miss::EndOfInput : Miss::NoSuchCode};
}

}  // namespace sluice::interp
