#include "tests/bench/cuda_codag/peers.h"

#include <fmt/format.h>

namespace sluice::bench {

bool Peers::open(const std::string& which, const gpu::Device& device) {
  const auto at = which.find('=');
  const std::string name = which.substr(0, at), path = at == std::string::npos ? "" : which.substr(at + 1);
  if ((name != "nvcomp" && name != "prototype") || path.empty()) return false;
  std::string version;
  const std::string wrong =
      name == "nvcomp" ? open_nvcomp(path, device, decoders, version) : open_prototype(path, decoders);
  const std::string shown = name == "nvcomp" ? "nvCOMP" : "the prototype";
  if (wrong.empty())
    present.push_back(version.empty() ? shown : shown + " " + version);
  else
    absent.push_back(fmt::format("{}: {}", shown, wrong));
  return true;
}

std::vector<const PeerDecoder*> Peers::of(const std::string& codec) const {
  std::vector<const PeerDecoder*> found;
  for (const PeerDecoder& one : decoders)
    if (one.codec == codec) found.push_back(&one);
  return found;
}

}  // namespace sluice::bench
