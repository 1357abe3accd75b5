// The encoder of gsst_blocks.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst_blocks() {
  return {"gsst_blocks", gsst::kBlockOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Blocks, fsst::kCodes8, in, settings, progress);
          }};
}

}  // namespace sluice::encode
