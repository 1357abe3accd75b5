#include "tests/emitted/planted.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/emitted/rules.h"

namespace sluice::emitted {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Line and rule of every "// finds RULE".
std::set<std::pair<unsigned, std::string>> wanted(const std::string& text) {
  constexpr std::string_view kMark = "// finds ";
  std::set<std::pair<unsigned, std::string>> all;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    std::istringstream rules(line.substr(at + kMark.size()));
    for (std::string rule; rules >> rule;) all.insert({number, rule});
  }
  return all;
}

}  // namespace

int check_planted(const std::string& directory) {
  std::map<std::string, std::string> headers;
  std::vector<std::filesystem::path> texts;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".h")
      headers[entry.path().filename()] = read(entry.path());
    else
      texts.push_back(entry.path());
  }
  std::ranges::sort(texts);
  int wrong = 0;
  std::set<std::string> rules;
  for (const auto& path : texts) {
    const std::string name = path.filename();
    const Clauses clauses{{"planted.sluice", {3, 4}}};
    Text text{name, read(path), name.ends_with("_cuda.cpp"), headers, clauses, {}};
    if (name.starts_with("narrow")) text.narrow = {{"tokens", {"v0_n", "v1_more", "width_3", "n_4"}}};
    if (name.starts_with("lines")) text.rules = {{"main", clauses}};
    const auto expected = wanted(text.text);
    std::set<std::pair<unsigned, std::string>> found;
    const Report report = check(text);
    for (const Finding& f : report.findings()) {
      found.insert({f.line, f.rule});
      if (expected.contains({f.line, f.rule})) continue;
      fmt::print("{}:{}: found, and should not be: {}: {}\n", name, f.line, f.rule, f.text);
      ++wrong;
    }
    for (const auto& [line, rule] : expected) {
      rules.insert(rule);
      if (found.contains({line, rule})) continue;
      fmt::print("{}:{}: not found: {}\n", name, line, rule);
      ++wrong;
    }
  }
  // A directory that holds nothing of a rule would prove nothing of it.
  for (const char* rule : {"memory", "loops", "shadow", "lines", "narrow"})
    if (!rules.contains(rule)) {
      fmt::print("{}: nothing planted for rule {}\n", directory, rule);
      ++wrong;
    }
  fmt::print("{} planted texts: {} wrong\n", texts.size(), wrong);
  return wrong;
}

}  // namespace sluice::emitted
