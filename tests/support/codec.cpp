// load_codec: codecs are compiled once and kept.
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "tests/support/spec.h"
#include "tests/support/subject.h"

namespace sluice::test {
namespace {

Codec compiled(std::string_view name, std::string_view set) {
  Codec codec;
  codec.name = name;
  codec.set = set;
  if (auto module = compile_codec(codec.name, codec.set, false, codec.problem)) {
    codec.module = std::move(*module);
  } else if (codec.problem.empty()) {
    codec.problem = "no module";
  }
  return codec;
}

}  // namespace

const Codec& load_codec(std::string_view name, std::string_view set) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, Codec> known;  // references to its nodes stay valid
  const std::lock_guard lock(mutex);
  const auto [place, fresh] = known.try_emplace({std::string(name), std::string(set)});
  if (fresh) place->second = compiled(name, set);
  return place->second;
}

Codec with_arguments(std::string_view name, std::string_view set, const std::vector<std::pair<std::string, std::uint64_t>>& values) {
  Codec codec = compiled(name, set);
  for (const auto& [argument, value] : values) {
    const auto place = std::ranges::find(codec.module.args, argument, &ir::Argument::name);
    if (place == codec.module.args.end()) {
      codec.problem = "no argument " + argument;
    } else {
      place->initial = value;
    }
  }
  return codec;
}

}  // namespace sluice::test
