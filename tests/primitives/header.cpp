#include "tests/primitives/header.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sluice::primitives {

using Kind = Seen::Kind;

void add(Header& header, const Seen& more) {
  const auto [at, is_new] = header.seen.emplace(more.first, more);
  if (is_new) return;
  Seen& seen = at->second;
  seen.last = std::max(seen.last, more.last);
  seen.names.insert(more.names.begin(), more.names.end());
  seen.needs.insert(more.needs.begin(), more.needs.end());
  seen.operands.insert(more.operands.begin(), more.operands.end());
}

namespace {

const char* word(Kind kind) {
  switch (kind) {
    case Kind::Declaration:
    case Kind::Statement:
    case Kind::Macro:
      return "Declaration";
    case Kind::Open:
      return "Open";
    case Kind::Close:
      return "Close";
    case Kind::Always:
      return "Always";
    case Kind::If:
      return "If";
    case Kind::Else:
      return "Else";
    case Kind::Endif:
      return "Endif";
  }
  return "";
}

// Conditions are pieces of their own where they stand between declarations. Those inside of one, or around nothing but
// macros (`#ifndef X`, `#define X 1`, `#endif`), are part of it; those around macros that every text has are as a whole in
// every text, since a compiler that is not Clang sees what Clang has skipped.
std::vector<Seen> without_inner_conditions(const Header& header) {
  std::vector<Seen> all;
  for (const auto& [line, seen] : header.seen) {
    const bool inside = !all.empty() && seen.last <= all.back().last;
    if (!inside) all.push_back(seen);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != Kind::If) continue;
    std::size_t end = i, depth = 0;
    bool macros = true, words = true;
    Seen whole = all[i];
    for (;; ++end) {
      if (end == all.size()) return all;
      depth += all[end].kind == Kind::If;
      if (all[end].kind == Kind::Endif && --depth == 0) break;
      const Kind kind = all[end].kind;
      const bool condition = kind == Kind::If || kind == Kind::Else || kind == Kind::Endif;
      if (!condition) whole.names.insert(all[end].names.begin(), all[end].names.end());
      macros = macros && (condition || kind == Kind::Macro);
      words = words && (condition || kind == Kind::Always);
    }
    if (!macros && !words) continue;
    whole.kind = macros ? Kind::Macro : Kind::Always;
    whole.last = all[end].last;
    all[i] = whole;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  }
  return all;
}

// What is asserted of a declaration goes with it.
void join_statements(std::vector<Seen>& all) {
  for (std::size_t i = 1; i < all.size();) {
    if (all[i].kind != Kind::Statement || all[i - 1].kind != Kind::Declaration) {
      ++i;
      continue;
    }
    all[i - 1].last = all[i].last;
    all[i - 1].needs.insert(all[i].needs.begin(), all[i].needs.end());
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Lines of the header's head: its guard in the first line, and the comment behind that. None of it is a declaration's.
unsigned head_lines(std::string_view text) {
  unsigned lines = 0;
  while (text.starts_with("//") || text.starts_with("#pragma once")) {
    ++lines;
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return lines;
}

}  // namespace

std::string index_of(const Header& header, const std::set<std::string>& known, std::string& problem) {
  std::vector<Seen> all = without_inner_conditions(header);
  join_statements(all);
  unsigned line = head_lines(header.text);
  std::string out = fmt::format("PIECE(Head, {}, \"\", \"\", \"\")\n", line - 1);
  for (Seen& seen : all) {
    if (seen.first <= line) {
      problem = fmt::format("{}:{}: two declarations on one line", header.path, seen.first);
      return {};
    }
    std::erase_if(seen.needs, [&](const std::string& name) {
      return seen.names.contains(name) || !known.contains(name.starts_with("::") ? name.substr(2) : name);
    });
    out += fmt::format("PIECE({}, {}, \"{}\", \"{}\", \"{}\")\n", word(seen.kind), seen.last - line,
                       fmt::join(seen.names, " "), fmt::join(seen.needs, " "), fmt::join(seen.operands, " "));
    line = seen.last;
  }
  return out;
}

}  // namespace sluice::primitives
