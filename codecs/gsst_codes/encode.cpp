// The encoder of gsst_codes.
#include "codecs/gsst_blocks/layouts.h"

namespace sluice::encode {

Encoder encoder_gsst_codes() {
  return {"gsst_codes", gsst::kSplitOptions,
          [](std::span<const std::uint8_t> in, const Settings& settings, const Progress& progress) {
            return gsst::encode(gsst::Layout::Codes, fsst::kCodes8, in, settings, progress);
          }};
}

}  // namespace sluice::encode
