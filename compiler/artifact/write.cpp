#include "compiler/artifact/write.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/artifact/hash.h"

namespace sluice::artifact {
namespace {

using nlohmann::json;

json to_json(const Format& format) {
  json j;
  j["name"] = format.name;
  j["parameters"] = format.parameters;
  j["element_bits"] = format.element_bits;
  j["element_signed"] = format.element_signed;
  j["outputs"] = json::array();
  for (const Output& o : format.outputs)
    j["outputs"].push_back({{"name", o.name}, {"element_bits", o.element_bits}, {"element_signed", o.element_signed}});
  j["dictionary"] = format.has_dictionary;
  j["reads_dictionary"] = format.reads_dictionary;
  j["countable"] = format.countable;
  j["arguments"] = json::array();
  for (const Argument& a : format.arguments)
    j["arguments"].push_back({{"name", a.name}, {"initial", a.initial}, {"bits", a.bits}, {"signed", a.is_signed}});
  j["sites"] = json::array();
  for (const Site& s : format.sites)
    j["sites"].push_back(
        {{"rule", s.rule}, {"clause", s.clause}, {"in", s.rule_name}, {"name", s.name}, {"text", s.text}});
  j["facts"] = format.facts;
  return j;
}

json to_json(const CpuImage& image) {
  return {{"isa", image.isa}, {"host", image.host}, {"abi", image.abi}, {"image", json::binary(image.image)}};
}

json to_json(const CudaImage& image) {
  json kernels = json::array();
  for (const Resources& r : image.kernels)
    kernels.push_back({{"kernel", r.kernel},
                       {"registers", r.registers},
                       {"shared", r.shared},
                       {"stack", r.stack},
                       {"spill_stores", r.spill_stores},
                       {"spill_loads", r.spill_loads}});
  return {{"arch", image.arch},
          {"schedule", image.schedule},
          {"decode", image.plan.decode},
          {"count", image.plan.count},
          {"threads_per_block", image.plan.threads_per_block},
          {"chunks_per_block", image.plan.chunks_per_block},
          {"temp_bytes_per_slot", image.plan.temp_bytes_per_slot},
          {"dynamic_shared_bytes", image.plan.dynamic_shared_bytes},
          {"carve_out", image.plan.carve_out},
          {"input_alignment", image.plan.input_alignment},
          {"output_alignment", image.plan.output_alignment},
          {"image", json::binary(image.image)},
          {"kernels", std::move(kernels)}};
}

json to_json(const Cuda& cuda) {
  json images = json::array();
  for (const CudaImage& image : cuda.images) images.push_back(to_json(image));
  return {{"abi", cuda.abi}, {"images", std::move(images)}};
}

void put_little(Bytes& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace

Bytes write(const Artifact& artifact) {
  json root{{"producer", artifact.producer}, {"format", to_json(artifact.format)}, {"cpu", json::array()}};
  for (const CpuImage& image : artifact.cpu) root["cpu"].push_back(to_json(image));
  if (artifact.cuda) root["cuda"] = to_json(*artifact.cuda);
  const Bytes payload = json::to_cbor(root);

  Bytes file(kMagic.begin(), kMagic.end());
  put_little(file, kVersion, 4);
  put_little(file, payload.size(), 8);
  const auto hash = content_hash(file, payload);
  file.insert(file.end(), hash.begin(), hash.end());
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

}  // namespace sluice::artifact
