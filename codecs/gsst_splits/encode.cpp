// The encoder of gsst_splits.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst_splits() {
  return {"gsst_splits", gsst::kSplitOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Splits, fsst::kCodes8, in, settings, progress);
          }};
}

}  // namespace sluice::encode
