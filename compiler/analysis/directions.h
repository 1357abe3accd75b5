#pragma once
// In which direction a statement's bits are read: forward, or from the end of a region.
//
//   within 8 backward
//     loop until_end            backward
//       call 1                  rule 1: backward; forward too, where it is called elsewhere
#include <map>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

class Directions {
 public:
  explicit Directions(const ir::Module& module);

  // Does the module have a region that is read from its end?
  [[nodiscard]] bool turns() const { return !reached_.empty(); }
  // May the statement run in such a region? Outside of one? Of a module without one nothing is kept: all of it reads forward.
  [[nodiscard]] bool backward(const ir::Stmt& stmt) const { return turns() && (of(stmt) & kBackward) != 0; }
  [[nodiscard]] bool forward(const ir::Stmt& stmt) const { return !turns() || (of(stmt) & kForward) != 0; }

 private:
  static constexpr unsigned kForward = 1, kBackward = 2;
  unsigned of(const ir::Stmt& stmt) const;
  void block(const ir::Module& module, const ir::Block& block, unsigned direction);

  std::map<const ir::Stmt*, unsigned> reached_;  // owned by the module
};

}  // namespace sluice::analysis
