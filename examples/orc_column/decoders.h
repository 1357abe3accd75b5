// The Sluice decoders that ORC's streams need, each compiled when it is first used.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <sluice/sluice.hpp>

namespace orc_column {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

// Not thread-safe: compiling fills a map.
class Decoders {
 public:
  explicit Decoders(sluice::Target target) : target_(target) {}

  // Elements of `in` under a codec of the library. `type` sets its parameter T, "" when it has none. At most `most`
  // elements are expected: more are refused before memory is taken for them. Throws Refused, with the place in the
  // input and in the codec's description.
  template <class Element>
  std::vector<Element> decode(const std::string& codec, const std::string& type, View in, std::uint64_t most,
                              const std::vector<sluice::NamedValue>& arguments = {}) {
    const Plan plan = prepare(codec, type, in, most, arguments, sizeof(Element));
    std::vector<Element> out(plan.elements);
    run(plan, in, reinterpret_cast<std::uint8_t*>(out.data()), sizeof(Element));
    return out;
  }

 private:
  struct Plan {
    const sluice::Decoder* decoder;
    std::vector<std::uint64_t> arguments;
    std::uint64_t elements;
  };
  const sluice::Decoder& get(const std::string& codec, const std::string& type);
  Plan prepare(const std::string& codec, const std::string& type, View in, std::uint64_t most,
               const std::vector<sluice::NamedValue>& arguments, std::size_t element_bytes);
  static void run(const Plan& plan, View in, std::uint8_t* out, std::size_t element_bytes);

  sluice::Target target_;
  std::map<std::string, sluice::Decoder> compiled_;
};

}  // namespace orc_column
