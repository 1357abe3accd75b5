// The encoder of gsst12_blocks.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst12_blocks() {
  return {"gsst12_blocks", gsst::kBlockOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Blocks, fsst::kCodes12, in, settings, progress);
          }};
}

}  // namespace sluice::encode
