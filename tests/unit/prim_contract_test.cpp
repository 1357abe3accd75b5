// What stands in runtime/prim/contracts.def: what a CPU's text and a kernel's both name, and nothing that no emitter does.
// That each set of primitives keeps the contract is checked where it is built (tests/simt/prim_contract_*_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"

namespace sluice::test {
namespace {

using Names = std::set<std::string, std::less<>>;

Names contracts() {
  return {
#define PRIMITIVE(RESULT, NAME, TEMPLATE, ARGUMENTS, EFFECT) #NAME,
#define OF_BYTES PRIMITIVE
#define OF_BITS PRIMITIVE
#define OF_CHUNK PRIMITIVE
#define OF_CHUNK_BITS PRIMITIVE
#define CONSTANT(NAME, WHAT) #NAME,
#define A(...)
#include "runtime/prim/contracts.def"
#undef PRIMITIVE
#undef OF_BYTES
#undef OF_BITS
#undef OF_CHUNK
#undef OF_CHUNK_BITS
#undef CONSTANT
#undef A
  };
}

// The functions and constants that a text names; what begins with a capital letter is a type.
void add_names(std::string_view text, Names& names) {
  constexpr std::string_view kSpace = "prim::";
  for (std::size_t at = text.find(kSpace); at != std::string_view::npos; at = text.find(kSpace, at)) {
    at += kSpace.size();
    const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                  [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; });
    const std::string name(text.begin() + static_cast<std::ptrdiff_t>(at), end);
    if (!name.empty() && !std::isupper(static_cast<unsigned char>(name[0]))) names.insert(name);
  }
}

// A text without its primitives, which stand before what was made for the format.
std::string_view own(std::string_view text) {
  const std::size_t at = text.find("// Error words of the clauses");
  EXPECT_NE(at, std::string_view::npos);
  return text.substr(std::min(at, text.size()));
}

// What the codecs have no use for.
constexpr const char* kRest = R"(format rest
  input bits msb
  output u16[]
  trailing accept rest

  buffer values[40]
  buffer indices[40]
  a: i16
  b: i16
  mark start
  into values
    literals u9[20]
  stage add values, 3
  into indices
    literals u4[20]
  stage prefix_sum indices
  stage gather indices, from values
  buffer_sum = xxh32(input since start)
  require buffer_sum != 5 else reject bad_sum
  emit all indices
  if a != 0
    emit ((b / a) % 7 + b % a) as u16
)";

constexpr const char* kTurning = R"(format turning
  input bits lsb
  output bytes

  array lengths: u4[16]
  prefix_code code(16, 9), longest first

  repeat until end of input
    for i < 16
      read lengths[i]: u4
    build code from lengths[0, 16]
    mark start
    within 8 bytes, backward
      repeat until end of input
        s: code
        emit s
    require consumed since start == 8 else reject never
)";

TEST(PrimContract, HoldsWhatACpuAndAKernelBothName) {
  Names cpu, gpu;
  const auto add = [&](driver::Request request) {
    driver::Compiled compiled = driver::compile_spec(request);
    ASSERT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
    add_names(own(emit::emit_cpu(*compiled.module)), cpu);
    for (const char* directives : {"", "strategy split"}) {
      emit::CudaOptions options;
      const auto made =
          driver::schedule_for(compiled, {}, analysis::analyse(*compiled.module), "cuda", directives);
      if (!made.schedule) continue;
      options.schedule = *made.schedule;
      add_names(own(emit::emit_cuda(*compiled.module, options).text), gpu);
    }
  };
  driver::Request request;
  for (const std::string& codec : driver::builtin_codecs()) {
    request.name = codec;
    add(request);
  }
  request.name = "rest.sluice";
  request.text = kRest;
  add(request);
  request.name = "turning.sluice";
  request.text = kTurning;
  add(request);
  const Names table = contracts();
  std::size_t both = 0;
  for (const std::string& name : cpu) {
    if (!gpu.contains(name)) continue;
    ++both;
    EXPECT_TRUE(table.contains(name)) << name;
  }
  EXPECT_GE(both, 65u);
}

TEST(PrimContract, HoldsNothingThatNoEmitterNames) {
  Names named;
  for (const auto& file : std::filesystem::directory_iterator(SLUICE_SOURCE_DIR "/compiler/emit")) {
    std::ifstream in(file.path());
    add_names(std::string(std::istreambuf_iterator<char>(in), {}), named);
  }
  for (const std::string& name : contracts()) EXPECT_TRUE(named.contains(name)) << name;
}

}  // namespace
}  // namespace sluice::test
