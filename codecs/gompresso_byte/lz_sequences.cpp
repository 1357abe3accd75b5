#include "codecs/gompresso_byte/lz_sequences.h"

#include <algorithm>
#include <cstddef>

namespace sluice::encode {
namespace {

constexpr unsigned kHashBits = 15;
constexpr std::uint32_t kNone = 0xffffffff;

struct Match {
  std::uint32_t length = 0;
  std::uint32_t distance = 0;
  bool too_new = false;  // there is a match that reaches above the mark
};

class Matcher {
 public:
  Matcher(std::span<const std::uint8_t> block, const LzSettings& settings)
      : block_(block),
        settings_(settings),
        newest_(std::size_t{1} << kHashBits, kNone),
        settled_(std::size_t{1} << kHashBits, kNone),
        before_(block.size(), kNone) {}

  // The best match for `position` among the positions added. `mark`: where sources have to end.
  [[nodiscard]] Match find(std::uint32_t position, std::uint32_t mark) const {
    Match best;
    if (!hashable(position)) return best;
    const std::uint32_t slot = hash(position);
    std::uint32_t left = settings_.chain;
    std::uint32_t candidate = newest_[slot];
    // Candidates above the mark are not counted: there are at most as many as the group is long.
    while (candidate != kNone && position - candidate <= settings_.window && left > 0) {
      if (consider(position, candidate, mark, best)) --left;
      candidate = before_[candidate];
    }
    candidate = settled_[slot];
    if (candidate != kNone && position - candidate <= settings_.window) consider(position, candidate, mark, best);
    if (best.length < settings_.shortest) best.length = 0;
    return best;
  }

  void add(std::uint32_t position) {
    if (!hashable(position)) return;
    const std::uint32_t slot = hash(position);
    before_[position] = newest_[slot];
    newest_[slot] = position;
    if (settled_[slot] == kNone || position - settled_[slot] > settings_.staleness) settled_[slot] = position;
  }

 private:
  [[nodiscard]] bool hashable(std::uint32_t position) const { return position + settings_.shortest <= block_.size(); }

  [[nodiscard]] std::uint32_t hash(std::uint32_t position) const {
    std::uint32_t key = 0;
    for (std::uint32_t i = 0; i < settings_.shortest; ++i) key = key << 8 | block_[position + i];
    return key * 2654435761u >> (32 - kHashBits);  // Knuth's multiplier, 2^32 / golden ratio
  }

  // Says whether the candidate lies low enough to be of use.
  bool consider(std::uint32_t position, std::uint32_t candidate, std::uint32_t mark, Match& best) const {
    const bool usable = !settings_.independent || candidate + settings_.shortest <= mark;
    if (!usable && best.too_new) return false;
    auto room = std::min(settings_.longest, static_cast<std::uint32_t>(block_.size() - position));
    if (usable && settings_.independent) room = std::min(room, mark - candidate);
    const std::uint8_t* const ours = block_.data() + position;
    const std::uint8_t* const theirs = block_.data() + candidate;
    const auto length = static_cast<std::uint32_t>(std::mismatch(ours, ours + room, theirs).first - ours);
    if (!usable) {
      best.too_new = length >= settings_.shortest;
      return false;
    }
    if (length > best.length || (length == best.length && position - candidate < best.distance)) {
      best.length = length;
      best.distance = position - candidate;
    }
    return true;
  }

  std::span<const std::uint8_t> block_;
  const LzSettings& settings_;
  std::vector<std::uint32_t> newest_;   // by hash: last position added
  std::vector<std::uint32_t> settled_;  // by hash: a position replaced only when it is stale
  std::vector<std::uint32_t> before_;   // by position: the one before with the same hash
};

}  // namespace

std::vector<Sequence> lz_sequences(std::span<const std::uint8_t> block, const LzSettings& settings) {
  std::vector<Sequence> sequences;
  Matcher matcher(block, settings);
  const auto size = static_cast<std::uint32_t>(block.size());
  std::uint32_t mark = 0;      // output position at the group's start
  std::uint32_t in_group = 0;  // sequences of the group so far
  std::uint32_t lost = 0;      // literals of the group that the mark kept from being copied
  Sequence open;
  std::uint32_t position = 0;
  const auto close = [&] {
    sequences.push_back(open);
    open = {};
    in_group = (in_group + 1) % settings.group;
    if (in_group == 0) {
      mark = position;
      lost = 0;
    }
  };
  while (position < size) {
    const Match match = matcher.find(position, mark);
    const std::uint32_t step = match.length != 0 ? match.length : 1;
    for (std::uint32_t i = 0; i < step; ++i) matcher.add(position + i);
    position += step;
    if (match.length != 0) {
      open.length = match.length;
      open.distance = match.distance;
      close();
      continue;
    }
    ++open.literals;
    if (!match.too_new) continue;
    if (++lost < settings.group - in_group) continue;
    do close();
    while (in_group != 0);
  }
  if (open.literals != 0) sequences.push_back(open);
  return sequences;
}

}  // namespace sluice::encode
