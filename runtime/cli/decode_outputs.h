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

#include "runtime/api/sluice.hpp"

namespace sluice::cli {

struct DecodeNames {
  std::string spec, dictionary, output;
  std::vector<std::string> files;
  bool in_place = false;
};

// Where a format's further outputs go of which those paths are the main one's: `a.offsets` beside `a`. One list a file.
// Refused like these, and where the main one is a stream or replaces its file.
[[nodiscard]] std::vector<std::vector<std::string>> further_paths(const DecodeNames& names, const std::vector<std::string>& paths,
                                                                  const std::vector<FurtherOutput>& outputs, int& exit_code);

// One path a file, in order. When they can't be had, `exit_code` says so and the reason has been printed.
[[nodiscard]] std::vector<std::string> decode_outputs(const DecodeNames& names, int& exit_code);

}  // namespace sluice::cli
