// The encoder of gsst12_splits.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst12_splits() {
  return {"gsst12_splits", gsst::kSplitOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Splits, fsst::kCodes12, in, settings, progress);
          }};
}

}  // namespace sluice::encode
