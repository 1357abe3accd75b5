// One input on all targets, against the interpreter.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "tests/fuzz/specs/native.h"
#include "tests/fuzz/specs/random.h"
#include "tests/fuzz/specs/steer.h"
#include "tests/support/guard.h"

namespace sluice::fuzz {

struct Finding {
  std::string kind;    // "decode", "count", "bytes", "compile", "simt": what a shrinker keeps
  std::string detail;  // one line or more
  [[nodiscard]] bool any() const { return !kind.empty(); }
};

// Memory between untouchable pages, reused: what is handed out lies against its end.
class Arena {
 public:
  explicit Arena(std::size_t size) : memory_(size, test::Flush::End) {}
  // `alignment`: of the first byte, a power of two.
  std::span<std::uint8_t> take(std::size_t size, std::size_t alignment = 1);
  [[nodiscard]] std::size_t size() { return memory_.bytes().size(); }

 private:
  test::GuardedBuffer memory_;
};

class Checker {
 public:
  Checker();

  // Decodes on both sides with ample, exact and too little room, and counts. `lowered`: the module without passes,
  // which says what is right. `slow` is set when the interpreter gave up; nothing was compared then.
  Finding cpu(const ir::Module& lowered, const Decoder& decoder, std::span<const std::uint8_t> input, Random random,
              bool& slow);

  // The same on the SIMT layer: the inputs as one batch, with ample and with little room, under `seed`.
  Finding simt(const ir::Module& lowered, const Kernel& kernel, std::span<const Bytes> inputs, Random random);

 private:
  struct Side {
    std::uint64_t error = 0, produced = 0, consumed = 0;
    std::array<std::uint64_t, ir::kMaxFurtherOutputs> further{};
    friend bool operator==(const Side&, const Side&) = default;
  };
  static Side side(const interp::Result& r) { return {r.error, r.produced, r.consumed, r.further}; }
  static std::string differ(const ir::Module& module, const Side& right, const Side& other);
  Arena in_, out_, dictionary_, scratch_, expected_;
  std::uint8_t noise_ = 0;
};

}  // namespace sluice::fuzz
