// The Sluice decoders that Parquet's pages need, each compiled when it is first used.
#pragma once
#include <cstdint>
#include <map>
#include <sluice/sluice.hpp>
#include <span>
#include <string>
#include <vector>

namespace parquet_column {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

// A codec of the library, or of the specs here; and its parameters, fixed when it is compiled.
struct Codec {
  std::string name;
  std::vector<sluice::Setting> set;
};

// Not thread-safe: compiling fills a map.
class Decoders {
 public:
  explicit Decoders(sluice::Target target) : target_(target) {}

  // Exactly `count` elements of `in`; another number is refused before memory is taken for it. `consumed`, if not null,
  // becomes the number of bytes of `in` that were read. Throws Refused, with the place in the input and in the codec's
  // description.
  template <class Element>
  std::vector<Element> decode(const Codec& codec, View in, std::uint64_t count,
                              const std::vector<sluice::NamedValue>& arguments = {}, std::size_t* consumed = nullptr) {
    return decode<Element>(codec, in, count, count, arguments, consumed);
  }

  // The same, for as many as `least` to `most` elements.
  template <class Element>
  std::vector<Element> decode(const Codec& codec, View in, std::uint64_t least, std::uint64_t most,
                              const std::vector<sluice::NamedValue>& arguments = {}, std::size_t* consumed = nullptr) {
    const Plan plan = prepare(codec, in, least, most, arguments, sizeof(Element));
    std::vector<Element> out(plan.elements);
    const std::size_t read = run(plan, in, {reinterpret_cast<std::uint8_t*>(out.data()), out.size() * sizeof(Element)});
    if (consumed != nullptr) *consumed = read;
    return out;
  }

 private:
  struct Plan {
    const sluice::Decoder* decoder;
    std::vector<std::uint64_t> arguments;
    std::uint64_t elements;
  };
  const sluice::Decoder& get(const Codec& codec);
  Plan prepare(const Codec& codec, View in, std::uint64_t least, std::uint64_t most,
               const std::vector<sluice::NamedValue>& arguments, std::size_t element_bytes);
  static std::size_t run(const Plan& plan, View in, std::span<std::uint8_t> out);

  sluice::Target target_;
  std::map<std::string, sluice::Decoder> compiled_;
};

}  // namespace parquet_column
