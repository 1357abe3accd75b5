#include "runtime/cli/bench_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/no_spec.h"
#include "runtime/api/sluice.hpp"

namespace sluice::cli {
namespace {

bool is_codec(const std::string& word) {
  if (word.ends_with(".sluice") || is_artifact(word)) return true;
  const auto names = builtin_codecs();
  return std::find(names.begin(), names.end(), word) != names.end();
}

// The codec's own vectors that decode well as they are: NAME.in with a NAME.out beside it, in vectors/ beside the spec,
// and no NAME.set (parameters) or NAME.dict (preset dictionary).
std::vector<std::string> vectors_of(const std::string& spec) {
  namespace fs = std::filesystem;
  const fs::path folder =
      (spec.ends_with(".sluice") ? fs::path(spec).parent_path() : fs::path("codecs") / spec) / "vectors";
  const auto beside = [](fs::path file, const char* extension) {
    std::error_code ignored;
    return fs::exists(file.replace_extension(extension), ignored);
  };
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".in" && beside(file, ".out") && !beside(file, ".set") && !beside(file, ".dict"))
      files.push_back(file.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::vector<BenchCodec>> plan_bench(const std::vector<std::string>& words) {
  std::vector<BenchCodec> codecs;
  for (const std::string& word : words) {
    if (is_codec(word) || (codecs.empty() && driver::looks_like_path(word))) {
      if (driver::looks_like_path(word) && !is_artifact(word) && !driver::read_spec(word))
        return Error{Error::Kind::Environment, driver::no_file_text(word), {}};
      codecs.push_back({word, {}});
    } else if (codecs.empty()) {
      return Error{Error::Kind::Usage, driver::no_codec_text(word), {}};
    } else {
      codecs.back().files.push_back(word);
    }
  }
  for (BenchCodec& codec : codecs) {
    if (!codec.files.empty()) continue;
    codec.files = vectors_of(codec.spec);
    if (codec.files.empty())
      return Error{
          Error::Kind::Usage,
          fmt::format("no files for {}: name some after it (or run this in the source tree, which has vectors)",
                      codec.spec),
          {}};
  }
  return codecs;
}

}  // namespace sluice::cli
