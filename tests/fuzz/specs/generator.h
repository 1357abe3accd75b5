// The generator's state, shared by its parts: declarations (generate_decl.cpp), expressions (generate_expr.cpp), fields
// (generate_read.cpp), statements (generate_stmt.cpp), shapes of whole loops (generate_shape.cpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/fuzz/specs/generate.h"

namespace sluice::fuzz {

struct Kind {
  unsigned bits = 8;
  bool is_signed = false;
};

// An expression and what its value fits: `bits` bits, the sign's among them. A truth value has 0 bits.
struct Term {
  std::string text;
  unsigned bits = 1;
  bool is_signed = false;
};

struct Value {
  std::string name;
  Kind kind;
  bool variable = false;
};

struct Table {  // or array
  std::string name;
  Kind kind;
  unsigned count = 0;
  bool constant = false;
};

struct Code {
  std::string name;
  unsigned symbols = 0, max_bits = 0, copies = 1;
  std::string lengths;  // a table that is good for it
};

struct States {
  std::string name;
  unsigned symbols = 0, log = 0;
  std::string counts;  // a table that is good for it
};

struct Ranges {
  std::string name;
  unsigned count = 0, bits = 0;
};

struct Output {  // beside the format's own
  std::string name;
  Kind kind;
};

struct Rule {
  std::string name;
  std::vector<Kind> parameters;
  bool result = false;
  Kind kind;
  bool diverts = false;  // its outputs can't go to a buffer: it fills one itself, or starts a window
};

// Where a statement stands.
struct Place {
  unsigned indent = 2;
  unsigned depth = 0;   // blocks around it
  unsigned loops = 0;   // that `stop` may leave
  bool into = false;    // outputs go to a buffer
  bool result = false;  // in a rule with a result, outside regions
  bool token = false;   // in a token loop: simple statements, so that it has a fast form
  bool main = false;
  bool backward = false;  // in a region that is read from its end: no whole bytes
  bool whole = false;   // in a loop of a bit stream that reads whole bytes, and is read as one over bytes
};

class Generator {
 public:
  Generator(Random random, const Leave& leave) : random_(random), leave_(leave) {}
  Lines run(const std::string& name);

 private:
  // ---- names and lines
  std::string fresh(const char* stem);
  void line(const Place& at, std::string text) { lines_.push_back({at.indent, std::move(text)}); }
  Place inner(const Place& at) const;

  // ---- declarations
  void use_modules();
  void declarations(const Place& at);
  void declare_table(const Place& at);
  void declare_ranges(const Place& at);
  void declare_code(const Place& at);
  void declare_states(const Place& at);
  std::string lengths_table(const Place& at, unsigned symbols, unsigned max_bits, bool complete);
  void rule(const Place& at);

  // ---- expressions
  Term term(unsigned depth);
  Term leaf();
  Term number(unsigned bits);
  Term operation(unsigned depth);
  Term edge();
  std::string up_to(unsigned bits);
  std::string truth(unsigned depth);
  std::string fit(const Term& t, Kind kind);  // as a value of that kind
  std::string value(Kind kind, unsigned depth = 2) { return fit(term(depth), kind); }
  std::string below(std::uint64_t bound);  // an expression whose value is in 0 .. bound - 1
  std::string count(std::uint64_t most);   // the same, up to `most`, small as a rule
  std::string output();  // an element
  std::string type(Kind kind) const { return (kind.is_signed ? "i" : "u") + std::to_string(kind.bits); }
  Kind any_kind();

  // ---- fields
  struct Field {
    std::string text;
    Kind kind;
    bool truth = false;
    bool reads = true;  // at least one bit, always
  };
  Field field(const Place& at, bool simple);
  Field field_within(const Place& at, Kind kind);
  Field field_for_output(const Place& at);
  void read(const Place& at, bool simple);
  void read_state(const Place& at);

  // ---- statements
  void statements(const Place& at, unsigned count);
  void statement(const Place& at);
  void simple(const Place& at);
  void make_output(const Place& at);
  void assign(const Place& at);
  void chain(const Place& at);
  void loop(const Place& at);
  void region(const Place& at);
  void backward_region(const Place& at);
  void dictionary_region(const Place& at);
  void buffer(const Place& at);
  void further(const Place& at);
  void symbols(const Place& at);
  void build(const Place& at, const Code& code);
  void build(const Place& at, const States& states);
  void refuse(const Place& at);
  bool call(const Place& at);
  void block(const Place& at, unsigned count);  // of a construct whose line is written

  // ---- shapes
  void shape(const Place& at);
  void token_loop(const Place& at);
  void sequences(const Place& at);
  void parts(const Place& at);
  void declare(std::string text);
  void coded(const Place& at);
  void filled(const Place& at);
  void chained(const Place& at);
  void packed(const Place& at);
  void stages(const Place& at);

  Random random_;
  Leave leave_;
  Lines lines_;
  std::set<std::string> taken_;
  bool bytes_ = true, msb_ = false, dictionary_ = false;
  Kind out_{8, false};
  std::uint64_t window_ = 0;
  int budget_ = 40;  // statements left
  std::vector<Value> values_;
  std::vector<std::string> truths_;
  std::vector<Table> tables_;
  std::vector<Code> codes_;
  std::vector<States> states_;
  std::vector<Ranges> ranges_;
  std::vector<Rule> rules_;
  std::vector<std::string> buffers_, symbols_, marks_, parameters_;
  std::vector<Output> outputs_;
  std::string module_;
  unsigned names_ = 0;
};

}  // namespace sluice::fuzz
