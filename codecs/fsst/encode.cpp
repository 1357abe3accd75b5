// The encoder of fsst.
#include "codecs/fsst/block.h"
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_fsst() {
  return {"fsst", gsst::kBlockOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return fsst::encode_blocks(
                in, settings["block_size"],
                [](fsst::Bytes& out, std::span<const std::uint8_t> block) {
                  const fsst::Coder coder(block, fsst::kCodes8);
                  coder.put_table(out);
                  fsst::put_codes(out, coder.codes(block), coder.set());
                  return true;
                },
                progress);
          }};
}

}  // namespace sluice::encode
