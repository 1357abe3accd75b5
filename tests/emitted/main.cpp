// sluice_emitted_check planted | cpu | cuda [--all] | random SEED COUNT | file cpu|cuda PATH...
// Checks texts for the contracts of rules.h. Prints every finding with its line; exit code 1 when there was one, 2 when
// the command is none. --only NAME: sources whose name starts so. --print: the texts as well.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/emitted/planted.h"
#include "tests/emitted/rules.h"
#include "tests/emitted/texts.h"

namespace {

using namespace sluice::emitted;

std::string_view line_of(std::string_view text, unsigned line) {
  while (line-- > 1 && !text.empty()) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

// On all cores; a source's texts on one.
int check_all(const std::vector<Source>& sources, bool print) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t texts = 0, findings = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < sources.size();)
      for (const Text& text : sources[i].make()) {
        const Report report = check(text);
        const std::lock_guard lock(mutex);
        ++texts;
        if (print) fmt::print("{}", text.text);
        findings += report.findings().size();
        for (const Finding& f : report.findings())
          fmt::print("{}:{}: {}: {}\n{}\n", text.name, f.line, f.rule, f.text, line_of(text.text, f.line));
      }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
  for (std::thread& one : workers) one.join();
  fmt::print("{} texts: {} findings\n", texts, findings);
  return texts > 0 && findings == 0 ? 0 : 1;
}

std::vector<Source> files(bool cuda, const std::vector<std::string>& paths) {
  std::vector<Source> all;
  for (const std::string& path : paths)
    all.push_back({path, [=] {
                     std::ifstream file(path);
                     std::ostringstream text;
                     text << file.rdbuf();
                     return std::vector<Text>{{path, text.str(), cuda, {}, {}, {}}};
                   }});
  return all;
}

int usage() {
  fmt::print(stderr,
             "usage: sluice_emitted_check planted | cpu | cuda [--all] | random SEED COUNT | file cpu|cuda PATH...\n"
             "       [--only NAME] [--print]\n");
  return 2;
}

}  // namespace

int main(int count, char** argv) {
  std::vector<std::string> words(argv + 1, argv + count);
  std::string only;
  if (const auto at = std::ranges::find(words, "--only"); at != words.end() && at + 1 != words.end()) {
    only = at[1];
    words.erase(at, at + 2);
  }
  const bool all = std::erase(words, "--all") > 0, print = std::erase(words, "--print") > 0;
  if (words.empty()) return usage();
  std::vector<Source> sources;
  if (words[0] == "planted") return check_planted(SLUICE_PLANTED) == 0 ? 0 : 1;
  if (words[0] == "cpu")
    sources = cpu_texts();
  else if (words[0] == "cuda")
    sources = cuda_texts(all);
  else if (words[0] == "random" && words.size() == 3)
    sources = random_texts(std::stoull(words[1]), std::stoull(words[2]));
  else if (words[0] == "file" && words.size() > 2)
    sources = files(words[1] == "cuda", {words.begin() + 2, words.end()});
  else
    return usage();
  std::erase_if(sources, [&](const Source& s) { return !s.name.starts_with(only); });
  return check_all(sources, print);
}
