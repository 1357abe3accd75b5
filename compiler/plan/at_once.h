#pragma once
// Fields that follow each other are cut from one look at the stream, and their bits dropped at once: where the next field begins is
// then a sum of widths, and not what has become of the buffer. Of a warp's loops that read from a region's end, whose buffer shows
// 64 bits wherever it stands (runtime/prim/cuda/back.h).
//
//   far: uint(a); size: length[i]; more: uint(b)    check (lt i 53)
//                                                   field far look a          at once t7 opens
//                                                   field size ranges length  at once t7
//                                                   field more look b         at once t7 closes
//
// note [look before load]: a look behind a copy is made before the copy's source is asked for, since it would wait for that: the words
// that it is made of and that source are all the same to the few marks by which hardware tells loads apart. 15 % of zstd's time.
//
//   copy distance d, length n; more: uint(c)...     copy ... look t9
//                                                   field more look c         at once t9 opens looked
#include "compiler/plan/plan.h"

namespace sluice::plan {

inline constexpr unsigned kAtOnceBits = 64;

// Marks the fields of a finished loop's body that are; `first` is the first value that is free.
void take_at_once(Target target, Loop& loop, Value first);

// Each look is opened, closed, long enough, and nothing between reads the stream.
[[nodiscard]] bool sound_at_once(Target target, const Loop& loop);

}  // namespace sluice::plan
