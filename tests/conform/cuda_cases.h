// Inputs with what the interpreter makes of them, and their comparison with what kernels make of them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/conform/cuda_fenced.h"
#include "tests/conform/cuda_simt.h"

namespace sluice::test {

// One chunk. Inputs and outputs lie at given distances, below 8, from boundaries of Fenced::kAlign bytes.
struct CudaCase {
  std::string what;
  Fenced in;
  std::size_t out_skew = 0;
  std::uint64_t capacity = 0;  // elements
  Outcome right{}, right_count{};
  Bytes right_bytes{};
};

// Cases of one codec with one dictionary, run in batches: bad chunks among good ones, several chunks a block.
class CudaCases {
 public:
  CudaCases(const Codec& codec, std::span<const std::uint8_t> dictionary);

  // Interprets the input. `skew`: input and output are moved by different distances that follow from it.
  void add(std::string what, std::span<const std::uint8_t> in, std::uint64_t capacity, std::size_t skew = 0);

  [[nodiscard]] const std::vector<CudaCase>& cases() const { return cases_; }

  // Every case through every kernel, decoded and counted, in batches under seeds that follow from `seed`; 0: lanes take
  // turns in the first batch. Kernels that ask for alignment must refuse the cases that lie elsewhere and leave them
  // alone; then they get all of them where they want them. Reports at most one difference a kernel.
  void check(std::span<const simt::Kernel* const> kernels, std::uint64_t seed) const;

 private:
  enum class Place { AsGiven, Aligned };
  std::string compare(const simt::Kernel& kernel, std::span<const CudaCase> cases, bool count, std::uint64_t seed,
                      Place place) const;
  const Codec& codec_;
  Bytes dictionary_;
  std::unique_ptr<Subject> interpreter_;
  std::vector<CudaCase> cases_;
};

}  // namespace sluice::test
