// Emitted text says which line of the spec it comes from.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"

namespace sluice::test {
namespace {

constexpr const char* kSpec = R"(format f
  input bytes
  output bytes
  trailing accept rest

  rule twice(v: u8)
    emit v
    emit v

  repeat until end of input
    a: u8
    when a < 3: emit a
    when a < 9
      twice(a)
    else
      b: u8
      require b > (a &
        3) else reject small
      copy distance a, length b
)";

driver::Compiled compiled(const std::string& name, const std::string& text = kSpec) {
  driver::Request request;
  request.name = name;
  request.text = text;
  return driver::compile_spec(request);
}

// The comments that are a place alone, in order.
std::vector<std::string> places(const std::string& text, const std::string& from) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find("  // " + from, at)) != std::string::npos;) {
    at += 5;
    found.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return found;
}

std::string cpu_text(const driver::Compiled& c) { return emit::emit_cpu(*c.module, {.sources = &c.sources}); }
std::string cuda_text(const driver::Compiled& c) { return emit::emit_cuda(*c.module, {.sources = &c.sources}).text; }

TEST(EmitPlaces, EachClauseIsNamedOnceWhereItBegins) {
  const driver::Compiled c = compiled("f.sluice");
  ASSERT_TRUE(c.ok()) << driver::failure_message(c, false);
  const std::string text = cpu_text(c);
  // The loop over tokens, with the called rule in its caller's place; then each rule of the checked path.
  EXPECT_EQ(places(text, "f.sluice"),
            (std::vector<std::string>{"f.sluice:10", "f.sluice:11", "f.sluice:12", "f.sluice:13", "f.sluice:14",
                                      "f.sluice:7", "f.sluice:8", "f.sluice:16", "f.sluice:17", "f.sluice:19",
                                      "f.sluice:10", "f.sluice:11", "f.sluice:12", "f.sluice:13", "f.sluice:14",
                                      "f.sluice:16", "f.sluice:17", "f.sluice:19", "f.sluice:7", "f.sluice:8"}))
      << text;
  EXPECT_NE(text.find("// main, clause 2, f.sluice:12\n"), std::string::npos) << text;
  for (const char* place : {"f.sluice:7", "f.sluice:14", "f.sluice:19"})
    EXPECT_NE(cuda_text(c).find(std::string("  // ") + place + "\n"), std::string::npos) << place;
}

// A width that is the same in every token, or in every step of a loop in one, stands before that loop: under the name of
// the clause that reads so many bits.
TEST(EmitPlaces, WidthsBeforeTheirLoopNameTheirClause) {
  const driver::Compiled c = compiled("f.sluice", R"(format f
  input bits msb
  output u32[]
  trailing accept rest

  w: u5
  repeat until end of input
    v: uint(w)
    emit v
    n: u5
    for i < n
      x: uint(n)
      emit x
    align
)");
  ASSERT_TRUE(c.ok()) << driver::failure_message(c, false);
  for (const std::string& text : {cpu_text(c), cuda_text(c)})
    for (const char* line : {" = v0_w;  // f.sluice:8\n", " = v2_n;  // f.sluice:12\n"})
      EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

// Equal specs give equal text wherever they lie; a name of any kind stays inside its comment.
TEST(EmitPlaces, AFileIsNamedWithoutItsDirectory) {
  const std::string here = cpu_text(compiled("f.sluice"));
  EXPECT_EQ(cpu_text(compiled("somewhere/else/f.sluice")), here);
  const std::string odd = cpu_text(compiled("a\nb\\c d.sluice"));
  EXPECT_FALSE(places(odd, "a_b_c_d.sluice:7").empty());
  std::string same = odd;
  for (std::size_t at; (at = same.find("a_b_c_d.sluice")) != std::string::npos;) same.replace(at, 14, "f.sluice");
  EXPECT_EQ(same, here);
}

TEST(EmitPlaces, ATextWithoutANameHasLines) {
  EXPECT_FALSE(places(cpu_text(compiled("")), "line 7").empty());
}

// Modules without sources have no lines, and the same text otherwise.
TEST(EmitPlaces, NoSourcesNoLines) {
  const driver::Compiled c = compiled("f.sluice");
  std::string bare;
  const std::string text = cpu_text(c);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    const std::size_t place = line.find("f.sluice:");
    bare += place == std::string::npos ? line : line.substr(0, line[place - 2] == ',' ? place - 2 : place - 5) + "\n";
    at = end;
  }
  EXPECT_EQ(bare, emit::emit_cpu(*c.module));
}

}  // namespace
}  // namespace sluice::test
