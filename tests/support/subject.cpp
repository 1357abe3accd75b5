#include "tests/support/subject.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

#include "compiler/interp/interp.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/error_text.h"
#include "tests/support/aot.h"

namespace sluice::test {
namespace {

Outcome interpreted(const Codec& codec, const Request& request) {
  const std::uint64_t capacity = request.out.size() / codec.element_bytes();
  FurtherRooms rooms(codec.module, capacity);
  std::vector<interp::Room> further;
  for (std::size_t k = 0; k < rooms.size(); ++k) further.push_back({rooms.room(k), capacity});
  const interp::Result result = interp::interpret(codec.module, {request.in, request.out, capacity, request.dictionary, {}, further});
  return std::move(rooms).outcome({result.error, result.produced, result.consumed}, [&](std::size_t k) { return result.further[k]; });
}

class Interpreter : public Subject {
 public:
  explicit Interpreter(const Codec& codec) : codec_(codec) {}
  std::string_view target() const override { return "interp"; }
  Outcome decode(const Request& request) const override {
    return interpreted(codec_, request);
  }
  Outcome count(std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary) const override {
    const interp::Result result = interp::count(codec_.module, in, dictionary);
    FurtherRooms rooms(codec_.module, 0, true);
    return std::move(rooms).outcome({result.error, result.produced, result.consumed}, [&](std::size_t k) { return result.further[k]; });
  }

 private:
  const Codec& codec_;
};

// Memory of exactly the size asked for, so that a sanitizer sees every step past it.
class Scratch {
 public:
  std::uint8_t* bytes() const { return bytes_.get(); }
  void fit(std::size_t alignment, std::size_t size) {
    if (bytes_ && size == size_) return;
    bytes_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(alignment, size)));
    if (!bytes_) std::abort();
    size_ = size;
    std::fill_n(bytes_.get(), size, static_cast<std::uint8_t>(0xa5));
  }

 private:
  std::unique_ptr<std::uint8_t, void (*)(void*)> bytes_{nullptr, std::free};
  std::size_t size_ = 0;
};

class AheadOfTime : public Subject {
 public:
  AheadOfTime(const Codec& codec, const AotEntry& entry, std::optional<std::uint8_t> poison)
      : codec_(codec), entry_(entry), poison_(poison) {
    for (const ir::Argument& argument : codec.module.args) arguments_.push_back(argument.initial);
  }
  std::string_view target() const override { return "cpu_aot"; }
  Outcome decode(const Request& request) const override {
    return call(entry_.decode, request, request.out.size() / codec_.element_bytes(), false);
  }
  Outcome count(std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary) const override {
    return call(entry_.count, {in, {}, dictionary}, ir::kMaxCapacity, true);
  }

 private:
  Outcome call(sluice_decode_fn function, const Request& request, std::uint64_t capacity, bool count) const {
    constexpr std::size_t kAlignment = 64;  // abi.h, sluice_job.scratch
    const std::size_t size = (*entry_.scratch_bytes + kAlignment - 1) / kAlignment * kAlignment;
    // Unlucky contents each time: the decoder must not rely on what it finds. Kept from call to call, for some formats
    // want megabytes: what the last decode left there is as good as noise, and the start is spoilt anew.
    thread_local Scratch scratch;
    scratch.fit(kAlignment, std::max(size, kAlignment));
    constexpr std::size_t kSpoilt = 65536;
    std::fill_n(scratch.bytes(), poison_ ? size : std::min(size, kSpoilt), poison_.value_or(0xa5));
    sluice_job job{};
    job.in = request.in.data();
    job.in_size = request.in.size();
    job.out = request.out.data();
    job.out_capacity = capacity;
    job.dictionary = request.dictionary.data();
    job.dictionary_size = request.dictionary.size();
    job.args = arguments_.data();
    job.scratch = scratch.bytes();
    FurtherRooms rooms(codec_.module, capacity, count);
    std::vector<sluice_output> further;
    for (std::size_t k = 0; k < rooms.size(); ++k) further.push_back({rooms.room(k).data(), capacity, ~0ull});
    job.further = further.data();
    const std::uint64_t error = function(&job);
    return std::move(rooms).outcome({error, job.produced, job.consumed}, [&](std::size_t k) { return further[k].produced; });
  }

  const Codec& codec_;
  const AotEntry& entry_;
  std::optional<std::uint8_t> poison_;
  std::vector<unsigned long long> arguments_;
};

}  // namespace

FurtherRooms::FurtherRooms(const ir::Module& module, std::uint64_t capacity, bool count) : capacity_(capacity) {
  for (const ir::Output& output : module.outputs) {
    sizes_.push_back(output.type.bits / 8u);
    rooms_.emplace_back(count ? 0 : capacity * sizes_.back(), static_cast<std::uint8_t>(0xcc));
  }
}

std::unique_ptr<Subject> interpreter(const Codec& codec) { return std::make_unique<Interpreter>(codec); }

std::unique_ptr<Subject> ahead_of_time(const Codec& codec, std::optional<std::uint8_t> poison) {
  for (const AotEntry& entry : aot_entries()) {
    if (codec.name == entry.codec && codec.set == entry.set) return std::make_unique<AheadOfTime>(codec, entry, poison);
  }
  return nullptr;
}

const ir::Site* site_of(const ir::Module& module, std::uint64_t error) {
  if (error == 0) return nullptr;
  for (const ir::Site& site : module.sites) {
    if (ir::error_word(site, error) == error) return &site;
  }
  return nullptr;
}

std::string error_text(const ir::Module& module, std::uint64_t error) {
  if (error == 0) return "ok";
  const ir::Site* site = site_of(module, error);
  const ir::ErrorPosition at = ir::error_position(error, ir::reads_dictionary(module));
  for (const ir::CallError& call : ir::call_errors())
    if (error == ir::call_word(call.clause)) return std::string(call.name);
  return (site != nullptr ? site->name : "unknown_site") + " " + std::to_string(at.bit) + (at.in_dictionary ? " of the dictionary" : "");
}

}  // namespace sluice::test
