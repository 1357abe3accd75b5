// Checks of emitted text alone.
#pragma once
#include <cstdint>

namespace sluice::fuzz {

// Every codec's code for every target and schedule, and that of `specs` random specs, under other names: the same but
// for names. Prints what differs; the number of specs that differ.
int check_all_names(std::uint64_t seed, std::uint64_t specs);

// NVRTC compiles the kernels of `specs` random specs for the oldest architecture that is supported and a current one.
// 77, with the reason, where there is no NVRTC.
int compile_with_nvrtc(std::uint64_t seed, std::uint64_t specs);

}  // namespace sluice::fuzz
