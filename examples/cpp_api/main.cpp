// Decodes a batch of three LZ4 blocks through the C++ API. The second one is damaged; the others come out all the same.
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <sluice/sluice.hpp>

int main() {
  const auto decoder = sluice::Decoder::from_name("lz4_block");
  if (!decoder) {
    std::cerr << decoder.error().text;
    return 3;
  }
  std::cout << decoder->name() << " runs on " << decoder->engine() << " (" << decoder->why() << ")\n";

  const std::vector<std::vector<std::uint8_t>> blocks{
      // 6 literals, a copy of 4 from 6 back, then the last literal: LZ4 ends in literals.
      {0x60, 'h', 'e', 'l', 'l', 'o', ' ', 0x06, 0x00, 0x10, 'o'},
      // a copy from 9 back, where there are only 2 bytes
      {0x20, 'x', 'y', 0x09, 0x00, 0x10, 'z'},
      {0x40, 'a', 'b', 'c', 'd'},
  };

  // The sizes are not recorded in LZ4 blocks: ask first, then decode into buffers of just that size.
  std::vector<std::vector<std::uint8_t>> outputs;
  std::vector<sluice::Chunk> chunks;
  for (const auto& block : blocks) outputs.emplace_back(decoder->decoded_size(block).produced);
  for (std::size_t i = 0; i < blocks.size(); ++i) chunks.push_back({blocks[i], outputs[i]});

  std::vector<sluice::Status> statuses(chunks.size());
  sluice::Batch batch;
  batch.threads = 2;
  if (const std::string wrong = decoder->decode_batch(chunks, statuses, batch); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return 2;
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::cout << "chunk " << i << ": ";
    if (statuses[i].error != 0)
      std::cout << decoder->describe(statuses[i].error, i) << "\n";
    else
      std::cout << statuses[i].produced << " bytes: " << std::string(outputs[i].begin(), outputs[i].end()) << "\n";
  }
  return 0;
}
