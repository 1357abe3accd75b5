#pragma once
// One event of a decode as one line of text.
//
//        bit  width    output  what
//          0                0  tinyrle:
//          0     16         0    magic = 21586 (0x5452)
//         48                0    producing 460
//         48      8         0    control = 146 (0x92)
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/interp/interp.h"
#include "compiler/ir/ir.h"
#include "runtime/cli/room.h"

namespace sluice::cli {

// Room for each of a module's further outputs, to be traced into.
class FurtherRooms {
 public:
  // Up to so many bytes of addresses for each. Nothing: they can't be had.
  static std::optional<FurtherRooms> make(const ir::Module& module, std::uint64_t bytes);
  std::span<const interp::Room> rooms() const { return rooms_; }

 private:
  std::vector<Buffer> buffers_;
  std::vector<interp::Room> rooms_;
};

// The heading over the columns, without a newline.
std::string_view trace_heading();

// The event without a newline: bit position, width in bits (blank when nothing was read), outputs so far, then what
// happened, indented by the depth of rule calls. `output` is the chunk's output buffer: literals and runs are shown
// from it, so hand it the event when the statement's output is there: the interpreter tells of runs and copies first
// and makes them then. Empty for events that tell a reader nothing (the end of a rule without a result).
std::string trace_line(const ir::Module& module, const interp::TraceEvent& event, std::span<const std::uint8_t> output);

}  // namespace sluice::cli
