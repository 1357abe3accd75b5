// The table of directives in README.md is the one in compiler/schedule/directives.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "compiler/schedule/directives.h"
#include "compiler/strategy/strategies.h"

namespace sluice::schedule {
namespace {

namespace fs = std::filesystem;

fs::path readme() { return fs::path(SLUICE_SOURCE_DIR) / "README.md"; }

std::string strategies_of(const Directive& directive) {
  std::string list;
  bool every = true;
  for (const strategy::StrategyRow* one : strategy::strategies()) {
    if (directive.strategies & set_of(one->strategy))
      list += (list.empty() ? "" : ", ") + std::string(name(one->strategy));
    else
      every = false;
  }
  return every ? "all" : list;
}

std::string row_of(const Directive& directive) {
  return fmt::format("| `{}` | {} | {} | {} | {} |", directive.name, directive.values, directive.get(Schedule()),
                     strategies_of(directive), directive.what);
}

TEST(Schedules, TheReadmeHasThemAll) {
  std::ifstream in(readme());
  ASSERT_TRUE(in) << readme();
  std::set<std::string> written, wanted;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("| directive |"))
      inside = true;
    else if (inside && !line.starts_with("|"))
      break;
    else if (inside && !line.starts_with("|---"))
      written.insert(line);
  }
  for (const Directive& directive : directives()) wanted.insert(row_of(directive));
  EXPECT_EQ(written, wanted);
}

}  // namespace
}  // namespace sluice::schedule
