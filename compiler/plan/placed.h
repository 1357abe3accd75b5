#pragma once
// Output that lies in the input as it is put out, where tokens are taken as records (records.h): literals of whole
// elements, and runs of an element that the token itself has read, whose place it then keeps.
//
//   field local %0 load u8                        field local %0 load u8
//   field local %1 load u32 bits 32               field local %1 load u32 bits 32 placed
//   run stepped first %1 count %0            ->   run stepped first %1 count %0 placed       one literal, and a copy of it
//   literals each u32 count (add %0 1)            literals each u32 count (add %0 1) placed   so many bytes of the input
//     field element t4 load u32 bits 32             field element t4 load u32 bits 32
#include <set>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// The steps of a loop that reads whole bytes which are so: fields, runs, literals.
[[nodiscard]] std::set<const Step*> placed_of(const Loop& loop, unsigned element_bits);

}  // namespace sluice::plan
