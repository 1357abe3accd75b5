// decode CODEC DIRECTORY FILE...: what decode.c does, by the C++ interface.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <sluice/cuda.hpp>
#include <sluice/sluice.hpp>

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (words.size() < 4) return 2;
  const auto decoder = sluice::cuda::Decoder::from_name(words[1]);
  if (!decoder) {
    std::cerr << decoder.error().text << "\n";
    return 1;
  }
  std::cout << decoder->name() << " on " << decoder->device() << ", by " << sluice::version() << "\n";

  using Bytes = std::vector<std::uint8_t>;
  std::vector<Bytes> files, outputs;
  for (const char* path : words.subspan(3)) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  const std::vector<std::span<const std::uint8_t>> inputs(files.begin(), files.end());
  std::vector<sluice::Status> statuses(files.size());
  if (const std::string wrong = decoder->decoded_sizes(inputs, statuses); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return 1;
  }
  for (const sluice::Status& status : statuses) outputs.emplace_back(status.produced * decoder->output_element_bytes());
  std::vector<sluice::Chunk> chunks;
  for (std::size_t i = 0; i < files.size(); ++i) chunks.push_back({inputs[i], outputs[i]});
  if (const std::string wrong = decoder->decode_batch(chunks, statuses); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return 1;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::filesystem::path name = std::filesystem::path(words[i + 3]).filename();
    if (statuses[i].error != 0) {
      std::cout << name.string() << ": refused: " << decoder->describe(statuses[i].error, i) << "\n";
      continue;
    }
    std::ofstream file(words[2] / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(outputs[i].data()), static_cast<std::streamsize>(outputs[i].size()));
    std::cout << name.string() << ": " << outputs[i].size() << " bytes\n";
    if (!file) return 1;
  }
  return 0;
}
