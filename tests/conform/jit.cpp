// The codec as a program of the public API runs it: compiled for this machine when the test starts.
#include <utility>

#include "runtime/api/sluice.hpp"
#include "tests/support/files.h"
#include "tests/support/subject.h"

namespace sluice::test {
namespace {

class JustInTime : public Subject {
 public:
  JustInTime(const Codec& codec, Decoder decoder) : codec_(codec), decoder_(std::move(decoder)) {}
  std::string_view target() const override { return "cpu_jit"; }
  Outcome decode(const Request& request) const override {
    Batch batch;
    batch.dictionary = request.dictionary;
    FurtherRooms rooms(codec_.module, request.out.size() / codec_.element_bytes());
    std::vector<std::span<std::uint8_t>> further;
    for (std::size_t k = 0; k < rooms.size(); ++k) further.push_back(rooms.room(k));
    const Status status = decoder_.decode({request.in, request.out, further}, batch);
    return std::move(rooms).outcome({status.error, status.produced, status.consumed}, [&](std::size_t k) { return status.further[k]; });
  }
  Outcome count(std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary) const override {
    Batch batch;
    batch.dictionary = dictionary;
    const Status status = decoder_.decoded_size(in, batch);
    FurtherRooms rooms(codec_.module, 0, true);
    return std::move(rooms).outcome({status.error, status.produced, status.consumed}, [&](std::size_t k) { return status.further[k]; });
  }

 private:
  const Codec& codec_;
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
  return std::make_unique<JustInTime>(codec, std::move(*decoder));
}

}  // namespace sluice::test
