// Compares our verdict on arbitrary bytes with a control library's. Differences have to be policies by name.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "tests/conform/subjects.h"
#include "tests/support/control.h"
#include "tests/support/vectors.h"

namespace sluice::test {

// The policies that are for the controls' versions on this machine. The others can neither explain nor be unused here.
std::vector<Policy> policies_here(std::vector<Policy> all, std::optional<Version> (*version_of)(std::string_view control));

class Judge {
 public:
  explicit Judge(const std::string& codec);

  // Judges one input. Returns the complaint, or an empty string when the verdicts agree or a policy explains them.
  std::string compare(const Codec& codec, const Decoded& ours, const ControlRequest& request);

  // Policies of the codec's own list that explained nothing so far. Those of the modules it uses explain, too, and need not.
  [[nodiscard]] std::set<std::string> unused() const;

  // Inputs on which a control and we agreed.
  [[nodiscard]] std::uint64_t agreed() const { return agreed_; }

 private:
  std::string compare_one(const Codec& codec, const Decoded& ours, const ControlRequest& request,
                          const std::string& control, const ControlResult& theirs);
  std::string codec_;
  std::vector<Policy> policies_, of_modules_;
  std::set<std::string> used_;
  std::uint64_t agreed_ = 0;
};

}  // namespace sluice::test
