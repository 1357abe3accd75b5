#pragma once
// What a loop says of steps that a CPU hands to one primitive: see unpacked_steps.h.

namespace sluice::plan {

// No; each puts out its field; each adds its field, and what is the same for all, to a sum, and puts that out;
// or keeps it in an array (kept_sums.h).
enum class Unpacked : unsigned char { No, Stored, Summed, Kept };

}  // namespace sluice::plan
