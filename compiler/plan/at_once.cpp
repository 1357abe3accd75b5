#include "compiler/plan/at_once.h"

#include <algorithm>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

bool suits(Target target, const Loop& loop) { return target == Target::Warp && loop.backward && loop.reader == Reader::Buffer; }

// Every width but the last one is then less than kAtOnceBits, and so is where a field begins.
bool suits(const Field& f) {
  const bool plain = (f.form == FieldForm::Look && !f.type.is_signed) || f.form == FieldForm::Ranges;
  return plain && f.bits > 0 && f.bits <= kAtOnceBits / 2;
}

// May it stand between two fields of a look? What leaves the token puts the buffer back to its start.
bool passes(const Step& s) {
  return std::holds_alternative<Width>(s.what) || std::holds_alternative<Let>(s.what) || std::holds_alternative<Check>(s.what) ||
         std::holds_alternative<SetGlobal>(s.what) || std::holds_alternative<Refill>(s.what) || std::holds_alternative<Need>(s.what);
}

// Calls `visit` for the body and for those in it.
template <typename Of, typename Visit>
void for_bodies(Of& body, const Visit& visit) {
  visit(body);
  for (auto& s : body)
    for_each_body(s, [&](const Body& b) { for_bodies(const_cast<Of&>(b), visit); });
}

// Does an operand of it ask what one of the steps before sets?
bool asks_of(const Step& s, const std::vector<Step>& before) {
  bool asks = false;
  for_each_operand(s, [&](const Operand& o) {
    for_each_node(*o, [&](const ir::Expr& e) {
      if (e.op != ir::Op::Local && e.op != ir::Op::Global) return;
      const Local l{e.op == ir::Op::Global ? kGlobalScope : o.scope, e.ref};
      for (const Step& b : before) {
        const auto* const field = std::get_if<Field>(&b.what);
        asks = asks || set_by(b) == l || (field != nullptr && field->into == Field::Into::Local && field->local == l);
      }
    });
  });
  return asks;
}

// Steps [first, last) of the body are a look's: what is tested of earlier values is tested before it, so that no branch is between
// the fields and their tables are looked up side by side. A width behind a test that stays may need it.
void test_first(Body& body, std::size_t first, std::size_t last) {
  std::vector<Step> tests, rest;
  bool stays = false;
  for (std::size_t i = first; i < last; ++i) {
    const bool pure = std::holds_alternative<Check>(body[i].what) || std::holds_alternative<Width>(body[i].what);
    const bool goes = pure && !stays && !asks_of(body[i], rest);
    stays = stays || (!goes && std::holds_alternative<Check>(body[i].what));
    (goes ? tests : rest).push_back(std::move(body[i]));
  }
  std::ranges::move(rest, std::ranges::move(tests, body.begin() + static_cast<std::ptrdiff_t>(first)).out);
}

struct LookBehind {
  const Copy* copy = nullptr;
  const Field* field = nullptr;  // that opens the look
};
// note [look before load]. `last`: the copy behind which nothing has read the stream.
void find_looks_behind(const Body& body, const Copy* last, std::vector<LookBehind>& all) {
  for (const Step& s : body) {
    const auto* const field = std::get_if<Field>(&s.what);
    const auto* const branch = std::get_if<If>(&s.what);
    const bool goes_on = branch != nullptr && !branch->orelse;  // what it holds stands in the copy's scope
    if (const auto* const copy = std::get_if<Copy>(&s.what)) {
      last = copy;
      continue;
    }
    if (field != nullptr && field->opens && last != nullptr) all.push_back({last, field});
    for_each_body(s, [&](const Body& b) { find_looks_behind(b, goes_on ? last : nullptr, all); });
    if (!passes(s)) last = nullptr;
  }
}
std::vector<LookBehind> looks_behind(const Body& body) {
  std::vector<LookBehind> all;
  find_looks_behind(body, nullptr, all);
  return all;
}

// Fields of one look so far: where they stand in their body.
struct Look {
  std::vector<std::size_t> fields = {};
  unsigned bits = 0;
};

}  // namespace

void take_at_once(Target target, Loop& loop, Value first) {
  if (!suits(target, loop)) return;
  for_bodies(loop.body, [&](Body& body) {
    Look look;
    const auto end = [&] {
      const auto field = [&](std::size_t i) -> Field& { return std::get<Field>(body[i].what); };
      if (look.fields.size() > 1) {
        for (const std::size_t i : look.fields) field(i).once = first;
        field(look.fields.front()).opens = field(look.fields.back()).closes = true;
        first += 2;
        test_first(body, look.fields.front(), look.fields.back() + 1);
      }
      look = {};
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto* const field = std::get_if<Field>(&body[i].what);
      const bool fits = field != nullptr && suits(*field);
      if (!fits ? !passes(body[i]) : look.bits + field->bits > kAtOnceBits) end();
      if (!fits) continue;
      look.fields.push_back(i);
      look.bits += field->bits;
    }
    end();
  });
  for (const LookBehind& look : looks_behind(loop.body)) {
    const_cast<Field*>(look.field)->looked = true;
    const_cast<Copy*>(look.copy)->look = look.field->once;
  }
}

bool sound_at_once(Target target, const Loop& loop) {
  bool sound = true;
  for_bodies(loop.body, [&](const Body& body) {
    Value open = kNoValue;
    unsigned bits = 0;
    for (const Step& s : body) {
      const auto* const field = std::get_if<Field>(&s.what);
      if (field == nullptr || field->once == kNoValue) {
        sound = sound && (open == kNoValue || passes(s)) && (field == nullptr || !(field->opens || field->closes));
        continue;
      }
      sound = sound && suits(target, loop) && suits(*field) && field->opens == (open == kNoValue) && (field->opens || field->once == open);
      open = field->closes ? kNoValue : field->once;
      bits = (field->opens ? 0 : bits) + field->bits;
      sound = sound && bits <= kAtOnceBits;
    }
    sound = sound && open == kNoValue;
  });
  const std::vector<LookBehind> behind = looks_behind(loop.body);
  for (const LookBehind& look : behind) sound = sound && look.field->looked && look.copy->look == look.field->once;
  std::size_t looked = 0, asked = 0;
  for_each_step(loop.body, [&](const Step& s) {
    if (const auto* const field = std::get_if<Field>(&s.what)) looked += field->looked ? 1 : 0;
    if (const auto* const copy = std::get_if<Copy>(&s.what)) asked += copy->look != kNoValue ? 1 : 0;
  });
  return sound && looked == behind.size() && asked == behind.size();
}

}  // namespace sluice::plan
