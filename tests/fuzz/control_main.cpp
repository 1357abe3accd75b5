// sluice_fuzz_control CODEC: damaged inputs beside the control library. What one accepts and the other refuses, or decodes to other
// bytes, has to be a policy by name (codecs/<codec>/policies.tsv).
//
//   sluice_fuzz_control zstd --count 10000000 --seed 7
//   sluice_fuzz_control zstd --count 1000000 --interp 1      each on the interpreter, too, which must say the same as machine code
//
// Inputs are mutants of the codec's vectors, and of what the library's encoder makes of small texts at several levels. They follow
// from the seed, so that a run can be repeated and cut into shards by seeds. Exit code 1: differences, of which the first are printed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>

#include "tests/conform/judge.h"
#include "tests/gpu/mutants.h"
#include "tests/support/control.h"

namespace sluice::test {
namespace {

// libzstd's fastest, usual and slowest ones among them; other libraries leave out what they do not have.
constexpr std::array kLevels{-5, 1, 3, 6, 9, 19, 22};
constexpr std::size_t kMostText = 1500;
constexpr std::uint64_t kTexts = 40;

struct Options {
  std::string codec;
  std::uint64_t count = 20000;
  std::uint64_t seed = 1;
  std::uint64_t interp = 0;
  std::uint64_t most_findings = 10;
};

// Words, numbers in columns, few letters, noise: with sizes from none to kMostText bytes.
Bytes small_text(Random& random) {
  Bytes text;
  const std::uint64_t kind = random.below(4);
  const std::size_t size = random.below(4) == 0 ? random.below(40) : random.below(kMostText);
  Bytes words(64 + random.below(64));
  for (std::uint8_t& letter : words) letter = static_cast<std::uint8_t>('a' + random.below(26));
  std::uint32_t number = 1000;
  while (text.size() < size) {
    switch (kind) {
      case 0: {
        const std::size_t at = random.below(words.size() - 8);
        text.insert(text.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                    words.begin() + static_cast<std::ptrdiff_t>(at + 1 + random.below(8)));
        text.push_back(' ');
        break;
      }
      case 1:
        number += static_cast<std::uint32_t>(random.below(5));
        for (unsigned k = 0; k < 4; ++k) text.push_back(static_cast<std::uint8_t>(number >> 8 * k));
        break;
      case 2: text.push_back(static_cast<std::uint8_t>("acgt"[random.below(4)])); break;
      default: text.push_back(static_cast<std::uint8_t>(random.next())); break;
    }
  }
  text.resize(size);
  return text;
}

// The encoder's output for the codec as a vector; of codecs without one, nothing.
std::vector<Vector> encoded(const std::string& codec, Random& random) {
  std::vector<Vector> all;
  for (std::uint64_t n = 0; n < kTexts; ++n) {
    const Bytes text = small_text(random);
    for (const int level : kLevels) {
      if (auto packed = control_compress(codec, text, level)) {
        all.push_back({codec, fmt::format("text {} at level {}", n, level), "", std::move(*packed), {}, text, {}, ""});
      }
    }
  }
  return all;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options), judge_(options.codec), random_(options.seed) {
    codec_ = &load_codec(options.codec, "");
    if (codec_->problem.empty()) {
      machine_code_ = ahead_of_time(*codec_);
      interpreter_ = interpreter(*codec_);
    }
    vectors_ = all_vectors();
    std::erase_if(vectors_, [&](const Vector& vector) { return vector.codec != options.codec || !vector.set.empty() || !vector.dictionary.empty(); });
    std::ranges::move(encoded(options.codec, random_), std::back_inserter(vectors_));
  }

  // Why there is nothing to run; empty when there is something.
  [[nodiscard]] std::string problem() const {
    if (!codec_->problem.empty()) return codec_->problem;
    if (control_name(options_.codec).empty()) return "no control library knows " + options_.codec;
    if (!machine_code_) return options_.codec + ": no decoder was generated at build time";
    return vectors_.empty() ? options_.codec + ": no vectors" : std::string();
  }

  int all() {
    std::vector<const Vector*> from;
    for (const Vector& vector : vectors_) from.push_back(&vector);
    gpu::Mutator mutator(from, random_.next());
    for (std::uint64_t n = 0; n < options_.count && findings_ < options_.most_findings; ++n) one(mutator.next(), n);
    fmt::print("{} beside {}: {} mutants of {} inputs, {} alike, {} accepted, the others by a policy; {} on the interpreter; {} differences\n",
               options_.codec, control_name(options_.codec), options_.count, vectors_.size(), judge_.agreed(), accepted_, interpreted_, findings_);
    return findings_ == 0 ? 0 : 1;
  }

 private:
  void one(const gpu::Mutant& mutant, std::uint64_t n) {
    const std::size_t element = codec_->element_bytes();
    const Decoded ours = run(*machine_code_, mutant, element);
    accepted_ += ours.outcome.error == 0 ? 1 : 0;
    const ControlRequest request{mutant.bytes, mutant.room / element * element, {}, ignores_garbage(options_.codec, "")};
    std::string complaint = judge_.compare(*codec_, ours, request);
    if (complaint.empty() && options_.interp != 0 && n % options_.interp == 0) {
      ++interpreted_;
      const Decoded right = run(*interpreter_, mutant, element);
      if (right.outcome != ours.outcome || right.bytes != ours.bytes) {
        complaint = fmt::format("interpreter: {}, produced {}; machine code: {}, produced {}", error_text(codec_->module, right.outcome.error),
                                right.outcome.produced, error_text(codec_->module, ours.outcome.error), ours.outcome.produced);
      }
    }
    if (complaint.empty()) return;
    ++findings_;
    fmt::print("mutant {} ({}: {}): {}\n  {}\n", n, mutant.from->name, mutant.how, complaint, hex(mutant.bytes));
  }

  Decoded run(const Subject& subject, const gpu::Mutant& mutant, std::size_t element) {
    Decoded decoded;
    decoded.bytes.resize(mutant.room / element * element);
    decoded.outcome = subject.decode({mutant.bytes, decoded.bytes, {}});
    decoded.bytes.resize(std::min<std::size_t>(decoded.outcome.produced * element, decoded.bytes.size()));
    return decoded;
  }

  const Options& options_;
  Judge judge_;
  Random random_;
  const Codec* codec_ = nullptr;
  std::unique_ptr<Subject> machine_code_, interpreter_;
  std::vector<Vector> vectors_;
  std::uint64_t findings_ = 0, accepted_ = 0, interpreted_ = 0;
};

}  // namespace
}  // namespace sluice::test

int main(int count, char** words) {
  sluice::test::Options options;
  CLI::App app("Damaged inputs beside the control library", "sluice_fuzz_control");
  app.add_option("CODEC", options.codec, "A codec of codecs/")->required();
  app.add_option("--count", options.count, "Damaged inputs")->capture_default_str();
  app.add_option("--seed", options.seed, "What they follow from")->capture_default_str();
  app.add_option("--interp", options.interp, "Run every so many on the interpreter, too; 0: none")->capture_default_str();
  app.add_option("--most-findings", options.most_findings, "End behind so many differences")->capture_default_str();
  CLI11_PARSE(app, count, words);
  sluice::test::Run run(options);
  if (const std::string problem = run.problem(); !problem.empty()) {
    fmt::print(stderr, "sluice_fuzz_control: {}\n", problem);
    return 2;
  }
  return run.all();
}
