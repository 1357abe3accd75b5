// Output actions of a token: see lower_token.h.
#include <algorithm>
#include <utility>

#include "compiler/plan/lower_token.h"

namespace sluice::plan {
namespace {

using ir::ReadSpec;
using ir::Stmt;

// A copy or run of at most this many bytes has a static cost; longer ones test the limit themselves.
constexpr std::uint64_t kStaticBytes = 1056;  // 130 elements of 8 bytes (ORC RLE v1), 258 bytes (Deflate)
constexpr std::uint64_t kFlatBytes = 128;     // runs of at most this many bytes are stored at full length
constexpr std::uint64_t kRoundBytes = 48;  // prim::kRoundBytes, and what a number that begins in the last one has more
constexpr std::uint64_t kFixedLiterals = 8;  // one wide move

constexpr std::uint64_t kMostGroup = 8;      // elements of a byte that a copy repeats and a register holds

// The elements that a copy from so far back repeats, where the steps before it have stored them: they lie behind the window's
// start, and need not be loaded again from behind stores that may still be under way.
std::vector<Operand> group_before(const Body& steps, const ir::Expr& distance) {
  std::vector<Operand> group;
  if (distance.op != ir::Op::Const || distance.imm == 0 || distance.imm > std::min<std::uint64_t>(kMostGroup, steps.size())) return group;
  for (auto s = steps.end() - static_cast<std::ptrdiff_t>(distance.imm); s != steps.end(); ++s) {
    const auto* store = std::get_if<Store>(&s->what);
    if (store == nullptr) return {};
    group.push_back(store->value);
  }
  return group;
}

constexpr const char* kCount = "a count needs the input's exact position";

}  // namespace

bool TokenLowering::literals(const Stmt& s) {
  auto n = operand(*s.a);
  if (!n) return leave(kCount);
  const ReadSpec& r = s.read;
  const std::uint64_t size = ground_.elem_bytes();
  Literals made;
  made.count = *std::move(n);
  made.type = r.type;
  made.value = number();
  if (bytes() && r.kind == ReadSpec::Kind::Fixed && r.type.bits == 8 && size == 1) {
    if (s.a->op == ir::Op::Const && s.a->imm <= kFixedLiterals) {
      made.form = LiteralsForm::Fixed;
      add(std::move(made), {ground_.target == Target::Lane ? s.a->imm : kFixedLiterals, kFixedLiterals});
      return true;
    }
    made.form = LiteralsForm::Short;
    add(std::move(made), {2 * kSlack, 2 * kSlack});  // n <= 32, and 32 bytes loaded wherever that ends
    return true;
  }
  if (r.kind == ReadSpec::Kind::Varint && ground_.target == Target::Warp && bytes()) {
    made.form = LiteralsForm::Varints;
    number(2);
    add(std::move(made), {kRoundBytes, kRoundBytes * size});
    return true;
  }
  return each_literal(s, std::move(made));
}

bool TokenLowering::each_literal(const Stmt& s, Literals made) {
  made.form = LiteralsForm::Each;
  Field field;
  field.into = Field::Into::Element;
  field.target = number();
  stream_.forget();
  bool known = false;
  made.read = collect([&] { known = read(s.read, field); });
  stream_.forget();
  if (known) {
    add(std::move(made), {0, ground_.elem_bytes()});
    return true;
  }
  // One literal is one too many; with none of them the token goes on.
  made.form = LiteralsForm::None;
  made.read.clear();
  gone_ = false;
  add(std::move(made));
  return true;
}

bool TokenLowering::run(const Stmt& s) {
  auto first = operand(*s.a), count = operand(*s.b);
  auto step = s.c ? operand(*s.c) : Operand{};
  if (!first || !count || !step) return leave("a run needs the input's exact position");
  const std::uint64_t size = ground_.elem_bytes();
  const ir::i128 most = s.b->range.hi * static_cast<ir::i128>(size);  // bytes
  const bool fixed = most <= static_cast<ir::i128>(kStaticBytes);
  const bool equal = !s.c || is_constant(*s.c, 0);
  Run made{RunForm::Stepped, *std::move(first), *std::move(count), *std::move(step), number(2), false, 0};
  if (mode_.nested && ground_.target == Target::Cpu && equal && most <= static_cast<ir::i128>(kFlatBytes)) {
    // Always as many as there may be: no branch to predict.
    made.form = RunForm::Flat;
    made.most = static_cast<std::uint64_t>(s.b->range.hi);
    add(std::move(made), {0, static_cast<std::uint64_t>(most)});
    return true;
  }
  if (equal && (size == 1 || ground_.target == Target::Cpu)) made.form = RunForm::Wide;
  made.tested = !fixed;
  add(std::move(made), {0, (fixed ? static_cast<std::uint64_t>(most) : 0) + kSlack});
  return true;
}

bool TokenLowering::copy(const Stmt& s) {
  if (ground_.elem_bytes() != 1) return leave("it copies elements of more than one byte");
  auto distance = operand(*s.a), length = operand(*s.b);
  if (!distance || !length) return leave("a copy needs the input's exact position");
  const std::uint64_t window = module().window;
  Copy made{*std::move(distance), *std::move(length), number(2), false, false, false, false, false, {}, false};
  made.tests_window = window != 0 && s.a->range.hi > static_cast<ir::i128>(window);
  made.tested = s.b->range.hi > static_cast<ir::i128>(kStaticBytes);
  // Where tokens are whole bytes, they cost a CPU little but their stores, and what is stored behind a copy's end stands in
  // the way of those that read there. Where they are bits, a branch on the length costs more than that.
  made.stepwise = ground_.target == Target::Cpu && mode_.reader == Reader::Bytes;
  if (ground_.target == Target::Cpu && !made.tests_window) made.group = group_before(*body_, *s.a);
  Cost cost{0, (made.tested ? kShortCopy : static_cast<std::uint64_t>(s.b->range.hi)) + kSlack};
  if (std::exchange(ahead_.copy_ends_arm, false)) {
    // The copy needs nothing more of the input: the next look-up runs beside it.
    made.ahead = loop_.row && !ahead_.done;
    ahead_.done = true;
    if (made.ahead) {
      made.shown = shows(loop_.row->first);
      cost.in += 8;
      stream_.buffered = refilled_bits(ground_.target);
      stream_.beyond = kShownBeyondRefill;
      last_need_.reset();
    }
  }
  add(std::move(made), cost);
  return true;
}

// Only those of suited.h get here.
bool TokenLowering::slice(const Stmt& s) {
  auto from = operand(*s.a), count = operand(*s.b);
  if (!from || !count) return leave(kCount);
  add(Slice{s.ref, *std::move(from), *std::move(count), number(2)}, {0, 2 * kSlack});
  return true;
}

bool TokenLowering::symbol_bytes(const Stmt& s) {
  auto i = operand(*s.a);
  if (!i) return leave("a symbol's index needs the input's exact position");
  add(SymbolBytes{s.ref, *std::move(i), number(2)}, {0, ir::kMaxSymbolBytes});
  return true;
}

}  // namespace sluice::plan
