// Bytes left after the format's end need a named policy, unless main only ends where the input does.
#include "dsl/sema/context.h"

namespace sluice::sema {
namespace {

using model::Block;
using model::Stmt;
using Kind = Stmt::Kind;

// A `stop` in the block leaves the loop that the block is the body of.
bool stops(const Block& block) {
  for (const auto& s : block) {
    if (s->kind == Kind::Stop) return true;
    const bool loop = s->kind == Kind::Forever || s->kind == Kind::UntilEnd || s->kind == Kind::UntilOutputs ||
                      s->kind == Kind::UntilCond || s->kind == Kind::Times;
    if (!loop && stops(s->body)) return true;
    for (const model::Arm& arm : s->arms)
      if (stops(arm.body)) return true;
  }
  return false;
}

// Every way past the block's last statement is at the end of the input.
bool ends_at_end(const Block& block) {
  if (block.empty()) return false;
  const Stmt& last = *block.back();
  switch (last.kind) {
    case Kind::UntilEnd:
      return !stops(last.body);
    case Kind::Forever:
      return !stops(last.body);  // never goes past
    case Kind::Reject:
    case Kind::Accept:
      return true;
    case Kind::Producing:
    case Kind::Into:
      return ends_at_end(last.body);
    case Kind::Choose: {
      for (const model::Arm& arm : last.arms)
        if (!ends_at_end(arm.body)) return false;
      return !last.arms.empty() && !last.arms.back().condition;
    }
    default:
      return false;
  }
}

}  // namespace

void check_trailing(Context& context, const Instance& top) {
  const model::Format& f = context.format;
  if (f.trailing.policy != model::Trailing::Policy::None || ends_at_end(f.rules[0].body)) return;
  context.sink
      .error(Code::MissingTrailing, top.file->format.span,
             "the format does not say what happens to bytes after its end")
      .help("add `trailing reject trailing_bytes`, or `trailing accept NAME` to ignore them");
}

}  // namespace sluice::sema
