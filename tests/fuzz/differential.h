// One differential execution: the generated decoder against the interpreter on the same bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "tests/support/aot.h"

namespace sluice::test {

// Every variant of one codec that is linked in. The capacity, the variant and whether a dictionary is given follow
// from a hash of the input alone, so that a file by itself replays a finding.
class Differential {
 public:
  // Nothing, with the reason, when the codec is not linked in or does not compile.
  static std::optional<Differential> of(const std::string& codec, std::string& problem);

  // Decodes and counts on both; the buffers are heap blocks of exact size, so that ASan sees every byte outside.
  // Returns what differs, or an empty string.
  std::string run(std::span<const std::uint8_t> data);

 private:
  struct Variant {
    const AotEntry* entry = nullptr;
    ir::Module module;
    std::vector<unsigned long long> arguments;
  };
  std::vector<std::unique_ptr<Variant>> variants_;
};

}  // namespace sluice::test
