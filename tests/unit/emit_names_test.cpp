// The emitted text, whatever the names in a spec: they meet nothing, and decide nothing but themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/embed/embed.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "compiler/emit/names.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/cuda_code.h"
#include "tests/support/every_name.h"

namespace sluice::test {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Length of a role, its number and the underscore at the start of `word`; 0: none stands there.
std::size_t role_length(std::string_view word) {
  for (const std::string_view role : emit::kRoles) {
    std::size_t n = role.size();
    if (!word.starts_with(role)) continue;
    while (n < word.size() && digit(word[n])) ++n;
    if (n > role.size() && n < word.size() && word[n] == '_') return n + 1;
  }
  return 0;
}

// Is it a name of the spec, or one that belongs to it? Then where the spec's part begins.
std::size_t spec_part(std::string_view word) {
  for (std::size_t at = 0; at < word.size(); ++at)
    if (at == 0 || word[at - 1] == '_')
      if (const std::size_t n = role_length(word.substr(at)); n != 0) return at + n;
  return std::string_view::npos;
}

bool is_temporary(std::string_view word) {
  const std::size_t at = word.find('_');
  if (at == 0 || at == std::string_view::npos || at + 1 == word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (i < at ? !std::islower(static_cast<unsigned char>(word[i])) : i > at && !digit(word[i])) return false;
  return true;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("//")) at = std::min(text.find('\n', at), text.size());
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at && !digit(text[at])) words.emplace(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The text without comments and without what comes from names in the spec.
std::string nameless(std::string_view text) {
  std::string bare;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (in_word(text[at])) {
      std::size_t end = at;
      while (end < text.size() && in_word(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      bare += word.substr(0, std::min(spec_part(word), word.size()));
      at = end;
    } else {
      bare += text[at++];
    }
  }
  return bare;
}

void rename_all(ir::Module& m) {
  std::size_t next = 0;
  test::each_name(m, [&](std::string& name) {
    if (!name.empty()) name = test::kHostileNames[next++ % test::kHostileNames.size()];
  });
}

emit::CudaOptions options_for(driver::Compiled& compiled, const std::string& directives) {
  emit::CudaOptions options;
  const auto made = driver::schedule_for(compiled, {}, analysis::analyse(*compiled.module), "cuda", directives);
  EXPECT_TRUE(made.schedule.has_value()) << compiled.module->name;
  if (made.schedule) options.schedule = *made.schedule;
  return options;
}

TEST(EmitNames, NothingInThePrimitivesLooksLikeANameOfASpec) {
  for (const embed::File& file : embed::files()) {
    if (!file.path.ends_with(".h")) continue;
    for (const std::string& word : words_of(file.text))
      EXPECT_TRUE(spec_part(word) == std::string_view::npos && !is_temporary(word)) << file.path << ": " << word;
  }
}

// What the emitters write themselves has one of the forms of names.h, or none of them.
TEST(EmitNames, TemporariesAndNamesOfTheSpecHaveFormsOfTheirOwn) {
  EXPECT_EQ(emit::spec_name(emit::Role::Local, 2, "a.b-c"), "v2_a_b_c");
  EXPECT_EQ(role_length(emit::spec_name(emit::Role::Lookup, 12, "x")), 9u);
  EXPECT_TRUE(is_temporary(emit::temporary_name("at", 4)));
  for (const std::string_view name : kHostileNames) {
    const std::string own = emit::spec_name(emit::Role::Global, 3, name);
    EXPECT_FALSE(is_temporary(own));
    EXPECT_FALSE(is_temporary(emit::belonging("token", own)));
    EXPECT_NE(spec_part(emit::belonging("token", own)), std::string_view::npos);
  }
}

TEST(EmitNames, RenamingChangesNamesAlone) {
  for (const std::string& codec : driver::builtin_codecs()) {
    driver::Request request;
    request.name = codec;
    driver::Compiled compiled = driver::compile_spec(request), renamed = driver::compile_spec(request);
    ASSERT_TRUE(compiled.ok() && renamed.ok()) << codec;
    rename_all(*renamed.module);
    EXPECT_TRUE(nameless(emit::emit_cpu(*compiled.module)) == nameless(emit::emit_cpu(*renamed.module))) << codec;
    const emit::CudaOptions options = options_for(compiled, "");
    EXPECT_TRUE(nameless(emit::emit_cuda(*compiled.module, options).text) ==
                nameless(emit::emit_cuda(*renamed.module, options).text))
        << codec;
  }
}

// Every kind of thing, under names that mean something to a compiler.
constexpr const char* kHostileSpec = R"(format i64
  input bytes
  output bytes
  trailing accept rest

  const kInMargin = 3
  table u8_: u8 = [4, 5, 6]
  array threadIdx: u32[16]
  var State: u64 = 0
  var __x86: u8 = 0

  rule rule0(int: u8, s: u8) -> u16
    struct: u8
    if struct == int
      return u8_[struct % 3]
    token_out = struct ^ s
    return token_out

  m: u8
  char16_t: u8
  literals u8[m & 3]
  for k < char16_t & 7
    when m > 7
      for at0 < m & 1
        emit at0
    else
      run 3, count m & 1
      emit ((State as i8) as u8) ^ k
  repeat until end of input
    char: u8
    asm: rule0(char, m)
    in_limit: varint(i32)
    State := (asm + char) as u64
    __x86 := __x86 ^ char
    leave = (in_limit as u64) ^ __x86
    threadIdx[char & 15] := leave as u32
    when leave & 1 == 1
      bit: u16le
      emit bit as u8
    else
      require char != 200 else reject fail
      emit (State as i8) as u8
)";

TEST(EmitNames, SpecsOfHostileNamesCompileForTheCpu) {
  Options options;
  options.target = Target::Interp;
  const auto interp = Decoder::from_text(kHostileSpec, "i64.sluice", options);
  ASSERT_TRUE(interp) << interp.error().text;
  options.target = Target::Cpu;
  const auto cpu = Decoder::from_text(kHostileSpec, "i64.sluice", options);
  if (!cpu && cpu.error().text.find("error:") == std::string::npos) GTEST_SKIP() << cpu.error().text;
  ASSERT_TRUE(cpu) << cpu.error().text;
  std::vector<std::uint8_t> in(600), right(4000), got(4000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * i / 7 % 97);
  EXPECT_EQ(cpu->decode({in, got}), interp->decode({in, right}));
  EXPECT_EQ(got, right);
}

TEST(EmitNames, SpecsOfHostileNamesCompileForCuda) {
  driver::Request request;
  request.name = "i64.sluice";
  request.text = kHostileSpec;
  driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
  const auto found = runtime::Nvrtc::find();
  if (!found) GTEST_SKIP() << found.error().text;
  const emit::CudaUnit unit = emit::emit_cuda(*compiled.module, options_for(compiled, ""));
  const auto code = runtime::compile_cuda(unit.text, "sm_90", runtime::ObjectCache::standard());
  EXPECT_TRUE(code) << code.error().text;
}

}  // namespace
}  // namespace sluice::test
