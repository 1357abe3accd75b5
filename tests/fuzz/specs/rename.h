// Names must not matter: a module whose things are called something else gives the same code but for names.
//
//   field `c` is now called `code_limit`      c_3 = prim::take(s, 8);  ->  code_limit_3 = prim::take(s, 8);     fine
//                                             any other difference                                               a
//                                             finding
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"
#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/random.h"

namespace sluice::fuzz {

// Other names for all that has one; different ones stay different. Words that generated code itself uses come first.
[[nodiscard]] std::map<std::string, std::string> other_names(const ir::Module& module, Random& random);

// The module under other names. Parts of a dotted name are renamed each.
[[nodiscard]] ir::Module renamed(const ir::Module& module, const std::map<std::string, std::string>& names);

// Are two texts the same but for names, comments and blanks left out? Otherwise the first place where they differ.
[[nodiscard]] std::string differ_but_for_names(std::string_view one, std::string_view other);

// CPU text, and CUDA text under the schedules.
[[nodiscard]] Finding check_names(const ir::Module& module, std::span<const schedule::Schedule> schedules,
                                  Random random);

}  // namespace sluice::fuzz
