// Shapes of whole loops, as formats have them: those that fast loops, lanes and splits are made of. What random
// statements alone would hardly ever come to.
#include "tests/fuzz/specs/generator.h"

namespace sluice::fuzz {

// One step a token: a few fields of known size, what follows from them, no loops inside.
void Generator::token_loop(const Place& at) {
  static constexpr const char* kHeads[]{"repeat until end of input", "repeat until end of input", "counted", "outputs",
                                        "repeat"};
  std::string head = random_.pick(kHeads);
  if (head == "counted" || head == "outputs") {
    const std::string total = fresh("total");
    line(at, total + ": " +
                 (bytes_ || random_.percent(30) ? (random_.percent(50) ? "u8"
                                                   : bytes_            ? "u16le"
                                                                       : "u12")
                                                : "u10"));
    values_.push_back({total, {16, false}});
    head = head == "counted" ? "repeat " + total + " times" : "repeat until " + total + " outputs";
  }
  Place step = inner(at);
  if (!bytes_ && random_.percent(15)) {
    step.whole = true;
    if (random_.percent(80)) line(at, "align");
  }
  line(at, head);
  step.token = true;
  ++step.loops;
  const std::size_t values = values_.size(), truths = truths_.size();
  for (std::uint64_t n = random_.between(1, 3); n > 0; --n) read(step, true);
  if (head == "repeat") {
    // What was read may be truths only.
    const std::string last = values_.empty() ? leaf().text : values_.back().name;
    line(step, "if " + last + " == " + std::to_string(random_.below(4)) + ": stop");
  }
  if (random_.percent(45)) {
    const Term tested = leaf();
    for (std::uint64_t n = random_.between(1, 3); n > 0; --n) {
      line(step,
           "when " + tested.text + " % " + std::to_string(random_.between(2, 5)) + " == " + std::to_string(n - 1));
      if (random_.percent(70)) {
        block(step, static_cast<unsigned>(random_.between(1, 3)));
      } else {
        make_output(inner(step));
      }
    }
    line(step, "else");
    make_output(inner(step));
  } else {
    for (std::uint64_t n = random_.below(3); n > 0; --n) simple(step);
    make_output(step);
  }
  values_.resize(values);
  truths_.resize(truths);
}

// Literals and a copy, as in the LZ77 family.
void Generator::sequences(const Place& at) {
  const bool whole = bytes_ || random_.percent(50);
  if (!bytes_ && whole && random_.percent(70)) line(at, "align");
  line(at, "repeat until end of input");
  const Place step = inner(at);
  const std::size_t values = values_.size();
  const std::string token = fresh("token");
  line(step, token + ": u8");
  line(step, "literals " + std::string(out_.is_signed ? "i8" : "u8") + "[" + token + " >> " +
                 std::to_string(random_.between(3, 6)) + "]");
  if (random_.percent(40)) line(step, "if end of input: stop");
  const std::string far = fresh("far");
  static constexpr const char* kFar[]{"u8", "u8", "u16le", "varint(u16)"};
  const bool guarded = random_.percent(70);
  line(step, far + ": " + (whole ? random_.pick(kFar) : "u11"));
  values_.push_back({token, {8, false}});
  values_.push_back({far, {16, false}});
  const std::string length =
      "(" + token + " & " + std::to_string(random_.pick({1u, 7u, 15u})) + ") + " + std::to_string(random_.below(5));
  if (guarded)
    line(step,
         "if produced > 0: copy distance " + far + " % " +
             (random_.percent(50) ? "produced" : "min(produced, " + std::to_string(random_.between(1, 70)) + ")") +
             " + 1, length " + length + (random_.percent(50) ? " + 1" : ""));
  else
    line(step, "copy distance " + far + ", length " + length);
  if (random_.percent(30)) simple(step);
  values_.resize(values);
}

// In front of all statements.
void Generator::declare(std::string text) {
  std::size_t place = 1;
  while (place < lines_.size() && !lines_[place].text.starts_with("trailing")) ++place;
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(place), {2, std::move(text)});
}

