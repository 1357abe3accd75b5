// Random specs as a tree of codecs, for programs that look for codecs there: sluice_gpu_conform on a machine with a GPU.
//
//   DIR/codecs/r7_12/r7_12.sluice        spec 12 of seed 7, the format's name in place
//   DIR/codecs/r7_12/vectors/0.in        inputs that it takes far, what the interpreter makes of each: 0.out or 0.err,
//                                        and 0.dict where the format has a preset dictionary
#pragma once
#include <cstdint>
#include <string>

namespace sluice::fuzz {

struct Options;

// Specs first .. first + count of the seed. 0, or 1 when a file can't be written.
int write_codecs(const Options& options, const std::string& directory);

}  // namespace sluice::fuzz
