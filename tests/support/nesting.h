// Data of a wanted depth of nested copies (the Gompresso paper, section V-A and figure 10).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::test {

// `size` bytes whose sequences, 32 to a group, take `depth` rounds of multi-round resolution; `depth` divides 32. The
// first two groups, in which the strings come for the first time, may take others.
//
// 32 / depth strings of 16 bytes take turns. Each time a string comes round, its first or its last byte has changed, by
// turns, so that the longest match is 15 bytes of the time before, 32 / depth sequences ago:
//
//   depth 32:  |abcd|aecd ... one string      depth 16:  |abcd|wxyz|abce|wxyt ... two strings, two copies a round
//
// A separator from bytes of its own stands before each, so that no match runs from one into the next. Holds for windows
// of at most 8192 bytes and shortest copies of at least 3.
std::vector<std::uint8_t> nested_data(std::size_t size, unsigned depth);

}  // namespace sluice::test
