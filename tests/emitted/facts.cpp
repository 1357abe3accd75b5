#include "tests/emitted/facts.h"

#include <algorithm>

namespace sluice::emitted {

using namespace clang;

std::int64_t Amount::at(const VarDecl* position) const {
  const auto found = of.find(position);
  return found == of.end() ? other : std::min(other, found->second);
}

std::int64_t Amount::step(const VarDecl* position) const {
  const auto found = each.find(position);
  return found == each.end() ? 0 : found->second;
}

bool Facts::join(const Facts& o) {
  Facts was = *this;
  for (auto& [position, place] : places)
    if (const auto found = o.places.find(position); found != o.places.end())
      place = {std::min(place.margin, found->second.margin), std::max(place.used, found->second.used)};
  // One that has used more than any access may, and maybe more each time round, is as good as not tested.
  std::erase_if(places,
                [&](const auto& x) { return !o.places.contains(x.first) || x.second.used > 2 * x.second.margin; });
  for (auto& [n, amount] : amounts) {
    const auto found = o.amounts.find(n);
    if (found == o.amounts.end()) continue;
    Amount both{std::max(amount.other, found->second.other), {}, {}};
    for (const auto& [position, bits] : amount.each) both.each[position] = std::min(bits, found->second.step(position));
    for (const Amount* each : {static_cast<const Amount*>(&amount), &found->second})
      for (const auto& [position, by] : each->of)
        both.of[position] = std::max(amount.at(position), found->second.at(position));
    std::erase_if(both.of, [](const auto& y) { return y.second == kAnything; });
    amount = std::move(both);
  }
  std::erase_if(amounts, [&](const auto& x) {
    return !o.amounts.contains(x.first) || (x.second.other == kAnything && x.second.of.empty());
  });
  std::erase_if(below, [&](const auto& x) {
    const auto found = o.below.find(x.first);
    return found == o.below.end() || found->second != x.second;
  });
  std::erase_if(held, [&](const Held& h) { return !o.held.contains(h); });
  std::erase_if(above, [&](const auto& x) {
    const auto found = o.above.find(x.first);
    return found == o.above.end() || found->second != x.second;
  });
  std::erase_if(to_go, [&](const auto& x) {
    const auto found = o.to_go.find(x.first);
    return found == o.to_go.end() || found->second != x.second;
  });
  room = std::min(room, o.room);
  return was.places != places || was.amounts != amounts || was.below != below || was.held != held ||
         was.above != above || was.to_go != to_go || was.room != room;
}

void Facts::forget(const VarDecl* changed) {
  places.erase(changed);
  amounts.erase(changed);
  for (auto& [n, amount] : amounts) amount.of.erase(changed), amount.each.erase(changed);
  std::erase_if(below, [&](const auto& x) { return x.first == changed || x.second == changed; });
  std::erase_if(held, [&](const Held& h) { return h.stream == changed || h.names.contains(changed); });
  std::erase_if(to_go, [&](const auto& x) { return x.first == changed || x.second.first == changed; });
  above.clear();
}

void Facts::moved(const VarDecl* stream, std::optional<std::int64_t> bits) {
  std::set<Held> left;
  for (Held h : held) {
    if (stream != nullptr && h.stream != stream) {
      left.insert(std::move(h));
      continue;
    }
    if (!bits || !h.number || h.unit != Unit::Bits || *h.number <= *bits) continue;
    h.number = *h.number - *bits;
    h.text = std::to_string(*h.number);
    left.insert(std::move(h));
  }
  held = std::move(left);
}

void Facts::same_place(const VarDecl* to, const VarDecl* from) {
  if (const auto at = places.find(from); at != places.end()) places[to] = at->second;
  for (auto& [n, amount] : amounts) {
    if (const auto of = amount.of.find(from); of != amount.of.end()) amount.of[to] = of->second;
    if (const auto each = amount.each.find(from); each != amount.each.end()) amount.each[to] = each->second;
  }
}

void Facts::next_of(const VarDecl* count) {
  const auto amount = amounts.find(count);
  if (amount == amounts.end()) return;
  for (const auto& [position, by] : amount->second.of) {
    const auto place = places.find(position);
    if (by == 0 && place != places.end() && place->second.used <= place->second.margin)
      place->second.used = -amount->second.step(position);
  }
}

}  // namespace sluice::emitted
