#pragma once
// ORC's run-length encodings, written as ORC's own writers choose runs: for measurements, whose data has to be
// what such files hold. Facts from the ORC specification (v1), sections "Byte Run Length Encoding", "Integer Run Length Encoding,
// version 1" and "version 2". The tests decode what comes out with the interpreter.
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::bench {

// Values as 64-bit words (sign-extended where `is_signed`). Unsigned values are below 2^63.
std::vector<std::uint8_t> encode_orc_rle_v1(std::span<const std::int64_t> values, bool is_signed);

// Widths of directly packed values are rounded up to 1, 2, 4, 8 and multiples of 8, as writers do unless asked to save
// space.
std::vector<std::uint8_t> encode_orc_rle_v2(std::span<const std::int64_t> values, bool is_signed);

std::vector<std::uint8_t> encode_orc_byte_rle(std::span<const std::uint8_t> bytes);

// The digits of decimals: each value by itself.
std::vector<std::uint8_t> encode_orc_decimal(std::span<const std::int64_t> values);

}  // namespace sluice::bench
