#include "tests/golden/golden.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "dsl/diag/render.h"
#include "dsl/syntax/format.h"
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parse.h"

namespace sluice::golden {
namespace fs = std::filesystem;
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string shell_quoted(std::string word) {
  replace_all(word, "'", "'\\''");
  return "'" + word + "'";
}

Outcome check_syntax(const Golden& golden) {
  SourceSet sources;
  sources.add(golden.file.filename(), read_file(golden.file));
  DiagSink sink;
  ast::parse(sources, 0, sink);
  if (sink.diagnostics().empty()) return {"ok\n", {}};
  return {render_all(sources, sink.diagnostics(), false), {}};
}

// Everything but layout: two texts with the same list mean the same.
std::vector<std::string> words_and_comments(const std::string& text) {
  SourceSet sources;
  sources.add("", text);
  DiagSink sink;
  const ast::Tokens lexed = ast::lex(sources, 0, sink);
  std::vector<std::string> out;
  for (const ast::Token& t : lexed.tokens)
    out.push_back(fmt::format("{} {}", static_cast<int>(t.kind), t.is(ast::Token::Kind::Indent) ? "" : t.text));
  for (const ast::Comment& c : lexed.comments) out.emplace_back(sources.text(c.span));
  return out;
}

Outcome formatted(const Golden& golden) {
  SourceSet sources;
  sources.add("first", read_file(golden.file));
  const std::string once = ast::format(sources, 0);
  sources.add("second", once);
  const std::string twice = ast::format(sources, 1);
  if (once != twice) return {once, "formatting twice gives another text:\n" + twice};
  if (words_and_comments(std::string(sources.text(0))) != words_and_comments(once))
    return {once, "formatting changed more than the layout"};
  return {once, {}};
}

// A name that no other run of the tests uses at the same time.
fs::path scratch(const std::string& name) {
  return fs::temp_directory_path() / fmt::format("sluice_golden_{}_{}", ::getpid(), name);
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::vector<Golden> find_goldens(const Options& options) {
  std::vector<Golden> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(options.root)) {
    const fs::path& file = entry.path();
    if (!entry.is_regular_file() || (file.extension() != ".sluice" && file.extension() != ".ir")) continue;
    std::ifstream in(file);
    std::string first;
    std::getline(in, first);
    constexpr std::string_view kRun = "RUN:";
    const std::size_t at = first.find(kRun);
    if (at == std::string::npos) continue;
    const fs::path below = file.lexically_relative(options.root);
    const std::string group = below.begin()->string();
    std::string command = first.substr(at + kRun.size());
    command.erase(0, command.find_first_not_of(' '));
    command.erase(command.find_last_not_of(" \r") + 1);
    out.push_back({file, group, below.lexically_relative(group).replace_extension().string(), command});
  }
  std::sort(out.begin(), out.end(), [](const Golden& a, const Golden& b) { return a.file < b.file; });
  return out;
}

Outcome run_program(const Options& options, const fs::path& directory, std::vector<std::string> words) {
  if (options.program.empty()) return {{}, "the program `sluice` was not built"};
  const fs::path codecs = options.project / "codecs";
  std::string command = fmt::format("cd {} && NO_COLOR=1 {}", shell_quoted(directory), shell_quoted(options.program));
  for (std::string& word : words) {
    replace_all(word, "%codecs", codecs);
    command += " " + shell_quoted(word);
  }
  const fs::path out = scratch("out"), err = scratch("err");
  command += fmt::format(" </dev/null >{} 2>{}", shell_quoted(out), shell_quoted(err));
  const int status = std::system(command.c_str());
  std::string text = fmt::format("exit {}\n", WIFEXITED(status) ? std::to_string(WEXITSTATUS(status))
                                                                : fmt::format("by signal {}", WTERMSIG(status)));
  for (const auto& [name, file] : {std::pair{"stdout", out}, std::pair{"stderr", err}}) {
    std::string printed = read_file(file);
    fs::remove(file);
    replace_all(printed, directory.string() + "/", "");
    replace_all(printed, options.project.string() + "/", "");
    if (!printed.empty()) text += fmt::format("---- {}\n{}{}", name, printed, printed.ends_with('\n') ? "" : "\n");
  }
  return {text, {}};
}

Outcome run(const Options& options, const Golden& golden) {
  std::istringstream in(golden.command);
  std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  if (words == std::vector<std::string>{"check-syntax"}) return check_syntax(golden);
  if (words == std::vector<std::string>{"fmt"}) return formatted(golden);
  if (words.empty() || words[0] != "sluice") return {{}, fmt::format("unknown command `{}`", golden.command)};
  words.erase(words.begin());
  for (std::string& word : words) replace_all(word, "%s", golden.file.filename());
  return run_program(options, golden.file.parent_path(), std::move(words));
}

}  // namespace sluice::golden
