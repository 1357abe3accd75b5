#pragma once
// Chunks with what the interpreter makes of them, which is what is right.
#include <cstdint>
#include <span>
#include <string>

#include "compiler/interp/interp.h"
#include "runtime/api/sluice.hpp"
#include "tests/support/files.h"

namespace sluice::gpu {

using test::Bytes;

// Room for what the interpreter makes: as given, or then cut down.
enum class Fit : std::uint8_t { AsGiven, Exact, OneShort, Less };

// One chunk with everything known about it.
struct Case {
  Bytes bytes;
  std::span<const std::uint8_t> dictionary;
  std::uint64_t capacity = 0;  // elements
  std::string what;            // for messages
  Fit fit = Fit::AsGiven;
  interp::Result decoded, counted;
  Bytes out;  // the `produced` elements
  std::vector<Bytes> further = {};  // the elements of each further output, which has room for as many as `out`
};

// Fills `decoded` and `out`, and cuts the room down where the case wants that.
void interpret(const ir::Module& module, std::uint64_t seed, Case& item);

// What differs, or an empty string.
std::string differ(const ir::Module& module, const interp::Result& right, const Status& got);

// "0a1b..."; long inputs are cut.
std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace sluice::gpu
