// What stands at the format's level: input, output, constants, tables, state, codes, rules.
#include <array>

#include "tests/fuzz/specs/generator.h"

namespace sluice::fuzz {
namespace {

// Names that generated code uses itself, or that are words of C++ or CUDA: they must not matter. What stands behind is
// a number as a rule.
constexpr std::array kNames{
    "a",     "c",     "n",       "i",          "p",     "s",     "m",      "in",     "pos",      "end",
    "made",  "size",  "out",     "limit",      "word",  "bits",  "state",  "int",    "index",    "count",
    "reach", "leave", "tail",    "code",       "mask",  "value", "length", "args",   "start",    "stuck",
    "lane",  "u8_",   "i8_",     "window",     "bit",   "token", "x",      "from",   "distance", "far",
    "prim",  "job",   "scratch", "class",      "while", "short", "main_",  "kOk",    "fail",     "src",
    "site",  "left",  "at",      "code_limit", "step",  "field", "u64_",   "double", "register", "template"};

unsigned width_of(std::uint64_t v) {
  unsigned bits = 1;
  while (bits < 64 && (v >> bits) != 0) ++bits;
  return bits;
}

}  // namespace

std::string Generator::fresh(const char* stem) {
  static const std::set<std::string> kWords{"in", "limit"};
  for (;;) {
    std::string name =
        random_.percent(35) ? std::string(random_.pick(kNames)) : std::string(1, stem[0]) + std::to_string(names_++);
    if (random_.percent(30)) name += "_" + std::to_string(random_.below(10));
    if (!kWords.contains(name) && taken_.insert(name).second) return name;
  }
}

Place Generator::inner(const Place& at) const {
  Place place = at;
  place.indent += 2;
  ++place.depth;
  return place;
}

// Lengths of a code: leaves of a random tree, so that no code is left over; or with some taken away.
std::string Generator::lengths_table(const Place& at, unsigned symbols, unsigned max_bits, bool complete) {
  std::vector<unsigned> depths{0};
  const unsigned used = static_cast<unsigned>(random_.percent(70) ? symbols : random_.between(2, symbols));
  while (depths.size() < used) {
    std::size_t at_leaf = random_.below(depths.size());
    for (std::size_t tries = 0; tries < depths.size() && depths[at_leaf] >= max_bits; ++tries)
      at_leaf = (at_leaf + 1) % depths.size();
    if (depths[at_leaf] >= max_bits) break;
    depths.push_back(++depths[at_leaf]);
  }
  if (depths.size() == 1) depths[0] = 1;
  depths.resize(symbols, 0);
  for (std::size_t i = symbols; i > 1; --i) std::swap(depths[i - 1], depths[random_.below(i)]);
  if (!complete && random_.percent(50)) depths[random_.below(symbols)] = 0;
  const std::string name = fresh("table");
  std::string text = "table " + name + ": u5 = [";
  for (std::size_t i = 0; i < depths.size();) {
    std::size_t same = i;
    while (same < depths.size() && depths[same] == depths[i]) ++same;
    text += (i == 0 ? "" : ", ") + std::to_string(depths[i]) + (same - i > 1 ? " x " + std::to_string(same - i) : "");
    i = same;
  }
  line(at, text + "]");
  tables_.push_back({name, {5, false}, symbols, true});
  return name;
}

void Generator::declare_table(const Place& at) {
  const std::string name = fresh("table");
  if (random_.percent(45)) {
    const Kind kind = any_kind();
    static constexpr unsigned kCounts[]{1, 2, 3, 8, 16, 17, 64, 256, 300};
    const unsigned count = random_.pick(kCounts);
    line(at, "array " + name + ": " + type(kind) + "[" + std::to_string(count) + "]");
    tables_.push_back({name, kind, count, false});
    return;
  }
  const unsigned count = static_cast<unsigned>(random_.between(1, 20)),
                 bits = static_cast<unsigned>(random_.between(1, 40));
  const bool is_signed = random_.percent(20);
  std::string text = "table " + name + ": " + (is_signed ? "i" : "u") + std::to_string(bits + 1) + " = [";
  for (unsigned i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(is_signed && random_.percent(50) ? "-" : "") +
            std::to_string(random_.small((std::uint64_t{1} << std::min(bits, 20u)) - 1));
  line(at, text + "]");
  tables_.push_back({name, {bits + 1, is_signed}, count, true});
}

void Generator::declare_ranges(const Place& at) {
  const std::string name = fresh("ranges");
  const unsigned count = static_cast<unsigned>(random_.between(1, 16));
  std::string base, extra;
  std::uint64_t from = random_.below(4), most = 1;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned bits = static_cast<unsigned>(random_.percent(40)   ? 0
                                                : random_.percent(95) ? random_.below(10)
                                                                      : random_.below(40));
    base += (i == 0 ? "" : ", ") + std::to_string(from);
    extra += (i == 0 ? "" : ", ") + std::to_string(bits);
    from += std::uint64_t{1} << bits;
    most = std::max(most, from);
  }
  line(at, "ranges " + name + " = base [" + base + "] extra [" + extra + "]");
  ranges_.push_back({name, count, width_of(most)});
}

void Generator::declare_code(const Place& at) {
  Code code;
  static constexpr unsigned kSymbols[]{2, 3, 4, 8, 19, 30, 64, 256, 258, 288, 300};
  code.symbols = random_.pick(kSymbols);
  unsigned least = 1;
  while ((1u << least) < code.symbols) ++least;
  code.max_bits = static_cast<unsigned>(random_.between(std::min(least + 1, 15u), 15));
  if (random_.percent(5)) code.max_bits = 20;
  static constexpr unsigned kCopies[]{1, 1, 1, 1, 1, 2, 3, 6};
  code.copies = random_.pick(kCopies);
  static constexpr const char* kPolicies[]{"", "", ", longest first", ", longest first", ", incomplete single", ", incomplete accept", ", incomplete accept"};
  const std::string policy = random_.pick(kPolicies);
  code.lengths = lengths_table(at, code.symbols, code.max_bits, !policy.ends_with("accept"));
  code.name = fresh("code");
  line(at, "prefix_code " + code.name + "(" + std::to_string(code.symbols) + ", " + std::to_string(code.max_bits) +
               ")" + (code.copies > 1 ? " x " + std::to_string(code.copies) : "") + policy);
  codes_.push_back(code);
}

// With a table of counts that add up to a power of two, some of them below 0.
void Generator::declare_states(const Place& at) {
  States states;
  states.log = static_cast<unsigned>(random_.percent(80) ? random_.between(1, 9) : random_.between(10, 12));
  states.symbols = static_cast<unsigned>(random_.between(1, std::min(random_.percent(80) ? 40u : 256u, 1u << states.log)));
  std::vector<int> counts(random_.percent(70) ? states.symbols : random_.between(1, states.symbols));
  std::uint64_t left = std::uint64_t{1} << random_.between(0, states.log);
  const bool rare = random_.percent(60);
  for (std::size_t i = 0; i < counts.size() && left > 1; ++i) {
    if (random_.percent(20)) continue;
    const bool below = rare && random_.percent(30);
    counts[i] = below ? -1 : static_cast<int>(random_.percent(70) ? std::min<std::uint64_t>(left - 1, random_.between(1, 6)) : random_.below(left));
    left -= below ? 1 : static_cast<std::uint64_t>(counts[i]);
  }
  int& last = random_.pick(counts);
  left += last < 0 ? 1 : static_cast<std::uint64_t>(last);
  last = static_cast<int>(left);
  const std::string table = fresh("table");
  std::string text = "table " + table + ": i14 = [";
  for (std::size_t i = 0; i < counts.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(counts[i]);
  line(at, text + "]");
  states.counts = table + "[0, " + std::to_string(counts.size()) + "]";
  tables_.push_back({table, {14, true}, static_cast<unsigned>(counts.size()), true});
  states.name = fresh("states");
  line(at, "state_code " + states.name + "(" + std::to_string(states.symbols) + ", " + std::to_string(states.log) + ")");
  states_.push_back(states);
}

void Generator::rule(const Place& at) {
  Rule rule;
  rule.name = fresh("rule");
  const std::size_t values = values_.size(), truths = truths_.size();
  std::string head = "rule " + rule.name;
  const unsigned parameters = static_cast<unsigned>(random_.percent(50) ? 0 : random_.between(1, 3));
  for (unsigned i = 0; i < parameters; ++i) {
    const Kind kind = any_kind();
    const std::string name = fresh("parameter");
    head += (i == 0 ? "(" : ", ") + name + ": " + type(kind);
    rule.parameters.push_back(kind);
    values_.push_back({name, kind});
  }
  if (parameters > 0) head += ")";
  rule.result = random_.percent(45);
  if (rule.result) {
    rule.kind = any_kind();
    head += " -> " + type(rule.kind);
  }
  line(at, head);
  Place body = inner(at);
  body.depth = 0;
  body.result = rule.result;
  const std::size_t from = lines_.size();
  const std::uint64_t choice = random_.below(100);
  if (choice < 25)
    shape(body);
  else if (choice < 40)
    make_output(body);  // all that there is to it
  else
    statements(body, static_cast<unsigned>(random_.between(1, 5)));
  for (std::size_t i = from; i < lines_.size(); ++i)
    rule.diverts |= lines_[i].text.starts_with("into ") || lines_[i].text.starts_with("new window");
  if (rule.result) line(body, "return " + value(rule.kind));
  values_.resize(values);
  truths_.resize(truths);
  rules_.push_back(rule);
}

void Generator::declarations(const Place& at) {
  for (std::uint64_t n = random_.below(3); n > 0; --n) {
    const std::string name = fresh("const");
    const Term t = number(32);
    line(at, "const " + name + " = " + t.text);
    values_.push_back({name, {t.bits, false}});
  }
  for (std::uint64_t n = random_.percent(20) ? 1 : 0; n > 0; --n) {
    const Kind kind = any_kind();
    const std::string name = fresh("argument");
    line(at, "argument " + name + ": " + type(kind) + " = " + std::to_string(random_.below(kind.bits < 8 ? 2 : 100)));
    values_.push_back({name, kind});
  }
  for (std::uint64_t n = random_.below(3); n > 0; --n) {
    const Kind kind = any_kind();
    const std::string name = fresh("var");
    if (random_.percent(25)) {
      const std::uint64_t low = random_.small(20), high = low + random_.small(300);
      line(at, "var " + name + ": " + std::to_string(low) + ".." + std::to_string(high) + " = " +
                   std::to_string(random_.between(low, high)));
      values_.push_back({name, {9, false}, true});
      continue;
    }
    line(at, "var " + name + ": " + type(kind) + " = " + std::to_string(random_.below(2)));
    values_.push_back({name, kind, true});
  }
  for (std::uint64_t n = random_.below(3); n > 0; --n) declare_table(at);
  if (random_.percent(25)) declare_ranges(at);
  for (std::uint64_t n = random_.percent(bytes_ ? 10 : 45) ? random_.between(1, 2) : 0; n > 0; --n) declare_code(at);
  for (std::uint64_t n = random_.percent(bytes_ ? 5 : 25) ? random_.between(1, 2) : 0; n > 0; --n) declare_states(at);
  for (std::uint64_t n = random_.percent(22) ? random_.between(1, 2) : 0; n > 0; --n) {
    const std::string name = fresh("buffer");
    static constexpr unsigned kLimits[]{1, 7, 64, 300, 4096, 70000};
    line(at, "buffer " + name + "[" + std::to_string(random_.pick(kLimits)) + "]");
    buffers_.push_back(name);
  }
  if (out_.bits == 8 && !out_.is_signed && random_.percent(12)) {
    const std::string name = fresh("symbols");
    static constexpr unsigned kCounts[]{1, 16, 256, 255};
    line(at, "symbols " + name + "[" + std::to_string(random_.pick(kCounts)) + "]");
    symbols_.push_back(name);
  }
}

// What modules declare is named like what the spec declares itself; one of the two is shared by the other.
void Generator::use_modules() {
  static constexpr unsigned kMostSymbols[]{12, 12, 13, 53, 256};  // the first: what no parameter sets
  const std::uint64_t most = random_.below(std::size(kMostSymbols));
  line({0}, most == 0 ? "use huff0" : "use huff0(most_symbols = " + std::to_string(kMostSymbols[most]) + ")");
  line({0}, "use huff0.fse");
  tables_.push_back({"fse.counts", {14, true}, kMostSymbols[most], false});
  tables_.push_back({"huff0.weights", {4, false}, 256, false});
  tables_.push_back({"huff0.size_width", {5, false}, 4, true});
  values_.push_back({"huff0.most_literals", {18, false}});
  truths_.push_back("huff0.code_known");
  buffers_.push_back("huff0.text");
  rules_.push_back({"fse.read_counts", {{4, false}, {9, false}}, true, {9, false}, false});
  rules_.push_back({"huff0.stream", {{24, false}, {18, false}}, false, {}, false});
  rules_.push_back({"huff0.read_literals", {}, false, {}, true});
}

Lines Generator::run(const std::string& name) {
  const bool modules = random_.percent(6);  // which read bits, lowest first, and make bytes without a window
  bytes_ = !modules && random_.percent(50);
  msb_ = !modules && random_.percent(50);
  static constexpr Kind kOutputs[]{{8, false}, {8, false},  {8, false}, {8, false},  {8, true}, {16, false},
                                   {16, true}, {32, false}, {32, true}, {64, false}, {64, true}};
  out_ = modules ? Kind{8, false} : random_.pick(kOutputs);
  static constexpr std::uint64_t kWindows[]{0, 0, 0, 1, 16, 64, 255, 4096, 32768, 65535};
  const bool plain = out_.bits == 8 && !out_.is_signed;
  budget_ = static_cast<int>(random_.percent(70) ? random_.between(4, 30) : random_.between(30, 90));
  const Place top;
  std::string head = "format " + name;
  std::string output = plain ? "bytes" : type(out_) + "[]";
  if (!modules && random_.percent(12)) {
    parameters_.push_back(fresh("T"));
    head += "(" + parameters_.front() + ": integer = " + type(out_) + ")";
    output = parameters_.front() + "[]";
    if (bytes_ && out_.bits > 8) parameters_.clear();  // has no byte order: named, not read
  }
  window_ = modules ? 0 : random_.pick(kWindows);
  if (modules) use_modules();
  line({0}, head);
  line(top, std::string("input ") + (bytes_ ? "bytes" : msb_ ? "bits msb" : "bits lsb"));
  line(top, "output " + output + (window_ > 0 ? ", window " + std::to_string(window_) : ""));
  for (std::uint64_t n = !modules && random_.percent(25) ? random_.between(1, 3) : 0; n > 0; --n) {
    outputs_.push_back({fresh("output"), random_.pick(kOutputs)});
    line(top, "output " + outputs_.back().name + ": " + type(outputs_.back().kind) + "[]");
  }
  dictionary_ = plain && random_.percent(12);
  if (dictionary_) line(top, "dictionary");
  line(top, random_.percent(50) ? "trailing accept rest" : "trailing reject trailing_bytes");
  declarations(top);
  for (std::uint64_t n = random_.small(4); n > 0; --n) rule(top);
  Place body = top;
  body.main = true;
  for (const Code& code : codes_)
    if (!leave_.unbuilt ? random_.percent(85) : true) build(body, code);
  for (const States& states : states_)
    if (random_.percent(85)) build(body, states);
  if (random_.percent(40)) {
    const std::string mark = fresh("mark");
    line(body, "mark " + mark);
    marks_.push_back(mark);
  }
  statements(body, static_cast<unsigned>(random_.below(4)));
  if (!outputs_.empty() && random_.percent(60)) further(body);
  if (random_.percent(85)) shape(body);
  if (!outputs_.empty() && random_.percent(40)) further(body);
  while (budget_ > 0 && random_.percent(60)) statement(body);
  if (lines_.size() < 5) line(body, "pass");
  return std::move(lines_);
}

Lines generate(Random random, const std::string& name, const Leave& leave) {
  return Generator(random, leave).run(name);
}

}  // namespace sluice::fuzz
