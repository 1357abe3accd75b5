#pragma once
// Where each file's decoded data goes.
//
//   sluice decode gzip a.gz -o a               a
//   sluice decode gzip x/a.gz y/b.gz -o dir    dir/a.gz.out, dir/b.gz.out
//   sluice decode gzip a.gz b.gz --in-place    a.gz, b.gz
//
// Refused before anything is decoded (exit codes as everywhere): two outputs of one name, an output that is also an
// input, the dictionary or the spec, a place that can't be written to.
#include <string>
#include <vector>

namespace sluice::cli {

struct DecodeNames {
  std::string spec, dictionary, output;
  std::vector<std::string> files;
  bool in_place = false;
};

// One path a file, in order. When they can't be had, `exit_code` says so and the reason has been printed.
[[nodiscard]] std::vector<std::string> decode_outputs(const DecodeNames& names, int& exit_code);

}  // namespace sluice::cli
