#pragma once
// Device functions, which hand outputs to a caller's sink (plan::Outputs::Sink): which formats have one, and by which
// schedule.
//
//   orc_rle_v2                  ->  legal; Schedule{Speculate, input Registers}
//   lz4_block                   ->  not legal: `copy` reads outputs again (lz4_block.sluice:23)
//   orc_rle_v2, strategy block  ->  error: a device function is one warp's
//
// Their shared memory is the caller's, one Storage a warp, so nothing of blocks is theirs to decide; and the input is
// looked at in registers.
#include <optional>
#include <span>

#include "compiler/schedule/parse.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

// Of the format, whatever the strategy: every clause that stands in the way. `subject`: its tokens as of any output.
[[nodiscard]] Legality device_function_legal(const Subject& subject, const schedule::Device& device);

// The fastest that is legal, with a state that the caller's shared memory holds. The format has a device function; `subject`: its
// tokens are of Outputs::Sink.
[[nodiscard]] schedule::Schedule device_function_default(const Subject& subject, const schedule::Device& device);

// The default with the settings applied. Nothing, and errors in `sink`, where one can't be.
[[nodiscard]] std::optional<schedule::Schedule> choose_device_function(const Subject& subject, const schedule::Device& device,
                                                                       std::span<const schedule::Setting> settings, DiagSink& sink);

}  // namespace sluice::strategy
