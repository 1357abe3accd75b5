#include "tests/gpu/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/ir/error_text.h"
#include "tests/support/random.h"

namespace sluice::gpu {
namespace {

using test::Random;

constexpr std::uint8_t kGuard = 0xc5;
constexpr std::uint64_t kGuardBytes = 48;  // more than the widest store of a warp's lane
constexpr unsigned kShifts = 16;           // alignments that a vector load or store may care about
constexpr unsigned kAstray = 16;           // batch.h, Alignment

std::uint64_t round_up(std::uint64_t at, std::uint64_t to) { return (at + to - 1) / to * to; }

// Arrays of a batch, each of `chunks` words, one after another.
enum Array : unsigned { kIn, kInBytes, kOut, kCapacity, kProduced, kErrors, kConsumed, kArrays };

}  // namespace

std::string DeviceChunks::put(std::span<const Item> items, unsigned element_bytes,
                              std::span<const std::uint8_t> dictionary, Layout layout, std::uint64_t seed,
                              const Alignment& alignment) {
  items_ = items;
  element_bytes_ = element_bytes;
  layout_ = layout;
  alignment_ = alignment;
  dictionary_bytes_ = dictionary.size();
  pieces_.clear();
  Random random(seed);
  in_at_.clear();
  out_at_.clear();
  in_bytes_ = 0;
  out_bytes_ = kGuardBytes;
  starts_.assign(2 * items.size(), 0);
  const auto shift = [&](std::uint64_t at, std::uint64_t to) {
    return round_up(at, to) + (to == 1 || random.below(kAstray) == 0 ? random.below(kShifts) : 0);
  };
  for (const Item& item : items) {
    if (alignment.in > 1 || random.below(2) != 0) in_bytes_ = shift(in_bytes_, alignment.in);
    in_at_.push_back(in_bytes_);
    in_bytes_ += item.in.size();
    out_bytes_ = shift(out_bytes_, alignment.out);
    out_at_.push_back(out_bytes_);
    out_bytes_ += item.capacity * element_bytes + kGuardBytes;
  }
  std::string wrong = dictionary_.reserve(device_, std::max<std::uint64_t>(dictionary.size(), 1));
  if (wrong.empty()) wrong = device_.upload(dictionary_.at(), dictionary.data(), dictionary.size());
  if (wrong.empty()) wrong = arrays_.reserve(device_, std::max<std::uint64_t>(items.size(), 1) * kArrays * 8);
  if (!wrong.empty()) return wrong;

  Bytes arena;
  if (layout == Layout::Packed) {
    arena.resize(in_bytes_);
    for (std::uint8_t& byte : arena) byte = static_cast<std::uint8_t>(random.next());
    for (std::size_t i = 0; i < items.size(); ++i)
      std::ranges::copy(items[i].in, arena.begin() + static_cast<std::ptrdiff_t>(in_at_[i]));
    wrong = in_.reserve(device_, std::max<std::uint64_t>(in_bytes_, 1));
    if (wrong.empty()) wrong = out_.reserve(device_, out_bytes_);
    if (wrong.empty()) wrong = device_.upload(in_.at(), arena.data(), arena.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      starts_[i] = in_.at() + in_at_[i];
      starts_[items.size() + i] = out_.at() + out_at_[i];
    }
  } else {
    for (std::size_t k = 0; k < starts_.size() && wrong.empty(); ++k) {
      const bool input = k < items.size();
      const Item& item = items[input ? k : k - items.size()];
      const std::uint64_t bytes = input ? item.in.size() : item.capacity * element_bytes;
      const std::uint64_t off = shift(0, input ? alignment.in : alignment.out);
      auto piece = runtime::make_device_memory(device_.shared(), bytes + off);
      if (!piece) return piece.error().text;
      starts_[k] = piece->get() + off;
      if (input) wrong = device_.upload(starts_[k], item.in.data(), bytes);
      pieces_.push_back(std::move(*piece));
    }
  }
  if (!wrong.empty()) return wrong;

  std::vector<std::uint64_t> arrays(kArrays * items.size(), 0xdddddddddddddddd);
  for (std::size_t i = 0; i < items.size(); ++i) {
    arrays[kIn * items.size() + i] = starts_[i];
    arrays[kInBytes * items.size() + i] = items[i].in.size();
    arrays[kOut * items.size() + i] = starts_[items.size() + i];
    arrays[kCapacity * items.size() + i] = items[i].capacity;
  }
  wrong = device_.upload(arrays_.at(), arrays.data(), arrays.size() * 8);
  return wrong.empty() ? device_.wait() : wrong;  // what was copied may go now
}

cuda::DeviceBatch DeviceChunks::batch(const cuda::Decoder& decoder) const {
  const auto array = [&](unsigned which) { return arrays_.at() + which * items_.size() * 8; };
  cuda::DeviceBatch batch;
  batch.in = pointer<const void* const>(array(kIn));
  batch.in_bytes = pointer<const std::uint64_t>(array(kInBytes));
  batch.out = pointer<void* const>(array(kOut));
  batch.out_capacity = pointer<const std::uint64_t>(array(kCapacity));
  batch.produced = pointer<std::uint64_t>(array(kProduced));
  batch.errors = pointer<std::uint64_t>(array(kErrors));
  batch.consumed = pointer<std::uint64_t>(array(kConsumed));
  batch.chunks = items_.size();
  if (decoder.takes_dictionary() && dictionary_bytes_ != 0) {
    batch.dictionary = pointer<const void>(dictionary_.at());
    batch.dictionary_bytes = dictionary_bytes_;
  }
  batch.temp = temp_.at() == 0 ? nullptr : pointer<void>(temp_.at());
  batch.temp_bytes = temp_.bytes();
  return batch;
}

// Counting is compared with the interpreter's without a limit.
static cuda::DeviceBatch uncapped(cuda::DeviceBatch batch) {
  batch.out_capacity = nullptr;
  return batch;
}

std::string DeviceChunks::run(const cuda::Decoder& decoder, bool counting) {
  std::string wrong = temp_.reserve(device_, decoder.temp_bytes(items_.size()));
  // Temporary memory holds whatever was there: the worst is what is never a small number.
  if (wrong.empty()) wrong = device_.fill(temp_.at(), 0xa5, temp_.bytes());
  if (wrong.empty() && layout_ == Layout::Packed && !counting) wrong = device_.fill(out_.at(), kGuard, out_bytes_);
  const Address results = arrays_.at() + kProduced * items_.size() * 8;
  if (wrong.empty()) wrong = device_.fill(results, 0xdd, (kArrays - kProduced) * items_.size() * 8);
  if (wrong.empty())
    wrong = counting ? decoder.decoded_sizes_async(uncapped(batch(decoder)), device_.stream())
                     : decoder.decode_async(batch(decoder), device_.stream());
  if (wrong.empty()) wrong = device_.wait();
  return wrong.empty() ? fetch_statuses() : wrong;
}

std::string DeviceChunks::decode(const cuda::Decoder& decoder) {
  std::string wrong = run(decoder, false);
  return wrong.empty() ? fetch_rooms() : wrong;
}

std::string DeviceChunks::count(const cuda::Decoder& decoder) { return run(decoder, true); }

std::string DeviceChunks::fetch_statuses() {
  const std::size_t chunks = items_.size();
  std::vector<std::uint64_t> words((kArrays - kProduced) * chunks);
  std::string wrong = device_.download(words.data(), arrays_.at() + kProduced * chunks * 8, words.size() * 8);
  if (wrong.empty()) wrong = device_.wait();
  statuses_.resize(chunks);
  for (std::size_t i = 0; i < chunks; ++i)
    statuses_[i] = {.error = words[(kErrors - kProduced) * chunks + i],
                    .produced = words[i],
                    .consumed = words[(kConsumed - kProduced) * chunks + i]};
  return wrong;
}

std::string DeviceChunks::fetch_rooms() {
  host_.resize(out_bytes_);
  std::string wrong;
  if (layout_ == Layout::Packed) {
    wrong = device_.download(host_.data(), out_.at(), out_bytes_);
  } else {
    std::ranges::fill(host_, kGuard);
    for (std::size_t i = 0; i < items_.size() && wrong.empty(); ++i) {
      const std::uint64_t bytes = items_[i].capacity * element_bytes_;
      if (bytes == 0) continue;
      // The room ends its allocation, whose start may lie before it.
      std::uint64_t at = 0;
      wrong = device_.download(&at, arrays_.at() + (kOut * items_.size() + i) * 8, 8);
      if (wrong.empty()) wrong = device_.wait();
      if (wrong.empty()) wrong = device_.download(host_.data() + out_at_[i], at, bytes);
    }
  }
  return wrong.empty() ? device_.wait() : wrong;
}

std::uint64_t DeviceChunks::refusal(std::size_t chunk, bool counting) const {
  if (starts_[chunk] % alignment_.in != 0) return ir::kMisalignedInput;
  return !counting && starts_[items_.size() + chunk] % alignment_.out != 0 ? ir::kMisalignedOutput : 0;
}

bool DeviceChunks::untouched(std::size_t chunk) const {
  const auto guard = [](std::uint8_t byte) { return byte == kGuard; };
  return layout_ == Layout::Exact || std::ranges::all_of(room(chunk), guard);
}

std::span<const std::uint8_t> DeviceChunks::room(std::size_t chunk) const {
  return std::span(host_).subspan(out_at_[chunk], items_[chunk].capacity * element_bytes_);
}

std::string DeviceChunks::stray_write() const {
  const auto check = [&](std::uint64_t from, std::uint64_t to, std::size_t chunk) -> std::string {
    const auto begin = host_.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = host_.begin() + static_cast<std::ptrdiff_t>(to);
    const auto at = std::find_if(begin, end, [](std::uint8_t byte) { return byte != kGuard; });
    if (at == end) return "";
    return fmt::format("a byte was written {} bytes behind the room of chunk {}", at - begin, chunk);
  };
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::string wrong = check(end, out_at_[i], i == 0 ? 0 : i - 1);
    if (!wrong.empty()) return wrong;
    end = out_at_[i] + items_[i].capacity * element_bytes_;
  }
  return check(end, out_bytes_, items_.empty() ? 0 : items_.size() - 1);
}

}  // namespace sluice::gpu
