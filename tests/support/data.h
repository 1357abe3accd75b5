// The shared test data: which file is decoded by which codec, and what must come out.
//
// The data is not part of the repository. $SLUICE_DATA names its directory; otherwise ../shared/data beside the
// source tree is taken. Tests that need it are skipped with the reason when it is absent.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sluice::test {

// What the data's makers found out about a file.
enum class Expect : std::uint8_t {
  Output,     // decodes to bytes of this hash
  Refusal,    // refused
  Unfinished, // output stands, but the stream never ends: refused for want of input after the whole output
};

struct DataCase {
  std::filesystem::path path;   // absolute
  std::string name;             // relative to the data directory
  std::string codec;            // name under codecs/
  std::string set;              // compile-time parameters, "T=u64", or empty
  Expect expect = Expect::Output;
  std::uint64_t expected_bytes = 0;
  std::string expected_sha256;  // empty for Refusal
  std::string exercises;        // the makers' words
};

// Directory of the data, if there is one.
std::optional<std::filesystem::path> data_directory();

// Why data_directory() is empty, for the skip message.
std::string data_missing_reason();

// Every file of MANIFEST.tsv and orc/streams/INDEX.tsv that one of our codecs decodes, in file order.
std::vector<DataCase> data_cases();

}  // namespace sluice::test
