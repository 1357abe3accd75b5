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
  item.decoded = interp::interpret(module, {item.bytes, item.out, item.capacity, item.dictionary, {}});
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
  if (right.error == got.error && right.produced == got.produced && right.consumed == got.consumed) return "";
  return fmt::format("interpreter: {}, produced {}, consumed {}; GPU: {}{}, produced {}, consumed {}",
                     test::error_text(module, right.error), right.produced, right.consumed,
                     test::error_text(module, got.error),
                     got.error == 0 || test::site_of(module, got.error) ? "" : fmt::format(" ({:#x})", got.error),
                     got.produced, got.consumed);
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kMost = 400;
  std::string text;
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kMost))) text += fmt::format("{:02x}", byte);
  return bytes.size() > kMost ? text + fmt::format("... ({} bytes)", bytes.size()) : text;
}

}  // namespace sluice::gpu
