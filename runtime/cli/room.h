#pragma once
// How much output a file may make here, and the addresses to put it. One rule on every target: the format decides with
// unlimited room; what a caller (`--max-output`) or the machine's memory does not allow is said in the same words, and
// is no verdict about the data.
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/cli/files.h"

namespace sluice::cli {

struct Room {
  std::uint64_t bytes = 0;  // of one file's output
  bool asked = false;       // that is what `--max-output` says; else it is the memory that is free
};

// Bytes of memory that can be had without taking them from others: what the kernel estimates, and less in a control
// group with a limit. A part is left alone (kLeftAlone).
std::uint64_t available_memory();

// `max_output` bytes, or all memory there is if that is less.
Room room_for_output(std::optional<std::uint64_t> max_output);

// "the output is larger than the 1000 bytes that --max-output allows", or the same of free memory.
std::string no_room_text(const Room& room);

// Addresses for `wanted` bytes, fewer where a limit on addresses (ulimit -v) asks for modesty, never less than `least`.
// Only what is written to takes memory. Nothing: not even `least` can be had.
std::optional<Buffer> reserve(std::uint64_t wanted, std::uint64_t least);

}  // namespace sluice::cli
