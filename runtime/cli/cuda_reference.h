#pragma once
// What a GPU's output is compared with.
#include <optional>
#include <string>
#include <vector>

#include "runtime/cli/chunk_file.h"
#include "runtime/cli/cuda_bench_run.h"
#include "runtime/cli/decode_file.h"

namespace sluice::cli {

// A file's chunks with what the CPU makes of them. Moving it keeps the views good.
struct Reference {
  ChunkFile file;
  std::vector<Decoded> decoded;
  BenchChunks chunks;
};

// Nothing, a message and an exit code when the file can't be read or the CPU refuses a chunk.
std::optional<Reference> read_reference(const std::string& path, const Decoder& cpu, const Batch& batch, int& exit_code);

}  // namespace sluice::cli
