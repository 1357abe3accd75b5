// Decodes two LZ4 blocks with code that was compiled when this program was built: the artifact is in the program.
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "lz4_block.h"
#include <sluice/sluice.hpp>

int main() {
  const auto decoder = sluice::Decoder::from_artifact({lz4_block_artifact, lz4_block_artifact_size});
  if (!decoder) {
    std::cerr << decoder.error().text;
    return 3;
  }
  std::cout << decoder->name() << " runs on " << decoder->engine() << " (" << decoder->why() << ")\n";

  const std::vector<std::vector<std::uint8_t>> blocks{
      // 6 literals, a copy of 4 from 6 back, then the last literal.
      {0x60, 'h', 'e', 'l', 'l', 'o', ' ', 0x06, 0x00, 0x10, 'o'},
      // a copy from 9 back, where there are only 2 bytes
      {0x20, 'x', 'y', 0x09, 0x00, 0x10, 'z'},
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::vector<std::uint8_t> output(64 * LZ4_BLOCK_OUTPUT_ELEMENT_BYTES);
    const sluice::Status status = decoder->decode({blocks[i], output});
    std::cout << "chunk " << i << ": ";
    // The header knows every error word, so they can be told apart without a library.
    if (status.error != LZ4_BLOCK_OK)
      std::cout << lz4_block_error_name(status.error) << ", " << lz4_block_error_text(status.error) << " at bit "
                << LZ4_BLOCK_ERROR_BIT(status.error) << "\n";
    else
      std::cout << std::string(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(status.produced)) << "\n";
  }
  return 0;
}
