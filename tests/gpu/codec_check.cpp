#include "tests/gpu/codec_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/schedule/directives.h"
#include "compiler/schedule/resolve.h"
#include "compiler/schedule/strategies.h"
#include "tests/gpu/mutants.h"
#include "tests/gpu/parallel.h"
#include "tests/gpu/reference.h"
#include "tests/support/data.h"
#include "tests/support/sha256.h"
#include "tests/support/spec.h"
#include "tests/support/subject.h"

namespace sluice::gpu {
namespace {

constexpr std::size_t kComplaints = 5;     // that a row keeps
constexpr std::size_t kComplaintBytes = 600;  // of a compiler's words
constexpr std::uint64_t kVectorRoom = 1 << 17;  // elements; no vector makes as many
constexpr std::uint64_t kBatchRoom = std::uint64_t{384} << 20;  // bytes of output in one batch

struct Compiled {
  Row row;
  std::optional<cuda::Decoder> decoder;
};

// A codec with one parameter set.
struct Variant {
  std::string codec, set;
  ir::Module module;  // as lowering made it: the verdict must not depend on the passes
  std::vector<Compiled> schedules;
  [[nodiscard]] unsigned element_bytes() const { return module.output.bits / 8u; }
};

std::vector<Setting> settings_of(const std::string& set) {
  std::vector<Setting> settings;
  if (set.empty()) return settings;
  for (const std::string& word : test::split(set, ',')) {
    const auto at = word.find('=');
    settings.push_back({word.substr(0, at), at == std::string::npos ? "" : word.substr(at + 1)});
  }
  return settings;
}

std::string join(const analysis::Chain& chain) {
  std::string text;
  for (const auto& link : chain) text += (text.empty() ? "" : "; ") + link.text;
  return text;
}

void complain(Row& row, const std::string& about, const Case& item, const std::string& difference) {
  ++row.wrong;
  if (row.complaints.size() < kComplaints)
    row.complaints.push_back(fmt::format("{}: {}, capacity {}: {}\n      in {}", about, item.what, item.capacity,
                                         difference, hex(item.bytes)));
}

class Check {
 public:
  Check(const Device& device, const std::string& codec, const CheckOptions& options)
      : codec_(codec), options_(options), chunks_(device) {
    for (Vector& vector : test::all_vectors())
      if (vector.codec == codec) vectors_.push_back(std::move(vector));
  }

  Outcome run() {
    std::vector<std::string> sets{""};
    for (const Vector& vector : vectors_)
      if (!options_.one_set && std::ranges::find(sets, vector.set) == sets.end()) sets.push_back(vector.set);
    std::vector<std::unique_ptr<Variant>> variants;
    while (variants.size() < sets.size()) variants.push_back(std::make_unique<Variant>());
    for (std::size_t i = 0; i < sets.size() && outcome_.fatal.empty(); ++i) prepare(*variants[i], sets[i]);
    if (outcome_.fatal.empty()) compile_all(variants);
    for (const auto& variant : variants) {
      if (!outcome_.fatal.empty() || options_.compile_only) break;
      run_vectors(*variant);
      run_mutants(*variant, options_.mutants / variants.size());
      if (options_.data) run_files(*variant);
    }
    for (const auto& variant : variants)
      for (Compiled& compiled : variant->schedules) outcome_.rows.push_back(std::move(compiled.row));
    return std::move(outcome_);
  }

 private:
  void prepare(Variant& variant, const std::string& set) {
    variant.codec = codec_;
    variant.set = set;
    std::string problem;
    auto module = test::compile_codec(codec_, set, false, problem);
    driver::Request request;
    request.name = codec_;
    for (const Setting& setting : settings_of(set)) request.params.push_back({setting.name, setting.value});
    const driver::Compiled passed = driver::compile_spec(request);
    if (!module || !passed.ok()) {
      outcome_.fatal = module ? driver::failure_message(passed, false) : problem;
      return;
    }
    variant.module = std::move(*module);
    const analysis::Facts facts = analysis::analyse(*passed.module);
    for (const NamedSchedule& schedule : named_schedules()) {
      if (!options_.schedules.empty() &&
          std::ranges::find(options_.schedules, schedule.name) == options_.schedules.end())
        continue;
      Compiled compiled;
      compiled.row.codec = codec_;
      compiled.row.set = set;
      compiled.row.schedule = schedule.name;
      const std::string_view word = schedule.name.substr(0, schedule.name.find('/'));
      for (const schedule::StrategyRow* row : schedule::strategies()) {
        if (schedule::name(row->strategy) != word) continue;
        const schedule::Legality legality = row->legal(*passed.module, facts);
        if (!legality.legal) compiled.row.refused = "not legal: " + join(legality.why);
      }
      if (schedule.directives.find("resolve ") != std::string::npos) {
        const schedule::Legality legality = schedule::collecting_legal(*passed.module, facts);
        if (!legality.legal) compiled.row.refused = "not legal: " + join(legality.why);
      }
      variant.schedules.push_back(std::move(compiled));
    }
  }

