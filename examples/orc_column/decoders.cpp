#include "examples/orc_column/decoders.h"

#include <bit>

#include "examples/orc_column/refused.h"

namespace orc_column {

static_assert(std::endian::native == std::endian::little, "elements are stored little-endian and used as they are");

const sluice::Decoder& Decoders::get(const std::string& codec, const std::string& type) {
  const std::string key = codec + " " + type;
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
  sluice::Options options;
  options.target = target_;
  if (!type.empty()) options.set.push_back({"T", type});
  auto decoder = sluice::Decoder::from_name(codec, options);
  if (!decoder) throw Refused(decoder.error().text);
  return compiled_.emplace(key, std::move(*decoder)).first->second;
}

Decoders::Plan Decoders::prepare(const std::string& codec, const std::string& type, View in, std::uint64_t most,
                                 const std::vector<sluice::NamedValue>& arguments, std::size_t element_bytes) {
  const sluice::Decoder& decoder = get(codec, type);
  if (decoder.output_element_bytes() != element_bytes) throw Refused(codec + " makes elements of another size");
  auto bound = decoder.bind(arguments);
  if (!bound) throw Refused(bound.error().text);
  Plan plan{&decoder, std::move(*bound), 0};

  sluice::Batch batch;
  batch.arguments = plan.arguments;
  const sluice::Status size = decoder.decoded_size(in, batch);
  if (size.error != 0) throw Refused(decoder.describe(size.error, 0));
  if (size.produced > most)
    throw Refused(std::to_string(size.produced) + " values, where at most " + std::to_string(most) + " are expected");
  plan.elements = size.produced;
  return plan;
}

void Decoders::run(const Plan& plan, View in, std::uint8_t* out, std::size_t element_bytes) {
  sluice::Batch batch;
  batch.arguments = plan.arguments;
  const sluice::Chunk chunk{in, {out, plan.elements * element_bytes}};
  const sluice::Status status = plan.decoder->decode(chunk, batch);
  if (status.error != 0) throw Refused(plan.decoder->describe(status.error, 0));
}

}  // namespace orc_column
