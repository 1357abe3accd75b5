#include "runtime/cli/cuda_reference.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/cli/files.h"
#include "runtime/cli/report.h"
#include "runtime/cli/terminal.h"

namespace sluice::cli {

std::optional<Reference> read_reference(const std::string& path, const Decoder& cpu, const Batch& batch, int& exit_code) {
  std::string error;
  auto file = read_chunk_file(path, error);
  if (!file) {
    exit_code = environment_error(error);
    return std::nullopt;
  }
  Batch on_all_cores = batch;
  on_all_cores.threads = 0;
  auto decoded = decode_all(cpu, file->chunks, on_all_cores, room_for_output({}), error);
  if (!decoded) {
    exit_code = environment_error(error);
    return std::nullopt;
  }
  Reference reference{std::move(*file), std::move(*decoded), {}};
  for (std::size_t i = 0; i < reference.decoded.size(); ++i) {
    Decoded& one = reference.decoded[i];
    if (one.status.error != 0) {
      print_error(fmt::format("{}: {}", path, cpu.describe(one.status.error, i)));
      exit_code = kRejected;
      return std::nullopt;
    }
    reference.chunks.out.push_back(one.output(cpu));
  }
  reference.chunks.in = reference.file.chunks;
  return reference;
}

}  // namespace sluice::cli
