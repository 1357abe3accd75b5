// Shapes of the emitted text that compilers insist on, without asking one: labels that are jumped to exist, and brackets
// nest no deeper than Clang reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"

namespace sluice::test {
namespace {

constexpr std::size_t kClangBrackets = 256;  // -fbracket-depth, if nobody asks for more

struct Texts {
  std::string cpu, cuda;
};

Texts texts_of(const driver::Request& request, const std::string& directives = "") {
  driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << request.name << driver::failure_message(compiled, false);
  if (!compiled.ok()) return {};
  emit::CudaOptions options;
  const auto made = driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda", directives);
  if (made.schedule) options.schedule = *made.schedule;
  return {emit::emit_cpu(*compiled.module), emit::emit_cuda(*compiled.module, options).text};
}

Texts texts_of(const std::string& text) {
  driver::Request request;
  request.name = "t.sluice";
  request.text = text;
  return texts_of(request);
}

// Labels that a function jumps to and does not have: "function: label". A function ends with a brace in the first column.
std::vector<std::string> missing_labels(const std::string& text) {
  std::vector<std::string> missing;
  std::set<std::string> wanted, there;
  std::string head;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line[0] != ' ' && line[0] != '}' && line.ends_with("{")) head = line;
    for (std::size_t jump = line.find("goto "); jump != std::string::npos; jump = line.find("goto ", jump + 1))
      wanted.insert(line.substr(jump + 5, line.find(';', jump) - jump - 5));
    if (line.ends_with(":;")) there.insert(line.substr(line.find_first_not_of(' '), line.size() - 2 - line.find_first_not_of(' ')));
    if (line == "}") {
      for (const std::string& label : wanted)
        if (!there.contains(label)) missing.push_back(head + ": " + label);
      wanted.clear();
      there.clear();
    }
  }
  return missing;
}

std::size_t deepest(const std::string& text) {
  std::size_t depth = 0, most = 0;
  for (const char c : text) {
    if (c == '{' || c == '(' || c == '[') most = std::max(most, ++depth);
    if (c == '}' || c == ')' || c == ']') --depth;
  }
  return most;
}

// Text that says nothing, behind the primitives: casts to void of one variable after the other, sums with 0 and products
// with 1, statements behind a return, empty lines behind each other.
std::vector<std::string> idle_text(const std::string& text) {
  std::vector<std::string> found;
  std::string before = "text";
  for (std::size_t at = std::min(text.find("// Error words"), text.size()); at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with(' ')) found.push_back(line + "|");
    line = line.substr(0, line.find("  //"));
    const auto holds = [&](const std::string& word) {
      const std::size_t there = line.find(word);
      return there != std::string::npos && (there + word.size() == line.size() || !std::isalnum(static_cast<unsigned char>(line[there + word.size()])));
    };
    for (const char* word : {"(void)", " / 1", " * 1", " + 0", "(0 + "})
      if (word == std::string_view("(void)") ? line.find(word) != std::string::npos : holds(word)) found.push_back(line);
    if (line.empty() && before.empty()) found.emplace_back("two empty lines");
    if (line == before && line.ends_with("return kOk;")) found.push_back(line);
    before = line;
  }
  return found;
}

TEST(EmitText, TheTestSeesIdleText) {
  EXPECT_EQ(idle_text("// Error words\n  (void)x;\n  a = b / 1;\n\n\n  return kOk;\n  return kOk;\n  c = d * 16;\n"),
            (std::vector<std::string>{"  (void)x;", "  a = b / 1;", "two empty lines", "  return kOk;"}));
}

TEST(EmitText, NoTextIsIdle) {
  for (const std::string& codec : driver::builtin_codecs()) {
    driver::Request request;
    request.name = codec;
    const Texts texts = texts_of(request);
    EXPECT_EQ(idle_text(texts.cpu), std::vector<std::string>{}) << codec;
    EXPECT_EQ(idle_text(texts.cuda), std::vector<std::string>{}) << codec;
  }
}

