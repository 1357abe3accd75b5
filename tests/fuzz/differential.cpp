#include "tests/fuzz/differential.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "compiler/interp/interp.h"
#include "tests/support/spec.h"

namespace sluice::test {
namespace {

// Elements of room in most runs: enough for what short inputs make, little enough to be quick.
constexpr std::uint64_t kRoom = 4096;

// The dictionary the zlib vectors were made with: its Adler-32 is in the seeds.
constexpr std::string_view kDictionary = "the gate is lifted; the water runs; hello, ";

// FNV-1a, 64 bits.
std::uint64_t hash(std::span<const std::uint8_t> data) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const std::uint8_t byte : data) value = (value ^ byte) * 0x100000001b3;
  return value ^ (value >> 32);
}

// A heap block of exactly `size` bytes (malloc(0) is one byte that must not be touched either).
class Block {
 public:
  explicit Block(std::size_t size, std::size_t alignment = 0)
      : size_(size),
        data_(static_cast<std::uint8_t*>(alignment == 0 ? std::malloc(size) : std::aligned_alloc(alignment, size))) {
    if (data_ == nullptr) std::abort();
  }
  ~Block() { std::free(data_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  std::size_t size_;
  std::uint8_t* data_;
};

struct Sides {
  std::uint64_t error = 0, produced = 0, consumed = 0;
  std::array<std::uint64_t, ir::kMaxFurtherOutputs> further{};
  friend bool operator==(const Sides&, const Sides&) = default;
};

std::string differ(const char* what, const Sides& interp, const Sides& generated) {
  if (interp == generated) return {};
  const auto text = [](const Sides& side) {
    std::string further;
    for (const std::uint64_t made : side.further) further += made == 0 ? "" : " and " + std::to_string(made);
    return "error " + std::to_string(side.error >> ir::kErrorPositionBits) + " at bit " +
           std::to_string(side.error & ((std::uint64_t{1} << ir::kErrorPositionBits) - 1)) + ", produced " +
           std::to_string(side.produced) + further + ", consumed " + std::to_string(side.consumed);
  };
  return std::string(what) + ": interpreter " + text(interp) + "; generated " + text(generated);
}

}  // namespace

std::optional<Differential> Differential::of(const std::string& codec, std::string& problem) {
  Differential result;
  for (const AotEntry& entry : aot_entries()) {
    if (codec != entry.codec) continue;
    auto module = compile_codec(codec, entry.set, false, problem);
    if (!module) return std::nullopt;
    auto variant = std::make_unique<Variant>();
    variant->entry = &entry;
    variant->module = std::move(*module);
    for (const ir::Argument& argument : variant->module.args) variant->arguments.push_back(argument.initial);
    result.variants_.push_back(std::move(variant));
  }
  if (result.variants_.empty()) {
    problem = "no generated decoder of " + codec + " is linked in";
    return std::nullopt;
  }
  return result;
}

std::string Differential::run(std::span<const std::uint8_t> data) {
  const std::uint64_t choice = hash(data);
  const Variant& variant = *variants_[(choice >> 32) % variants_.size()];
  const ir::Module& module = variant.module;
  const unsigned element = module.output.bits / 8u;

  const Block in(data.size());
  std::copy(data.begin(), data.end(), in.bytes().begin());
  const bool preset = module.has_dictionary && (choice & 3) != 0;
  const Block dictionary(preset ? kDictionary.size() : 0);
  std::copy_n(kDictionary.begin(), dictionary.bytes().size(), dictionary.bytes().begin());

  // Mostly ample room, sometimes exactly what is needed, sometimes too little.
  const interp::Result counted = interp::count(module, in.bytes(), dictionary.bytes());
  std::uint64_t capacity = kRoom;
  if ((choice >> 8 & 7) == 0) capacity = std::min(counted.produced, kRoom);
  if ((choice >> 8 & 7) == 1) capacity = (choice >> 16) % (std::min(counted.produced, kRoom) + 1);

  const Block expected(capacity * element);
  // Further outputs have ample room, just enough, or too little, each by bits of its own.
  std::deque<Block> right_further, out_further;
  std::vector<interp::Room> rooms;
  std::vector<sluice_output> outputs;
  for (std::size_t k = 0; k < module.outputs.size(); ++k) {
    const std::uint64_t made = std::min(counted.further[k], kRoom), way = choice >> (3 * k) & 7;
    const std::uint64_t room = way == 0 ? made : way == 1 ? (choice >> 20) % (made + 1) : kRoom;
    for (std::deque<Block>* blocks : {&right_further, &out_further}) blocks->emplace_back(room * (module.outputs[k].type.bits / 8u));
    rooms.push_back({right_further.back().bytes(), room});
    outputs.push_back({out_further.back().bytes().data(), room, ~0ull});
  }
  const interp::Result right = interp::interpret(module, {in.bytes(), expected.bytes(), capacity, dictionary.bytes(), {}, rooms});

  constexpr std::size_t kAlignment = 64;  // abi.h, sluice_job.scratch
  const Block scratch((*variant.entry->scratch_bytes + kAlignment) / kAlignment * kAlignment, kAlignment);
  const Block out(capacity * element);
  sluice_job job{};
  job.in = in.bytes().data();
  job.in_size = in.bytes().size();
  job.out = out.bytes().data();
  job.out_capacity = capacity;
  job.dictionary = dictionary.bytes().data();
  job.dictionary_size = dictionary.bytes().size();
  job.args = variant.arguments.data();
  job.scratch = scratch.bytes().data();
  job.further = outputs.data();
  const auto generated = [&](std::uint64_t error) {
    Sides side{error, job.produced, job.consumed, {}};
    for (std::size_t k = 0; k < outputs.size(); ++k) side.further[k] = outputs[k].produced;
    return side;
  };
  std::string difference = differ("decode", {right.error, right.produced, right.consumed, right.further}, generated(variant.entry->decode(&job)));
  if (!difference.empty()) return difference;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (std::memcmp(right_further[k].bytes().data(), out_further[k].bytes().data(), right.further[k] * (module.outputs[k].type.bits / 8u)) != 0)
      return "decode: other bytes in `" + module.outputs[k].name + "`";
  if (right.produced > capacity) return "decode: more produced than there is room for";
  if (std::memcmp(expected.bytes().data(), out.bytes().data(), right.produced * element) != 0) return "decode: other bytes";

  job.out = nullptr;
  job.out_capacity = ir::kMaxCapacity;
  for (sluice_output& one : outputs) one = {nullptr, ir::kMaxCapacity, ~0ull};
  return differ("count", {counted.error, counted.produced, counted.consumed, counted.further}, generated(variant.entry->count(&job)));
}

}  // namespace sluice::test
