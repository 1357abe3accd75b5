#pragma once
// Error words as sentences.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "dsl/source/source.h"

namespace sluice::ir {

// The parts of an error word other than 0.
constexpr std::uint32_t error_rule(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 54); }
constexpr std::uint32_t error_clause(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 40) & 0x3fff; }
constexpr std::uint64_t error_bit(std::uint64_t word) { return word & ((std::uint64_t{1} << 40) - 1); }

// A `within dictionary` stands in the module, so that its words tell positions in the dictionary, too (kInDictionary).
bool reads_dictionary(const Module& module);

// What a word's 40 bits mean. They are `error_bits` of it again.
//   error_position(word of 0x8000000060, true) -> bit 0x60 of the dictionary      false -> bit 0x8000000060 of the input
struct ErrorPosition {
  std::uint64_t bit = 0;
  bool in_dictionary = false;
};
constexpr ErrorPosition error_position(std::uint64_t word, bool reads_dictionary) {
  if (!reads_dictionary) return {error_bit(word), false};
  return {word & (kInDictionary - 1), (word & kInDictionary) != 0};
}
constexpr std::uint64_t error_bits(ErrorPosition at, bool reads_dictionary) {
  return reads_dictionary ? (at.bit & (kInDictionary - 1)) | (at.in_dictionary ? kInDictionary : 0) : at.bit;
}

// The site that gave this word; none for 0 and for words that no site of the module gives.
std::optional<SiteId> find_site(const Module& module, std::uint64_t word);

// What a chunk is refused for that is the call's matter, not the format's: buffers are not where the schedule promises
// (seen before anything is written), or the room given does not suffice. Word: rule kCallRule, which no module has, the
// clause, bit 0.
inline constexpr std::uint32_t kCallRule = (1u << kErrorRuleBits) - 1;
struct CallError {
  std::uint32_t clause = 1;
  std::string_view name;  // "misaligned_output"
  std::string_view text;  // "the output does not start at a multiple of ..."
};
std::span<const CallError> call_errors();
constexpr std::uint64_t call_word(std::uint32_t clause) {
  return (std::uint64_t{kCallRule} << kErrorClauseBits | clause) << kErrorPositionBits;
}
// Of the schedule's directives input_alignment and output_alignment.
inline constexpr std::uint64_t kMisalignedInput = call_word(1), kMisalignedOutput = call_word(2);
// Every target: with more room the chunk might have been decoded, or refused for a reason of the format's.
inline constexpr std::uint64_t kNoRoom = call_word(3);

// "deflate.sluice:31:7: reject bad_distance at bit 40213 of chunk 17", or for the implicit reasons a sentence:
// "deflate.sluice:38:9: the input ends inside `distance` at bit 88 of chunk 17". Without a place in the sources (a
// module read from text, or an artifact) the rule's name stands in its stead: "body, clause 3: ...". What is wrong in a preset
// dictionary is told with the bit there: "... at bit 88 of the dictionary, chunk 17". "ok" for word 0.
std::string describe(const Module& module, const SourceSet& sources, std::uint64_t word, std::uint64_t chunk);

// The text under a span as people quote it: "`n + 300`", on one line and not too long; "a value" without one.
std::string quoted_source(const SourceSet& sources, Span span);

// Its parts, for artifacts, which keep the first: "deflate.sluice:31:7: reject bad_distance", the same with the word's
// position and the chunk, and what is said of a word that no site gives.
std::string describe_site(const Module& module, const SourceSet& sources, SiteId id);
std::string describe_call(std::string_view format, const CallError& error);
std::string at_bit_of_chunk(std::string_view site, std::uint64_t word, std::uint64_t chunk, bool reads_dictionary);
std::string unknown_word(std::string_view format, std::uint64_t word, std::uint64_t chunk);

}  // namespace sluice::ir
