#include "tests/fuzz/specs/facts.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "compiler/analysis/facts.h"
#include "compiler/analysis/walk.h"
#include "compiler/ir/printer.h"

namespace sluice::fuzz {
namespace {

using ir::Stmt;
constexpr std::uint64_t kMaxEvents = 400000;
constexpr std::uint64_t kEnter = 1, kStep = 2, kLeave = 3;

struct OutOfEvents {};

ir::ExprPtr clone(const ir::Expr& e) {
  auto copy = std::make_unique<ir::Expr>();
  copy->op = e.op;
  copy->type = e.type;
  copy->range = e.range;
  copy->imm = e.imm;
  copy->ref = e.ref;
  copy->algo = e.algo;
  copy->stream = e.stream;
  copy->flag = e.flag;
  copy->cast_type = e.cast_type;
  for (const auto& kid : e.kids) copy->kids.push_back(clone(*kid));
  return copy;
}

std::string text_of(ir::i128 v) {
  if (v < 0) return "-" + text_of(-v);
  const auto u = static_cast<std::uint64_t>(v);
  return std::to_string(u);
}

// What statements that were put in stand for.
struct Watch {
  const analysis::LoopFacts* loop = nullptr;  // with `phase`
  std::uint64_t phase = 0;
  std::string expression;  // its text, for messages
  ir::Type type{};
  ir::Range range{};
};

class Instrumented {
 public:
  explicit Instrumented(ir::Module module) : module_(std::move(module)), facts_(analysis::analyse(module_)) {
    for (const analysis::LoopFacts& f : facts_.loops) loops_.emplace(f.budget.loop, &f);
    for (ir::Rule& rule : module_.rules) {
      rule_ = &rule;
      slot_ = static_cast<std::uint32_t>(rule.slots.size());
      rule.slots.push_back({"watched", ir::kU64, ir::range_of(ir::kU64), true});
      rule.slots.push_back({"watched", ir::kI64, ir::range_of(ir::kI64), true});
      block(rule.body);
    }
  }
  [[nodiscard]] const ir::Module& module() const { return module_; }
  [[nodiscard]] const analysis::Facts& facts() const { return facts_; }
  [[nodiscard]] const Watch* of(const Stmt* s) const {
    const auto at = watches_.find(s);
    return at == watches_.end() ? nullptr : &at->second;
  }

 private:
  std::unique_ptr<Stmt> set(ir::ExprPtr value, Watch watch) {
    auto s = std::make_unique<Stmt>();
    s->kind = Stmt::Kind::SetLocal;
    s->slot = slot_ + (value->type.is_signed ? 1 : 0);
    s->a = std::move(value);
    watches_.emplace(s.get(), std::move(watch));
    return s;
  }
  std::unique_ptr<Stmt> phase(const Stmt* loop, std::uint64_t which) {
    auto value = std::make_unique<ir::Expr>();
    value->imm = which;
    value->range = {static_cast<ir::i128>(which), static_cast<ir::i128>(which)};
    return set(std::move(value), {loops_.at(loop), which, {}, ir::kU64, {}});
  }
  void watch(const Stmt& s, ir::Block& to) {
    analysis::for_each_expr(s, [&](const ir::Expr& whole) {
      analysis::for_each_node(whole, [&](const ir::Expr& e) {
        if (e.op == ir::Op::Const || e.op == ir::Op::Checksum) return;
        to.push_back(set(clone(e), {nullptr, 0, ir::print(module_, rule_, e), e.type, e.range}));
      });
    });
  }
  void block(ir::Block& statements) {
    ir::Block result;
    for (auto& s : statements) {
      const bool loop = s->kind == Stmt::Kind::Loop;
      // A condition is evaluated before each step, everything else where the statement stands.
      const bool inside = loop && s->loop == ir::LoopKind::UntilCond;
      if (!inside) watch(*s, result);
      if (loop) result.push_back(phase(s.get(), kEnter));
      block(s->body);
      block(s->orelse);
      const Stmt* const it = s.get();
      if (loop) {
        ir::Block head;
        head.push_back(phase(it, kStep));
        if (inside) watch(*it, head);
        s->body.insert(s->body.begin(), std::make_move_iterator(head.begin()), std::make_move_iterator(head.end()));
      }
      const bool ends = s->kind == Stmt::Kind::Stop || s->kind == Stmt::Kind::Reject || s->kind == Stmt::Kind::Accept ||
                        s->kind == Stmt::Kind::Return;
      result.push_back(std::move(s));
      if (loop && !ends) result.push_back(phase(it, kLeave));
    }
    statements = std::move(result);
  }

