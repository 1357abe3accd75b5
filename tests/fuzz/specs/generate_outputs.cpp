// Blocks whose output goes to one of a format's further outputs.
#include "tests/fuzz/specs/generator.h"

namespace sluice::fuzz {

// Rules, buffers, symbols and parameters are made for the format's own elements: where these are others there are none.
void Generator::further(const Place& at) {
  const Output to = random_.pick(outputs_);
  line(at, "into " + to.name);
  Place body = inner(at);
  body.into = true;
  body.loops = 0;
  body.result = false;
  const Kind outer = out_;
  const bool same = to.kind.bits == outer.bits && to.kind.is_signed == outer.is_signed;
  const auto outputs = outputs_;
  const auto buffers = buffers_, symbols = symbols_, marks = marks_, parameters = parameters_;
  const auto rules = rules_;
  std::erase_if(outputs_, [&](const Output& o) { return o.name == to.name; });
  marks_.clear();
  if (!same) {
    buffers_.clear();
    symbols_.clear();
    parameters_.clear();
    rules_.clear();
  }
  out_ = to.kind;
  if (random_.percent(30)) {
    line(body, "literals " + field_for_output(at).text + "[" + count(200) + "]");
  } else if (random_.percent(30) && budget_ > 3) {
    token_loop(body);
  } else {
    statements(body, static_cast<unsigned>(random_.below(3)));
    make_output(body);
  }
  out_ = outer;
  outputs_ = outputs;
  buffers_ = buffers;
  symbols_ = symbols;
  marks_ = marks;
  parameters_ = parameters;
  rules_ = rules;
}

}  // namespace sluice::fuzz
