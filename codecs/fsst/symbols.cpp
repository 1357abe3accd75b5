#include "codecs/fsst/symbols.h"

#include <algorithm>

namespace sluice::encode::fsst {

Matcher::Matcher(std::span<const Symbol> symbols) : first_((std::size_t{1} << kHeadBits) + 1) {
  single_.fill(-1);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    if (symbols[i].size == 1) {
      single_[symbols[i].bytes] = index;
    } else {
      entries_.push_back({symbols[i].bytes, index, symbols[i].size});
    }
  }
  const auto head = [](const Entry& entry) { return head_of(entry.bytes); };
  std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) {
    if (head(a) != head(b)) return head(a) < head(b);
    return a.size != b.size ? a.size > b.size : a.bytes < b.bytes;
  });
  for (const Entry& entry : entries_) ++first_[head(entry) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

}  // namespace sluice::encode::fsst