  ir::Module module_;
  analysis::Facts facts_;
  std::unordered_map<const Stmt*, const analysis::LoopFacts*> loops_;
  std::unordered_map<const Stmt*, Watch> watches_;
  const ir::Rule* rule_ = nullptr;
  std::uint32_t slot_ = 0;
};

struct Step {
  std::uint64_t bit = 0, bits = 0, outputs = 0;
  bool backward = false;  // its bits are read from the end of a region
};

// The first execution of each loop that stands outside other loops' second steps: where it began, and its steps.
struct Execution {
  std::uint64_t entry = 0;
  std::vector<Step> steps;
  bool over = false;
};

struct Running {
  const analysis::LoopFacts* loop = nullptr;
  std::uint32_t depth = 0;
  std::uint64_t bit = 0, output = 0;  // of the step that runs
  const void* into = nullptr;
  std::uint32_t further = ir::Stmt::kNoSlot;
  bool stepping = false;
  bool first = false;
  std::map<std::uint8_t, std::uint64_t> lengths;  // by first byte
};

class Run {
 public:
  Run(const Instrumented& subject, std::span<const std::uint8_t> in) : subject_(subject), in_(in) {}

  Finding go(std::span<std::uint8_t> out) {
    interp::Job job;
    job.in = in_;
    job.out = out;
    job.capacity_elements = out.size() / (subject_.module().output.bits / 8u);
    std::vector<Bytes> further;
    std::vector<interp::Room> rooms;
    for (const ir::Output& output : subject_.module().outputs) {
      further.emplace_back(kRoom * (output.type.bits / 8u));
      rooms.push_back({further.back(), kRoom});
    }
    job.further = rooms;
    if (subject_.module().has_dictionary)
      job.dictionary = {reinterpret_cast<const std::uint8_t*>(kDictionary.data()), kDictionary.size()};
    try {
      interp::interpret(subject_.module(), job, [&](const interp::TraceEvent& e) {
        if (++events_ > kMaxEvents || finding_.any()) throw OutOfEvents{};
        event(e);
      });
    } catch (const OutOfEvents&) {
    }
    return finding_;
  }

  std::map<const analysis::LoopFacts*, Execution> firsts;

 private:
  void event(const interp::TraceEvent& e) {
    while (!running_.empty() && running_.back().depth > e.depth) running_.pop_back();
    if (e.kind == interp::TraceEvent::Kind::Copy) copy(e);
    if (e.kind == interp::TraceEvent::Kind::Field && e.stmt->slot != Stmt::kNoSlot)
      within(e.value, e.type, subject_.module().rules[e.rule].slots[e.stmt->slot].range,
             "the field `" + std::string(e.name) + "`", e);
    if (e.kind != interp::TraceEvent::Kind::Let) return;
    const Watch* watch = subject_.of(e.stmt);
    if (watch == nullptr) return;
    if (watch->loop == nullptr) return within(e.value, watch->type, watch->range, watch->expression, e);
    if (watch->phase == kEnter) {
      const auto [at, fresh] = firsts.try_emplace(watch->loop);
      if (fresh) at->second.entry = e.bit;
      running_.push_back({watch->loop, e.depth, e.bit, e.output, e.into, e.further, false, fresh, {}});
      return;
    }
    while (!running_.empty() && running_.back().loop != watch->loop) running_.pop_back();
    if (running_.empty()) return;
    Running& r = running_.back();
    if (r.stepping && r.into == e.into && r.further == e.further && e.output >= r.output)
      step(r, {r.bit, e.bit < r.bit ? r.bit - e.bit : e.bit - r.bit, e.output - r.output, e.bit < r.bit}, watch->phase == kStep);
    r.bit = e.bit;
    r.output = e.output;
    r.into = e.into;
    r.further = e.further;
    r.stepping = true;
    if (watch->phase == kLeave) {
      if (r.first) firsts[r.loop].over = true;
      running_.pop_back();
    }
  }

  void within(std::uint64_t word, ir::Type type, ir::Range range, const std::string& what,
              const interp::TraceEvent& e) {
    const ir::i128 v = analysis::value_of(word, type);
    if (v < range.lo || v > range.hi)
      finding_ = {"range", fmt::format("{} is {} at bit {}, outside of its range {}..{}", what, text_of(v), e.bit,
                                       text_of(range.lo), text_of(range.hi))};
  }

  // `followed`: by another step.
  void step(Running& r, const Step& s, bool followed) {
    const analysis::TokenBudget& b = r.loop->budget;
    const auto broken = [&](const char* fact, std::uint64_t claimed, std::uint64_t is) {
      finding_ = {
          "fact",
          fmt::format("a step of a loop of rule {} at bit {} ({} bits, {} outputs{}): {} is said to be {}, but is {}",
                      subject_.module().rules[b.rule].name, s.bit, s.bits, s.outputs, followed ? "" : ", the last",
                      fact, claimed, is)};
    };
    if (b.max_bits && s.bits > *b.max_bits) broken("max_bits", *b.max_bits, s.bits);
    if (b.max_outputs && s.outputs > *b.max_outputs) broken("max_outputs", *b.max_outputs, s.outputs);
    if (s.bits < b.min_bits_any) broken("min_bits_any", b.min_bits_any, s.bits);
    if (s.outputs < b.min_outputs_any) broken("min_outputs_any", b.min_outputs_any, s.outputs);
    if (r.first) firsts[r.loop].steps.push_back(s);
    if (!followed) return;
    if (s.bits < b.min_bits) broken("min_bits", b.min_bits, s.bits);
    if (s.outputs < b.min_outputs) broken("min_outputs", b.min_outputs, s.outputs);
    const analysis::Boundaries& boundaries = r.loop->boundaries;
    if (boundaries.kind == analysis::Boundaries::Kind::Fixed && s.bits != boundaries.max_bits)
      broken("the fixed size", boundaries.max_bits, s.bits);
    if (boundaries.kind == analysis::Boundaries::Kind::FirstByte) {
      if (s.bits > boundaries.max_bits || s.bits % 8 != 0) broken("the largest size", boundaries.max_bits, s.bits);
      if (s.bit % 8 == 0 && s.bit / 8 < in_.size() && !s.backward) {
        const auto [at, fresh] = r.lengths.try_emplace(in_[s.bit / 8], s.bits);
        if (!fresh && at->second != s.bits) broken("the size that the first byte tells", at->second, s.bits);
      }
    }
  }

