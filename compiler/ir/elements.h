#pragma once
// Of which type the elements are that a statement outputs.
//
//   output u8                        emit in main: u8
//   further u32 "offsets"
//   rule main:
//     into further 0
//       call 1                       emit in rule 1: u32, wherever else that is called
//
// A rule that outputs where its callers do is called where the elements are of one type: verify.h says so of every module.
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::ir {

class Elements {
 public:
  explicit Elements(const Module& module);

  // Of what the statement outputs, if it outputs something; of an Into, of what it stands in.
  Type of(const Stmt& s) const;
  // The same of a rule's statements that stand in no Into.
  Type of_rule(std::uint32_t rule) const { return rules_.empty() ? output_ : rules_[rule].value_or(output_); }
  // What breaks the promise; a sentence each, as of verify.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void rule(const Module& m, std::uint32_t id, Type element);
  void block(const Module& m, const Block& statements, std::uint32_t rule, Type element);

  Type output_;
  std::vector<std::optional<Type>> rules_;              // of a module that has further outputs
  std::unordered_map<const Stmt*, Type> statements_;  // those whose type is not output_
  std::vector<std::string> problems_;
};

// Where a statement's outputs go, of the ones in the body of an Into.
inline Type filled_type(const Module& m, const Stmt& into) { return into.further ? m.outputs[into.ref].type : m.output; }

// The name of the further output that a statement's outputs go to, as far as its rule says so: "" where no `into` of the rule
// stands around it, or that fills a buffer.
std::string further_output_of(const Module& m, const Stmt& s);

}  // namespace sluice::ir
