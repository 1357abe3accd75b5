// The codec as a program of the public API runs it: compiled for this machine when the test starts.
#include <utility>

#include "runtime/api/sluice.hpp"
#include "tests/support/files.h"
#include "tests/support/subject.h"

namespace sluice::test {
namespace {

class JustInTime : public Subject {
 public:
  explicit JustInTime(Decoder decoder) : decoder_(std::move(decoder)) {}
  std::string_view target() const override { return "cpu_jit"; }
  Outcome decode(const Request& request) const override {
    Batch batch;
    batch.dictionary = request.dictionary;
    const Status status = decoder_.decode({request.in, request.out}, batch);
    return {status.error, status.produced, status.consumed};
  }
  Outcome count(std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary) const override {
    Batch batch;
    batch.dictionary = dictionary;
    const Status status = decoder_.decoded_size(in, batch);
    return {status.error, status.produced, status.consumed};
  }

 private:
  Decoder decoder_;
};

}  // namespace

std::unique_ptr<Subject> just_in_time(const Codec& codec, std::string* why) {
  Options options;
  options.target = Target::Cpu;
  if (!codec.set.empty()) {
    for (const std::string& word : split(codec.set, ',')) {
      const auto at = word.find('=');
      options.set.push_back({word.substr(0, at), word.substr(at + 1)});
    }
  }
  const bool path = codec.name.find('/') != std::string::npos;
  auto decoder = path ? Decoder::from_file(codec.name, options) : Decoder::from_name(codec.name, options);
  if (!decoder) {
    *why = decoder.error().text;
    return nullptr;
  }
  return std::make_unique<JustInTime>(std::move(*decoder));
}

}  // namespace sluice::test
