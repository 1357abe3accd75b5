// The encoder of gsst_interleaved.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst_interleaved() {
  return {"gsst_interleaved", gsst::kSplitOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Interleaved, fsst::kCodes8, in, settings, progress);
          }};
}

}  // namespace sluice::encode
