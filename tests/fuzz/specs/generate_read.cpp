// Fields: every way to read a value.
#include "tests/fuzz/specs/generator.h"

namespace sluice::fuzz {

Generator::Field Generator::field(const Place& at, bool simple) {
  const std::uint64_t choice = random_.below(100);
  const bool whole = bytes_ || at.whole;
  if (choice < 12 && !codes_.empty() && !at.whole) {
    const Code& code = random_.pick(codes_);
    unsigned bits = 1;
    while ((1u << bits) < code.symbols) ++bits;
    return {code.name + (code.copies > 1 ? "[" + below(code.copies) + "]" : ""), {bits, false}};
  }
  if (choice < 18 && !ranges_.empty() && !at.whole) {
    const Ranges& ranges = random_.pick(ranges_);
    return {ranges.name + "[" + below(ranges.count) + "]", {ranges.bits, false}, false, false};
  }
  if (choice < 28 && !simple && !at.whole) {
    for (const Rule& rule : rules_) {
      if (!rule.result || random_.percent(40) || (at.into && rule.diverts)) continue;
      std::string text = rule.name;
      if (!rule.parameters.empty()) {
        text += "(";
        for (const Kind kind : rule.parameters) text += (text.back() == '(' ? "" : ", ") + value(kind, 1);
        text += ")";
      }
      return {text, rule.kind, false, false};
    }
  }
  if (choice < 36 && !at.backward) {
    static constexpr const char* kTypes[]{"u8", "u16", "u32", "u64", "i32", "i64", "u24", "i7", "u33", "i16"};
    const std::string of = random_.pick(kTypes);
    return {"varint(" + of + ")", {static_cast<unsigned>(std::stoul(of.substr(1))), of[0] == 'i'}};
  }
  if (choice < 44 && !parameters_.empty() && !at.whole) return {random_.pick(parameters_) + (bytes_ ? "" : ""), out_};
  if (whole) {
    if (choice < 75) return {random_.percent(85) ? "u8" : "i8", {8, false}};
    static constexpr const char* kBytes[]{"u16le", "u16be", "u24le", "u24be", "u32le", "u32be",
                                          "u48le", "u64le", "u64be", "i16le", "i16be", "i24be",
                                          "i32le", "i64le", "i64be", "u40be", "u56le"};
    if (choice < 92) {
      const std::string text = random_.pick(kBytes);
      return {text, {static_cast<unsigned>(std::stoul(text.substr(1))), text[0] == 'i'}};
    }
    static constexpr const char* kComputed[]{"uint_le", "uint_be", "int_le", "int_be"};
    const std::string order = random_.pick(kComputed);
    return {order + "(8 * (" + below(9) + "))", {64, order[0] == 'i'}, false, false};
  }
  if (choice < 48) return {"bool", {1, false}, true};
  if (choice < 78) {
    const Kind kind = any_kind();
    return {type(kind), kind};
  }
  if (choice < 92 || at.backward) {
    const unsigned bits = static_cast<unsigned>(random_.between(1, 6));
    const bool is_signed = random_.percent(30);
    const std::string width = random_.percent(50) ? below(1u << bits) : "(" + below(1u << bits) + ") + 1";
    return {(is_signed ? "int(" : "uint(") + width + ")",
            {is_signed ? 64u : std::min(64u, 1u << bits), is_signed},
            false,
            false};
  }
  static constexpr const char* kAligned[]{"u16le", "u32be", "u24le", "i16be", "u64le"};
  const std::string text = random_.pick(kAligned);
  return {text, {static_cast<unsigned>(std::stoul(text.substr(1))), text[0] == 'i'}};
}

// A field that fits a value of the kind; one of eight bits when none is found.
Generator::Field Generator::field_within(const Place& at, Kind kind) {
  for (int tries = 0; tries < 6; ++tries) {
    Field f = field(at, true);
    const bool fits = kind.is_signed ? (f.kind.is_signed ? f.kind.bits <= kind.bits : f.kind.bits < kind.bits)
                                     : !f.kind.is_signed && f.kind.bits <= kind.bits;
    if (fits && !f.truth) return f;
  }
  return {kind.is_signed ? "i8" : "u8", {8, kind.is_signed}};
}

Generator::Field Generator::field_for_output(const Place& at) {
  if (at.backward && !codes_.empty()) {  // literals there are symbols
    const Code& code = random_.pick(codes_);
    return {code.name + (code.copies > 1 ? "[" + below(code.copies) + "]" : ""), out_};
  }
  if (random_.percent(15) && !parameters_.empty() && !at.whole) return {parameters_.front(), out_};
  return field_within(at, out_);
}

// The first state of a code, or the next one of some number.
void Generator::read_state(const Place& at) {
  const States& states = random_.pick(states_);
  const std::string read = states.name + (random_.percent(40) ? "" : " from " + term(random_.percent(50) ? 1 : 0).text);
  if (random_.percent(30)) {
    for (const Value& variable : values_)
      if (variable.variable && !variable.kind.is_signed && variable.kind.bits >= states.log && variable.kind.bits != 9)
        return line(at, "read " + variable.name + ": " + states.name + " from " + variable.name);
  }
  const std::string name = fresh("state");
  line(at, name + ": " + read);
  values_.push_back({name, {states.log, false}});
}

void Generator::read(const Place& at, bool simple) {
  if (!bytes_ && !states_.empty() && !at.whole && random_.percent(25)) return read_state(at);
  Field f = field(at, simple);
  if (f.text == "i8") f.kind.is_signed = true;
  if (!bytes_ && !at.whole && f.text.find("e") != std::string::npos && f.text.size() == 5 && !at.backward && random_.percent(70)) line(at, "align");
  if (random_.percent(4)) {
    line(at, "_: " + f.text);
    return;
  }
  const std::string name = fresh("field");
  line(at, name + ": " + f.text);
  if (f.truth)
    truths_.push_back(name);
  else
    values_.push_back({name, f.kind});
}

}  // namespace sluice::fuzz
