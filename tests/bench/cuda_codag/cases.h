#pragma once
// What is measured: columns, text and binaries, cut into chunks and compressed on the host.
//
// CODAG (Park et al., section V-B) uses seven columns. Those that can be had are real; the others are stand-ins of the
// same kind, as the data directory's README says:
//   MC0 mortgage loan number, u64, long runs      TPC taxi passengers, i8      TC2 sorted graph sources, u64
//   MC3 mortgage rate, fp32 as u32, long runs     TPT taxi payment, char       CD2 Criteo count, u32      HRG genome, char
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace sluice::bench {

using test::Bytes;

struct Material {
  std::vector<Bytes> raw, packed;  // chunk for chunk
  std::string problem;             // why there is none
  [[nodiscard]] std::uint64_t raw_bytes() const;
  [[nodiscard]] std::uint64_t packed_bytes() const;
};

struct Case {
  std::string group;         // of one table: "CODAG's columns"
  std::string name;          // "MC0 deflate"
  std::string data, codec, set;
  std::size_t chunk = 0;     // bytes of output
  std::vector<std::string> schedules;  // names of strategy::variants()
  double wanted = 0;         // GB/s that the project set itself, for the fastest of warp or split; 0: none
  std::function<Material(const Case&)> make;
};

// `data`: the directory of the test data; `corpus`: one with cpp_text.bin and x86_binary.bin, which are big and made
// by tests/gpu/pack.sh.
std::vector<Case> cases(const std::filesystem::path& data, const std::filesystem::path& corpus);

}  // namespace sluice::bench
