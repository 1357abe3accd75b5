#include "runtime/cli/build_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "runtime/jit/aot.h"
#include "runtime/jit/nvrtc.h"

namespace sluice::cli {
namespace {

void add(std::vector<std::string>& list, std::string_view word) {
  if (std::ranges::find(list, word) == list.end()) list.emplace_back(word);
}

// False when `word` is no target.
bool add_target(std::string_view word, BuildTargets& targets) {
  if (word == "cpu") {
    for (const std::string_view isa : runtime::kDefaultIsas) add(targets.isas, isa);
    return true;
  }
  if (word == "ptx") {
    add(targets.archs, kPtxArch);
    return true;
  }
  const std::string_view kind = word.substr(0, word.find(':'));
  const std::string_view name = word.substr(std::min(kind.size() + 1, word.size()));
  if (kind == "cpu" && runtime::is_isa(name)) {
    add(targets.isas, name);
    return true;
  }
  const bool gpu = (kind == "cuda" && name.starts_with("sm_")) || (kind == "ptx" && name.starts_with("compute_"));
  if (!gpu || !runtime::is_cuda_arch(name)) return false;
  add(targets.archs, name);
  return true;
}

}  // namespace

std::optional<BuildTargets> parse_build_targets(const std::vector<std::string>& lists, std::string& error) {
  BuildTargets targets;
  for (const std::string& list : lists) {
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
      if (add_target(word, targets)) continue;
      error = word == "cuda" ? std::string("--target cuda: for which GPU? Write cuda:sm_90, or ptx for all")
                             : fmt::format(
                                   "--target takes cpu, cpu:ISA (x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vbmi, native), "
                                   "cuda:sm_NN, ptx or ptx:compute_NN, not `{}`",
                                   word);
      return std::nullopt;
    }
  }
  return targets;
}

}  // namespace sluice::cli
