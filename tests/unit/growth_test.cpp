// What the compiler makes, and the time it takes for it, grow with the description and no faster: specs of n, 2n and 4n
// of something are compared with each other, never with a clock or a size.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "runtime/jit/aot.h"
#include "runtime/jit/engine.h"

namespace sluice::test {
namespace {

const std::string kBytes = "format f\n  input bytes\n  output bytes\n  trailing accept rest\n\n";
const std::string kBits = "format f\n  input bits lsb\n  output bytes\n  trailing accept rest\n\n";

std::string numbered(const std::string& name, unsigned n) { return name + std::to_string(n); }

// Rule after rule, each calling the one before `times` times; the innermost does `leaf`. The main body calls the last
// in a loop.
std::string tower(const std::string& head, const std::string& leaf, unsigned rules, unsigned times) {
  std::string text = head + "  rule r0\n" + leaf;
  for (unsigned r = 1; r < rules; ++r) {
    text += "  rule " + numbered("r", r) + "\n";
    for (unsigned k = 0; k < times; ++k) text += "    " + numbered("r", r - 1) + "()\n";
  }
  return text + "  repeat until end of input\n    " + numbered("r", rules - 1) + "()\n";
}

std::string tree(unsigned n) { return tower(kBytes, "    a: u8\n    emit a\n", n, 2); }
std::string chain(unsigned n) { return tower(kBytes, "    a: u8\n    emit a\n", n, 1); }
std::string bit_tree(unsigned n) { return tower(kBits, "    a: u5\n    emit a\n", n, 2); }

// One rule, called n times by a step; n rules, each called once; a step of n fields.
std::string wide(unsigned n) {
  std::string text = kBytes + "  rule r0\n    a: u8\n    when a > 3\n      emit a\n    else\n      emit 3\n  repeat until end of input\n";
  for (unsigned k = 0; k < n; ++k) text += "    r0()\n";
  return text;
}
std::string many_rules(unsigned n) {
  std::string text = kBytes;
  for (unsigned k = 0; k < n; ++k)
    text += "  rule " + numbered("r", k) + "\n    repeat until end of input\n      a: u8\n      emit a\n      if a == " +
            std::to_string(k % 256) + ": stop\n";
  for (unsigned k = 0; k < n; ++k) text += "  " + numbered("r", k) + "()\n";
  return text;
}
// Rules of 50 lines; 200 of them are ten thousand.
std::string long_rules(unsigned n) {
  std::string text = kBytes;
  for (unsigned r = 0; r < n; ++r) {
    text += "  rule " + numbered("r", r) + "\n";
    for (unsigned k = 0; k < 25; ++k) text += "    " + numbered("a", k) + ": u8\n    emit " + numbered("a", k) + "\n";
  }
  text += "  repeat until end of input\n";
  for (unsigned r = 0; r < n; ++r) text += "    " + numbered("r", r) + "()\n";
  return text;
}
std::string fields(unsigned n) {
  std::string text = kBytes + "  repeat until end of input\n";
  for (unsigned k = 0; k < n; ++k) text += "    " + numbered("a", k) + ": u8\n    emit " + numbered("a", k) + "\n";
  return text;
}

// Rules with loops that call rules with loops: every loop might hold all those below.
std::string loops(unsigned n) {
  std::string text = kBits + "  rule r0\n    a: u5\n    repeat a times\n      b: u3\n      emit b\n";
  for (unsigned r = 1; r < n; ++r)
    text += "  rule " + numbered("r", r) + "\n    " + numbered("r", r - 1) + "()\n    n: u4\n    repeat n times\n      " +
            numbered("r", r - 1) + "()\n    align\n";
  return text + "  repeat until end of input\n    " + numbered("r", n - 1) + "()\n";
}

// Symbols one after the other, each with a choice behind it: what follows stands once for each arm.
std::string symbols(unsigned n) {
  std::string text = kBits + "  table lengths: u8 = [3, 3, 3, 3, 3, 3, 3, 3]\n  prefix_code c(8, 7)\n  build c from lengths\n"
                             "  repeat until end of input\n";
  for (unsigned k = 0; k < n; ++k) {
    const std::string s = numbered("s", k);
    text += "    " + s + ": c\n    when " + s + " < 4\n      emit " + s + "\n    else\n      " + numbered("x", k) + ": u3\n      emit " + numbered("x", k) + "\n";
  }
  return text;
}

// Choices in choices, as deep as they may be nested, n times.
std::string nested_whens(unsigned n) {
  std::string text = kBytes + "  repeat until end of input\n    a: u8\n";
  for (unsigned k = 0; k < n; ++k) {
    std::string indent = "    ";
    for (unsigned d = 0; d < 12; ++d) {
      text += indent + "if a > " + std::to_string((k * 12 + d) % 255) + "\n" + indent + "  emit a\n";
      indent += "  ";
    }
  }
  return text;
}

struct Size {
  double check = 0, explain = 0, cpu = 0, cuda = 0;      // seconds, the best of some
  std::size_t cpu_text = 0, cuda_text = 0, object = 0;  // bytes
};

// Of this thread's own work: others on the machine don't count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double seconds(const std::function<void()>& work) {
  const double start = now();
  work();
  return now() - start;
}

Size measure(const std::string& text, bool object) {
  constexpr int kRounds = 3;  // the quickest is what the work takes; the others met somebody else's
  Size best;
  best.check = best.explain = best.cpu = best.cuda = std::numeric_limits<double>::max();
  std::string cpu_text;
  for (int round = 0; round < kRounds; ++round) {
    driver::Request request;
    request.name = "f.sluice";
    request.text = text;
    driver::Compiled compiled;
    best.check = std::min(best.check, seconds([&] { compiled = driver::compile_spec(request); }));
    EXPECT_TRUE(compiled.ok()) << driver::failure_message(compiled, false).substr(0, 2000);
    if (!compiled.ok()) return best;
    const ir::Module& module = *compiled.module;
    best.explain = std::min(best.explain, seconds([&] {
      static_cast<void>(analysis::explain_text(module, analysis::analyse(module), compiled.sources, false));
    }));
    best.cpu = std::min(best.cpu, seconds([&] { cpu_text = emit::emit_cpu(module); }));
    best.cuda = std::min(best.cuda, seconds([&] { best.cuda_text = emit::emit_cuda(module, {}).text.size(); }));
  }
  best.cpu_text = cpu_text.size();
  if (object) {
    const auto made = runtime::compile_cpu_object(cpu_text, "x86-64-v3");
    if (made) best.object = made->size();
  }
  return best;
}

// From 2n to 4n nothing may grow by more than this: twice, and something for what is not yet in proportion.
constexpr double kMaxGrowth = 2.5;
// Times are noisier, the more so under a sanitizer and beside other work, and short ones say nothing. What grows with the
// number of paths passes this at once.
constexpr double kMaxSlower = 8, kShort = 0.01;

void expect_linear(const std::function<std::string(unsigned)>& spec, unsigned n, bool object = true) {
  std::vector<Size> sizes;
  for (const unsigned times : {1u, 2u, 4u}) sizes.push_back(measure(spec(n * times), object));
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const auto grows = [&](const char* what, std::size_t Size::* part) {
      EXPECT_LE(static_cast<double>(sizes[i].*part), kMaxGrowth * static_cast<double>(sizes[i - 1].*part)) << what;
    };
    const auto slows = [&](const char* what, double Size::* part) {
      EXPECT_LE(sizes[i].*part, kMaxSlower * std::max(kShort, sizes[i - 1].*part)) << what;
    };
    grows("text for the CPU", &Size::cpu_text);
    grows("text for CUDA", &Size::cuda_text);
    grows("object", &Size::object);
    slows("check", &Size::check);
    slows("explain", &Size::explain);
    slows("emit for the CPU", &Size::cpu);
    slows("emit for CUDA", &Size::cuda);
  }
}

TEST(Growth, TreesOfCalls) { expect_linear(tree, 8); }
TEST(Growth, ChainsOfCalls) { expect_linear(chain, 100); }
TEST(Growth, TreesOfCallsInBits) { expect_linear(bit_tree, 8); }
TEST(Growth, ManyCallsOfOneRule) { expect_linear(wide, 200); }
TEST(Growth, ManyRules) { expect_linear(many_rules, 10); }
TEST(Growth, ManyFields) { expect_linear(fields, 100); }
TEST(Growth, LoopsThatCallLoops) { expect_linear(loops, 8); }
TEST(Growth, SymbolsInARow) { expect_linear(symbols, 6); }
TEST(Growth, NestedWhens) { expect_linear(nested_whens, 5); }
TEST(Growth, TenThousandLines) { expect_linear(long_rules, 50, false); }

}  // namespace
}  // namespace sluice::test
