#pragma once
// Functions that a kernel's text has in an object of their own where it is compiled as several, as the plan says (plan/objects.h).
//
// note [objects]: compiled with SLUICE_OBJECT 1, 2, ..., a text makes relocatable objects, which are linked. The first one has the
// kernels and all shared memory, each other one some functions and what only they call; what else they call, an object has for itself. A
// function is a template, with output or without: of another object's, the forms that the text's kernels need are calls. Without
// SLUICE_OBJECT the text is one object, in which everything is static.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/context.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/plan.h"

namespace sluice::emit {

struct Apart {
  std::uint32_t object = 1;           // 1: the kernel's
  std::string result, name;           // "bool", "tokens_rule2_body_0"
  std::string parameters, arguments;  // "State& s, u64 v0_size", "s, v0_size"
  // Of the forms of it that are called: what they are linked as, and their template arguments. None: with output, without, or both.
  std::vector<std::pair<std::string, std::string>> forms = {};
};

// Behind the declarations of one object's functions:
//   #if SLUICE_ELSEWHERE(2)
//   SLUICE_LINKED bool decode_tokens_rule2_body_0(State& s);
//   template <> SLUICE_METHOD bool tokens_rule2_body_0<true>(State& s) { return decode_tokens_rule2_body_0(s); }
//   #endif
void write_elsewhere(Writer&, const Context&, std::span<const Apart>);
// Behind their definitions:
//   #if SLUICE_OBJECT == 2
//   SLUICE_LINKED bool decode_tokens_rule2_body_0(State& s) { return tokens_rule2_body_0<true>(s); }
//   #endif
void write_linked(Writer&, const Context&, std::span<const Apart>);

// The objects of what decodes a loop's tokens; 1, and 0: it has none.
[[nodiscard]] plan::Objects::Engine engine_of(const Context&, const plan::Plan&, const plan::Loop&);

// Opens the namespace of the text, which has a name where objects find each other's functions in it, behind what they are told apart by.
void open_namespace(Writer&, const Context&);

}  // namespace sluice::emit
