// Further outputs: what the interpreter makes of them, what modules of the IR must keep, and how programs decode them.
#include <array>
#include <cstring>

#include "compiler/analysis/facts.h"
#include "compiler/ir/count_mode.h"
#include "compiler/plan/lower.h"
#include "runtime/api/sluice.h"
#include "runtime/api/sluice.hpp"
#include "tests/unit/ir_fixture.h"
#include "tests/unit/sema_fixture.h"

namespace sluice::test {
namespace {

// Sites as in interp_statements_test.cpp: 0 end_of_input, 2 output_full, 3 bad_distance, 10 output_short.
const char* const kOutputs = "further u16 \"a\"\nfurther u8 \"b\"\nbuffer \"c\" 8\nmark \"m\"\n";

struct All {
  Outcome main;
  Bytes a, b;
  friend bool operator==(const All&, const All&) = default;
};
void PrintTo(const All& all, std::ostream* os) {
  PrintTo(all.main, os);
  for (const Bytes* bytes : {&all.a, &all.b}) {
    *os << " and";
    for (const std::uint8_t byte : *bytes) *os << ' ' << int{byte};
  }
}

// Rooms of so many elements; bytes past what is made must stay as they are.
All run_all(const std::string& body, const Bytes& in, std::array<std::uint64_t, 3> rooms = {64, 64, 64}) {
  const ir::Module module = module_of(program("bytes", kOutputs, body));
  Bytes out(rooms[0], 0xee), a(2 * rooms[1], 0xee), b(rooms[2], 0xee);
  const std::array<interp::Room, 2> further{interp::Room{a, rooms[1]}, interp::Room{b, rooms[2]}};
  const interp::Result r = interp::interpret(module, {.in = in, .out = out, .capacity_elements = rooms[0], .further = further});
  for (std::size_t i = 2 * r.further[0]; i < a.size(); ++i) EXPECT_EQ(a[i], 0xee);
  for (std::size_t i = r.further[1]; i < b.size(); ++i) EXPECT_EQ(b[i], 0xee);
  All all{outcome_of(module, r), a, b};
  all.main.out.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(r.produced));
  all.a.resize(2 * r.further[0]);
  all.b.resize(r.further[1]);
  return all;
}

TEST(Outputs, BlocksAddToThem) {
  const std::string body = "  emit 1 !2\n  into further 0\n    emit 770 !2\n    emit (produced) !2\n  emit (output_count 0) !2\n"
                           "  into further 1\n    run 7 count 3 !2\n  into further 0\n    copy distance 1 length 1 !3,2\n";
  EXPECT_EQ(run_all(body, {}).main, refused("bad_distance", 0, {1, 2}));  // what an earlier block made is out of reach
  const std::string good = "  emit 1 !2\n  into further 0\n    emit 770 !2\n    emit (produced) !2\n  emit (output_count 0) !2\n"
                           "  into further 1\n    run 7 count 3 !2\n  into further 0\n    emit 5 !2\n    copy distance 1 length 2 !3,2\n  emit (produced) !2\n";
  EXPECT_EQ(run_all(good, {}), (All{ok({1, 2, 2}, 0), {2, 3, 1, 0, 5, 0, 5, 0, 5, 0}, {7, 7, 7}}));
}

TEST(Outputs, EachHasARoomOfItsOwn) {
  const std::string body = "  emit 1 !2\n  into further 0\n    literals fixed u8 count 3 !0,_,2\n  emit 2 !2\n  into further 1\n    run 9 count 4 !2\n";
  const Bytes in{5, 6, 7};
  EXPECT_EQ(run_all(body, in, {2, 3, 4}), (All{ok({1, 2}, 3), {5, 0, 6, 0, 7, 0}, {9, 9, 9, 9}}));
  EXPECT_EQ(run_all(body, in, {2, 2, 4}), (All{no_room(16, {1}), {5, 0, 6, 0}, {}}));  // one by one: what came before is there
  EXPECT_EQ(run_all(body, in, {2, 3, 3}), (All{no_room(24, {1, 2}), {5, 0, 6, 0, 7, 0}, {}}));
  EXPECT_EQ(run_all(body, in, {1, 3, 4}), (All{no_room(24, {1}), {5, 0, 6, 0, 7, 0}, {}}));
}

// A promise is of the side it stands on, and breaking it no matter of room.
TEST(Outputs, PromisesHold) {
  const std::string inside = "  into further 0\n    producing 2 !2,10\n      run 3 count 3 !2\n";
  EXPECT_EQ(run_all(inside, {}).main, refused("output_full", 0));
  EXPECT_EQ(run_all(inside, {}, {0, 0, 0}).main, refused("output_full", 0));
  const std::string outside = "  producing 1 !2,10\n    into further 0\n      run 3 count 3 !2\n    emit 4 !2\n";
  EXPECT_EQ(run_all(outside, {}), (All{ok({4}, 0), {3, 0, 3, 0, 3, 0}, {}}));
}

TEST(Outputs, ARefusalNamesTheOutput) {
  const auto said = [](const std::string& statement) {
    const ir::Module m = lowered("format f\n  input bytes\n  output bytes\n  output a: u16[]\n  buffer b[2]\n  trailing accept rest\n" + statement +
                                 "    producing 1\n      run 3, count 3\n");
    return ir::describe(m, {}, interp::interpret(m, {}).error, 0);
  };
  EXPECT_NE(said("  into a\n").find("`run` makes more of the output `a` than the region around it allows"), std::string::npos);
  EXPECT_NE(said("  into b\n").find("`run` makes more output than the region around it allows"), std::string::npos);
}

TEST(Outputs, AreCounted) {
  const ir::Module module = module_of(program("bytes", kOutputs, "  emit 1 !2\n  into further 0\n    literals fixed u8 count 3 !0,_,2\n  into further 1\n    run 9 count 4 !2\n"));
  const interp::Result r = interp::count(module, Bytes{5, 6, 7});
  EXPECT_EQ(r.error, 0u);
  EXPECT_EQ(r.produced, 1u);
  EXPECT_EQ(r.further[0], 3u);
  EXPECT_EQ(r.further[1], 4u);
  EXPECT_EQ(interp::count(module, Bytes{5, 6, 7}, {}, {}, 3).error, ir::kNoRoom);
}

std::vector<std::string> problems(const std::string& body) {
  std::string error;
  const auto module = ir::read(program("bytes", kOutputs + std::string("symbols \"s\" 2\n"), body), &error);
  EXPECT_TRUE(module.has_value()) << error;
  return module ? ir::verify(*module) : std::vector<std::string>{error};
}

TEST(Outputs, WhatTheVerifierRefuses) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problems("  into further 2\n    emit 1 !2\n"), Problems{"rule main: into: names an output that is not there"});
  EXPECT_EQ(problems("  into further 0\n    into further 1\n      emit 1 !2\n"), Problems{"rule main: into: fills an output or a buffer while another is filled"});
  EXPECT_EQ(problems("  into further 0\n    into 0\n      emit 1 !2\n"), Problems{"rule main: into: fills an output or a buffer while another is filled"});
  EXPECT_EQ(problems("  into further 0\n    emit (output_count 0) !2\n"), Problems{"rule main: emit: uses `a` while it is filled"});
  EXPECT_EQ(problems("  into further 0\n    emit (output_count 1) !2\n"), Problems{});
  EXPECT_EQ(problems("  into further 0\n    emit_buffer 0 !2\n"), Problems{"rule main: emit_buffer: outputs u8 where u16 belong"});
  EXPECT_EQ(problems("  into further 1\n    emit_buffer 0 !2\n"), Problems{});
  EXPECT_EQ(problems("  into further 0\n    emit_symbol 0 index 0 !4,2\n"), Problems{"rule main: emit_symbol: outputs bytes where u16 belong"});
}