  void compile_all(std::vector<std::unique_ptr<Variant>>& variants) {
    std::vector<std::pair<Variant*, std::size_t>> work;
    for (const auto& variant : variants)
      for (std::size_t k = 0; k < variant->schedules.size(); ++k)
        if (variant->schedules[k].row.refused.empty()) work.emplace_back(variant.get(), k);
    parallel_for(work.size(), options_.threads, [&](std::size_t i) {
      auto& [variant, k] = work[i];
      Compiled& compiled = variant->schedules[k];
      cuda::Options how;
      how.device = 0;
      how.set = settings_of(variant->set);
      for (const NamedSchedule& schedule : named_schedules())
        if (schedule.name == compiled.row.schedule) how.schedule = schedule.directives;
      how.sizes = options_.count && k == 0;
      auto made = cuda::Decoder::from_name(variant->codec, how);
      // A variation of a strategy may be refused where the strategy is legal.
      if (!made && made.error().kind == Error::Kind::Spec && compiled.row.schedule.find('/') != std::string::npos) {
        compiled.row.refused = "not legal: " + test::split(made.error().text, '\n').front();
        return;
      }
      if (!made) {
        ++compiled.row.wrong;
        compiled.row.complaints.push_back("does not compile: " + made.error().text.substr(0, kComplaintBytes));
        return;
      }
      compiled.row.compile_ms = made->timings().jit;
      compiled.row.cached = made->timings().cached;
      compiled.row.kernel = made->kernel();
      compiled.decoder = std::move(*made);
    });
  }

  // The chunks under every schedule. `tally` counts those that agree.
  void run_cases(Variant& variant, std::vector<Case>& cases, std::uint64_t Row::*tally, bool host) {
    std::size_t from = 0;
    while (from < cases.size() && outcome_.fatal.empty()) {
      std::size_t to = from;
      std::uint64_t room = 0;
      while (to < cases.size() && to - from < options_.batch_chunks && room < kBatchRoom)
        room += cases[to++].capacity * variant.element_bytes();
      run_batch(variant, std::span(cases).subspan(from, to - from), tally, host);
      from = to;
    }
  }

  // The number of the batch that comes next; false when it is not wanted.
  bool next_batch(const Variant& variant, const std::string& first) {
    const std::uint64_t number = batches_++;
    about_ = fmt::format("{} {}batch {} (its first chunk is {})", variant.codec,
                         variant.set.empty() ? "" : variant.set + " ", number, first);
    return !options_.only_batch || *options_.only_batch == number;
  }

  // Names what runs now, for whoever finds that it never ends.
  void starting(const Row& row) const {
    if (!options_.progress.empty()) std::ofstream(options_.progress) << row.schedule << ": " << about_ << "\n";
  }

  void failed(const Row& row, const std::string& wrong) {
    outcome_.fatal = fmt::format("{}: {}: {}", row.schedule, about_, wrong);
  }

  void run_batch(Variant& variant, std::span<Case> cases, std::uint64_t Row::*tally, bool host) {
    if (!next_batch(variant, cases.front().what)) return;
    know(variant, cases);
    std::vector<Item> items;
    for (const Case& item : cases) items.push_back({item.bytes, item.capacity});
    std::string wrong =
        chunks_.put(items, variant.element_bytes(), cases.front().dictionary, options_.layout, options_.seed + batches_);
    for (Compiled& compiled : variant.schedules) {
      if (!compiled.decoder || !wrong.empty()) continue;
      starting(compiled.row);
      wrong = chunks_.decode(*compiled.decoder);
      if (wrong.empty()) compare(variant, compiled.row, cases, tally);
      if (wrong.empty() && options_.count && &compiled == &variant.schedules.front() && compiled.decoder->countable()) {
        wrong = chunks_.count(*compiled.decoder);
        if (wrong.empty()) compare_counts(variant, compiled.row, cases);
      }
      if (wrong.empty() && host && options_.host) wrong = run_host(variant, compiled, cases);
      if (!wrong.empty()) failed(compiled.row, wrong);
    }
    if (!wrong.empty() && outcome_.fatal.empty()) outcome_.fatal = wrong;
  }

