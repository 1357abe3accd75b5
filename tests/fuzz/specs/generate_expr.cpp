// Expressions: terms that know how many bits they need, so that most of what is generated fits where it goes.
#include "tests/fuzz/specs/generator.h"

namespace sluice::fuzz {
namespace {

unsigned width_of(std::uint64_t v) {
  unsigned bits = 1;
  while (bits < 64 && (v >> bits) != 0) ++bits;
  return bits;
}

std::uint64_t most_of(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::string group(const Term& t) {
  return t.text.find(' ') == std::string::npos && !t.text.starts_with("-") ? t.text : "(" + t.text + ")";
}

}  // namespace

Kind Generator::any_kind() {
  // Whole bytes, and where loads of a word stop to hold a field that begins inside a byte.
  static constexpr unsigned kBits[]{8, 8,  8,  16, 16, 32, 32, 64, 1,  3,  4,  5,  7,  9, 12,
                                    13, 17, 24, 31, 33, 40, 48, 56, 57, 58, 59, 60, 61, 62, 63};
  const bool is_signed = random_.percent(25);
  const unsigned bits = random_.percent(75) ? random_.pick(kBits) : static_cast<unsigned>(random_.between(1, 64));
  return {std::max(bits, is_signed ? 2u : 1u), is_signed};
}

Term Generator::number(unsigned bits) {
  static constexpr std::uint64_t kEdges[]{0,
                                          1,
                                          2,
                                          3,
                                          4,
                                          7,
                                          8,
                                          15,
                                          16,
                                          31,
                                          32,
                                          63,
                                          64,
                                          65,
                                          127,
                                          128,
                                          255,
                                          256,
                                          257,
                                          4095,
                                          65535,
                                          65536,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          0x100000000,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          0xffffffffffffffff};
  std::uint64_t v = random_.percent(60)   ? random_.small(20)
                    : random_.percent(70) ? random_.pick(kEdges)
                                          : random_.next();
  v &= most_of(bits);
  if (random_.percent(3) && bits >= 16) return {random_.percent(50) ? "'a'" : "\"a\\xff\"", 16, false};
  if (random_.percent(15)) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (std::uint64_t rest = v; rest != 0 || text.empty(); rest >>= 4) text.insert(text.begin(), kDigits[rest & 15]);
    return {"0x" + text, width_of(v), false};
  }
  return {std::to_string(v), width_of(v), false};
}

Term Generator::leaf() {
  for (int tries = 0; tries < 4; ++tries) {
    const std::uint64_t choice = random_.below(100);
    if (choice < 55 && !values_.empty()) {
      // What was named last is what a format usually looks at.
      const std::size_t at = random_.percent(60) && values_.size() > 4 ? values_.size() - 1 - random_.below(4)
                                                                       : random_.below(values_.size());
      return {values_[at].name, values_[at].kind.bits, values_[at].kind.is_signed};
    }
    if (choice < 65 && !tables_.empty()) {
      const Table& table = random_.pick(tables_);
      return {table.name + "[" + below(table.count) + "]", table.kind.bits, table.kind.is_signed};
    }
    if (choice < 67) return {"remaining", 62, false};
    if (choice < 68) return {"remaining bits", 63, false};
    if (choice < 72) return {"produced", 62, false};
    if (choice < 74 && !marks_.empty()) return {"consumed since " + random_.pick(marks_), 62, false};
    if (choice < 75 && !marks_.empty()) return {"consumed bits since " + random_.pick(marks_), 62, false};
    if (choice < 77 && !marks_.empty()) return {"produced since " + random_.pick(marks_), 62, false};
    if (choice < 78 && !outputs_.empty()) return {"count of " + random_.pick(outputs_).name, 62, false};
    if (choice < 79 && !buffers_.empty()) return {"count of " + random_.pick(buffers_), 24, false};
    if (choice < 81 && !buffers_.empty())
      return {random_.pick(buffers_) + "[" + term(0).text + "]", out_.bits, out_.is_signed};
    if (choice < 89 && !states_.empty() && random_.percent(60)) {
      const States& states = random_.pick(states_);
      const std::string at = values_.empty() ? "(" + term(0).text + ")" : random_.pick(values_).name;
      if (random_.percent(40)) return {"bits of " + states.name + " at " + at, 4, false};
      return {"symbol of " + states.name + " at " + at, 8, false};
    }
    if (choice < 83 && dictionary_) return {"dictionary size", 62, false};
    if (choice < 85 && !bytes_) {
      const Kind kind = any_kind();
      return {"peek(" + type(kind) + ")", kind.bits, kind.is_signed};
    }
    if (choice < 85 && bytes_) {
      static constexpr const char* kPeek[]{"u8", "u16le", "u24be", "u32le", "u64be", "i16be"};
      const std::string read = random_.pick(kPeek);
      return {"peek(" + read + ")", static_cast<unsigned>(std::stoul(read.substr(1))), read[0] == 'i'};
    }
    if (choice < 87 && !marks_.empty()) {
      static constexpr const char* kSums[]{"adler32", "crc32", "crc32c", "crc32_bzip2", "xxh32", "xxh64"};
      const std::string sum = random_.pick(kSums);
      return {sum + (random_.percent(50) ? "(output since " : "(input since ") + random_.pick(marks_) + ")",
              sum == "xxh64" ? 64u : 32u, false};
    }
    if (choice >= 90) break;
  }
  return number(64);
}

// A value up to a power of two, its top: 1 .. top, 0 .. top or 0 .. top - 1. One more or less is where ranges, masks and
// widths part.
std::string Generator::up_to(unsigned bits) {
  const std::uint64_t top = std::uint64_t{1} << bits;
  const Term t = term(0);
  const std::string u = t.is_signed ? "(" + group(t) + " as u" + std::to_string(t.bits) + ")" : group(t);
  switch (random_.below(4)) {
    case 0:
      return "((" + u + " & " + std::to_string(top - 1) + ") + 1)";
    case 1:
      return "(" + u + " % " + std::to_string(top + 1) + ")";
    case 2:
      return "(" + u + " & " + std::to_string(top - 1) + ")";
    default:
      return "min(" + u + ", " + std::to_string(top) + ")";
  }
}

Term Generator::edge() {
  const unsigned bits = static_cast<unsigned>(random_.between(1, 9));
  const std::uint64_t top = std::uint64_t{1} << bits;
  const std::string x = up_to(bits);
  switch (random_.below(6)) {
    case 0:
    case 1:
      return {x + " & " + std::to_string(top - 1), bits, false};
    case 2:
      return {x + " as u" + std::to_string(bits), bits, false};
    case 3:
      return {x + " % " + std::to_string(top), bits, false};
    case 4:
      return {x + " >> " + std::to_string(bits), 1, false};
    default:
      return {"min(" + x + ", " + std::to_string(top - random_.below(2)) + ")", bits + 1, false};
  }
}

Term Generator::operation(unsigned depth) {
  if (random_.percent(6)) return edge();
  Term a = term(depth - 1);
  const std::string text = group(a);
  switch (random_.below(20)) {
    case 0: {  // of several bits, some
      const unsigned bits = static_cast<unsigned>(random_.between(1, 16));
      return {text + " & " + std::to_string(most_of(bits)),
              a.is_signed ? std::max(bits + 1, 2u) : std::min(bits, a.bits), a.is_signed};
    }
    case 1: {
      const unsigned by = static_cast<unsigned>(random_.below(std::min(a.bits, 63u) + 1));
      return {text + " >> " + std::to_string(by), std::max(a.bits - by, a.is_signed ? 2u : 1u), a.is_signed};
    }
    case 2: {
      const unsigned by = static_cast<unsigned>(random_.below(std::min(64 - std::min(a.bits, 63u), 20u)));
      return {text + " << " + std::to_string(by), std::min(a.bits + by, 64u), a.is_signed};
    }
    case 3: {
      const Kind kind = any_kind();
      return {text + " as " + type(kind), kind.bits, kind.is_signed};
    }
    case 4:
      return {text + " % " + std::to_string(random_.between(1, 300)), a.is_signed ? 10u : 9u, a.is_signed};
    case 5:
      return {text + " / " + std::to_string(random_.between(1, 40)), a.bits, a.is_signed};
    case 6:
      return {"zigzag(" + fit(a, {64, false}) + ")", std::min(std::max(a.bits + (a.is_signed ? 64u : 0u), 2u), 64u),
              true};
    case 7: {
      const unsigned width = static_cast<unsigned>(random_.between(1, 64));
      return {"sign_extend(" + fit(a, {64, false}) + ", " + std::to_string(width) + ")", std::max(width, 2u), true};
    }
    case 8: {
      if (a.bits > 32) return {"~" + text, 64, a.is_signed};
      return {"-" + text, std::min(a.bits + 1, 64u), true};
    }
    default:
      break;
  }
  Term b = term(depth - 1);
  // Both of one sign: unsigned ones join signed ones when there is a bit to spare.
  if (a.is_signed != b.is_signed) {
    Term& plain = a.is_signed ? b : a;
    if (plain.bits > 62) plain = {group(plain) + " & 255", 8, false};
    plain.bits += 1;
    a.is_signed = b.is_signed = true;
  }
  const bool sign = a.is_signed;
  const unsigned wide = std::max(a.bits, b.bits);
  const std::string x = group(a), y = group(b);
  switch (random_.below(14)) {
    case 0:
      return wide < 64 ? Term{x + " + " + y, wide + 1, sign} : Term{x + " +% " + y, 64, sign};
    case 1:
      return {x + " +% " + y, wide < 63 ? wide + 1 : 64, sign};
    case 2:
      if (sign && wide < 64) return {x + " - " + y, wide + 1, true};
      if (!sign) return {"max(" + a.text + ", " + b.text + ") - " + y, wide, false};
      return {x + " -% " + y, 64, sign};
    case 3:
      return {x + " -% " + y, 64, sign};
    case 4:
      return a.bits + b.bits <= 64 ? Term{x + " * " + y, a.bits + b.bits, sign} : Term{x + " *% " + y, 64, sign};
    case 5:
      return {x + " | " + y, wide, sign};
    case 6:
      return {x + " ^ " + y, wide, sign};
    case 7:
      return {x + " & " + y, sign ? wide : std::min(a.bits, b.bits), sign};
    case 8:
      return {"min(" + a.text + ", " + b.text + ")", wide, sign};
    case 9:
      return {"max(" + a.text + ", " + b.text + ")", wide, sign};
    case 10:
      return {"select(" + truth(depth - 1) + ", " + a.text + ", " + b.text + ")", wide, sign};
    case 11:
      return {x + " / (" + below(60) + " + 1)", a.bits, sign};
    case 12:
      return {x + " >> " + "(" + below(64) + ")", a.bits, sign};
    default:
      return wide < 64 ? Term{x + " + " + y, wide + 1, sign} : Term{x + " ^ " + y, 64, sign};
  }
}

Term Generator::term(unsigned depth) {
  if (depth == 0 || random_.percent(45)) return leaf();
  return operation(depth);
}

std::string Generator::truth(unsigned depth) {
  const std::uint64_t choice = random_.below(100);
  if (choice < 12 && !truths_.empty()) return (random_.percent(30) ? "not " : "") + random_.pick(truths_);
  if (choice < 16) return "end of input";
  if (choice < 22 && depth > 0)
    return "(" + truth(depth - 1) + (random_.percent(50) ? " and " : " or ") + truth(depth - 1) + ")";
  if (choice < 25 && depth > 0) return "not (" + truth(depth - 1) + ")";
  static constexpr const char* kOps[]{"==", "!=", "<", "<=", ">", ">="};
  if (choice < 30) {
    const unsigned bits = static_cast<unsigned>(random_.between(1, 9));
    const std::uint64_t top = std::uint64_t{1} << bits;
    return up_to(bits) + " " + random_.pick(kOps) + " " + std::to_string(top - random_.below(2));
  }
  const Term a = term(depth);
  if (choice < 40) {
    const std::uint64_t mask = most_of(static_cast<unsigned>(random_.between(1, 4)));
    return group(a) + " & " + std::to_string(mask) + (random_.percent(60) ? " == " : " != ") +
           std::to_string(random_.below(mask + 1));
  }
  if (choice < 50) {
    const std::uint64_t low = random_.small(100);
    return group(a) + " in " + std::to_string(low) + ".." + std::to_string(low + random_.small(200));
  }
  const Term b = random_.percent(70) ? number(std::max(1u, std::min(a.bits, a.is_signed ? a.bits - 1 : a.bits)))
                                     : term(depth > 0 ? depth - 1 : 0);
  return group(a) + " " + random_.pick(kOps) + " " + group(b);
}

std::string Generator::fit(const Term& t, Kind kind) {
  // Now and then without a word: what does not fit is refused when it happens.
  if (random_.percent(3)) return t.text;
  if (!kind.is_signed) {
    if (!t.is_signed && t.bits <= kind.bits) return t.text;
    if (!t.is_signed && random_.percent(40)) return "min(" + t.text + ", " + std::to_string(most_of(kind.bits)) + ")";
    if (!t.is_signed && random_.percent(50)) return group(t) + " & " + std::to_string(most_of(kind.bits));
    return group(t) + " as " + type(kind);
  }
  if (t.is_signed ? t.bits <= kind.bits : t.bits < kind.bits) return t.text;
  if (t.is_signed && random_.percent(20) && kind.bits < 60)
    return "max(min(" + t.text + ", " + std::to_string(most_of(kind.bits - 1)) + "), -" +
           std::to_string(most_of(kind.bits - 1)) + ")";
  return group(t) + " as " + type(kind);
}

// Now and then all the bits of a value that is wider: what is wrong with any of them shows.
std::string Generator::output() {
  if (values_.empty() || !random_.percent(20)) return fit(term(2), out_);
  const Value v = values_[values_.size() - 1 - random_.below(std::min<std::size_t>(values_.size(), 3))];
  if (v.kind.bits <= out_.bits) return fit({v.name, v.kind.bits, v.kind.is_signed}, out_);
  std::string text = v.name;
  for (unsigned shift = out_.bits; shift < v.kind.bits; shift += out_.bits)
    text += " ^ (" + v.name + " >> " + std::to_string(shift) + ")";
  return "(" + text + ") as " + type(out_);
}

std::string Generator::below(std::uint64_t bound) {
  if (bound <= 1) return "0";
  const Term t = term(random_.percent(70) ? 0 : 1);
  if (random_.percent(10)) return std::to_string(random_.below(bound));
  if (!t.is_signed && t.bits < 64 && most_of(t.bits) < bound) return t.text;
  const std::string u = t.is_signed ? "(" + group(t) + " as u" + std::to_string(t.bits) + ")" : group(t);
  if ((bound & (bound - 1)) == 0 && random_.percent(70)) return u + " & " + std::to_string(bound - 1);
  if (random_.percent(30)) return "min(" + u + ", " + std::to_string(bound - 1) + ")";
  if (random_.percent(4)) return u;  // checked at run time
  return u + " % " + std::to_string(bound);
}

std::string Generator::count(std::uint64_t most) {
  static constexpr std::uint64_t kMasks[]{1, 3, 3, 7, 7, 15, 31, 63, 255};
  const std::uint64_t mask = std::min(most, random_.pick(kMasks));
  if (random_.percent(8)) return std::to_string(random_.small(std::min<std::uint64_t>(most, 40)));
  std::string text = below(mask + 1);
  if (random_.percent(30) && mask < most)
    text = (text.find(' ') == std::string::npos ? text : "(" + text + ")") + " + " +
           std::to_string(random_.between(1, std::max<std::uint64_t>(1, std::min<std::uint64_t>(most - mask, 4))));
  return text;
}

}  // namespace sluice::fuzz
