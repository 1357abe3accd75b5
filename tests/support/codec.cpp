// load_codec: codecs are compiled once and kept.
#include <map>
#include <mutex>
#include <utility>

#include "tests/support/spec.h"
#include "tests/support/subject.h"

namespace sluice::test {

const Codec& load_codec(std::string_view name, std::string_view set) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, Codec> known;  // references to its nodes stay valid
  const std::lock_guard lock(mutex);
  const auto [place, fresh] = known.try_emplace({std::string(name), std::string(set)});
  Codec& codec = place->second;
  if (fresh) {
    codec.name = name;
    codec.set = set;
    if (auto module = compile_codec(codec.name, codec.set, false, codec.problem)) {
      codec.module = std::move(*module);
    } else if (codec.problem.empty()) {
      codec.problem = "no module";
    }
  }
  return codec;
}

}  // namespace sluice::test