// Recorded sizes, then parts of these sizes: what strategy split takes.
void Generator::parts(const Place& at) {
  const std::string array = fresh("sizes"), count = fresh("parts"), n = fresh("n"), size = fresh("size"),
                    i = fresh("i");
  const Place step = inner(at), deep = inner(step);
  const unsigned most = static_cast<unsigned>(random_.between(1, 64));
  declare("array " + array + ": u16[" + std::to_string(most) + "]");
  line(at, count + ": u8");
  line(at, "require " + count + " <= " + std::to_string(most) + " else reject too_many_parts");
  line(at, "for " + i + " < " + count);
  line(step, size + ": u8");
  line(step, array + "[" + i + "] := " + size);
  if (!bytes_ && random_.percent(30)) line(at, "align");
  line(at, "for " + n + " < " + count);
  const bool bits = !bytes_ && random_.percent(30);
  const bool sized = random_.percent(40);
  line(step, "within " + array + "[" + n + "]" + (bits ? " bits" : " bytes"));
  Place body = deep;
  if (sized) {
    line(body, "producing " + array + "[" + n + "]" + (random_.percent(50) ? "" : " >> 1"));
    body = inner(body);
  }
  line(body, "repeat until end of input");
  const std::size_t values = values_.size(), truths = truths_.size();
  Place token = inner(body);
  token.token = true;
  token.loops = 1;
  const std::string s = fresh("s");
  line(token, s + ": " + (bits && random_.percent(70) ? "u1" : "u8"));
  values_.push_back({s, {8, false}});
  if (random_.percent(60)) {
    line(token, "emit " + fit({s, 8, false}, out_));
    if (!sized && random_.percent(40)) make_output(token);
  } else {
    line(token, "when " + s + " < " + std::to_string(random_.between(1, 200)));
    line(inner(token), "emit " + fit({s, 8, false}, out_));
    line(token, "else");
    if (random_.percent(50)) simple(inner(token));
    make_output(inner(token));
  }
  values_.resize(values);
  truths_.resize(truths);
}

// Symbols of a prefix code, with extra bits.
void Generator::coded(const Place& at) {
  if (codes_.empty()) return token_loop(at);
  const Code code = random_.pick(codes_);
  const std::size_t values = values_.size();
  line(at, random_.percent(60) ? "repeat until end of input" : "repeat");
  Place step = inner(at);
  step.loops = 1;
  step.token = true;
  const std::string s = fresh("symbol");
  line(step, s + ": " + code.name + (code.copies > 1 ? "[" + below(code.copies) + "]" : ""));
  values_.push_back({s, {9, false}});
  const unsigned literals = static_cast<unsigned>(random_.between(1, code.symbols));
  line(step, "when " + s + " < " + std::to_string(literals));
  line(inner(step), "emit " + fit({s, 9, false}, out_));
  if (literals < code.symbols && random_.percent(70)) {
    line(step, "when " + s + " == " + std::to_string(literals));
    line(inner(step), "stop");
  }
  line(step, "else");
  const std::size_t more = values_.size();
  if (!ranges_.empty()) {
    const Ranges& r = random_.pick(ranges_);
    const std::string length = fresh("length");
    line(inner(step),
         length + ": " + r.name + "[" +
             (random_.percent(50) ? s + " % " + std::to_string(r.count)
                                  : "min(" + s + " - " + std::to_string(std::min(literals, code.symbols - 1)) + ", " +
                                        std::to_string(r.count - 1) + ")") +
             "]");
    values_.push_back({length, {r.bits, false}});
  }
  if (random_.percent(60)) read(inner(step), true);
  // A rule may make the output, and be the token's end or not.
  const bool called = random_.percent(25) && call(inner(step));
  if (called && random_.percent(50)) read(inner(step), true);
  if (!called || random_.percent(50)) make_output(inner(step));
  values_.resize(more);
  values_.resize(values);
}

