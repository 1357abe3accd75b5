#include "tests/fuzz/specs/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <set>

#include "compiler/emit/cpu.h"
#include "tests/fuzz/specs/facts.h"
#include "tests/fuzz/specs/generate.h"
#include "tests/fuzz/specs/known.h"
#include "tests/fuzz/specs/mend.h"
#include "tests/fuzz/specs/mutate.h"
#include "tests/fuzz/specs/report.h"
#include "tests/fuzz/specs/subject.h"

namespace sluice::fuzz {
namespace {

constexpr unsigned kBatches = 8;       // a child: what it spoils is found out soon
constexpr unsigned kBatch = 16;        // specs a translation unit
constexpr long kMaxSeconds = 20;      // of processor time for one phase of one spec
constexpr unsigned kMaxMendings = 2;  // of a mutant: more would leave little of the original
constexpr std::size_t kMaxSpec = 1 << 19;

// What the child leaves behind when it dies; in memory that both share.
struct Shared {
  std::uint64_t next;   // spec that has not been begun
  std::uint64_t index;  // spec that is worked on
  std::uint64_t batch;  // first spec of its batch
  bool checking;        // the specs of the batch before this one have been checked
  std::uint64_t alone;  // specs before this one are compiled by themselves: one of them took the compiler down
  char phase[32];
  std::size_t spec_size, input_size;
  Totals totals;
  char spec[kMaxSpec];
  std::uint8_t input[kMostInput];
};

void enter(Shared& shared, const char* phase) {
  std::snprintf(shared.phase, sizeof shared.phase, "%s", phase);
  const itimerval limit{{0, 0}, {kMaxSeconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void note_spec(Shared& shared, std::uint64_t index, const Lines& lines) {
  const std::string text = print_lines(lines);
  shared.index = index;
  shared.spec_size = std::min(text.size(), kMaxSpec);
  std::memcpy(shared.spec, text.data(), shared.spec_size);
  shared.input_size = 0;
}

void note_input(Shared& shared, const Bytes& input) {
  shared.input_size = std::min(input.size(), sizeof shared.input);
  if (shared.input_size > 0) std::memcpy(shared.input, input.data(), shared.input_size);
}

constexpr const char* kTogether = "compile decoders";

struct Item {
  std::uint64_t index = 0;
  Random random{0};
  Subject subject;
  std::vector<Bytes> inputs;
};

class Worker {
 public:
  Worker(const Options& options, Shared& shared, const std::set<std::uint64_t>& skip, const Pool& pool)
      : options_(options), shared_(shared), skip_(skip), pool_(pool) {}

  void batch(std::uint64_t first, std::uint64_t count) {
    std::vector<std::unique_ptr<Item>> items;
    shared_.batch = first;
    shared_.checking = false;
    for (std::uint64_t i = first; i < first + count; ++i) {
      shared_.next = i + 1;
      if (skip_.contains(i)) continue;
      if (auto item = prepare(i)) items.push_back(std::move(item));
    }
    if (items.empty()) return;
    Random choice = random_of(options_.seed ^ 0x5eed, first);
    const Effort effort = choice.percent(options_.full_percent) ? Effort::Full : Effort::Light;
    std::vector<Unit> units;
    for (const auto& item : items) {
      note_spec(shared_, item->index, item->subject.lines);
      enter(shared_, "emit");
      units.push_back({emit::emit_cpu_body(item->subject.module(), {fmt::format("spec_{}", item->index), true}),
                       fmt::format("spec_{}", item->index)});
    }
    enter(shared_, units.size() > 1 ? kTogether : "compile decoder");
    Decoders made = compile_decoders(units, effort);
    std::vector<Decoders> alone(made.code ? 0 : items.size());
    shared_.checking = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item& item = *items[i];
      note_spec(shared_, item.index, item.subject.lines);
      const Decoder* decoder = made.code ? &made.decoders[i] : nullptr;
      if (decoder == nullptr) {
        enter(shared_, "compile decoder");
        alone[i] = compile_decoders(std::span(units).subspan(i, 1), effort);
        if (!alone[i].code) {
          report(item, {"decoder does not compile", alone[i].problem});
          continue;
        }
        decoder = &alone[i].decoders.front();
      }
      check(item, *decoder);
    }
    enter(shared_, "free");
  }

 private:
  std::unique_ptr<Item> prepare(std::uint64_t index) {
    auto made = std::make_unique<Item>();
    Item& item = *made;
    item.index = index;
    item.random = random_of(options_.seed, index);
    shared_.index = index;
    shared_.spec_size = shared_.input_size = 0;
    enter(shared_, "generate");
    Lines lines;
    std::vector<Bytes> seeds;
    std::optional<Mended> mended;
    if (options_.mutants) {
      const Original& original = pool_.originals[item.random.below(pool_.originals.size())];
      seeds = original.inputs;
      for (int tries = 0; tries < 12 && !mended; ++tries) {
        lines = mutate(original, pool_, item.random);
        note_spec(shared_, index, lines);
        mended = mend(lines, kMaxMendings);
        shared_.totals.refused += !mended;
      }
    } else {
      lines = generate(random_of(item.random.next(), index), "spec", leave());
      note_spec(shared_, index, lines);
      mended = mend(lines);
    }
    if (!mended) {
      ++shared_.totals.given_up;
      return nullptr;
    }
    note_spec(shared_, index, mended->lines);
    enter(shared_, "compile");
    Finding finding;
    auto subject = make_subject(std::move(mended->lines), std::move(mended->compiled), finding);
    if (finding.any()) {
      item.subject.lines = parse_lines(std::string(shared_.spec, shared_.spec_size));
      report(item, finding);
      return nullptr;
    }
    item.subject = std::move(*subject);
    enter(shared_, "steer");
    item.inputs = steer(item.subject.lowered(), item.random, options_.inputs, seeds);
    return made;
  }

  void check(Item& item, const Decoder& decoder) {
    ++shared_.totals.specs;
    for (const Bytes& input : item.inputs) {
      note_input(shared_, input);
      enter(shared_, "decode");
      bool slow = false;
      const Finding finding = checker_.cpu(item.subject.lowered(), decoder, input, Random(item.random.next()), slow);
      ++shared_.totals.inputs;
      shared_.totals.slow += slow;
      if (finding.any()) return report(item, finding, &input);
    }
    Finding finding;
    if (item.random.percent(options_.facts_percent)) {
      enter(shared_, "facts");
      finding =
          check_facts(item.subject.module(), std::span(item.inputs).first(std::min<std::size_t>(item.inputs.size(), 3)),
                      Random(item.random.next()));
      ++shared_.totals.facts;
      if (finding.any()) return report(item, finding, item.inputs.empty() ? nullptr : &item.inputs.front());
    }
    if (!item.random.percent(options_.simt_percent)) return;
    std::string schedule;
    note_input(shared_, {});
    enter(shared_, "kernel");
    auto kernel = make_kernel(item.subject, Random(item.random.next()), schedule, finding);
    if (!kernel) return report(item, finding);
    enter(shared_, "simt");
    finding = checker_.simt(item.subject.lowered(), *kernel, item.inputs, Random(item.random.next()));
    ++shared_.totals.simt;
    if (!finding.any()) return;
    finding.detail = "schedule `" + schedule + "`, " + finding.detail;
    report(item, finding, item.inputs.empty() ? nullptr : &item.inputs.front());
  }

  void report(const Item& item, const Finding& finding, const Bytes* input = nullptr) {
    const std::string text = print_lines(item.subject.lines);
    if (is_known(finding, text)) {
      ++shared_.totals.known;
      return;
    }
    ++shared_.totals.findings;
    write_finding(options_, item.index, text, input, finding);
  }

  const Options& options_;
  Shared& shared_;
  const std::set<std::uint64_t>& skip_;  // specs that took a child down
  const Pool& pool_;
  Checker checker_;
};

}  // namespace

int run(const Options& options) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto& shared = *new (memory) Shared{};
  shared.next = options.first;
  std::set<std::uint64_t> skip;
  const Pool pool = options.mutants ? load_pool(options.root) : Pool{};
  const std::uint64_t end = options.first + options.count;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto over = [&] {
    return (options.seconds > 0 && seconds() > options.seconds) ||
           (options.most_findings > 0 && shared.totals.findings >= options.most_findings);
  };
  while (shared.next < end && !over()) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      Worker worker(options, shared, skip, pool);
      for (unsigned n = 0; n < kBatches && shared.next < end && !over(); ++n)
        worker.batch(shared.next, shared.next < shared.alone ? 1 : std::min<std::uint64_t>(kBatch, end - shared.next));
      std::fflush(nullptr);
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) < 0) return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    if (std::strcmp(shared.phase, kTogether) == 0) {
      shared.alone = shared.next;
      shared.next = shared.batch;
      continue;
    }
    skip.insert(shared.index);
    shared.next = shared.checking ? shared.index + 1 : shared.batch;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const std::string what = signal == SIGPROF || signal == SIGALRM ? "hang"
                             : signal != 0                          ? fmt::format("crash ({})", strsignal(signal))
                                                                    : "exit";
    const std::string text(shared.spec, shared.spec_size);
    const Finding finding{fmt::format("{} in {}", what, shared.phase), "the process ended"};
    const Bytes input(shared.input, shared.input + shared.input_size);
    // Sums of all the output in every step take the interpreter long: its work is bounded, and nothing was compared yet.
    if (what == "hang" && std::strcmp(shared.phase, "steer") == 0) {
      ++shared.totals.slow;
      continue;
    }
    if (is_known(finding, text)) {
      ++shared.totals.known;
    } else {
      ++shared.totals.findings;
      write_finding(options, shared.index, text, &input, finding);
    }
  }
  shared.totals.seconds = seconds();
  write_totals(options, shared.next, shared.totals);
  return static_cast<int>(std::min<std::uint64_t>(shared.totals.findings, 100));
}

}  // namespace sluice::fuzz