// A rule is of one type; one that makes nothing is of any.
TEST(Outputs, ARuleHasElementsOfOneType) {
  const std::string base = "format f\n  input bytes\n  output bytes\n  output a: u16[]\n  output b: bytes\n  trailing accept rest\n";
  const std::string step = "  rule step\n    n: u8\n    emit n\n";
  EXPECT_TRUE(check(base + step + "  into a\n    step()\n  into a\n    step()\n").format.has_value());
  EXPECT_TRUE(check(base + step + "  into b\n    step()\n  step()\n").format.has_value());
  EXPECT_NE(check(base + step + "  into a\n    step()\n  step()\n").text().find("error[SL0537]"), std::string::npos);
  EXPECT_NE(check(base + step + "  step()\n  into a\n    step()\n").text().find("error[SL0537]"), std::string::npos);
  EXPECT_TRUE(check(base + "  rule read -> u8\n    n: u8\n    return n\n  x: read\n  into a\n    y: read\n    emit x + y\n").format.has_value());
}

// Those of a module come first, and only those that it is used for.
TEST(Outputs, OfModules) {
  const std::map<std::string, std::string> modules = {
      {"m", "format m\n  input bytes\n  output bytes\n  output sizes: u16[]\n  output idle: u32[]\n  trailing accept rest\n"
            "  rule one\n    into sizes\n      emit 3\n  rule other\n    into idle\n      emit 4\n  one()\n"}};
  const std::string head = "use m\nformat f\n  input bytes\n  output bytes\n  output own: u64[]\n  trailing accept rest\n";
  const Checked c = check(head + "  m.one()\n  into m.sizes\n    emit 9\n  into own\n    emit count of m.sizes\n", {}, modules);
  ASSERT_TRUE(c.format.has_value()) << c.text();
  ASSERT_EQ(c.format->outputs.size(), 2u);
  EXPECT_EQ(c.format->outputs[0].name, "m.sizes");
  EXPECT_EQ(c.format->outputs[1].name, "own");
}

