#pragma once
// What `sluice bench` measures: codecs, each with the files that are in it.
#include <string>
#include <vector>

#include "runtime/api/result.hpp"

namespace sluice::cli {

struct BenchCodec {
  std::string spec;
  std::vector<std::string> files;
};

// Whether it is the file of an artifact, by its name.
inline bool is_artifact(const std::string& spec) { return spec.ends_with(".sluicea"); }

// From the command line's words, in order: a codec, then its files; without files, its test vectors. Errors: no such
// codec, no files for one (Usage), no such spec (Environment).
Result<std::vector<BenchCodec>> plan_bench(const std::vector<std::string>& words);

}  // namespace sluice::cli
