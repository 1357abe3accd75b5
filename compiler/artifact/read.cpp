#include "compiler/artifact/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "compiler/artifact/hash.h"
#include "compiler/schedule/device.h"
#include "compiler/schedule/schedule.h"

namespace sluice::artifact {
namespace {

using nlohmann::json;

using schedule::kMaxBlockThreads;
constexpr std::uint32_t kMaxShared = 1 << 20;  // of a block: more than any GPU has
constexpr std::uint64_t kMaxTemp = std::uint64_t{1} << 40;
constexpr std::size_t kMaxArguments = 16;  // SLUICE_CUDA_ARGUMENTS
constexpr std::size_t kMaxOutputs = 7;     // SLUICE_CUDA_OUTPUTS
constexpr std::uint32_t kRules = 1u << 10, kClauses = 1u << 14;

// Values out of a map, each with the type and the bounds it must have. The first thing that is not as it must be is
// kept; from then on every value is a default.
class Map {
 public:
  Map(const json& map, std::string where, std::string& wrong) : map_(map), where_(std::move(where)), wrong_(wrong) {
    if (!map.is_object()) fail("is not a map");
  }

  std::string text(const char* key, bool may_be_empty = true) const {
    const json* value = at(key);
    if (!value) return {};
    if (!value->is_string()) return fail(key, "is not a text"), std::string();
    std::string found = value->get<std::string>();
    if (found.empty() && !may_be_empty) fail(key, "is empty");
    return found;
  }
  bool truth(const char* key) const {
    const json* value = at(key);
    if (!value) return false;
    if (!value->is_boolean()) return fail(key, "is not a boolean"), false;
    return value->get<bool>();
  }
  std::uint64_t number(const char* key, std::uint64_t least, std::uint64_t most) const {
    const json* value = at(key);
    if (!value) return least;
    if (!value->is_number_unsigned()) return fail(key, "is not a number"), least;
    const auto found = value->get<std::uint64_t>();
    if (found < least || found > most) return fail(key, "is out of range"), least;
    return found;
  }
  std::uint32_t small(const char* key, std::uint32_t least, std::uint32_t most) const {
    return static_cast<std::uint32_t>(number(key, least, most));
  }
  // A number, or -1.
  std::int32_t small_or_none(const char* key, std::int32_t most) const {
    const json* value = at(key);
    if (!value) return -1;
    if (!value->is_number_integer()) return fail(key, "is not a number"), -1;
    const auto found = value->get<std::int64_t>();
    if (found < -1 || found > most) return fail(key, "is out of range"), -1;
    return static_cast<std::int32_t>(found);
  }
  // 1, 2, 4, ... `most`.
  std::uint32_t power(const char* key, std::uint32_t most) const {
    const std::uint32_t found = small(key, 1, most);
    if (!std::has_single_bit(found)) return fail(key, "is not a power of two"), 1;
    return found;
  }
  Bytes bytes(const char* key) const {
    const json* value = at(key);
    if (!value) return {};
    if (!value->is_binary()) return fail(key, "is not a byte string"), Bytes();
    Bytes found = value->get_binary();
    if (found.empty()) fail(key, "is empty");
    return found;
  }
  // Calls `each(element, where)` for every element of a list.
  template <class Each>
  void list(const char* key, Each&& each) const {
    const json* value = at(key);
    if (!value) return;
    if (!value->is_array()) return fail(key, "is not a list");
    std::size_t i = 0;
    for (const json& element : *value) each(element, fmt::format("{}.{}[{}]", where_, key, i++));
  }
  const json* at(const char* key) const {
    if (!wrong_.empty()) return nullptr;
    const auto found = map_.find(key);
    if (found == map_.end()) return fail(key, "is missing"), nullptr;
    return &*found;
  }
  void fail(std::string_view key, std::string_view what) const {
    if (wrong_.empty()) wrong_ = fmt::format("{}.{} {}", where_, key, what);
  }
  void fail(std::string_view what) const {
    if (wrong_.empty()) wrong_ = fmt::format("{} {}", where_, what);
  }

