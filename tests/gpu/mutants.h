#pragma once
// Damaged copies of test vectors: what a decoder must refuse, or decode as the interpreter does.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/vectors.h"

namespace sluice::gpu {

using test::Bytes;
using test::Random;
using test::Vector;

struct Mutant {
  Bytes bytes;
  const Vector* from = nullptr;
  std::string how;         // "bit 17 flipped"
  std::uint64_t room = 0;  // bytes of output to offer when nothing else is known
};

class Mutator {
 public:
  // Vectors of one format; not empty. They must outlive this.
  Mutator(std::vector<const Vector*> vectors, std::uint64_t seed);

  Mutant next();

 private:
  const Vector& draw();
  std::vector<const Vector*> vectors_;
  Random random_;
};

}  // namespace sluice::gpu