  void copy(const interp::TraceEvent& e) {
    const analysis::Copies& copies = subject_.facts().copies;
    if (copies.reach && e.value > *copies.reach)
      finding_ = {"fact", fmt::format("a copy reaches back {}, more than {}", e.value, *copies.reach)};
    if (copies.longest && e.count > *copies.longest)
      finding_ = {"fact", fmt::format("a copy has length {}, more than {}", e.count, *copies.longest)};
    if (!copies.may_overlap && e.count > e.value)
      finding_ = {"fact", fmt::format("a copy of {} from {} back overlaps itself", e.count, e.value)};
  }

  const Instrumented& subject_;
  std::span<const std::uint8_t> in_;
  std::vector<Running> running_;
  std::uint64_t events_ = 0;
  Finding finding_;
};

// Steps of position-only loops at the same place of two inputs that differ only in front of it, inside the loop.
Finding compare(const Instrumented& subject, Run& one, Run& other, std::uint64_t changed_from,
                std::uint64_t changed_to) {
  for (const auto& [loop, a] : one.firsts) {
    const auto at = other.firsts.find(loop);
    if (!loop->dependence.position_only || at == other.firsts.end()) continue;
    const Execution& b = at->second;
    // What the loop does not change is only the same when nothing in front of it is another.
    if (a.entry != b.entry || a.entry > changed_from) continue;
    // Of a region that is read from its end, what is in front is what comes next.
    if (std::any_of(b.steps.begin(), b.steps.end(), [](const Step& s) { return s.backward; })) continue;
    // A place where several steps begin, since some of them read nothing, tells nothing. Counted loops know the number
    // of the step as well.
    const bool counted = loop->budget.loop->loop == ir::LoopKind::Times;
    std::map<std::uint64_t, std::pair<Step, std::size_t>> steps;
    std::map<std::uint64_t, unsigned> often;
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
      steps.emplace(a.steps[i].bit, std::pair(a.steps[i], i));
      ++often[a.steps[i].bit];
    }
    for (const Step& s : b.steps) often[s.bit] += 16;
    for (std::size_t i = 0; i + 1 < b.steps.size(); ++i) {
      const Step& s = b.steps[i];
      const auto found = steps.find(s.bit);
      if (s.bit < changed_to || found == steps.end() || found->second.second + 1 == a.steps.size() ||
          often[s.bit] != 17)
        continue;
      if (counted && found->second.second != i) continue;
      const Step* same = &found->second.first;
      if (same->bits != s.bits)
        return {
            "fact",
            fmt::format(
                "a loop of rule {} is position-only, but its step at bit {} has {} bits or {}, by what stands before",
                subject.module().rules[loop->budget.rule].name, s.bit, same->bits, s.bits)};
      if (loop->dependence.outputs_position_only && same->outputs != s.outputs)
        return {"fact", fmt::format("a loop of rule {} has outputs by position only, but its step at bit {} makes {} "
                                    "or {}, by what stands before",
                                    subject.module().rules[loop->budget.rule].name, s.bit, same->outputs, s.outputs)};
    }
  }
  return {};
}

}  // namespace

Finding check_facts(const ir::Module& module, std::span<const Bytes> inputs, Random random) {
  auto copy = ir::read(ir::print(module), nullptr);
  if (!copy) return {};
  const Instrumented subject(std::move(*copy));
  Bytes out(kRoom * (module.output.bits / 8u));
  bool positional = false;
  for (const analysis::LoopFacts& loop : subject.facts().loops) positional |= loop.dependence.position_only;
  for (const Bytes& input : inputs) {
    Run plain(subject, input);
    if (Finding finding = plain.go(out); finding.any()) return finding;
    if (!positional || input.size() < 3) continue;
    for (int i = 0; i < 3; ++i) {
      Bytes changed = input;
      const std::size_t at = random.below(changed.size());
      changed[at] = static_cast<std::uint8_t>(changed[at] + 1 + random.below(255));
      Run again(subject, changed);
      if (Finding finding = again.go(out); finding.any()) return finding;
      if (Finding finding = compare(subject, plain, again, 8 * at, 8 * (at + 1)); finding.any()) return finding;
    }
  }
  return {};
}

}  // namespace sluice::fuzz