 private:
  const json& map_;
  std::string where_;
  std::string& wrong_;
};

constexpr std::uint32_t kAny32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kAny64 = std::numeric_limits<std::uint64_t>::max();

std::uint32_t element_bits(const Map& map) {
  const std::uint32_t bits = map.small("element_bits", 8, 64);
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) map.fail("element_bits", "is not a size of an element");
  return bits;
}

Format read_format(const json& root, std::string& wrong) {
  const Map map(root, "format", wrong);
  Format format;
  format.name = map.text("name", false);
  map.list("parameters", [&](const json& pair, const std::string& where) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      return map.fail(where, "is not a name with a value");
    format.parameters.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  });
  format.element_bits = element_bits(map);
  format.element_signed = map.truth("element_signed");
  map.list("outputs", [&](const json& element, const std::string& where) {
    const Map one(element, where, wrong);
    format.outputs.push_back({one.text("name", false), element_bits(one), one.truth("element_signed")});
  });
  if (format.outputs.size() > kMaxOutputs) map.fail("outputs", "are too many");
  format.has_dictionary = map.truth("dictionary");
  format.reads_dictionary = map.truth("reads_dictionary");
  format.countable = map.truth("countable");
  map.list("arguments", [&](const json& element, const std::string& where) {
    const Map one(element, where, wrong);
    format.arguments.push_back(
        {one.text("name", false), one.number("initial", 0, kAny64), one.small("bits", 1, 64), one.truth("signed")});
  });
  if (format.arguments.size() > kMaxArguments) map.fail("arguments", "are too many");
  map.list("sites", [&](const json& element, const std::string& where) {
    const Map one(element, where, wrong);
    format.sites.push_back({one.small("rule", 0, kRules - 1), one.small("clause", 1, kClauses - 1), one.text("in"),
                            one.text("name", false), one.text("text")});
  });
  format.facts = map.text("facts");
  return format;
}

CpuImage read_cpu(const json& element, const std::string& where, std::string& wrong) {
  const Map map(element, where, wrong);
  return {map.text("isa", false), map.text("host"), map.small("abi", 0, kAny32), map.bytes("image")};
}

CudaImage read_cuda_image(const json& element, const std::string& where, std::string& wrong) {
  const Map map(element, where, wrong);
  CudaImage image;
  image.arch = map.text("arch", false);
  image.schedule = map.text("schedule");
  image.plan.decode = map.text("decode", false);
  image.plan.count = map.text("count", false);
  image.plan.threads_per_block = map.small("threads_per_block", schedule::kLanes, kMaxBlockThreads);
  if (image.plan.threads_per_block % schedule::kLanes != 0) map.fail("threads_per_block", "is not a number of warps");
  image.plan.chunks_per_block = map.small("chunks_per_block", 1, kMaxBlockThreads);
  image.plan.temp_bytes_per_slot = map.number("temp_bytes_per_slot", 0, kMaxTemp);
  if (image.plan.temp_bytes_per_slot % 256 != 0) map.fail("temp_bytes_per_slot", "is not a multiple of 256");
  image.plan.dynamic_shared_bytes = map.small("dynamic_shared_bytes", 0, kMaxShared);
  image.plan.carve_out = map.small_or_none("carve_out", schedule::kMaxCarveOut);
  image.plan.input_alignment = map.power("input_alignment", schedule::kMaxInputAlignment);
  image.plan.output_alignment = map.power("output_alignment", schedule::kMaxOutputAlignment);
  image.image = map.bytes("image");
  if (image.is_ptx() && !image.image.empty() && image.image.back() != 0) map.fail("image", "has no end");
  map.list("kernels", [&](const json& kernel, const std::string& inner) {
    const Map one(kernel, inner, wrong);
    image.kernels.push_back({one.text("kernel", false), one.small("registers", 0, kAny32),
                             one.small("shared", 0, kAny32), one.small("stack", 0, kAny32),
                             one.small("spill_stores", 0, kAny32), one.small("spill_loads", 0, kAny32)});
  });
  return image;
}

Cuda read_cuda(const json& root, std::string& wrong) {
  const Map map(root, "cuda", wrong);
  Cuda cuda;
  cuda.abi = map.small("abi", 0, kAny32);
  map.list("images", [&](const json& element, const std::string& where) {
    cuda.images.push_back(read_cuda_image(element, where, wrong));
  });
  return cuda;
}

