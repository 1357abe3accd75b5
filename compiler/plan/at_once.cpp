#include "compiler/plan/at_once.h"

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

// Fields [first, ...] of one look so far.
struct Look {
  std::vector<Field*> fields = {};
  unsigned bits = 0;
};

}  // namespace

void take_at_once(Target target, Loop& loop, Value first) {
  if (!suits(target, loop)) return;
  Look look;
  const auto end = [&] {
    if (look.fields.size() > 1) {
      for (Field* f : look.fields) f->once = first;
      look.fields.front()->opens = look.fields.back()->closes = true;
      first += 2;
    }
    look = {};
  };
  for_bodies(loop.body, [&](Body& body) {
    for (Step& s : body) {
      auto* const field = std::get_if<Field>(&s.what);
      const bool fits = field != nullptr && suits(*field);
      if (!fits ? !passes(s) : look.bits + field->bits > kAtOnceBits) end();
      if (!fits) continue;
      look.fields.push_back(field);
      look.bits += field->bits;
    }
    end();
  });
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
  return sound;
}

}  // namespace sluice::plan