// An array that tokens fill, each the next elements with one value, as code lengths do; and symbols behind it.
void Generator::filled(const Place& at) {
  if (bytes_) return token_loop(at);
  const std::string array = fresh("levels"), done = fresh("done"), v = fresh("v"), n = fresh("n"), more = fresh("more"), k = fresh("k"),
                    s = fresh("symbol");
  const unsigned bits = static_cast<unsigned>(random_.between(3, 9)), end = static_cast<unsigned>(random_.between(5, 200));
  const std::string type = "u" + std::to_string(bits), most = std::to_string(end);
  const bool repeats = random_.percent(60), symbols = !codes_.empty() && random_.percent(60);
  declare("array " + array + ": " + type + "[" + std::to_string(end + random_.below(3)) + "]");
  line(at, "repeat " + std::to_string(random_.between(1, 3)) + " times");
  const Place around = inner(at), step = inner(around), deep = inner(step);
  line(around, "var " + done + ": u8 = 0");
  line(around, random_.percent(70) ? "repeat until " + done + " == " + most : "repeat");
  line(step, "if " + done + " >= " + most + ": stop");
  if (symbols) {
    const Code code = random_.pick(codes_);
    line(step, s + ": " + code.name + (code.copies > 1 ? "[" + below(code.copies) + "]" : ""));
  } else {
    line(step, s + ": u" + std::to_string(random_.between(2, 6)));
  }
  line(step, "var " + v + ": " + type + " = " + std::to_string(random_.below(8)));
  line(step, "var " + n + ": u7 = 1");
  line(step, "when " + s + " < " + std::to_string(random_.between(1, 20)));
  line(deep, v + " := " + s + " & " + std::to_string((1u << bits) - 1));
  line(step, "when " + s + " < " + std::to_string(random_.between(20, 40)));
  if (repeats) {
    line(deep, "require " + done + " > 0 else reject nothing_before");
    line(deep, v + " := " + array + "[" + done + " - " + (random_.percent(90) ? "1" : "2") + "]");
  }
  line(deep, more + ": u2");
  line(deep, n + " := " + more + " + 1");
  line(step, "else");
  line(deep, more + ": u" + std::to_string(random_.between(1, 5)));
  line(deep, n + " := " + more + " + " + std::to_string(random_.percent(90) ? 1 : 0));
  if (random_.percent(20)) line(step, "require " + v + " != 5 else reject bad_level");
  line(step, "require " + done + " + " + n + " <= " + most + " else reject too_many_levels");
  line(step, "for " + k + " < " + n);
  line(deep, array + "[" + done + " + " + k + "] := " + v);
  line(step, done + " := " + done + " + " + n);
  const std::string i = fresh("i");
  line(at, "for " + i + " < 5");
  line(inner(at), "emit " + fit({array + "[" + i + "]", bits, false}, out_));
  coded(at);
}

// Bit-packed arrays of computed width, and runs.
void Generator::packed(const Place& at) {
  const std::size_t values = values_.size();
  line(at, "repeat until end of input");
  const Place step = inner(at);
  const std::string width = fresh("width"), n = fresh("n"), v = fresh("v");
  line(step, width + ": " + (bytes_ ? "u8" : random_.percent(50) ? "u5" : "u3"));
  line(step, n + ": " + (bytes_ ? "u8" : random_.percent(60) ? "u7" : "u9"));
  values_.push_back({width, {8, false}});
  values_.push_back({n, {9, false}});
  const std::string bits = bytes_ ? "uint_le(8 * (" + width + " & 7))"
                                  : "uint(" + width + " & " + std::to_string(random_.pick({7u, 31u, 63u})) + ")";
  if (random_.percent(30) && !bytes_) {
    line(step, "literals uint(" + width + " & 7)[" + n + "]");
  } else {
    line(step, random_.percent(50) ? "repeat " + n + " times" : "repeat until " + n + " outputs");
    line(inner(step), v + ": " + bits);
    line(inner(step), "emit " + fit({v, 64, false}, out_));
  }
  if (random_.percent(40)) make_output(step);
  if (!bytes_ && random_.percent(50)) line(step, "align");
  values_.resize(values);
}

