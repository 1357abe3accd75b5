// Statements, one at a time and in any order.
#include <bit>

#include "tests/fuzz/specs/generator.h"

namespace sluice::fuzz {

void Generator::statements(const Place& at, unsigned count) {
  for (unsigned i = 0; i < count; ++i) statement(at);
}

// The block of a construct: what is named in it ends with it.
void Generator::block(const Place& at, unsigned count) {
  const std::size_t values = values_.size(), truths = truths_.size(), lines = lines_.size();
  statements(inner(at), count);
  if (lines_.size() == lines) line(inner(at), "pass");
  values_.resize(values);
  truths_.resize(truths);
}

void Generator::make_output(const Place& at) {
  const std::uint64_t choice = random_.below(100);
  if (choice < 50) {
    std::string text = "emit " + output();
    while (random_.percent(12)) text += ", " + output();
    line(at, text);
  } else if (choice < 65) {
    line(at, "literals " + field_for_output(at).text + "[" + count(random_.percent(80) ? 40 : 300) + "]");
  } else if (choice < 80) {
    std::string text = "run " + output() + ", count " + count(random_.percent(80) ? 40 : 600);
    if (random_.percent(40))
      text += ", step " + (random_.percent(50) ? std::to_string(random_.below(5)) : value({8, random_.percent(50)}, 1));
    line(at, text);
  } else {
    std::string far = count(300);
    if (random_.percent(70)) far = "min(" + far + ", produced - 1) + 1";
    if (random_.percent(70)) {
      if (far.starts_with("min("))
        far = "min(" + far.substr(4, far.find(", produced") - 4) + ", max(produced, 1) - 1) + 1";
      line(at, "if produced > 0: copy distance " + far + ", length " + count(300) + " + 1");
    } else {
      line(at, "copy distance " + count(300) + " + 1, length " + count(60) + " + 1");
    }
  }
}

void Generator::assign(const Place& at) {
  std::vector<const Value*> variables;
  for (const Value& v : values_)
    if (v.variable) variables.push_back(&v);
  std::vector<const Table*> arrays;
  for (const Table& t : tables_)
    if (!t.constant) arrays.push_back(&t);
  if (!arrays.empty() && (variables.empty() || random_.percent(40))) {
    const Table& array = *random_.pick(arrays);
    const std::string element = array.name + "[" + below(array.count) + "]";
    if (random_.percent(20))
      line(at, "read " + element + ": " + field_within(at, array.kind).text);
    else
      line(at, element + " := " + value(array.kind));
  } else if (!variables.empty()) {
    const Value v = *random_.pick(variables);
    if (random_.percent(20))
      line(at, "read " + v.name + ": " + field_within(at, v.kind).text);
    else
      line(at, v.name + " := " + value(v.kind));
  } else {
    if (random_.percent(25)) {
      // Of a range type.
      const std::uint64_t low = random_.small(20), high = low + random_.small(300);
      const std::string start = std::to_string(low) + " + " + below(high - low + 1), name = fresh("variable");
      line(at, "var " + name + ": " + std::to_string(low) + ".." + std::to_string(high) + " = " + start);
      values_.push_back({name, {9, false}, true});
      return;
    }
    const Kind kind = any_kind();
    const std::string text = value(kind, 1), name = fresh("variable");
    line(at, "var " + name + ": " + type(kind) + " = " + text);
    values_.push_back({name, kind, true});
  }
}

void Generator::chain(const Place& at) {
  const std::size_t values = values_.size();
  const Term tested = leaf();
  const std::uint64_t arms = random_.between(1, 4);
  std::uint64_t from = 0;
  const std::uint64_t top = tested.bits >= 16 ? 65535 : (std::uint64_t{1} << tested.bits) - 1;
  for (std::uint64_t i = 0; i < arms; ++i) {
    std::string condition;
    if (random_.percent(75) && from < top) {
      const std::uint64_t to = std::min(top, from + random_.small(std::max<std::uint64_t>(top / 2, 1)));
      static constexpr const char* kForms[]{"==", "<=", "in", "<"};
      const std::string form = random_.pick(kForms);
      if (form == "in")
        condition = tested.text + " in " + std::to_string(from) + ".." + std::to_string(to);
      else if (form == "==")
        condition = tested.text + " == " + std::to_string(from);
      else if (form == "<")
        condition = tested.text + " < " + std::to_string(to + 1);
      else
        condition = tested.text + " <= " + std::to_string(to);
      from = form == "==" ? from + 1 : to + 1;
    } else {
      condition = truth(1);
    }
    line(at, "when " + condition);
    block(at, static_cast<unsigned>(random_.between(1, 3)));
  }
  if (random_.percent(92)) {
    line(at, "else");
    block(at, static_cast<unsigned>(random_.between(1, 3)));
  }
  values_.resize(values);
}

void Generator::loop(const Place& at) {
  Place body = at;
  ++body.loops;
  if (!bytes_ && !at.backward && random_.percent(15)) {
    body.whole = true;
    if (random_.percent(80)) line(at, "align");
  }
  const std::size_t values = values_.size(), truths = truths_.size();
  std::string name;
  const std::uint64_t choice = random_.below(100);
  bool moves = true;  // has to read or make something in every step
  if (choice < 25) {
    line(at, "repeat until end of input" + (random_.percent(20) ? ", at most " + count(100) : ""));
  } else if (choice < 40) {
    line(at, "repeat " + count(100) + " times");
    moves = random_.percent(60);
  } else if (choice < 60) {
    const std::string most = count(100);
    name = fresh("i");
    line(at, "for " + name + " < " + most);
    values_.push_back({name, {9, false}});
    moves = random_.percent(60);
  } else if (choice < 75) {
    line(at, "repeat until " + count(300) + " outputs");
  } else if (choice < 87) {
    line(at, "repeat until " + truth(1) + (random_.percent(30) ? ", at most " + count(40) : ""));
  } else {
    line(at, "repeat");
  }
  const bool forever = lines_.back().text == "repeat";
  const Place step = inner(body);
  if (moves && random_.percent(85)) read(step, at.token);
  statements(step, static_cast<unsigned>(random_.between(1, 4)));
  if (forever) line(step, random_.percent(50) ? "if " + truth(1) + ": stop" : "if end of input: stop");
  values_.resize(values);
  truths_.resize(truths);
}

// Bits from the end of a region, most often up to its start.
void Generator::backward_region(const Place& at) {
  Place body = at;
  body.loops = 0;
  body.result = false;
  body.backward = true;
  body.whole = false;
  line(at, "within " + count(60) + " bytes, backward");
  const Place inside = inner(body);
  const std::size_t values = values_.size(), truths = truths_.size();
  if (random_.percent(70)) {
    if (random_.percent(25)) coded(inside);
    line(inside, random_.percent(60) ? "repeat until end of input" : "repeat until remaining bits < " + count(40));
    Place step = inner(inside);
    step.loops = 1;
    step.token = random_.percent(70);
    read(step, true);
    statements(step, static_cast<unsigned>(random_.between(1, 3)));
  } else {
    statements(inside, static_cast<unsigned>(random_.between(1, 3)));
  }
  line(inside, "_: uint(min(remaining bits, 64))");
  values_.resize(values);
  truths_.resize(truths);
}

// Fields of the dictionary, which everything behind it may use.
void Generator::dictionary_region(const Place& at) {
  Place body = at;
  body.loops = 0;
  body.result = false;
  body.whole = false;
  line(at, "within dictionary");
  const Place inside = inner(body);
  for (std::uint64_t n = random_.between(1, 4); n > 0; --n) {
    const std::uint64_t choice = random_.below(100);
    if (choice < 60) read(inside, true);
    else if (choice < 75) assign(inside);
    else if (choice < 85) refuse(inside);
    else if (choice < 92) line(inside, "skip " + count(7) + " bytes");
    else coded(inside);
  }
  if (random_.percent(85)) {
    if (!bytes_) line(inside, "align");
    line(inside, "skip remaining bytes");
  }
}

void Generator::region(const Place& at) {
  if (dictionary_ && !at.backward && !at.token && random_.percent(25)) return dictionary_region(at);
  if (!bytes_ && !msb_ && !at.backward && random_.percent(35)) return backward_region(at);
  Place body = at;
  body.loops = 0;
  body.result = false;
  const std::uint64_t choice = at.backward ? random_.between(45, 99) : random_.below(100);
  if (choice < 30) {
    line(at, "within " + count(60) + " bytes");
    const std::size_t lines = lines_.size();
    if (random_.percent(75)) {
      line(inner(body), "repeat until end of input");
      Place step = inner(inner(body));
      step.loops = 1;
      const std::size_t values = values_.size(), truths = truths_.size();
      read(step, true);
      statements(step, static_cast<unsigned>(random_.between(1, 3)));
      values_.resize(values);
      truths_.resize(truths);
    } else {
      statements(inner(body), static_cast<unsigned>(random_.between(1, 3)));
      line(inner(body), "skip remaining bytes");
    }
    if (lines_.size() == lines) line(inner(body), "pass");
  } else if (choice < 45 && !bytes_) {
    line(at, "within " + count(200) + " bits");
    line(inner(body), "repeat until end of input");
    const Place step = inner(inner(body));
    const std::string name = fresh("bit");
    line(step, name + ": " + (random_.percent(60) ? "u1" : "u2"));
    values_.push_back({name, {2, false}});
    simple(step);
    values_.pop_back();
  } else if (choice < 85) {
    const std::uint64_t n = random_.below(3);
    const std::string made = count(60);
    line(at, "producing " + made);
    if (n == 0) {
      line(inner(body), "run " + output() + ", count " + made);
    } else if (n == 1) {
      line(inner(body), "repeat until " + made + " outputs");
      Place step = inner(inner(body));
      step.loops = 1;
      const std::size_t values = values_.size(), truths = truths_.size();
      read(step, true);
      make_output(step);
      values_.resize(values);
      truths_.resize(truths);
    } else {
      statements(inner(body), static_cast<unsigned>(random_.between(1, 3)));
      line(inner(body), "repeat until " + made + " - min(" + made + ", produced) outputs");
      line(inner(inner(body)), "emit " + output());
    }
  } else {
    const std::string mark = fresh("mark");
    line(at, "mark " + mark);
    marks_.push_back(mark);
    statements(at, 2);
    line(at, "emit " + fit({"produced since " + mark, 62, false}, out_));
  }
}

void Generator::build(const Place& at, const Code& code) {
  if (code.copies > 1) {
    const std::string name = fresh("i");
    line(at,
         "for " + name + " < " + std::to_string(random_.percent(90) ? code.copies : random_.between(1, code.copies)));
    line(inner(at), "build " + code.name + "[" + name + "] from " + code.lengths);
    return;
  }
  // By way of an array, now and then changed by what the input says.
  for (const Table& array : tables_) {
    if (array.constant || array.kind.is_signed || array.kind.bits < 5 || array.count < code.symbols ||
        random_.percent(30))
      continue;
    const std::string name = fresh("i");
    line(at, "for " + name + " < " + std::to_string(code.symbols));
    line(inner(at), array.name + "[" + name + "] := " + code.lengths + "[" + name + "]");
    if (random_.percent(40)) {
      const std::string changed = fresh("field");
      line(at, changed + ": u8");
      line(at, "if " + changed + " & 3 == 0: " + array.name + "[" + changed + " % " + std::to_string(code.symbols) +
                   "] := " + std::to_string(random_.below(6)));
    }
    line(at, "build " + code.name + " from " + array.name + "[0, " + std::to_string(code.symbols) + "]");
    return;
  }
  line(at, "build " + code.name + " from " + code.lengths);
}

void Generator::build(const Place& at, const States& states) {
  // By way of an array that now and then the input says something in: what is refused depends on it.
  for (const Table& array : tables_) {
    if (array.constant || array.kind.bits < 3 || random_.percent(50)) continue;
    const unsigned n = std::min(array.count, states.symbols);
    const std::string name = fresh("i"), ones = std::to_string(std::bit_floor(n));
    line(at, "for " + name + " < " + std::to_string(n));
    line(inner(at), array.name + "[" + name + "] := select(" + name + " < " + ones + ", 1, 0)");
    if (array.kind.is_signed && random_.percent(60)) line(at, array.name + "[0] := -1");
    if (random_.percent(40)) {
      const std::string changed = fresh("field");
      line(at, changed + ": u8");
      line(at, "if " + changed + " & 3 == 0: " + array.name + "[" + changed + " % " + std::to_string(n) + "] := " + std::to_string(random_.below(3)));
    }
    return line(at, "build " + states.name + " from " + array.name + "[0, " + std::to_string(n) + "]");
  }
  line(at, "build " + states.name + " from " + states.counts);
}

void Generator::refuse(const Place& at) {
  static constexpr const char* kNames[]{"bad_value", "bad_size", "never", "reserved"};
  const std::uint64_t choice = random_.below(100);
  const Term t = leaf();
  if (choice < 60)
    line(at,
         "require " + t.text + " != " + std::to_string(random_.below(200)) + " else reject " + random_.pick(kNames));
  else if (choice < 80)
    line(at, "if " + t.text + " == " + std::to_string(random_.below(100)) + ": reject " + random_.pick(kNames));
  else if (choice < 90)
    line(at, "if " + t.text + " == " + std::to_string(random_.below(100)) + ": accept early");
  else
    line(at, "require " + truth(1) + " else reject " + random_.pick(kNames));
}

bool Generator::call(const Place& at) {
  std::vector<const Rule*> callable;
  for (const Rule& rule : rules_)
    if (!rule.result && !(at.into && rule.diverts)) callable.push_back(&rule);
  if (callable.empty()) return false;
  const Rule& rule = *random_.pick(callable);
  std::string text = rule.name + "(";
  for (const Kind kind : rule.parameters) text += (text.back() == '(' ? "" : ", ") + value(kind, 1);
  line(at, text + ")");
  return true;
}

// What holds no block, or one of a line.
void Generator::simple(const Place& at) {
  const std::uint64_t choice = random_.below(100);
  if (choice < 30) return read(at, at.token);
  if (choice < 62) return make_output(at);
  if (choice < 72) return assign(at);
  if (choice < 80) {
    const Term t = term(2);
    const std::string name = fresh("let");
    line(at, name + " = " + t.text);
    values_.push_back({name, {t.bits, t.is_signed}});
    return;
  }
  if (choice < 86) return refuse(at);
  if (choice < 89 && !bytes_ && !at.backward)
    return line(at, random_.percent(70) ? "align" : "align zero else reject padding_not_zero");
  if (choice < 91 && !at.backward) return line(at, "skip " + count(7) + " bytes");
  if (choice < 93 && at.loops > 0) return line(at, "if " + truth(1) + ": stop");
  if (choice < 94 && at.result) return line(at, "if " + truth(0) + ": return 1");
  if (choice < 95 && !at.into && !outputs_.empty() && random_.percent(50)) return further(at);
  if (choice < 95 && !at.into)
    return line(at, !dictionary_ || random_.percent(40) ? "new window"
                    : random_.percent(50)              ? "new window after dictionary"
                                                       : "new window after " + count(40) + " bytes of dictionary");
  if (choice < 96) {
    const std::string name = fresh("truth");
    line(at, name + " = " + truth(2));
    truths_.push_back(name);
    return;
  }
  if (!call(at)) make_output(at);
}

void Generator::statement(const Place& at) {
  if (--budget_ < 0 || at.depth > 6) {
    if (random_.percent(60)) make_output(at);
    return;
  }
  if (!at.into && !outputs_.empty() && random_.percent(20)) return further(at);
  const std::uint64_t choice = random_.below(100);
  if (choice < 62 || (at.token && choice < 75)) return simple(at);
  if (choice < 70) return chain(at);
  if (choice < 76) {
    line(at, "if " + truth(1));
    return block(at, static_cast<unsigned>(random_.between(1, 2)));
  }
  if (choice < 85) return loop(at);
  if (choice < 90) return region(at);
  if (choice < 92 && !at.into && !buffers_.empty()) return buffer(at);
  if (choice < 94 && !symbols_.empty()) return symbols(at);
  if (choice < 96 && !states_.empty() && random_.percent(50)) return build(at, random_.pick(states_));
  if (choice < 96 && !codes_.empty()) return build(at, random_.pick(codes_));
  if (choice < 98 && call(at)) return;
  simple(at);
}

}  // namespace sluice::fuzz
