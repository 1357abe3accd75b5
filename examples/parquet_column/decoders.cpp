#include "examples/parquet_column/decoders.h"

#include <bit>
#include <string_view>

#include "examples/parquet_column/refused.h"
#include "specs.h"  // made by CMake: the texts of the specs here

namespace parquet_column {

static_assert(std::endian::native == std::endian::little, "elements are stored little-endian and used as they are");

const sluice::Decoder& Decoders::get(const Codec& codec) {
  std::string key = codec.name;
  for (const sluice::Setting& setting : codec.set) key += " " + setting.name + "=" + setting.value;
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
  sluice::Options options;
  options.target = target_;
  options.set = codec.set;
  std::string_view own;
  for (const Spec& spec : kSpecs)
    if (spec.name == codec.name) own = spec.text;
  auto decoder = own.empty() ? sluice::Decoder::from_name(codec.name, options)
                             : sluice::Decoder::from_text(own, codec.name + ".sluice", options);
  if (!decoder) throw Refused(decoder.error().text);
  return compiled_.emplace(key, std::move(*decoder)).first->second;
}

Decoders::Plan Decoders::prepare(const Codec& codec, View in, std::uint64_t least, std::uint64_t most,
                                 const std::vector<sluice::NamedValue>& arguments, std::size_t element_bytes) {
  const sluice::Decoder& decoder = get(codec);
  if (decoder.output_element_bytes() != element_bytes) throw Refused(codec.name + " makes elements of another size");
  auto bound = decoder.bind(arguments);
  if (!bound) throw Refused(bound.error().text);
  Plan plan{&decoder, std::move(*bound), 0};

  sluice::Batch batch;
  batch.arguments = plan.arguments;
  batch.count_limit = most;
  const sluice::Status size = decoder.decoded_size(in, batch);
  const std::string expected = std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
  if (size.error == sluice::kNoRoom) throw Refused(codec.name + " makes more elements than " + expected);
  if (size.error != 0) throw Refused(decoder.describe(size.error, 0));
  if (size.produced < least || size.produced > most)
    throw Refused(codec.name + " makes " + std::to_string(size.produced) + " elements, not " + expected);
  plan.elements = size.produced;
  return plan;
}

std::size_t Decoders::run(const Plan& plan, View in, std::span<std::uint8_t> out) {
  sluice::Batch batch;
  batch.arguments = plan.arguments;
  const sluice::Status status = plan.decoder->decode({in, out}, batch);
  if (status.error != 0) throw Refused(plan.decoder->describe(status.error, 0));
  return status.consumed;
}

}  // namespace parquet_column
