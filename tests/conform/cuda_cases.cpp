#include "tests/conform/cuda_cases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/ir/error_text.h"

namespace sluice::test {
namespace {

constexpr std::size_t kBatch = 24;  // chunks of a launch

std::string show(const Codec& codec, const Outcome& outcome) {
  return error_text(codec.module, outcome.error) + ", produced " + std::to_string(outcome.produced) + ", consumed " +
         std::to_string(outcome.consumed);
}

// The word of a kernel that wants the buffers to lie elsewhere, or 0.
std::uint64_t refusal(const simt::Kernel& kernel, const Request& request, bool count) {
  const auto off = [](const void* at, std::uint32_t alignment) {
    return reinterpret_cast<std::uintptr_t>(at) % alignment != 0;
  };
  if (off(request.in.data(), kernel.input_alignment)) return ir::kMisalignedInput;
  if (!count && off(request.out.data(), kernel.output_alignment)) return ir::kMisalignedOutput;
  return 0;
}

// What a chunk comes to that is refused with that word: nothing is made.
Outcome refusal(const Codec& codec, std::uint64_t word) {
  return FurtherRooms(codec.module, 0, true).outcome({word, 0, 0}, [](std::size_t) { return 0; });
}

}  // namespace

CudaCases::CudaCases(const Codec& codec, std::span<const std::uint8_t> dictionary)
    : codec_(codec), dictionary_(dictionary.begin(), dictionary.end()), interpreter_(interpreter(codec)) {}

void CudaCases::add(std::string what, std::span<const std::uint8_t> in, std::uint64_t capacity, std::size_t skew) {
  CudaCase one{std::move(what), Fenced(skew % 8, in.size()), skew / 8 % 8};
  std::ranges::copy(in, one.in.bytes().begin());
  one.capacity = capacity;
  one.right_bytes.assign(capacity * codec_.element_bytes(), Fenced::kBlank);
  one.right = interpreter_->decode({one.in.bytes(), one.right_bytes, dictionary_});
  one.right_bytes.resize(one.right.produced * codec_.element_bytes());
  one.right_count = interpreter_->count(one.in.bytes(), dictionary_);
  cases_.push_back(std::move(one));
}

void CudaCases::check(std::span<const simt::Kernel* const> kernels, std::uint64_t seed) const {
  for (const simt::Kernel* kernel : kernels) {
    std::string difference;
    for (std::size_t at = 0; at < cases_.size() && difference.empty(); at += kBatch) {
      const auto batch = std::span(cases_).subspan(at, std::min(kBatch, cases_.size() - at));
      const std::uint64_t order = seed + at / kBatch;
      const bool asks = kernel->input_alignment > 1 || kernel->output_alignment > 1;
      for (const Place place : {Place::AsGiven, Place::Aligned})
        for (const bool count : {false, true})
          if (difference.empty() && (asks || place == Place::AsGiven))
            difference = compare(*kernel, batch, count, order, place);
    }
    EXPECT_EQ(difference, "") << kernel->codec << " " << kernel->set << " " << kernel->schedule;
  }
}

// The first difference in words; empty when there is none.
std::string CudaCases::compare(const simt::Kernel& kernel, std::span<const CudaCase> cases, bool count,
                               std::uint64_t seed, Place place) const {
  std::vector<Fenced> inputs, outputs;
  std::vector<Request> requests;
  inputs.reserve(cases.size());
  outputs.reserve(cases.size());
  for (const CudaCase& one : cases) {
    outputs.emplace_back(place == Place::Aligned ? 0 : one.out_skew, count ? 0 : one.capacity * codec_.element_bytes());
    std::span<const std::uint8_t> in = one.in.bytes();
    if (place == Place::Aligned) {
      inputs.emplace_back(0, in.size());
      std::ranges::copy(in, inputs.back().bytes().begin());
      in = inputs.back().bytes();
    }
    requests.push_back({in, outputs.back().bytes(), dictionary_});
  }
  const CudaRun run = run_kernel(kernel, codec_, requests, count, seed);
  if (!run.fault.empty()) {
    std::string text = run.fault + "\n  in a batch of";
    for (const CudaCase& one : cases) text += " [" + one.what + "]";
    return text;
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CudaCase& one = cases[i];
    const std::uint64_t refused = refusal(kernel, requests[i], count);
    const Outcome right = refused ? refusal(codec_, refused) : count ? one.right_count : one.right;
    const std::string where = one.what + (count ? ", counting" : "") + ", chunk " + std::to_string(i) + " of " +
                              std::to_string(cases.size()) + ", capacity " + std::to_string(one.capacity) + ", seed " +
                              std::to_string(seed);
    if (run.outcomes[i] != right) {
      return where + ":\n  kernel      " + show(codec_, run.outcomes[i]) + "\n  interpreter " + show(codec_, right);
    }
    if (!outputs[i].intact()) return where + ": wrote outside the output";
    if (count) continue;
    if (refused) {
      const auto bytes = outputs[i].bytes();
      if (std::ranges::any_of(bytes, [](std::uint8_t byte) { return byte != Fenced::kBlank; }))
        return where + ": wrote to an output that it refused";
      continue;
    }
    const auto made = outputs[i].bytes().first(one.right_bytes.size());
    const auto [wrong, expected] = std::mismatch(made.begin(), made.end(), one.right_bytes.begin());
    if (wrong != made.end()) {
      return where + ": other bytes from byte " + std::to_string(wrong - made.begin()) + " of " +
             std::to_string(made.size()) + " on: " + std::to_string(*wrong) + " for " + std::to_string(*expected) +
             "; " + show(codec_, right);
    }
  }
  return {};
}

}  // namespace sluice::test
