// The targets every conformance test runs, and the comparison they share.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/subject.h"

namespace sluice::test {

// All targets of one codec; the interpreter, which defines what is right, stands first. Kept for the program's life.
struct Subjects {
  const Codec* codec = nullptr;
  std::vector<std::unique_ptr<Subject>> all;
  std::string jit_missing;  // why there is no just_in_time one, if so
};
const Subjects& subjects(std::string_view codec, std::string_view set);

// One decode with the bytes it made: those of the first `produced` elements.
struct Decoded {
  Outcome outcome;
  Bytes bytes;
};
Decoded decode(const Subject& subject, std::span<const std::uint8_t> in, std::uint64_t capacity_elements,
               std::span<const std::uint8_t> dictionary, unsigned element_bytes);

// Runs every target on the same bytes. All must give the interpreter's error word, produced, consumed and bytes; the
// interpreter's result is returned.
Decoded agree(const Subjects& subjects, std::span<const std::uint8_t> in, std::uint64_t capacity_elements,
              std::span<const std::uint8_t> dictionary, const std::string& what);

// The same for count mode; returns the interpreter's outcome.
Outcome agree_count(const Subjects& subjects, std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary,
                    const std::string& what);

// Both, and again in pages of their own, so that a byte too many is a fault: with as much room as the output needs, and up to
// `less` elements less. What fits must be the same then, too.
void agree_in_pages(const Subjects& subjects, std::span<const std::uint8_t> in, std::uint64_t capacity_elements, std::uint64_t less,
                    const std::string& what);

// False, with a test failure, when the codec has no module or a target that the build promises is missing.
bool usable(const Subjects& subjects);

}  // namespace sluice::test
