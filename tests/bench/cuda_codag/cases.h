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

#include "tests/bench/cuda_codag/material.h"

namespace sluice::bench {

// A schedule of a case is a name, or else directives: "strategy speculate, chunk_warps 4".
inline bool is_directives(const std::string& schedule) { return schedule.find(' ') != std::string::npos; }

// What the project set itself for a case, of each of its schedules.
struct Goal {
  enum class Against : std::uint8_t {
    Nothing,   // shown, not judged
    Rate,      // GB/s of output
    Peer,      // the throughput of nvCOMP on the same chunks
    Bare,      // that of the case of the codec `bare` on the same data, under the same schedule
    Decoding,  // decoded sizes: that of decoding the same chunks under the same schedule
    Warp,      // that of warp/shared
  };
  std::string row;  // of the table of goals: "LZ4, 64 KiB"
  Against against = Against::Nothing;
  double floor = 0, aim = 0;
  std::string bare{};
};

struct Case {
  std::string group;         // of one table: "CODAG's columns"
  std::string name;          // "MC0 deflate"
  std::string data, codec, set;
  std::size_t chunk = 0;     // bytes of output
  std::vector<std::string> schedules;  // names of strategy::variants(), "default", or directives
  double wanted = 0;         // GB/s that the project set itself, for the fastest of warp or split; 0: none
  std::function<Material(const Case&)> make;
  std::uint64_t launch = 0;  // chunks of one launch; 0: what makes the output large enough
  bool sizes = false;        // decoded sizes too
  Goal goal;
};

// `data`: the directory of the test data; `corpus`: one with cpp_text.bin and x86_binary.bin, which are big and made
// by tests/gpu/pack.sh.
std::vector<Case> cases(const std::filesystem::path& data, const std::filesystem::path& corpus);

// What is measured beside the peers (peers.h), with goals: the files of one table by name, in chunks from 1 byte to 4 MiB.
// `corpus` has cpp_text.bin and x86_code.bin, which tests/bench/corpus.py makes.
std::vector<Case> peer_cases(const std::filesystem::path& data, const std::filesystem::path& corpus);

}  // namespace sluice::bench
