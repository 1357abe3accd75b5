#pragma once
// What becomes of a token's own variables: text declares those that are used, and starts those at 0 that a token might
// read before it has set them. The IR's verifier has seen that a rule never does; a text is plainer without the starts, and
// whoever reads it sees as much of that as is seen here.
//
//   if (lt %0 2)            ->   named %0 %1 %2
//     field %1 bytes u8          early %0      nothing has set it
//     store %1                         %2      only the other way does
//   else
//     let %2 5
//   store %2
#include <set>

#include "compiler/plan/plan.h"

namespace sluice::plan {

struct LocalUse {
  std::set<Local> read;   // somewhere in the token
  std::set<Local> named;  // read or set
  std::set<Local> early;  // not proven to be set before each of its reads
};

[[nodiscard]] LocalUse local_use(const Body& token);

}  // namespace sluice::plan
