#pragma once
// What a rule finds in a text.
#include <compare>
#include <set>
#include <string>

namespace sluice::emitted {

struct Finding {
  unsigned line = 0;
  std::string rule, text;
  friend auto operator<=>(const Finding&, const Finding&) = default;
};

// One a line and cause: a template's instantiations find the same.
class Report {
 public:
  void add(unsigned line, std::string rule, std::string text) {
    findings_.insert({line, std::move(rule), std::move(text)});
  }
  [[nodiscard]] const std::set<Finding>& findings() const { return findings_; }

 private:
  std::set<Finding> findings_;
};

}  // namespace sluice::emitted
