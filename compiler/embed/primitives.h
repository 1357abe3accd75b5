#pragma once
// The primitives that a generated text needs, out of the headers they stand in (runtime/prim): what it names, what that
// names in turn, and nothing else. The order is the headers', comments and conditions of the preprocessor go along.
//
//   names {copy_bytes}  ->  kLanes, kWorkers; worker; edge_word; copy_words; copy_bytes; and the words of base.h
//
// What a declaration names is known from an index of the headers (compiler/embed/index), which tests/primitives makes with
// Clang's libraries. The tree keeps it: a build needs no Clang, and one whose index is behind a header does not go through.
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace sluice::embed {

// Names in `prim`, and those that the text of `thread` uses (strategy split): there `prim` is a namespace of its own, behind
// which the other one is seen. Static storage: emitters' literals.
struct PrimitiveNames {
  std::set<std::string_view> prim, thread;

  void add(const PrimitiveNames& more) {
    prim.insert(more.prim.begin(), more.prim.end());
    thread.insert(more.thread.begin(), more.thread.end());
  }
};

struct PrimitiveTexts {
  std::string prim, thread;
  std::set<std::string_view> macros;  // that they define
};

// Of the headers in `prim`, and of those in `thread` (primitive_sets.h).
[[nodiscard]] PrimitiveTexts primitives(std::span<const std::string_view> prim, std::span<const std::string_view> thread,
                                        const PrimitiveNames&);

}  // namespace sluice::embed
