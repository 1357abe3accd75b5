#include "tests/fuzz/specs/shrink.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "tests/fuzz/specs/subject.h"

namespace sluice::fuzz {
namespace {

constexpr long kMaxSeconds = 6;  // of processor time for one try

class Shrinker {
 public:
  explicit Shrinker(Case one, std::string kind) : best_(std::move(one)), kind_(std::move(kind)) {}

  Case run() {
    for (bool smaller = true; smaller;) {
      smaller = false;
      while (blocks()) smaller = true;
      while (words()) smaller = true;
      while (input()) smaller = true;
    }
    return best_;
  }

 private:
  bool accept(Case next) {
    ++tries_;
    if (try_in_child(next).kind != kind_) return false;
    best_ = std::move(next);
    return true;
  }

  // Blocks and lines left out, blocks replaced by what they hold.
  bool blocks() {
    bool smaller = false;
    for (std::size_t at = best_.lines.size(); at-- > 1;) {
      if (at >= best_.lines.size()) continue;
      const std::size_t end = end_of_block(best_.lines, at);
      Case next = best_;
      next.lines = without(best_.lines, at, end);
      if (next.lines.size() < best_.lines.size() && accept(next)) {
        smaller = true;
        continue;
      }
      if (end == at + 1) continue;
      next = best_;
      const unsigned back = next.lines[at + 1].indent - next.lines[at].indent;
      for (std::size_t i = at + 1; i < end; ++i) next.lines[i].indent -= back;
      next.lines.erase(next.lines.begin() + static_cast<std::ptrdiff_t>(at));
      smaller |= accept(next);
    }
    return smaller;
  }

  // Operands instead of operations, numbers instead of names, small numbers instead of large ones.
  bool words() {
    bool smaller = false;
    for (std::size_t at = 1; at < best_.lines.size(); ++at) {
      for (std::size_t i = 0; i < tokens_of(best_.lines[at].text).size(); ++i) {
        const auto tokens = tokens_of(best_.lines[at].text);
        for (const std::size_t width : {8u, 4u, 3u, 2u, 1u}) {
          if (i + width > tokens.size()) continue;
          auto less = tokens;
          less.erase(less.begin() + static_cast<std::ptrdiff_t>(i),
                     less.begin() + static_cast<std::ptrdiff_t>(i + width));
          if (less.empty()) continue;
          Case next = best_;
          next.lines[at].text = join_tokens(less);
          if (accept(next)) {
            smaller = true;
            break;
          }
        }
        const auto rest = tokens_of(best_.lines[at].text);
        if (i >= rest.size() || (!is_word(rest[i]) && !is_number(rest[i])) || rest[i] == "1" || rest[i] == "0")
          continue;
        auto simple = rest;
        simple[i] = "1";
        Case next = best_;
        next.lines[at].text = join_tokens(simple);
        smaller |= accept(next);
      }
    }
    return smaller;
  }

  bool input() {
    bool smaller = false;
    for (std::size_t width = best_.input.size(); width > 0; width /= 2)
      for (std::size_t at = 0; at + width <= best_.input.size();) {
        Case next = best_;
        next.input.erase(next.input.begin() + static_cast<std::ptrdiff_t>(at),
                         next.input.begin() + static_cast<std::ptrdiff_t>(at + width));
        if (accept(next))
          smaller = true;
        else
          at += width;
      }
    for (std::size_t at = 0; at < best_.input.size(); ++at) {
      if (best_.input[at] == 0) continue;
      Case next = best_;
      next.input[at] = 0;
      smaller |= accept(next);
    }
    return smaller;
  }

  Case best_;
  std::string kind_;
  unsigned tries_ = 0;
};

}  // namespace

Finding try_in_child(const Case& one) {
  int ends[2];
  if (pipe(ends) != 0) return {"pipe", "no pipe"};
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const itimerval limit{{0, 0}, {kMaxSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    Finding finding = check_all(one.lines, {one.input}, Random(1), one.simt, Effort::Light);
    if (finding.kind == "refused") finding = {};
    const std::string text = finding.kind + "\n" + finding.detail;
    static_cast<void>(!write(ends[1], text.data(), std::min<std::size_t>(text.size(), 4000)));
    _exit(0);
  }
  close(ends[1]);
  char text[4096];
  std::string whole;
  for (ssize_t n = 0; (n = read(ends[0], text, sizeof text)) > 0;) whole.append(text, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {WTERMSIG(status) == SIGPROF ? "hang" : fmt::format("crash ({})", strsignal(WTERMSIG(status))),
            "the process ended"};
  const std::size_t line = whole.find('\n');
  if (line == std::string::npos) return {};
  return {whole.substr(0, line), whole.substr(line + 1)};
}

int repeat(const Case& one) {
  const Finding finding = try_in_child(one);
  fmt::print("{}\n{}\n", finding.any() ? finding.kind : "the same on all", finding.detail);
  return finding.any() ? 1 : 0;
}

int shrink(Case one, const std::string& spec, const std::string& input) {
  const Finding before = try_in_child(one);
  if (!before.any()) {
    fmt::print("the same on all\n");
    return 0;
  }
  const Case small = Shrinker(one, before.kind).run();
  const Finding after = try_in_child(small);
  std::ofstream(spec + ".small") << print_lines(small.lines);
  if (!input.empty())
    std::ofstream(input + ".small", std::ios::binary)
        .write(reinterpret_cast<const char*>(small.input.data()), static_cast<std::streamsize>(small.input.size()));
  fmt::print("{}\n{}\n{}input:", after.kind, after.detail, print_lines(small.lines));
  for (const std::uint8_t byte : small.input) fmt::print(" {:02x}", byte);
  fmt::print("\n");
  return 1;
}

}  // namespace sluice::fuzz
