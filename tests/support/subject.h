// What is tested: a codec with its compile-time parameters, and the targets it runs on, behind one call.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::test {

struct Codec {
  std::string name;
  std::string set;  // "T=u16", or empty
  ir::Module module;
  std::string problem;  // why there is no module; empty when there is one
  [[nodiscard]] unsigned element_bytes() const { return module.output.bits / 8u; }
};

// The codec of codecs/<name>, compiled once and kept for the life of the program.
const Codec& load_codec(std::string_view name, std::string_view set);

// The same with other values of run-time arguments, compiled anew. What is made of it here runs with these.
Codec with_arguments(std::string_view name, std::string_view set, const std::vector<std::pair<std::string, std::uint64_t>>& values);

// Names of all codecs under codecs/ in name order.
std::vector<std::string> codec_names();

// Further outputs have room for as many elements as the format's own, in memory of the subject's.
struct Request {
  std::span<const std::uint8_t> in;
  std::span<std::uint8_t> out;              // its size over the element size is the capacity
  std::span<const std::uint8_t> dictionary{};
};

struct Outcome {
  std::uint64_t error = 0;
  std::uint64_t produced = 0;  // elements
  std::uint64_t consumed = 0;  // bytes
  std::vector<std::uint64_t> made = {};              // of each further output: elements
  std::vector<std::vector<std::uint8_t>> further = {};  // and what they are; of a count none
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Room for a module's further outputs, each of so many elements, and what has been made there, into an outcome.
class FurtherRooms {
 public:
  FurtherRooms(const ir::Module& module, std::uint64_t capacity, bool count = false);
  [[nodiscard]] std::size_t size() const { return rooms_.size(); }
  [[nodiscard]] std::span<std::uint8_t> room(std::size_t k) { return rooms_[k]; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  // `made(k)`: elements of output k.
  template <class Made>
  Outcome outcome(Outcome of, const Made& made) && {
    for (std::size_t k = 0; k < rooms_.size(); ++k) {
      of.made.push_back(made(k));
      rooms_[k].resize(std::min<std::uint64_t>(rooms_[k].size(), of.made.back() * sizes_[k]));
    }
    of.further = std::move(rooms_);
    return of;
  }

 private:
  std::uint64_t capacity_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::vector<std::uint8_t>> rooms_;
};

// One way of running a codec. Thread-safe.
class Subject {
 public:
  virtual ~Subject() = default;
  [[nodiscard]] virtual std::string_view target() const = 0;
  [[nodiscard]] virtual Outcome decode(const Request& request) const = 0;
  [[nodiscard]] virtual Outcome count(std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary) const = 0;
};

// The reference interpreter.
std::unique_ptr<Subject> interpreter(const Codec& codec);

// The decoder generated at build time; null when this program has none for the codec. `poison`: all of its temporary
// memory is filled with this byte before each chunk; otherwise the first part is, and the rest is what the last one left.
std::unique_ptr<Subject> ahead_of_time(const Codec& codec, std::optional<std::uint8_t> poison = {});

// The machine code made at run time through the public API; null, with the reason, when this machine can't.
std::unique_ptr<Subject> just_in_time(const Codec& codec, std::string* why);

// Site of an error word, null for 0 and for words that name none.
const ir::Site* site_of(const ir::Module& module, std::uint64_t error);

// "reason position", as in the vectors' .err files; "ok" for 0.
std::string error_text(const ir::Module& module, std::uint64_t error);

}  // namespace sluice::test
