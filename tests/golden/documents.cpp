// The examples in the grammar reference are tests: what a newcomer copies must work.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>

#include "dsl/diag/render.h"
#include "dsl/syntax/format.h"
#include "dsl/syntax/parse.h"
#include "tests/golden/golden.h"

namespace sluice::golden {
namespace fs = std::filesystem;
namespace {

// What a format makes of some input: lines `in BYTES`, then `out BYTES` or `refused WORDS`, a part of the message. Of a
// further output, below that of the format's own, `out NAME BYTES`.
struct Vector {
  std::string in, out, refused;
  std::map<std::string, std::string> further = {};
};

struct Example {
  bool complete = false;  // ```sluice; else ```sluice-fragment
  unsigned line = 0;      // of the fence
  std::string text;
  std::vector<Vector> vectors;  // of the ```vector behind it
};

// "0a ff" as two bytes.
std::string bytes_of(const std::string& hexadecimal) {
  std::istringstream in(hexadecimal);
  std::string out;
  for (unsigned byte; in >> std::hex >> byte;) out += static_cast<char>(byte);
  return out;
}

void vector_line(const std::string& line, std::vector<Vector>& out) {
  std::istringstream in(line);
  std::string word, rest;
  in >> word >> std::ws;
  std::getline(in, rest);
  if (word == "in") out.push_back({bytes_of(rest), {}, {}});
  if (out.empty()) return;
  const std::string first = rest.substr(0, rest.find(' '));
  const bool named = first.find_first_not_of("0123456789abcdef") != std::string::npos;
  if (word == "out" && named) out.back().further[first] = bytes_of(rest.substr(first.size()));
  else if (word == "out") out.back().out = bytes_of(rest);
  if (word == "refused") out.back().refused = rest;
}

std::vector<Example> examples(const std::string& markdown) {
  std::vector<Example> out;
  std::istringstream in(markdown);
  std::string line;
  bool inside = false, wanted = false, vector = false;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) {
        wanted = line == "```sluice" || line == "```sluice-fragment";
        vector = line == "```vector" && !out.empty();
        if (wanted) out.push_back({line == "```sluice", number, {}, {}});
      }
    } else if (inside && wanted) {
      out.back().text += line + "\n";
    } else if (inside && vector) {
      vector_line(line, out.back().vectors);
    }
  }
  return out;
}

// Lines of a format's body, put below a format.
std::string in_a_format(const std::string& fragment) {
  std::string out = "format fragment\n";
  std::istringstream in(fragment);
  for (std::string line; std::getline(in, line);) out += line.empty() ? "\n" : "  " + line + "\n";
  return out;
}

class Document : public testing::Test {
 public:
  explicit Document(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void parses_and_is_formatted(const std::string& name, const Example& example) {
  SourceSet sources;
  sources.add(name, example.complete ? example.text : in_a_format(example.text));
  DiagSink sink;
  ast::parse(sources, 0, sink);
  EXPECT_TRUE(sink.ok()) << render_all(sources, sink.diagnostics(), false);
  EXPECT_EQ(ast::format(sources, 0), sources.text(0)) << name << ": not in canonical layout";
}

void decodes(const Options& options, const fs::path& directory, const std::string& format, const Example& example) {
  for (const std::string target : {"interp", "cpu"}) {
    for (const Vector& vector : example.vectors) {
      write_file(directory / "in", vector.in);
      const Outcome outcome =
          run_program(options, directory, {"decode", format + ".sluice", "in", "-o", "out", "--target", target});
      if (vector.refused.empty()) {
        EXPECT_TRUE(outcome.text.starts_with("exit 0\n")) << format << " " << target << "\n" << outcome.text;
        EXPECT_EQ(read_file(directory / "out"), vector.out) << format << " " << target;
        for (const auto& [name, bytes] : vector.further)
          EXPECT_EQ(read_file(directory / ("out." + name)), bytes) << format << " " << target << " " << name;
      } else {
        EXPECT_TRUE(outcome.text.starts_with("exit 1\n") && outcome.text.find(vector.refused) != std::string::npos)
            << format << " " << target << "\n"
            << outcome.text;
      }
    }
  }
}

// Complete examples are checked by the program, in a directory of their own; modules come from the codecs built in.
void checks(const Options& options, const std::string& name, const Example& example) {
  const std::size_t at = example.text.find("format ");
  ASSERT_NE(at, std::string::npos) << name;
  const std::string format = example.text.substr(at + 7, example.text.find_first_of("(\n", at) - at - 7);
  const fs::path directory = fs::path(testing::TempDir()) / fmt::format("sluice_documents_{}", example.line);
  fs::create_directories(directory);
  write_file(directory / (format + ".sluice"), example.text);
  const Outcome outcome = run_program(options, directory, {"check", format + ".sluice"});
  decodes(options, directory, format, example);
  fs::remove_all(directory);
  EXPECT_EQ(outcome.failure, "") << name;
  EXPECT_TRUE(outcome.text.starts_with("exit 0\n") && outcome.text.find("warning[") == std::string::npos)
      << name << "\n"
      << example.text << outcome.text;
}

}  // namespace

void register_documents(const Options& options) {
  const fs::path file = options.project / "dsl" / "grammar.md";
  const std::vector<Example> found = examples(read_file(file));
  const auto add = [](const std::string& name, std::function<void()> body) {
    testing::RegisterTest("documents", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [body = std::move(body)]() -> Document* { return new Document(body); });
  };
  std::size_t vectors = 0;
  for (const Example& example : found) vectors += example.vectors.size();
  add("has_examples", [=] {
    EXPECT_GE(found.size(), 10u) << file;
    EXPECT_GE(vectors, 7u) << file;
  });
  for (const Example& example : found) {
    const std::string name = fmt::format("grammar.md:{}", example.line);
    add(name + "/syntax", [=] { parses_and_is_formatted(name, example); });
    if (example.complete) add(name + "/check", [=] { checks(options, name, example); });
  }
}

}  // namespace sluice::golden