// Tokens that each begin as the one before left off: a state tells their widths, literals come out of a buffer, and distances
// are handed on.
void Generator::chained(const Place& at) {
  const std::string wide = fresh("wide"), state = fresh("state"), near = fresh("near"), far = fresh("far"), done = fresh("done");
  const std::string w = fresh("w"), size = fresh("size"), more = fresh("more");
  std::string widths;
  for (unsigned k = 0; k < 16; ++k) widths += (k == 0 ? "" : ", ") + std::to_string(random_.below(256));
  declare("table " + wide + ": u8 = [" + widths + "]");
  declare("var " + state + ": u4 = 0");
  declare("var " + near + ": u16 = 1");
  declare("var " + far + ": u16 = 2");
  declare("var " + done + ": u64 = 0");
  const bool counted = random_.percent(60), literals = random_.percent(60);
  const std::string i = counted ? fresh("i") : "", text = literals ? fresh("text") : "";
  if (literals) {
    declare("buffer " + text + "[120]");
    line(at, "into " + text);
    line(inner(at), "run 65, count 110");
  }
  if (random_.percent(80)) line(at, "run 66, count 40");
  line(at, "within remaining bytes, backward");
  const Place inside = inner(at);
  line(inside, counted ? "for " + i + " < " + std::to_string(random_.between(20, 90)) : "repeat until end of input");
  Place step = inner(inside);
  step.backward = true;
  line(step, w + " = " + wide + "[" + state + "]");
  line(step, size + ": uint(" + w + " & 3)");
  if (literals) {
    line(step, "literals " + text + "[" + done + ", " + size + "]");
    line(step, done + " := " + done + " + " + size);
  }
  // The first four move values about; with the others they are handed on in turn.
  std::vector<std::string> doings{near + " := " + far,           far + " := " + near,
                                        near + " := (" + w + " >> 4) + 1", near + " := " + near + " + 1",
                                        far + " := " + far + " * 3 + " + size + " & 15", near + " := " + near + " - 1 & 31"};
  if (random_.percent(60)) doings.resize(4);
  for (unsigned k = 0; k < 2; ++k) {
    line(step, "when " + size + " == " + std::to_string(random_.below(4)));
    line(inner(step), random_.pick(doings));
    if (random_.percent(50)) line(inner(step), random_.pick(doings));
    line(step, "else");
    line(inner(step), random_.percent(50) ? "pass" : random_.pick(doings));
  }
  if (random_.percent(20)) simple(step);
  line(step, "copy distance " + (random_.percent(50) ? near : "1 + (" + near + " & 7)") + ", length (" + w + " >> 2 & 7) + 1");
  if (counted && random_.percent(50)) {
    line(step, "if " + i + " < " + std::to_string(random_.between(10, 60)));
    line(inner(step), more + ": uint(" + w + " >> 5)");
    line(inner(step), state + " := " + state + " + " + more + " & 15");
  } else {
    line(step, more + ": uint((" + w + " >> 5) + 1)");
    line(step, state + " := " + state + " + " + more + " & 15");
  }
  line(inside, "_: uint(min(remaining bits, 64))");
}