constexpr const char* kStrings =
    "format strings\n  input bytes\n  output bytes\n  output offsets: i32[]\n\n  into offsets\n    emit 0\n  repeat until end of input\n"
    "    length: u8\n    literals u8[length]\n    end = produced\n    into offsets\n      emit end\n";

TEST(Outputs, ThroughTheInterfaces) {
  for (const Target target : {Target::Interp, Target::Auto}) {
    Options options;
    options.target = target;
    options.cache = false;
    auto decoder = Decoder::from_text(kStrings, "strings.sluice", options);
    ASSERT_TRUE(decoder) << decoder.error().text;
    ASSERT_EQ(decoder->further_outputs().size(), 1u);
    EXPECT_EQ(decoder->further_outputs()[0].name, "offsets");
    EXPECT_EQ(decoder->further_outputs()[0].element_bytes, 4u);
    EXPECT_TRUE(decoder->further_outputs()[0].is_signed);
    const Bytes in{2, 'a', 'b', 0, 1, 'c'};
    const Status sizes = decoder->decoded_size(in);
    EXPECT_EQ(sizes.produced, 3u);
    EXPECT_EQ(sizes.further[0], 4u);
    Bytes out(3), offsets(16);
    const std::array<std::span<std::uint8_t>, 1> further{offsets};
    const Chunk chunk{in, out, further};
    const Status status = decoder->decode(chunk);
    EXPECT_EQ(status, sizes);
    EXPECT_EQ(out, (Bytes{'a', 'b', 'c'}));
    EXPECT_EQ(offsets, (Bytes{0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
    const std::array<std::span<std::uint8_t>, 1> short_of_one{std::span(offsets).first(15)};
    EXPECT_EQ(decoder->decode({in, out, short_of_one}).error, kNoRoom);
    const std::array<Chunk, 2> chunks{chunk, Chunk{in, out}};
    std::array<Status, 2> statuses;
    const CallError wrong = decoder->decode_batch(chunks, statuses);
    EXPECT_EQ(wrong.kind, CallError::Kind::BadArgument);
    EXPECT_EQ(wrong.text, "strings has 1 output beside its own, and chunk 1 gives room for 0");
  }
}

TEST(Outputs, ThroughTheCInterface) {
  sluice_options options{};
  options.target = SLUICE_TARGET_INTERP;
  sluice_decoder* decoder = nullptr;
  sluice_error* error = nullptr;
  ASSERT_EQ(sluice_decoder_create_from_text(kStrings, std::strlen(kStrings), "strings.sluice", &options, &decoder, &error), SLUICE_OK) << sluice_error_text(error);
  ASSERT_EQ(sluice_further_output_count(decoder), 1u);
  EXPECT_STREQ(sluice_further_output_name(decoder, 0), "offsets");
  EXPECT_EQ(sluice_further_output_name(decoder, 1), nullptr);
  EXPECT_EQ(sluice_further_output_element_bytes(decoder, 0), 4u);
  EXPECT_NE(sluice_further_output_is_signed(decoder, 0), 0);
  const Bytes text{1, 'x'};
  const void* in = text.data();
  const std::size_t in_size = text.size(), capacity = 1, room = 2;
  std::size_t produced = 9, made = 9;
  std::uint64_t word = 9;
  sluice_further_output further{nullptr, nullptr, &made};
  EXPECT_EQ(sluice_decoded_sizes_further(decoder, &in, &in_size, &produced, &word, 1, &further, 1, nullptr, &error), SLUICE_OK);
  EXPECT_EQ(produced, 1u);
  EXPECT_EQ(made, 2u);
  char out = 0;
  std::array<std::int32_t, 2> offsets{7, 7};
  void* const out_at = &out;
  void* const offsets_at = offsets.data();
  EXPECT_EQ(sluice_decode_batch_further(decoder, &in, &in_size, &out_at, &capacity, &produced, &word, 1, &further, 1, nullptr, &error), SLUICE_BAD_ARGUMENT);
  EXPECT_STREQ(sluice_error_text(error), "an array is missing of the output `offsets`");
  sluice_error_destroy(error);
  EXPECT_EQ(sluice_decode_batch(decoder, &in, &in_size, &out_at, &capacity, &produced, &word, 1, nullptr, &error), SLUICE_BAD_ARGUMENT);
  EXPECT_STREQ(sluice_error_text(error), "strings has 1 outputs beside its own, and the call brings 0");
  sluice_error_destroy(error);
  further = {&offsets_at, &room, &made};
  EXPECT_EQ(sluice_decode_batch_further(decoder, &in, &in_size, &out_at, &capacity, &produced, &word, 1, &further, 1, nullptr, &error), SLUICE_OK);
  EXPECT_EQ(out, 'x');
  EXPECT_EQ(offsets, (std::array<std::int32_t, 2>{0, 1}));
  sluice_decoder_destroy(decoder);
}

// Two loops, each with elements of one size, have fast forms both.
TEST(Outputs, LoopsOfEachHaveFastForms) {
  const ir::Module m = lowered(
      "format f\n  input bytes\n  output bytes\n  output sizes: u32[]\n  trailing accept rest\n  mark start\n  size = remaining\n  into sizes\n"
      "    repeat until end of input\n      n: u8\n      emit n\n      skip n bytes\n  within size bytes at 0 since start\n"
      "    repeat until end of input\n      n: u8\n      literals u8[n]\n");
  for (const plan::Target target : {plan::Target::Cpu, plan::Target::Warp}) {
    const plan::Plan p = plan::lower(m, target);
    ASSERT_EQ(p.loops.size(), 2u);
    EXPECT_NE(p.loops[0].form, plan::LoopForm::Checked);
    EXPECT_EQ(p.loops[0].element_bytes, 4u);
    EXPECT_EQ(p.loops[0].cost.out, 4u);
    EXPECT_NE(p.loops[1].form, plan::LoopForm::Checked);
    EXPECT_EQ(p.loops[1].element_bytes, std::nullopt);
    if (target == plan::Target::Warp) {
      EXPECT_EQ(p.loops[0].records->against, "its elements are not of the size that the format's own output has");
    }
  }
}

}  // namespace
}  // namespace sluice::test
