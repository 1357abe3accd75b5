#include "tests/gpu/codec_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "compiler/ir/count_mode.h"
#include "tests/gpu/mutants.h"
#include "tests/gpu/parallel.h"
#include "tests/gpu/reference.h"
#include "tests/support/data.h"
#include "tests/support/sha256.h"
#include "tests/support/subject.h"

namespace sluice::gpu {
namespace {

constexpr std::size_t kComplaints = 5;  // that a row keeps
constexpr std::uint64_t kVectorRoom = 1 << 17;  // elements; no vector makes as many
constexpr std::uint64_t kBatchRoom = std::uint64_t{384} << 20;  // bytes of output in one batch

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
    std::vector<Variant> variants(sets.size());
    for (std::size_t i = 0; i < sets.size() && outcome_.fatal.empty(); ++i)
      outcome_.fatal = prepare(variants[i], codec_, sets[i], options_.schedules);
    if (outcome_.fatal.empty()) compile_all(variants, options_.count, options_.threads);
    for (Variant& variant : variants) {
      if (!outcome_.fatal.empty() || options_.compile_only) break;
      run_vectors(variant);
      run_mutants(variant, options_.mutants / variants.size());
      if (options_.data) run_files(variant);
    }
    for (Variant& variant : variants)
      for (Compiled& compiled : variant.schedules) outcome_.rows.push_back(std::move(compiled.row));
    return std::move(outcome_);
  }

 private:
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

  // Chunks where the kernel's schedule promises them; left as they are when they lie so already.
  std::string lay_out(const Variant& variant, const Compiled& compiled, std::span<const Item> items,
                      std::span<const std::uint8_t> dictionary, std::uint64_t seed, std::optional<Alignment>& there) {
    const Alignment wanted{compiled.decoder->input_alignment(), compiled.decoder->output_alignment()};
    if (there == wanted) return "";
    there = wanted;
    return chunks_.put(items, variant.element_bytes(), dictionary, options_.layout, seed, wanted);
  }

  // What is wrong with a chunk that the kernel had to refuse for where it lies.
  std::string differ_from_refusal(const Variant& variant, std::size_t chunk) {
    interp::Result right;
    right.error = chunks_.refusal(chunk);
    std::string difference = differ(variant.module, right, chunks_.statuses()[chunk]);
    return difference.empty() && !chunks_.untouched(chunk) ? "it was refused, and written to" : difference;
  }

  // Formats that have several outputs: from host memory alone.
  void run_several(Variant& variant, std::span<const Case> cases, std::uint64_t Row::*tally) {
    for (Compiled& compiled : variant.schedules) {
      if (!compiled.decoder || !outcome_.fatal.empty()) continue;
      starting(compiled.row);
      std::string wrong = run_host(variant, compiled, cases, tally);
      if (wrong.empty() && options_.count && &compiled == &variant.schedules.front() && compiled.decoder->countable() &&
          ir::count_plan(variant.module).countable)
        wrong = count_host(variant, compiled, cases);
      if (!wrong.empty()) outcome_.fatal = wrong, failed(compiled.row, wrong);
    }
  }

  std::string count_host(const Variant& variant, Compiled& compiled, std::span<const Case> cases) {
    std::vector<std::span<const std::uint8_t>> inputs;
    for (const Case& item : cases) inputs.push_back(item.bytes);
    std::vector<Status> statuses(cases.size());
    Batch batch;
    batch.dictionary = cases.front().dictionary;
    const std::string wrong = compiled.decoder->decoded_sizes(inputs, statuses, batch);
    for (std::size_t i = 0; i < cases.size() && wrong.empty(); ++i) {
      const std::string difference = differ(variant.module, cases[i].counted, statuses[i]);
      if (difference.empty())
        ++compiled.row.counted;
      else
        complain(compiled.row, fmt::format("chunk {} counted", i), cases[i], difference);
    }
    return wrong;
  }