std::uint64_t little(std::span<const std::uint8_t> from) {
  std::uint64_t value = 0;
  for (std::size_t i = from.size(); i-- > 0;) value = value << 8 | from[i];
  return value;
}

// The payload, once the header says that it is whole and undamaged.
std::optional<std::span<const std::uint8_t>> payload_of(std::span<const std::uint8_t> file, std::string& error) {
  const std::size_t seen = std::min(file.size(), kMagic.size());
  if (seen == 0 || !std::equal(kMagic.begin(), kMagic.begin() + static_cast<std::ptrdiff_t>(seen), file.begin())) {
    error = "not a Sluice artifact";
    return std::nullopt;
  }
  if (file.size() < kPayloadAt) {
    error = fmt::format("the artifact is cut short: {} bytes of its header's {}", file.size(), kPayloadAt);
    return std::nullopt;
  }
  const std::uint64_t version = little(file.subspan(8, 4)), size = little(file.subspan(12, 8));
  if (version != kVersion) {
    error = fmt::format("the artifact is of version {}, and this program reads version {}", version, kVersion);
    return std::nullopt;
  }
  const auto payload = file.subspan(kPayloadAt);
  if (payload.size() != size) {
    error = payload.size() < size ? fmt::format("the artifact is cut short: {} of {} bytes", payload.size(), size)
                                  : fmt::format("{} bytes stand after the artifact's end", payload.size() - size);
    return std::nullopt;
  }
  if (!std::ranges::equal(content_hash(file.first(kHashAt), payload), file.subspan(kHashAt, kHashBytes))) {
    error = "the artifact is damaged: its contents do not have the hash it records";
    return std::nullopt;
  }
  return payload;
}

// "sm_86" and "compute_86" are 86; "sm_90a" has the suffix 'a'.
struct Capability {
  unsigned number = 0;
  char suffix = 0;
};
std::optional<Capability> capability_of(std::string_view arch) {
  const std::size_t bar = arch.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  Capability found;
  const char* end = arch.data() + arch.size();
  const auto [rest, status] = std::from_chars(arch.data() + bar + 1, end, found.number);
  if (status != std::errc{} || end - rest > 1) return std::nullopt;
  if (rest != end) found.suffix = *rest;
  return found;
}

}  // namespace

std::optional<Artifact> read(std::span<const std::uint8_t> file, std::string& error) {
  const auto payload = payload_of(file, error);
  if (!payload) return std::nullopt;
  const json root = json::from_cbor(*payload, true, false);
  if (root.is_discarded()) {
    error = "the artifact's contents are not a CBOR map";
    return std::nullopt;
  }
  std::string wrong;
  Artifact artifact;
  const Map map(root, "artifact", wrong);
  artifact.producer = map.text("producer");
  if (const json* format = map.at("format")) artifact.format = read_format(*format, wrong);
  map.list("cpu", [&](const json& element, const std::string& where) {
    artifact.cpu.push_back(read_cpu(element, where, wrong));
  });
  if (wrong.empty() && root.contains("cuda")) artifact.cuda = read_cuda(root["cuda"], wrong);
  if (!wrong.empty()) {
    error = "the artifact's contents are not as they must be: " + wrong;
    return std::nullopt;
  }
  return artifact;
}

const CudaImage* image_for(const Cuda& cuda, unsigned major, unsigned minor) {
  const unsigned wanted = major * 10 + minor;
  const CudaImage *cubin = nullptr, *ptx = nullptr;
  unsigned best_cubin = 0, best_ptx = 0;
  for (const CudaImage& image : cuda.images) {
    const auto capability = capability_of(image.arch);
    if (!capability || capability->number > wanted) continue;
    const unsigned number = capability->number;
    if (capability->suffix != 0 && number != wanted) continue;
    if (image.is_ptx() && (!ptx || number > best_ptx)) {
      ptx = &image;
      best_ptx = number;
    }
    if (!image.is_ptx() && number / 10 == major && (!cubin || number > best_cubin)) {
      cubin = &image;
      best_cubin = number;
    }
  }
  return cubin ? cubin : ptx;
}

}  // namespace sluice::artifact
