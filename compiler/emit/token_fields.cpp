// Fields: see token_text.h.
#include <algorithm>

#include "compiler/emit/token_text.h"

namespace sluice::emit {

using plan::Field;
using plan::FieldForm;

std::string TokenText::target(const Field& f) const {
  switch (f.into) {
    case Field::Into::Local:
      return name(f.local);
    case Field::Into::Dropped:
      return number("dropped", f.target);
    case Field::Into::Element:
      return number("element", f.target);
  }
  return "";
}

std::string TokenText::width(const Field& f) const {
  return f.width == plan::kNoValue ? std::to_string(f.bits) : number("width", f.width);
}

void TokenText::operator()(const plan::Refill&) { w_->line("Bits::refill(b, src, in);"); }

void TokenText::operator()(const plan::Need& s) { w_->line("Bits::need(b, src, in, {});", s.bits); }

void TokenText::operator()(const plan::Width& s) {
  w_->line("const {} {} = {};", held_as(s.value), number("width", s.value), value_u64(s.bits));
}

// That stand before the loop whose steps read the fields.
void TokenText::write_widths(const std::vector<plan::Width>& widths) {
  const std::string around = w_->place();
  for (const plan::Width& width : widths) {
    w_->at(context_.place(width.span));
    (*this)(width);
  }
  w_->at(around);
}

void TokenText::operator()(const plan::Word& s) {
  // Of a tile of values that is what fields are taken out of (thread_value_tokens.h).
  w_->line("const {} {} = {}<{}>(src, bit);", values() && s.whole ? "auto" : "u64", number("word", s.value),
           s.whole ? context_.format("prim::whole_word_at") : context_.format("prim::word_at"), msb());
}

void TokenText::operator()(const Field& f) {
  switch (f.form) {
    case FieldForm::Load:
      return load(f);
    case FieldForm::Look:
    case FieldForm::LookWide:
      return look(f);
    case FieldForm::InWord: {
      const std::string raw =
          context_.format("prim::field<{}>({}, {}, {})", msb(), number("word", f.value), f.offset, f.bits);
      w_->line("{} = {};", target(f), f.type.is_signed ? context_.format("prim::sign_extend({}, {})", raw, f.bits) : raw);
      return w_->line("bit += {};", f.bits);
    }
    case FieldForm::At:
    case FieldForm::AtWide:
    case FieldForm::AtBytes:
      return at_position(f);
    case FieldForm::Varint:
      return varint(f);
    case FieldForm::Ranges: {
      const std::string at = number("at", f.value), extra = number("extra", f.value + 1);
      const Context::RangeText range = context_.range_at(f.ref, number("range", f.value), at);
      w_->line("const {} {} = {};", held_as(f.value), at, value_u64(f.index));
      if (!range.declared.empty()) w_->line("{}", range.declared);
      w_->line("const {} {} = {};", held_as(f.value + 1), extra, range.extra);
      open_look(f);
      w_->line("{} = {} + {};", target(f), range.base, looked_at(f, extra));
      return drop_looked_at(f, extra);
    }
  }
}

// What loads so many bytes.
std::string TokenText::load_name(unsigned bytes, bool big) const {
  switch (bytes) {
    case 1:
      return context_.format("prim::load_byte");
    case 2:
      return big ? context_.format("prim::load_be16") : context_.format("prim::load_le16");
    case 4:
      return big ? context_.format("prim::load_be32") : context_.format("prim::load_le32");
    default:
      return big ? context_.format("prim::load_be64") : context_.format("prim::load_le64");
  }
}

// Whole bytes at `in`.
void TokenText::load(const Field& f) {
  if (reading_ && f.placed) w_->line("const prim::Cursor {} = in;", belonging("at", name(f.local)));
  if (f.width != plan::kNoValue) {
    const std::string n = width(f);
    std::string raw = f.big ? context_.format("{0} == 0 ? 0 : prim::load_be64(src{1}, in{1}) >> (64 - {0})", n, ending)
                            : context_.format("prim::load_le64(src{1}, in{1}) & prim::mask({0})", n, ending);
    if (f.type.is_signed) raw = context_.format("{0} == 0 ? 0 : prim::sign_extend({1}, {0})", n, raw);
    w_->line("{} = {};", target(f), raw);
    return w_->line("in{} += {} >> 3;", ending, n);
  }
  const unsigned n = f.bits / 8, unit = n <= 1 ? 1 : n <= 2 ? 2 : n <= 4 ? 4 : 8;
  const bool narrow = f.into == Field::Into::Local && std::ranges::find(loop_.narrow, f.local) != loop_.narrow.end();
  std::string raw = f.ahead ? "ahead" : fmt::format("({0}){1}(src{2}, in{2})", narrow ? "u32" : "u64", load_name(unit, f.big), ending);
  if (n != unit)
    raw = f.big ? fmt::format("({} >> {})", raw, 8 * (unit - n))
                : fmt::format("({} & 0x{:x})", raw, (std::uint64_t{1} << f.bits) - 1);
  w_->line("{} = {};", target(f), f.type.is_signed ? context_.format("prim::sign_extend({}, {})", raw, f.bits) : raw);
  w_->line("in{} += {};", ending, n);
}

// Of fields that are cut from one look, by themselves or at once: the look itself, what is cut, and its bits gone.
void TokenText::open_look(const Field& f) {
  if (f.opens && !f.looked) look_at_once(f.once);
}
void TokenText::look_at_once(plan::Value once) { w_->line("const u64 {} = Bits::shown(b);", number("shown", once)); }
std::string TokenText::looked_at(const Field& f, const std::string& n) const {
  if (f.once == plan::kNoValue) return fmt::format("Bits::look_after(b, 0, {})", n);
  return fmt::format("Bits::cut({}, {}, {})", number("shown", f.once), f.opens ? "0" : number("before", f.once + 1), n);
}
void TokenText::drop_looked_at(const Field& f, const std::string& n) {
  if (f.once == plan::kNoValue) return w_->line("Bits::drop(b, src, in, {});", n);
  const std::string before = number("before", f.once + 1);
  if (f.opens) return w_->line("u32 {} = {};", before, n);
  if (!f.closes) return w_->line("{} += {};", before, n);
  w_->line("Bits::drop_shown(b, src, in, {} + {});", before, n);
}

// From the bit buffer.
void TokenText::look(const Field& f) {
  const std::string to = target(f), n = width(f);
  if (f.once != plan::kNoValue) {
    open_look(f);
    w_->line("{} = {};", to, looked_at(f, n));
    return drop_looked_at(f, n);
  }
  if (f.width == plan::kNoValue) {
    const std::string raw = fmt::format("Bits::look(b, {})", n);
    w_->line("{} = {};", to, f.type.is_signed ? context_.format("prim::sign_extend({}, {})", raw, n) : raw);
    return w_->line("Bits::drop(b, src, in, {});", n);
  }
  const auto at_once = [&] {
    w_->line("{} = Bits::look_after(b, 0, {});", to, n);
    w_->line("Bits::drop(b, src, in, {});", n);
  };
  if (f.form == FieldForm::Look) return at_once();
  w_->open("if (SLUICE_LIKELY({} <= {})) {{", n, context_.look_bits());
  at_once();
  w_->next("} else {");
  const std::string part = number("part", f.value);
  w_->line("const u64 {} = Bits::look(b, 32);", part);
  w_->line("Bits::drop(b, src, in, 32);");
  w_->line("Bits::refill(b, src, in);");
  if (msb())
    w_->line("{0} = {1} << ({2} - 32) | Bits::look_after(b, 0, {2} - 32);", to, part, n);
  else
    w_->line("{0} = {1} | (u64)Bits::look_after(b, 0, {2} - 32) << 32;", to, part, n);
  w_->line("Bits::drop(b, src, in, {} - 32);", n);
  w_->close();
}

void TokenText::at_position(const Field& f) {
  const std::string n = width(f);
  const auto whole = whole_.find(f.width);
  const bool narrow = std::ranges::find(narrow_, f.width) != narrow_.end();
  const auto reader = [&] {
    return lanes_                                   ? context_.format("prim::lane_bits_at")
           : f.form == FieldForm::AtBytes           ? context_.format("prim::whole_bits_at")
           : f.form == FieldForm::AtWide && !narrow ? context_.format("prim::wide_bits_at")
                                                    : context_.format("prim::bits_at");
  };
  const bool unpacked = f.width != plan::kNoValue && f.width == unpacked_;
  const std::string raw = whole != whole_.end() ? context_.format("prim::whole_at<{}, {}>(src, field, k)", msb(), whole->second)
                          : unpacked            ? "fields[k - first]"
                                                : fmt::format("{}<{}>(src, bit, {})", reader(), msb(), n);
  if (f.type.is_signed) {
    const bool none = f.width != plan::kNoValue && f.may_be_empty;  // no bits have no sign
    w_->line("{} = {}prim::sign_extend({}, {});", target(f), none ? n + " == 0 ? 0 : " : "", raw, n);
  } else {
    w_->line("{} = {};", target(f), raw);
  }
  if (whole == whole_.end()) w_->line("bit += {};", n);
}

void TokenText::varint(const Field& f) {
  const unsigned groups = (f.bits + 6) / 7;
  const std::string raw = number("raw", f.value), length = number("length", f.value + 1);
  if (f.checks_boundary) w_->line("if (SLUICE_UNLIKELY(bit & 7)) {}", out_of_token());
  w_->line("u64 {} = 0, {} = 0;", raw, length);
  if (values())
    w_->line("if (SLUICE_UNLIKELY(prim::number_at<{}>(out, src, {}, {}, {}) != prim::kVarintOk)) {}", f.bits,
             positional_ ? "bit >> 3" : "in", raw, length, out_of_token());
  else
    w_->line("if (SLUICE_UNLIKELY(prim::varint<{}>(src, {}, {}, {}, {}) != prim::kVarintOk)) {}", f.bits,
           !positional_ ? "in" : context_.cuda() ? "bit >> 3" : context_.format("prim::cursor(src, bit >> 3)"), groups, raw, length, out_of_token());
  const std::string value = f.type.is_signed ? context_.format("prim::zigzag({})", raw) : raw;
  if (positional_)
    w_->line("bit += 8 * {};", length);
  else
    w_->line("in += {};", length);
  w_->line("{} = {};", target(f), value);
}

}  // namespace sluice::emit
