#pragma once
// Hand-written IR for tests: read, verified, run.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/interp/interp.h"
#include "compiler/ir/error_text.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/verify.h"

namespace sluice::test {

using Bytes = std::vector<std::uint8_t>;

// Reads module text that must be right: readable and verified.
inline ir::Module module_of(std::string_view text) {
  std::string error;
  std::optional<ir::Module> module = ir::read(text, &error);
  EXPECT_TRUE(module.has_value()) << error << "\n" << text;
  if (!module) return {};
  for (const std::string& problem : ir::verify(*module)) ADD_FAILURE() << problem << "\n" << text;
  return std::move(*module);
}

struct Outcome {
  std::string error;  // "" or the site's name
  std::uint64_t bit = 0;
  std::uint64_t produced = 0, consumed = 0;
  Bytes out;          // the produced elements' bytes
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

inline void PrintTo(const Outcome& o, std::ostream* os) {
  *os << "{error \"" << o.error << "\" bit " << o.bit << " produced " << o.produced << " consumed " << o.consumed << " out";
  for (const std::uint8_t byte : o.out) *os << ' ' << int{byte};
  *os << '}';
}

struct RunOptions {
  std::uint64_t capacity = 64;
  Bytes dictionary{};
  std::vector<std::uint64_t> args{};
};

inline Outcome outcome_of(const ir::Module& module, const interp::Result& result) {
  Outcome o;
  o.produced = result.produced;
  o.consumed = result.consumed;
  if (result.error == interp::kBrokenModule) {
    o.error = "broken module";
  } else if (result.error == ir::kNoRoom) {
    o.error = "no_room";
  } else if (result.error != 0) {
    EXPECT_LT(result.site, module.sites.size());
    o.error = module.sites[result.site].name;
    o.bit = result.error & ((std::uint64_t{1} << 40) - 1);
    EXPECT_EQ(result.error, ir::error_word(module.sites[result.site], o.bit));
  }
  return o;
}

inline Outcome run(const ir::Module& module, const Bytes& in, const RunOptions& options = {},
                   const interp::Tracer& tracer = {}) {
  const std::uint64_t element = module.output.bits / 8;
  Bytes out(options.capacity * element, 0xee);
  const interp::Result result = interp::interpret(
      module, {.in = in, .out = out, .capacity_elements = options.capacity, .dictionary = options.dictionary, .args = options.args},
      tracer);
  Outcome o = outcome_of(module, result);
  for (std::size_t i = result.produced * element; i < out.size(); ++i) EXPECT_EQ(out[i], 0xee) << "stored past `produced`";
  out.resize(result.produced * element);
  o.out = out;
  return o;
}
inline Outcome run(std::string_view text, const Bytes& in, const RunOptions& options = {}) {
  return run(module_of(text), in, options);
}

inline Outcome ok(Bytes out, std::uint64_t consumed) { return {"", 0, out.size(), consumed, out}; }
inline Outcome refused(std::string error, std::uint64_t bit, Bytes out = {}) {
  return {std::move(error), bit, out.size(), (bit + 7) / 8, out};
}

inline Outcome no_room(std::uint64_t bit, Bytes out = {}) {
  return {"no_room", 0, out.size(), (bit + 7) / 8, out};
}

// Text of a module: `declarations`, rule main = `body` (lines indented by two), and one site for each of these reasons:
// 0 end_of_input, 1 varint_too_long, 2 output_full, 3 bad_distance, 4 no_such_code, 5 reject, 6 out_of_range,
// 7 oversubscribed, 8 incomplete, 9 bytes_left, 10 output_short, 11 unaligned, 12 no_progress, 13 trailing_bytes,
// 14 divide_by_zero, 15 bad_padding.
inline std::string program(std::string_view input, std::string_view declarations, std::string_view body,
                           std::string_view output = "u8") {
  std::string text = "module \"t\"\ninput " + std::string(input) + "\noutput " + std::string(output) + "\n";
  text += declarations;
  text += "rule \"main\" 0\n";
  text += body;
  const std::string_view reasons[] = {"end_of_input", "varint_too_long", "output_full",    "bad_distance", "no_such_code",
                                      "reject",       "out_of_range",    "oversubscribed", "incomplete",   "bytes_left",
                                      "output_short", "unaligned",       "no_progress",    "trailing_bytes", "divide_by_zero",
                                      "bad_padding"};
  int clause = 1;
  for (const std::string_view reason : reasons) {
    text += "site 0 " + std::to_string(clause++) + " " + std::string(reason) + " \"" + std::string(reason) + "\"\n";
  }
  return text;
}

}  // namespace sluice::test
