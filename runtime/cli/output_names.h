#pragma once
// Mistakes in the names of outputs, found before any work: two outputs of one name, an output that is also read.
#include <span>
#include <string>

namespace sluice::cli {

struct NamedOutput {
  std::string path;
  std::string of;  // what is written there, for the message: "a/x.gz", "--header"
};

// What is wrong, in a sentence; empty when nothing is. Files are the same when they are one file on the disk, by
// whatever name: `a/../x`, a symbolic or a hard link. What is not there yet goes by its directory and name. Streams
// and devices may be read and written, but no stream can be two outputs.
[[nodiscard]] std::string wrong_outputs(std::span<const std::string> inputs, std::span<const NamedOutput> outputs);

// Whether the two are one file on the disk.
[[nodiscard]] bool same_file(const std::string& input, const std::string& output);

}  // namespace sluice::cli
