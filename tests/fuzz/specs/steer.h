// Inputs that a format takes far into: grown by what the interpreter says about the last try.
//
//   end_of_input at bit 96      ->  more bytes behind
//   reject bad_size at bit 40   ->  other bytes around the fifth
//
// What is kept is what got further, or to a statement that no input of this format reached before.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "compiler/interp/interp.h"
#include "compiler/ir/ir.h"
#include "tests/fuzz/specs/random.h"

namespace sluice::fuzz {

using Bytes = std::vector<std::uint8_t>;

// Elements of room while inputs are looked for, and steps after which an input is given up.
inline constexpr std::uint64_t kRoom = std::uint64_t{1} << 14;
inline constexpr std::uint64_t kMaxSteps = 60000;
inline constexpr std::size_t kMaxInput = 4096;
inline constexpr std::size_t kMostInput = 2 * kMaxInput;  // more of them are not checked

inline constexpr std::string_view kDictionary = "the gate is lifted; the water runs; hello, ";

// The interpreter with a budget: nothing when the input takes more than kMaxSteps steps. `steps`, if given, receives
// how many it took.
[[nodiscard]] std::optional<interp::Result> interpret_some(const ir::Module& module, std::span<const std::uint8_t> in,
                                                           std::span<std::uint8_t> out,
                                                           std::unordered_set<const ir::Stmt*>* reached,
                                                           std::uint64_t* steps = nullptr);

// Up to `count` inputs; `seeds`, if there are any, are where they start.
[[nodiscard]] std::vector<Bytes> steer(const ir::Module& module, Random& random, unsigned count,
                                       std::span<const Bytes> seeds);

}  // namespace sluice::fuzz