  void compare(const Variant& variant, Row& row, std::span<const Case> cases, std::uint64_t Row::*tally) {
    std::vector<std::string> differences(cases.size());
    parallel_for(cases.size(), options_.threads, [&](std::size_t i) {
      differences[i] = differ(variant.module, cases[i].decoded, chunks_.statuses()[i]);
      if (!differences[i].empty()) return;
      const auto room = chunks_.room(i).first(cases[i].out.size());
      const auto at = std::ranges::mismatch(room, cases[i].out).in1 - room.begin();
      if (at != static_cast<std::ptrdiff_t>(room.size()))
        differences[i] = fmt::format("byte {} of {} is {:#x}, not {:#x}", at, room.size(), room[at], cases[i].out[at]);
    });
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (differences[i].empty())
        ++(row.*tally);
      else
        complain(row, fmt::format("chunk {}", i), cases[i], differences[i]);
    }
    if (const std::string stray = chunks_.stray_write(); !stray.empty()) {
      ++row.wrong;
      row.complaints.push_back(stray);
    }
  }

  void compare_counts(const Variant& variant, Row& row, std::span<const Case> cases) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::string difference = differ(variant.module, cases[i].counted, chunks_.statuses()[i]);
      if (difference.empty())
        ++row.counted;
      else
        complain(row, fmt::format("chunk {} counted", i), cases[i], difference);
    }
  }

  // The same chunks from host memory, through pinned buffers.
  std::string run_host(const Variant& variant, Compiled& compiled, std::span<const Case> cases) {
    std::vector<Bytes> rooms;
    std::vector<Chunk> chunks;
    for (const Case& item : cases) rooms.emplace_back(item.capacity * variant.element_bytes());
    for (std::size_t i = 0; i < cases.size(); ++i) chunks.push_back({cases[i].bytes, rooms[i]});
    std::vector<Status> statuses(cases.size());
    Batch batch;
    batch.dictionary = cases.front().dictionary;
    std::string wrong = compiled.decoder->decode_batch(chunks, statuses, batch);
    for (std::size_t i = 0; i < cases.size() && wrong.empty(); ++i) {
      std::string difference = differ(variant.module, cases[i].decoded, statuses[i]);
      if (difference.empty() && !std::equal(cases[i].out.begin(), cases[i].out.end(), rooms[i].begin()))
        difference = "other bytes";
      if (difference.empty())
        ++compiled.row.through_host;
      else
        complain(compiled.row, fmt::format("chunk {} from host memory", i), cases[i], difference);
    }
    return wrong;
  }

  // Asks the interpreter.
  void know(const Variant& variant, std::span<Case> cases) const {
    parallel_for(cases.size(), options_.threads, [&](std::size_t i) {
      interpret(variant.module, options_.seed ^ i, cases[i]);
      if (options_.count) cases[i].counted = interp::count(variant.module, cases[i].bytes, cases[i].dictionary);
    });
  }

  // The vectors of this parameter set, those with equal dictionaries together.
  std::map<Bytes, std::vector<const Vector*>> by_dictionary(const Variant& variant) const {
    std::map<Bytes, std::vector<const Vector*>> groups;
    for (const Vector& vector : vectors_)
      if (vector.set == variant.set) groups[vector.dictionary].push_back(&vector);
    return groups;
  }

  // With ample room, and with every room that matters: none, one too few, exactly enough, and some in between.
  void run_vectors(Variant& variant) {
    for (const auto& [dictionary, vectors] : by_dictionary(variant)) {
      std::vector<Case> cases;
      for (const Vector* vector : vectors)
        cases.push_back({vector->in, vector->dictionary, kVectorRoom, vector->name, Fit::AsGiven, {}, {}, {}});
      know(variant, cases);
      Random random(options_.seed);
      const std::size_t whole = cases.size();
      for (std::size_t i = 0; i < whole; ++i) {
        const std::uint64_t produced = cases[i].decoded.produced;
        for (const std::uint64_t capacity :
             {std::uint64_t{0}, produced, produced - std::min<std::uint64_t>(produced, 1), produced + 1,
              random.below(produced + 1), random.below(produced + 1), random.below(produced + 1)})
          cases.push_back({cases[i].bytes, cases[i].dictionary, capacity, cases[i].what, Fit::AsGiven, {}, {}, {}});
      }
      run_cases(variant, cases, &Row::vectors, true);
    }
  }

  void run_mutants(Variant& variant, std::uint64_t count) {
    const auto groups = by_dictionary(variant);
    for (const auto& [dictionary, vectors] : groups) {
      // Vectors of other parameter sets are as good a start, but for those that need a dictionary.
      std::vector<const Vector*> bases = vectors;
      for (const Vector& vector : vectors_)
        if (vector.set != variant.set && vector.dictionary == dictionary) bases.push_back(&vector);
      Mutator mutator(std::move(bases), options_.seed * 1000003 + std::hash<std::string>()(variant.codec + variant.set));
      const std::uint64_t share = count / groups.size();
      Random random(options_.seed);
      for (std::uint64_t done = 0; done < share && outcome_.fatal.empty();) {
        std::vector<Case> cases;
        for (; done < share && cases.size() < options_.batch_chunks; ++done) {
          Mutant mutant = mutator.next();
          // Three of eight get no more room than they need, or less.
          const auto fit = static_cast<Fit>(std::max<std::uint64_t>(random.below(8), 4) - 4);
          cases.push_back({std::move(mutant.bytes), dictionary, mutant.room / variant.element_bytes(),
                           mutant.from->name + ", " + mutant.how, fit, {}, {}, {}});
        }
        run_cases(variant, cases, &Row::mutants, false);
      }
    }
  }

  // Real files. Their makers state what comes out, so the interpreter, which is slow, is asked for refusals only.
  void run_files(Variant& variant) {
    std::vector<Case> cases;
    std::vector<test::DataCase> files;
    for (test::DataCase& file : test::data_cases()) {
      if (file.codec != variant.codec || file.set != variant.set) continue;
      auto bytes = test::read_file(file.path);
      if (!bytes) continue;
      const std::uint64_t room =
          file.expect == test::Expect::Refusal ? kVectorRoom : file.expected_bytes / variant.element_bytes();
      cases.push_back({std::move(*bytes), {}, room, file.name, Fit::AsGiven, {}, {}, {}});
      files.push_back(std::move(file));
    }
    if (cases.empty() || !next_batch(variant, cases.front().what)) return;
    parallel_for(cases.size(), options_.threads, [&](std::size_t i) {
      if (files[i].expect == test::Expect::Refusal) interpret(variant.module, options_.seed, cases[i]);
    });
    std::vector<Item> items;
    for (const Case& item : cases) items.push_back({item.bytes, item.capacity});
    std::string wrong = chunks_.put(items, variant.element_bytes(), {}, options_.layout, options_.seed);
    for (Compiled& compiled : variant.schedules) {
      if (!compiled.decoder || !wrong.empty()) continue;
      starting(compiled.row);
      wrong = chunks_.decode(*compiled.decoder);
      if (wrong.empty())
        compare_files(variant, compiled.row, cases, files);
      else
        failed(compiled.row, wrong);
    }
    if (!wrong.empty() && outcome_.fatal.empty()) outcome_.fatal = wrong;
  }

  void compare_files(const Variant& variant, Row& row, std::span<const Case> cases,
                     std::span<const test::DataCase> files) {
    std::vector<std::string> differences(cases.size());
    parallel_for(cases.size(), options_.threads, [&](std::size_t i) {
      const Status& got = chunks_.statuses()[i];
      if (files[i].expect == test::Expect::Refusal) {
        differences[i] = differ(variant.module, cases[i].decoded, got);
        return;
      }
      const bool refused = files[i].expect == test::Expect::Unfinished;
      if ((got.error != 0) != refused || got.produced != cases[i].capacity)
        differences[i] = fmt::format("{}, produced {}", test::error_text(variant.module, got.error), got.produced);
      else if (test::sha256_hex(chunks_.room(i)) != files[i].expected_sha256)
        differences[i] = "other bytes than its makers state";
    });
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (differences[i].empty())
        ++row.files;
      else
        complain(row, "file", cases[i], differences[i]);
    }
    if (const std::string stray = chunks_.stray_write(); !stray.empty()) {
      ++row.wrong;
      row.complaints.push_back(stray);
    }
  }

  std::string codec_;
  const CheckOptions& options_;
  DeviceChunks chunks_;
  std::vector<Vector> vectors_;
  std::uint64_t batches_ = 0;
  std::string about_;  // the batch at hand
  Outcome outcome_;
};

}  // namespace

const std::vector<NamedSchedule>& named_schedules() {
  static const std::vector<NamedSchedule> kSchedules{
      {"warp/shared", "strategy warp, input shared"},
      {"warp/registers", "strategy warp, input registers"},
      {"leader", "strategy leader"},
      {"block", "strategy block, prefetch off"},
      {"block/prefetch", "strategy block, prefetch on"},
      {"split", "strategy split"},
      {"split/64", "strategy split, split_buffer 64"},
      {"warp/sequential", "strategy warp, resolve sequential"},
      {"warp/rounds", "strategy warp, resolve rounds"},
      {"warp/independent", "strategy warp, resolve independent"}};
  return kSchedules;
}

Outcome check_codec(const Device& device, const std::string& codec, const CheckOptions& options) {
  return Check(device, codec, options).run();
}

}  // namespace sluice::gpu