  void run_batch(Variant& variant, std::span<Case> cases, std::uint64_t Row::*tally, bool host) {
    if (!next_batch(variant, cases.front().what)) return;
    know(variant, cases);
    if (!variant.module.outputs.empty()) return run_several(variant, cases, tally);
    std::vector<Item> items;
    for (const Case& item : cases) items.push_back({item.bytes, item.capacity});
    std::string wrong;
    std::optional<Alignment> laid_out;
    for (Compiled& compiled : variant.schedules) {
      if (!compiled.decoder || !wrong.empty()) continue;
      wrong = lay_out(variant, compiled, items, cases.front().dictionary, options_.seed + batches_, laid_out);
      if (!wrong.empty()) continue;
      starting(compiled.row);
      wrong = chunks_.decode(*compiled.decoder);
      if (wrong.empty()) compare(variant, compiled.row, cases, tally);
      // The interpreter's module is without passes, which may take out what keeps a format from being counted.
      if (wrong.empty() && options_.count && &compiled == &variant.schedules.front() && compiled.decoder->countable() &&
          ir::count_plan(variant.module).countable) {
        wrong = chunks_.count(*compiled.decoder);
        if (wrong.empty()) compare_counts(variant, compiled.row, cases);
      }
      if (wrong.empty() && host && options_.host) wrong = run_host(variant, compiled, cases, &Row::through_host);
      if (!wrong.empty()) failed(compiled.row, wrong);
    }
    if (!wrong.empty() && outcome_.fatal.empty()) outcome_.fatal = wrong;
  }

  void compare(const Variant& variant, Row& row, std::span<const Case> cases, std::uint64_t Row::*tally) {
    std::vector<std::string> differences(cases.size());
    parallel_for(cases.size(), options_.threads, [&](std::size_t i) {
      if (chunks_.refusal(i) != 0) {
        differences[i] = differ_from_refusal(variant, i);
        return;
      }
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
      interp::Result right = cases[i].counted;
      if (const std::uint64_t word = chunks_.refusal(i, true)) right = {.error = word};
      const std::string difference = differ(variant.module, right, chunks_.statuses()[i]);
      if (difference.empty())
        ++row.counted;
      else
        complain(row, fmt::format("chunk {} counted", i), cases[i], difference);
    }
  }

  // The same chunks from host memory, through pinned buffers.
  std::string run_host(const Variant& variant, Compiled& compiled, std::span<const Case> cases, std::uint64_t Row::*tally) {
    std::vector<Bytes> rooms;
    std::vector<std::vector<Bytes>> further(cases.size());
    std::vector<std::vector<std::span<std::uint8_t>>> spans(cases.size());
    std::vector<Chunk> chunks;
    for (const Case& item : cases) rooms.emplace_back(item.capacity * variant.element_bytes());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (const ir::Output& output : variant.module.outputs) further[i].emplace_back(cases[i].capacity * (output.type.bits / 8u));
      for (Bytes& room : further[i]) spans[i].emplace_back(room);
      chunks.push_back({cases[i].bytes, rooms[i], spans[i]});
    }
    std::vector<Status> statuses(cases.size());
    Batch batch;
    batch.dictionary = cases.front().dictionary;
    std::string wrong = compiled.decoder->decode_batch(chunks, statuses, batch);
    for (std::size_t i = 0; i < cases.size() && wrong.empty(); ++i) {
      std::string difference = differ(variant.module, cases[i].decoded, statuses[i]);
      if (difference.empty() && !std::equal(cases[i].out.begin(), cases[i].out.end(), rooms[i].begin()))
        difference = "other bytes";
      for (std::size_t k = 0; k < further[i].size() && difference.empty(); ++k)
        if (!std::equal(cases[i].further[k].begin(), cases[i].further[k].end(), further[i][k].begin()))
          difference = "other bytes in `" + variant.module.outputs[k].name + "`";
      if (difference.empty())
        ++(compiled.row.*tally);
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
    std::string wrong;
    std::optional<Alignment> laid_out;
    for (Compiled& compiled : variant.schedules) {
      if (!compiled.decoder || !wrong.empty()) continue;
      wrong = lay_out(variant, compiled, items, {}, options_.seed, laid_out);
      if (!wrong.empty()) continue;
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
      if (chunks_.refusal(i) != 0) {
        differences[i] = differ_from_refusal(variant, i);
        return;
      }
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

Outcome check_codec(const Device& device, const std::string& codec, const CheckOptions& options) {
  return Check(device, codec, options).run();
}

}  // namespace sluice::gpu
