// What a chunk reads before it has put anything there: machine code says what the interpreter says, whatever its
// temporary memory holds when a chunk begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>

#include "compiler/driver/compile.h"
#include "compiler/emit/cpu.h"
#include "compiler/interp/interp.h"
#include "compiler/ir/count_mode.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/engine.h"
#include "tests/support/unset_inputs.h"

namespace sluice {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kInputs = 400;
constexpr std::size_t kRoom = 4096;
constexpr std::size_t kFewest = 5;  // inputs of each spec that are accepted, and that are refused

struct Outcome {
  std::uint64_t error = 0, produced = 0, consumed = 0;
  Bytes out;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void PrintTo(const Outcome& o, std::ostream* os) {
  *os << std::hex << "error " << o.error << std::dec << ", produced " << o.produced << ", consumed " << o.consumed;
}

struct Right {
  Outcome decoded, counted;
};

Right interpret(const ir::Module& module, const Bytes& in) {
  Right right;
  Outcome& o = right.decoded;
  o.out.resize(kRoom);
  const interp::Result r = interp::interpret(module, {.in = in, .out = o.out, .capacity_elements = kRoom});
  o = {r.error, r.produced, r.consumed, Bytes(o.out.begin(), o.out.begin() + static_cast<std::ptrdiff_t>(r.produced))};
  const interp::Result c = interp::count(module, in, {}, {});
  right.counted = {c.error, c.produced, c.consumed, {}};
  return right;
}

// The compiled decoder of a spec, with temporary memory of its own.
class Machine {
 public:
  explicit Machine(runtime::Program program)
      : program_(std::move(program)),
        size_(std::max<std::size_t>(program_.scratch_bytes, 1)),
        scratch_(static_cast<std::uint8_t*>(::operator new(size_, kAlignment))) {}
  ~Machine() { ::operator delete(scratch_, kAlignment); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void poison(std::uint8_t byte) { std::fill_n(scratch_, size_, byte); }

  Outcome run(const Bytes& in, bool count) {
    Outcome o;
    o.out.resize(count ? 0 : kRoom);
    sluice_job job{};
    job.in = in.data();
    job.in_size = in.size();
    job.out = o.out.data();
    job.out_capacity = count ? ir::kMaxCapacity : o.out.size();
    job.scratch = scratch_;
    o.error = (count ? program_.count : program_.decode)(&job);
    o.produced = job.produced;
    o.consumed = job.consumed;
    o.out.resize(count ? 0 : std::min<std::size_t>(o.produced, kRoom));
    return o;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};  // abi.h, sluice_job.scratch
  runtime::Program program_;
  std::size_t size_;
  std::uint8_t* scratch_;
};

class UnsetState : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string path() {
    return (std::filesystem::path(SLUICE_SPECS) / GetParam()).replace_extension(".sluice").string();
  }
};

TEST_P(UnsetState, NoChunkSeesWhatWasThereBefore) {
  driver::Request request;
  request.name = path();
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
  const std::string text = emit::emit_cpu(*compiled.module);
  const auto jitted = runtime::jit(text, runtime::ObjectCache({}));
  if (!jitted) GTEST_SKIP() << jitted.error().text;
  Machine machine(jitted->program);

  const std::vector<Bytes> inputs = test::unset_inputs(kInputs);
  std::size_t good = 0, refused = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Right right = interpret(*compiled.module, inputs[i]);
    (right.decoded.error == 0 ? good : refused) += 1;
    // As the chunk before has left it, all of it zero, and as unlucky as can be.
    for (const int memory : {-1, 0, 0x7f, 0xa5, 0xff}) {
      if (memory >= 0) machine.poison(static_cast<std::uint8_t>(memory));
      ASSERT_EQ(machine.run(inputs[i], false), right.decoded) << "input " << i << ", memory " << memory;
      ASSERT_EQ(machine.run(inputs[i], true), right.counted) << "input " << i << ", memory " << memory << ", counted";
    }
  }
  EXPECT_GE(good, kFewest) << "hardly anything is accepted";
  EXPECT_GE(refused, kFewest) << "hardly anything is refused";
}

TEST_P(UnsetState, BatchesOnAnyNumberOfThreads) {
  Options options;
  options.target = Target::Cpu;
  const auto cpu = Decoder::from_file(path(), options);
  if (!cpu) GTEST_SKIP() << cpu.error().text;
  options.target = Target::Interp;
  const auto interp = Decoder::from_file(path(), options);
  ASSERT_TRUE(interp) << interp.error().text;

  const std::vector<Bytes> inputs = test::unset_inputs(kInputs);
  const auto decode = [&](const Decoder& decoder, unsigned threads, std::vector<Bytes>& out) {
    out.assign(inputs.size(), Bytes(kRoom));
    std::vector<Chunk> chunks;
    for (std::size_t i = 0; i < inputs.size(); ++i) chunks.push_back({inputs[i], out[i]});
    std::vector<Status> statuses(inputs.size());
    EXPECT_EQ(decoder.decode_batch(chunks, statuses, Batch{{}, {}, threads}), "");
    for (std::size_t i = 0; i < inputs.size(); ++i) out[i].resize(statuses[i].produced);
    return statuses;
  };
  std::vector<Bytes> right, got;
  const std::vector<Status> expected = decode(*interp, 1, right);
  for (const unsigned threads : {1u, 2u, 0u}) {
    EXPECT_EQ(decode(*cpu, threads, got), expected) << threads << " threads";
    EXPECT_EQ(got, right) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, UnsetState,
                         testing::Values("unset_one", "unset_copies", "unset_many", "unset_steps", "unset_parts",
                                         "unset_state", "sums_of_input"),
                         [](const auto& spec) { return std::string(spec.param); });

// A code that is always built costs nothing before it is: its table is left as it is.
TEST(UnsetTables, OnlyOfCodesThatAreNotProven) {
  const auto text_of = [](const std::string& condition) {
    driver::Request request;
    request.name = "f.sluice";
    request.text = "format f\n  input bits lsb\n  output bytes\n  trailing accept rest\n  table flat: u4 = [4 x 16]\n"
                   "  prefix_code code(16, 4)\n  k: u8\n" + condition +
                   "    build code from flat\n  repeat until end of input\n    s: code\n    emit s\n";
    const driver::Compiled compiled = driver::compile_spec(request);
    EXPECT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
    return compiled.ok() ? emit::emit_cpu(*compiled.module) : std::string();
  };
  const std::string fill = "= prim::kKindLeave;  // not proven to be built before it is read\n";
  EXPECT_NE(text_of("  if k == 1\n").find(fill), std::string::npos);
  EXPECT_EQ(text_of("  repeat 1 times\n").find(fill), std::string::npos);
}

}  // namespace
}  // namespace sluice
