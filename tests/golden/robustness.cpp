// What must hold for every text, tried on many: the project's own specs, cut and damaged, and laid out anew at random.
// Seeds are fixed; a failure prints the text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <sstream>

#include "dsl/diag/render.h"
#include "dsl/syntax/format.h"
#include "dsl/syntax/parse.h"
#include "tests/golden/golden.h"

namespace sluice::golden {
namespace fs = std::filesystem;
namespace {

using Random = std::mt19937;

class Robustness : public testing::Test {
 public:
  explicit Robustness(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

std::vector<std::string> specs(const Options& options) {
  std::vector<std::string> out;
  for (const char* directory : {"codecs", "tests/golden/fmt", "tests/golden/diag_syntax"})
    for (const auto& entry : fs::recursive_directory_iterator(options.project / directory))
      if (entry.path().extension() == ".sluice") out.push_back(read_file(entry.path()));
  return out;
}

// Any text: ok exactly when nothing was reported, reports lie inside the text and can be rendered.
void survives(const std::string& text) {
  SourceSet sources;
  sources.add("text", text);
  DiagSink sink;
  const ast::File file = ast::parse(sources, 0, sink);
  EXPECT_EQ(file.ok, sink.ok()) << text;
  for (const Diagnostic& d : sink.diagnostics()) {
    EXPECT_LE(d.span.offset + d.span.length, text.size()) << text;
    EXPECT_FALSE(d.message.empty());
  }
  EXPECT_EQ(render_all(sources, sink.diagnostics(), false).empty(), sink.diagnostics().empty());
  EXPECT_FALSE(to_json(sources, sink.diagnostics()).empty());
  if (!file.ok) {
    EXPECT_EQ(ast::format(sources, 0), text);
  }
}

// One to four small wounds: bytes lost, doubled from elsewhere, or replaced.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view kBytes("()[]:=.,-~#'x0\t\n\r \xff\x80\0", 22);
  for (unsigned n = 1 + random() % 4; n > 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text.erase(at, 1 + random() % 12);
        break;
      case 1:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      case 2:
        text[at] = kBytes[random() % kBytes.size()];
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

std::string formatted(const std::string& text) {
  SourceSet sources;
  sources.add("text", text);
  return ast::format(sources, 0);
}

// The lines of `text` without comments on lines of their own, comments at line ends, and empty lines.
std::string code_of(const std::string& text) {
  std::string out, line;
  for (std::istringstream in(text); std::getline(in, line);) {
    std::size_t hash = line.find('#');
    while (hash != std::string::npos && hash > 0 && line[hash - 1] == '\'') hash = line.find('#', hash + 1);
    line.resize(std::min(hash, line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

// The same spec with other indentation, more blanks, empty lines and comments.
std::string laid_out_anew(const std::string& text, Random& random) {
  const std::size_t unit = 1 + random() % 5;
  std::string out, line;
  for (std::istringstream in(text); std::getline(in, line);) {
    while (random() % 6 == 0) out += "\n";
    if (random() % 6 == 0) out += std::string(random() % 12, ' ') + "#  a note \n";
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string spread(indent / 2 * unit, ' ');
    for (const char c : line.substr(indent)) spread += c == ' ' && random() % 4 == 0 ? "   " : std::string(1, c);
    if (random() % 8 == 0 && !code_of(line).empty()) spread += std::string(random() % 3, ' ') + " # more";
    out += spread + (random() % 9 == 0 ? " \r\n" : "\n");
  }
  return out;
}

}  // namespace

void register_robustness(const Options& options) {
  const auto add = [](const char* name, std::function<void()> body) {
    testing::RegisterTest("robustness", name, nullptr, nullptr, __FILE__, __LINE__,
                          [body = std::move(body)]() -> Robustness* { return new Robustness(body); });
  };
  add("cut_anywhere", [=] {
    // Every seventh byte, and of long texts as many in all: each cut costs what stands before it.
    constexpr std::size_t kStep = 7, kMostCuts = 400;
    for (const std::string& text : specs(options))
      for (std::size_t n = 0; n < text.size(); n += std::max(kStep, text.size() / kMostCuts)) survives(text.substr(0, n));
  });
  add("damaged", [=] {
    Random random(1);
    for (const std::string& text : specs(options))
      for (int n = 0; n < 60; ++n) survives(damaged(text, random));
  });
  // Depth must cost an error, never the stack.
  add("nested_without_end", [=] {
    constexpr std::size_t kDeep = 100000;
    for (const std::string_view piece : {"(", "-", "not ", "a[", "f(", "1 + ", "1 as u8 as ", "1 < ", "min(1, "}) {
      std::string text = "format deep\n  const a = ";
      for (std::size_t n = 0; n < kDeep; ++n) text += piece;
      survives(text + "1\n");
    }
    std::string text = "format deep\n", indent = " ";
    for (std::size_t n = 0; n < 2000; ++n) text += indent + "if x\n", indent += ' ';
    survives(text);
  });
  add("layout_does_not_matter", [=] {
    Random random(2);
    std::size_t good = 0;
    for (const auto& entry : fs::recursive_directory_iterator(options.project / "codecs")) {
      if (entry.path().extension() != ".sluice") continue;
      const std::string text = read_file(entry.path());
      EXPECT_EQ(formatted(text), text) << entry.path() << ": run `sluice fmt`";
      for (int n = 0; n < 20; ++n, ++good) {
        const std::string other = laid_out_anew(text, random);
        const std::string once = formatted(other);
        EXPECT_EQ(code_of(once), code_of(text)) << other;
        EXPECT_EQ(formatted(once), once) << other;
      }
    }
    EXPECT_GT(good, 0u);
  });
}

}  // namespace sluice::golden
