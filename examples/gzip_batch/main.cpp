// Decompresses gzip files on the GPU, all of them in one batch, or on the CPU where there is no GPU.
//
//   example_gzip_batch FILE.gz... [--cpu]
//
// A file is a chunk. Sizes are not taken from the files' last four bytes, which anybody can write: the decoder counts
// them first, with a kernel that writes nothing.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <sluice/sluice.hpp>
#include <sluice/cuda.hpp>

namespace {

using Bytes = std::vector<std::uint8_t>;

// Both decoders have the same calls for chunks in host memory.
template <class Decoder>
int decode(const Decoder& decoder, const std::vector<std::string>& names, const std::vector<Bytes>& files) {
  const std::vector<std::span<const std::uint8_t>> inputs(files.begin(), files.end());
  std::vector<sluice::Status> statuses(files.size());
  if (const std::string wrong = decoder.decoded_sizes(inputs, statuses); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return 3;
  }
  std::vector<Bytes> outputs(files.size());
  std::vector<sluice::Chunk> chunks;
  for (std::size_t i = 0; i < files.size(); ++i) {
    outputs[i].resize(statuses[i].produced);  // of a damaged one, as far as it goes
    chunks.push_back({inputs[i], outputs[i]});
  }
  const auto start = std::chrono::steady_clock::now();
  if (const std::string wrong = decoder.decode_batch(chunks, statuses); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return 3;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  int result = 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (statuses[i].error != 0) {
      std::cout << names[i] << ": " << decoder.describe(statuses[i].error, i) << "\n";
      result = 1;
    } else {
      std::cout << names[i] << ": " << files[i].size() << " -> " << statuses[i].produced << " bytes\n";
      total += statuses[i].produced;
    }
  }
  std::cout << total << " bytes in " << took.count() << " ms, transfers included\n";
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  bool cpu = false;
  std::vector<std::string> names;
  for (const char* argument : std::span(arguments, static_cast<std::size_t>(count)).subspan(1))
    if (std::string(argument) == "--cpu")
      cpu = true;
    else
      names.emplace_back(argument);
  std::vector<Bytes> files;
  for (const std::string& name : names) {
    std::ifstream file(name, std::ios::binary);
    if (!file) {
      std::cerr << "no file " << name << "\n";
      return 3;
    }
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (!cpu) {
    const auto decoder = sluice::cuda::Decoder::from_name("gzip");
    if (decoder) {
      std::cout << "on " << decoder->device() << "\n";
      return decode(*decoder, names, files);
    }
    std::cout << "not on a GPU: " << decoder.error().text << "\n";
  }
  const auto decoder = sluice::Decoder::from_name("gzip");
  if (!decoder) {
    std::cerr << decoder.error().text;
    return 3;
  }
  std::cout << "on the CPU, by " << decoder->engine() << "\n";
  return decode(*decoder, names, files);
}
