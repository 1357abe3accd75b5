#include "compiler/plan/placed.h"

#include <map>
#include <optional>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

class Finder {
 public:
  Finder(const Loop& loop, unsigned bits) : bits_(bits) {
    for_each_step(loop.body, [&](const Step& s) { count(s); });
    body(loop.body, {});
  }

  std::set<const Step*> placed;

 private:
  typedef std::map<Local, const Step*> Fields;

  // How often a token sets what.
  void count(const Step& s) {
    if (const auto local = set_by(s)) ++sets_[*local];
    if (const auto* field = std::get_if<Field>(&s.what); field != nullptr && field->into == Field::Into::Local)
      ++sets_[field->local];
    if (const auto* repeat = std::get_if<Repeat>(&s.what); repeat != nullptr && repeat->index) ++sets_[*repeat->index];
    if (const auto* call = std::get_if<Inline>(&s.what))
      for (std::uint32_t i = 0; i < call->args.size(); ++i) ++sets_[Local{call->scope, i}];
  }

  // An element's bytes, in the order of the output.
  bool is_element(const Field& f) const {
    return f.form == FieldForm::Load && f.width == kNoValue && f.bits == bits_ && (!f.big || f.bits == 8);
  }

  // `fields`: those that have been read on every way to here, and not since.
  void body(const Body& steps, Fields fields) {
    for (const Step& s : steps) {
      if (const auto* field = std::get_if<Field>(&s.what)) {
        if (field->into == Field::Into::Local && is_element(*field) && sets_[field->local] == 1) fields[field->local] = &s;
      } else if (const auto* run = std::get_if<Run>(&s.what)) {
        if (!of_equal_values(*run) || (*run->first).op != ir::Op::Local) continue;
        const auto value = fields.find({run->first.scope, (*run->first).ref});
        if (value == fields.end()) continue;
        placed.insert(&s);
        placed.insert(value->second);
      } else if (const auto* literals = std::get_if<Literals>(&s.what)) {
        if (literals->form != LiteralsForm::Each || literals->read.size() != 1) continue;
        const auto* element = std::get_if<Field>(&literals->read.front().what);
        if (element != nullptr && element->into == Field::Into::Element && is_element(*element)) placed.insert(&s);
      } else {
        for_each_body(s, [&](const Body& inner) { body(inner, fields); });
      }
    }
  }

  const unsigned bits_;
  std::map<Local, unsigned> sets_;
};

}  // namespace

std::set<const Step*> placed_of(const Loop& loop, unsigned element_bits) { return Finder(loop, element_bits).placed; }

}  // namespace sluice::plan
