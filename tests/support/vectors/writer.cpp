#include "tests/support/vectors/writer.h"

#include <fstream>

namespace sluice::test::vectors {
namespace {

constexpr std::string_view kReadme =
    "Made by sluice_make_vectors (tests/support/vectors): bit by bit, or by the control library a name mentions.\n"
    "NAME.in is the input. NAME.out is the expected output, or NAME.err the expected refusal: reason and bit position.\n"
    "NAME.set holds compile-time parameters, NAME.dict a preset dictionary.\n";

}  // namespace

Bytes text(std::string_view characters) { return {characters.begin(), characters.end()}; }

Bytes join(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes little(std::uint64_t value, unsigned bytes) {
  Bytes out;
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return out;
}

Bytes big(std::uint64_t value, unsigned bytes) {
  const Bytes reversed = little(value, bytes);
  return {reversed.rbegin(), reversed.rend()};
}

Bytes prose() {
  return text(
      "A sluice lets through what it should and holds back what it should not. The gate is lifted a little, the water "
      "runs a little; the gate is lifted a lot, the water runs a lot. Nobody has to count the drops: the gate does it, "
      "it does it.\n");
}

BitWriter& BitWriter::bits(std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i, ++position_) {
    if (position_ % 8 == 0) data_.push_back(0);
    data_.back() = static_cast<std::uint8_t>(data_.back() | ((value >> i) & 1) << (position_ % 8));
  }
  return *this;
}

BitWriter& BitWriter::code(std::uint32_t value, unsigned count) {
  for (unsigned i = count; i-- > 0;) bits((value >> i) & 1, 1);
  return *this;
}

BitWriter& BitWriter::align() { return bits(0, static_cast<unsigned>((8 - position_ % 8) % 8)); }

BitWriter& BitWriter::bytes(std::span<const std::uint8_t> data) {
  for (const std::uint8_t byte : data) bits(byte, 8);
  return *this;
}

void Writer::write(const std::string& codec, const std::string& file, std::span<const std::uint8_t> content) {
  const auto directory = codecs_ / codec / "vectors";
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::ofstream stream(directory / file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  if (!stream.flush()) ok_ = false;
}

void Writer::common(const std::string& codec, const std::string& name, const Bytes& in, const Extra& extra) {
  ++count_;
  write(codec, "README.txt", text(kReadme));
  write(codec, name + ".in", in);
  if (!extra.set.empty()) write(codec, name + ".set", text(extra.set + "\n"));
  if (!extra.dictionary.empty()) write(codec, name + ".dict", extra.dictionary);
}

void Writer::good(const std::string& codec, const std::string& name, const Bytes& in, const Bytes& out,
                  const Extra& extra) {
  common(codec, name, in, extra);
  write(codec, name + ".out", out);
}

void Writer::further(const std::string& codec, const std::string& name, const std::string& output, const Bytes& out) {
  write(codec, name + ".out." + output, out);
}

void Writer::bad(const std::string& codec, const std::string& name, const Bytes& in, const std::string& reason,
                 std::uint64_t position, const Extra& extra) {
  common(codec, name, in, extra);
  write(codec, name + ".err", text(reason + " " + std::to_string(position) + "\n"));
}

void Writer::bad_dictionary(const std::string& codec, const std::string& name, const Bytes& in, const std::string& reason,
                            std::uint64_t position, const Bytes& dictionary) {
  common(codec, name, in, {"", dictionary});
  write(codec, name + ".err", text(reason + " " + std::to_string(position) + " of the dictionary\n"));
}

}  // namespace sluice::test::vectors
