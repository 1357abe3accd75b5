#include "tests/gpu/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/random.h"
#include "tests/support/subject.h"

namespace sluice::gpu {
namespace {

void decode(const ir::Module& module, Case& item) {
  const unsigned element_bytes = module.output.bits / 8u;
  item.out.assign(item.capacity * element_bytes, 0);
  item.further.clear();
  std::vector<interp::Room> rooms;
  for (const ir::Output& output : module.outputs) item.further.emplace_back(item.capacity * (output.type.bits / 8u));
  for (Bytes& room : item.further) rooms.push_back({room, item.capacity});
  item.decoded = interp::interpret(module, {item.bytes, item.out, item.capacity, item.dictionary, {}, rooms});
  for (std::size_t k = 0; k < rooms.size(); ++k) item.further[k].resize(item.decoded.further[k] * (module.outputs[k].type.bits / 8u));
  item.out.resize(std::min<std::uint64_t>(item.decoded.produced, item.capacity) * element_bytes);
}

}  // namespace

void interpret(const ir::Module& module, std::uint64_t seed, Case& item) {
  decode(module, item);
  if (item.fit == Fit::AsGiven) return;
  const std::uint64_t produced = item.decoded.produced;
  item.capacity = produced;
  if (item.fit == Fit::OneShort) item.capacity -= std::min<std::uint64_t>(produced, 1);
  if (item.fit == Fit::Less) item.capacity = test::Random(seed).below(produced + 1);
  decode(module, item);
}

std::string differ(const ir::Module& module, const interp::Result& right, const Status& got) {
  if (right.error == got.error && right.produced == got.produced && right.consumed == got.consumed && right.further == got.further) return "";
  const auto made = [&](std::uint64_t produced, const auto& further) {
    std::string text = std::to_string(produced);
    for (std::size_t k = 0; k < module.outputs.size(); ++k) text += " and " + std::to_string(further[k]);
    return text;
  };
  return fmt::format("interpreter: {}, produced {}, consumed {}; GPU: {}{}, produced {}, consumed {}",
                     test::error_text(module, right.error), made(right.produced, right.further), right.consumed,
                     test::error_text(module, got.error),
                     got.error == 0 || test::site_of(module, got.error) ? "" : fmt::format(" ({:#x})", got.error),
                     made(got.produced, got.further), got.consumed);
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMost = 400;
  std::string text;
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kMost))) text += fmt::format("{:02x}", byte);
  return bytes.size() > kMost ? text + fmt::format("... ({} bytes)", bytes.size()) : text;
}

}  // namespace sluice::gpu
