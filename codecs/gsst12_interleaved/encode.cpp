// The encoder of gsst12_interleaved.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst12_interleaved() {
  return {"gsst12_interleaved", gsst::kSplitOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Interleaved, fsst::kCodes12, in, settings, progress);
          }};
}

}  // namespace sluice::encode