// What nothing reads is told so where it stands; what nothing names is not there.
TEST(EmitText, OnlyWhatIsUsedIsDeclared) {
  driver::Request request;
  request.name = "t.sluice";
  request.text = R"(format t
  input bytes
  output bytes
  trailing accept rest

  rule twice(v: u8, _unread: u8)
    emit v
    emit v

  _first: u8
  n: u8
  twice(n, 5)
)";
  const std::string text = texts_of(request).cpu;
  EXPECT_NE(text.find("rule1_twice(State& s, u64 v0_v, [[maybe_unused]] u64 v1__unread) {"), std::string::npos) << text;
  EXPECT_NE(text.find("  u64 v0_n = 0;\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("_first"), std::string::npos) << text;
}

// Likewise of the steps around parts.
TEST(EmitText, OnlyAStepsUnreadSlotsMayBeUnused) {
  driver::Request request;
  request.name = "t.sluice";
  request.text = R"(format t
  input bytes
  output bytes
  trailing reject trailing_bytes

  array sizes: u8[255]
  parts: u8
  for n < parts
    size: u8
    sizes[n] := size
  for n < parts
    size = sizes[n]
    copied = size + n
    within size bytes
      producing 2 * size
        repeat until end of input
          v: u8
          emit (v + copied) & 15
          emit v >> 4
)";
  const auto steps = [](const std::string& text) {
    const std::size_t at = text.find("const bool mine = ");
    return at == std::string::npos ? "" : text.substr(at, text.find("stuck:;", at) - at);
  };
  std::string text = steps(texts_of(request, "strategy split").cuda);
  EXPECT_NE(text.find("_n = step_ref + count;"), std::string::npos) << text;
  EXPECT_EQ(text.find("maybe_unused"), std::string::npos) << text;
  request.text->replace(request.text->find("(v + copied)"), 12, "v");
  request.passes = false;  // they would leave `copied` out
  text = steps(texts_of(request, "strategy split").cuda);
  EXPECT_NE(text.find("[[maybe_unused]] u64"), std::string::npos) << text;
  EXPECT_EQ(text.find("maybe_unused"), text.rfind("maybe_unused")) << text;
}

TEST(EmitText, TheTestSeesAMissingLabel) {
  EXPECT_EQ(missing_labels("void f() {\n  goto leave;\n}\nvoid g() {\nleave:;\n}\n"),
            std::vector<std::string>{"void f() {: leave"});
  EXPECT_EQ(missing_labels("void f() {\n  if (x) goto leave;\n  leave:;\n}\n"), std::vector<std::string>{});
}

TEST(EmitText, LabelsOfEveryCodecExist) {
  for (const std::string& codec : driver::builtin_codecs()) {
    driver::Request request;
    request.name = codec;
    const Texts texts = texts_of(request);
    EXPECT_EQ(missing_labels(texts.cpu), std::vector<std::string>{}) << codec;
    EXPECT_EQ(missing_labels(texts.cuda), std::vector<std::string>{}) << codec;
  }
}

// Steps that only some lanes could take: a field, an assignment, a refusal under a condition.
TEST(EmitText, CountedStepsThatDifferFromEachOther) {
  const std::string head = "format t\n  input bits msb\n  output u16[]\n  trailing accept rest\n";
  const std::string loop = "  count: u32be\n  repeat count times\n    changed: bool\n";
  for (const std::string body :
       {"    if changed\n      n: u7\n      require n > 0 else reject zero\n    emit 1\n",
        "    if changed\n      n: u6\n      width := n\n    emit width\n", "    if changed: reject bad\n    emit 1\n",
        "    n: u4\n    if n > 9: reject bad\n    emit n\n",
        "    when changed\n      literals u8[3]\n    else\n      emit 2\n", "    if changed: stop\n    emit 5\n"}) {
    const Texts texts = texts_of(head + "  var width: u7 = 0\n" + loop + body);
    EXPECT_EQ(missing_labels(texts.cuda), std::vector<std::string>{}) << body;
    EXPECT_EQ(missing_labels(texts.cpu), std::vector<std::string>{}) << body;
    // The same steps in a loop of an outer one, which is the place of another generator.
    const Texts inner = texts_of(head + "  var width: u7 = 0\n  repeat until end of input\n    count: u8\n    repeat count times\n      changed: bool\n" + [&] {
      std::string deeper;
      for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = body.find('\n', at) + 1;
        deeper += "  " + body.substr(at, end - at);
        at = end;
      }
      return deeper;
    }() + "    align\n");
    EXPECT_EQ(missing_labels(inner.cuda), std::vector<std::string>{}) << body;
  }
}

TEST(EmitText, LongChainsAreFlat) {
  for (const char* repeat : {"", "  repeat until end of input\n"}) {
    const std::string in = *repeat ? "    " : "  ";
    std::string text = std::string("format t\n  input bytes\n  output bytes\n  trailing accept rest\n\n") + repeat + in + "a: u16le\n";
    for (unsigned i = 0; i < 1000; ++i)
      text += in + "when a == " + std::to_string(3 * i) + "\n" + in + "  emit " + std::to_string(i % 256) + "\n";
    const Texts texts = texts_of(text + in + "else\n" + in + "  reject bad\n");
    EXPECT_LT(deepest(texts.cpu), kClangBrackets / 8);
    EXPECT_LT(deepest(texts.cuda), kClangBrackets / 8);
  }
}

}  // namespace
}  // namespace sluice::test