void Generator::buffer(const Place& at) {
  const std::string name = random_.pick(buffers_);
  std::vector<std::string> others;
  for (const std::string& b : buffers_)
    if (b != name) others.push_back(b);
  line(at, "into " + name);
  Place body = inner(at);
  body.into = true;
  body.loops = 0;
  body.result = false;
  const std::vector<std::string> all = buffers_, marks = marks_;
  buffers_ = others;  // it can't be named while it is filled
  marks_.clear();
  if (random_.percent(50)) {
    line(body, "literals " + field_for_output(at).text + "[" + count(200) + "]");
  } else {
    statements(body, static_cast<unsigned>(random_.between(1, 3)));
    make_output(body);
  }
  buffers_ = all;
  marks_ = marks;
  for (std::uint64_t n = random_.percent(75) ? random_.between(1, 3) : 0; n > 0; --n) {
    const bool plain = out_.bits == 8;
    const std::uint64_t choice = random_.below(plain ? 6 : 3);
    if (choice == 0) line(at, "stage prefix_sum " + name + (random_.percent(50) ? ", start " + output() : ""));
    if (choice == 1) line(at, "stage add " + name + ", " + output());
    if (choice == 2 && !others.empty()) line(at, "stage gather " + name + ", from " + random_.pick(others));
    if (choice == 3) line(at, "stage inverse_mtf " + name);
    if (choice == 4) {
      line(at, "if count of " + name + " > 0");
      line(inner(at), "stage inverse_bwt " + name + ", origin " + term(0).text + " % count of " + name);
    }
    if (choice == 5)
      for (const Table& t : tables_)
        if (!t.constant && !t.kind.is_signed && t.kind.bits <= 8 && t.count <= 256) {
          line(at, "stage inverse_mtf " + name + ", alphabet " + t.name + "[0, " + count(t.count) + "]");
          break;
        }
  }
  if (random_.percent(30)) {
    const auto some = [&] { return "min(" + count(20) + ", count of " + name + ")"; };
    line(at, "literals " + name + "[" + some() + ", " + some() + "]");
  }
  if (random_.percent(80))
    line(at, std::string("emit ") + (out_.bits == 8 && random_.percent(30) ? "runs " : "all ") + name);
}

void Generator::symbols(const Place& at) {
  const std::string name = random_.pick(symbols_);
  if (random_.percent(40)) {
    const std::string i = fresh("i"), n = fresh("n");
    line(at, "for " + i + " < " + count(15));
    if (!bytes_) line(inner(at), "align");
    line(inner(at), n + ": u8");
    line(inner(at), name + "[" + i + " % 16] := next (" + n + " & 7) + 1 bytes");
  } else {
    const std::string s = fresh("s");
    line(at, "repeat until end of input");
    line(inner(at), s + ": u8");
    line(inner(at), "when " + s + " >= 16");
    line(inner(inner(at)), random_.percent(50) ? "emit " + s : "literals u8[1]");
    line(inner(at), "else");
    line(inner(inner(at)), "symbol " + name + "[" + s + "]");
  }
}

// A block at a time through a buffer.
void Generator::stages(const Place& at) {
  if (buffers_.empty()) {
    buffers_.push_back(fresh("buffer"));
    declare("buffer " + buffers_.back() + "[" + std::to_string(random_.between(1, 400)) + "]");
  }
  line(at, "repeat until end of input");
  const Place step = inner(at);
  const std::size_t values = values_.size(), truths = truths_.size();
  const std::string size = fresh("size");
  line(step, size + ": u8");
  values_.push_back({size, {8, false}});
  buffer(step);
  values_.resize(values);
  truths_.resize(truths);
}

void Generator::shape(const Place& at) {
  if (!bytes_ && !msb_ && out_.bits == 8 && !at.into && !at.backward && random_.percent(60)) return chained(at);
  switch (random_.below(10)) {
    case 0:
    case 1:
      return sequences(at);
    case 2:
      return parts(at);
    case 3:
    case 4:
      return coded(at);
    case 5:
      return packed(at);
    case 6:
      return stages(at);
    case 7:
      return filled(at);
    default:
      return token_loop(at);
  }
}

}  // namespace sluice::fuzz
