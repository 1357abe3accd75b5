#include "compiler/emit/checked.h"

#include <algorithm>

#include "compiler/plan/lower.h"

namespace sluice::emit {

using ir::Stmt;
using K = Stmt::Kind;

CheckedPath::CheckedPath(const Context& context, const plan::Plan& plan)
    : context_(context), elements_(context.module), plan_(plan), printer_(context_, *this) {
  for (const plan::CheckedRule& r : plan.checked)
    for (const plan::CheckedStep& s : r.steps) {
      forms_.emplace(&plan::statement_at(context.module.rules[r.rule], s.path), &s);
      if (const auto* loop = std::get_if<plan::CheckedLoop>(&s.what); loop != nullptr && loop->started) started_.insert(r.rule);
    }
  for (const plan::Loop& l : plan.loops)
    if (l.form != plan::LoopForm::Checked) loops_.emplace(l.number, &l);
}

void CheckedPath::write_rules(Writer& w) {
  const auto each = [&](auto write) {
    bool any = false;
    for (const plan::CheckedRule& r : plan_.checked)
      if (r.path.empty()) write(r), any = true;
    return any;
  };
  if (!each([&](const plan::CheckedRule& r) { w.line("{};", head(r, nullptr)); })) return;
  w.line("");
  std::map<std::uint32_t, std::vector<Apart>> objects;  // but for the first one
  each([&](const plan::CheckedRule& r) {
    if (const Apart one = apart(r); one.object > 1) objects[one.object].push_back(one);
  });
  for (const auto& [object, functions] : objects) write_elsewhere(w, context_, functions);
  each([&](const plan::CheckedRule& r) { w.raw(definition(r)); });
  for (const auto& [object, functions] : objects) write_linked(w, context_, functions);
}

void write_checked_path(Writer& w, const Context& context, const plan::Plan& plan) {
  w.line("// The checked path: each rule as a function that tests every bound and names the clause that refuses.");
  CheckedPath(context, plan).write_rules(w);
}

analysis::Slots CheckedPath::slots_of(std::uint32_t r, const ir::Block& body) const {
  return analysis::slots_of(context_.module.rules[r], body, [&](const Stmt& s) { return left_out(s); });
}

// The slots that the text names, those of each type together.
void CheckedPath::declare(const analysis::Slots& slots, const std::function<bool(std::uint32_t)>& own) {
  const ir::Rule& rule = context_.module.rules[rule_];
  for (const bool is_signed : {false, true})
    for (const bool read : {true, false}) {
      std::vector<std::string> names;
      for (std::uint32_t i = 0; i < rule.slots.size(); ++i)
        if (own(i) && slots.named(i) && slots.read[i] == read && rule.slots[i].type.is_signed == is_signed)
          names.push_back(local(i) + " = 0");
      w_.declare(fmt::format("{}{}", read ? "" : "[[maybe_unused]] ", is_signed ? "i64" : "u64"), names);
    }
}

std::string CheckedPath::fail(ir::SiteId site, const std::string& at) const {
  if (core_) return "goto stuck;";  // of a walk: the step is done again, with an error's every detail
  return fmt::format("return fail(s, {}, {});", context_.site(site), at);
}

std::string CheckedPath::full(ir::SiteId site, const std::string& at, const std::string& n) const {
  if (core_) return "goto stuck;";
  return fmt::format("return full(s, {}, {}{});", context_.site(site), at, n == "1" ? "" : ", " + n);
}

Apart CheckedPath::apart(const plan::CheckedRule& of, const analysis::Slots* slots) const {
  const std::uint32_t r = of.rule;
  const ir::Rule& rule = context_.module.rules[r];
  Apart made = {context_.objects.rules.empty() ? 1 : context_.objects.rules[r], "u64", context_.rule(r), "State& s", "s"};
  const auto add = [&](const std::string& type, const std::string& name) {
    made.parameters += fmt::format(", {} {}", type, name);
    made.arguments += ", " + name;
  };
  for (std::uint32_t i = 0; i < rule.params; ++i)
    add(fmt::format("{}{}", slots && !slots->read[i] ? "[[maybe_unused]] " : "", held(rule.slots[i].type)), context_.local(r, i));
  if (rule.result) add(fmt::format("{}&", held(*rule.result)), "result");
  if (started_.contains(r)) add(fmt::format("const {}*", context_.format("prim::StreamStart")), "start");
  return made;
}

std::string CheckedPath::head(const plan::CheckedRule& of, const analysis::Slots* slots) const {
  const Apart made = apart(of, slots);
  return fmt::format("{} {} u64 {}({}{})", context_.head(true), of.once ? "SLUICE_INLINE" : "SLUICE_COLD", made.name, made.parameters,
                     started_.contains(of.rule) && slots == nullptr ? " = nullptr" : "");
}

// Of a function: its temporaries are counted from 0.
void CheckedPath::begin(std::uint32_t rule) {
  rule_ = rule;
  counter_ = 0;
  context_.element = elements_.of_rule(rule);
  w_ = Writer(context_.notes());
}

std::string CheckedPath::definition(const plan::CheckedRule& of) {
  const std::uint32_t r = of.rule;
  begin(r);
  const ir::Rule& rule = context_.module.rules[r];
  const analysis::Slots slots = slots_of(r, rule.body);
  w_.line("// {}", rule.name);
  w_.open("{} {{", head(of, &slots));
  declare(slots, [&](std::uint32_t slot) { return slot >= rule.params; });
  return finish(of, rule.body);
}

std::string CheckedPath::finish(const plan::CheckedRule& of, const ir::Block& body) {
  block(body);
  if (!of.leaves) w_.line("return kOk;");
  w_.close();
  w_.line("");
  return w_.take();
}

std::string CheckedPath::piece(std::uint32_t rule, const std::vector<std::uint32_t>& region, const std::string& head,
                               const std::vector<std::uint32_t>& own) {
  const auto of = std::ranges::find_if(
      plan_.checked, [&](const plan::CheckedRule& r) { return r.rule == rule && r.path == region; });
  const ir::Block& body = plan::statement_at(context_.module.rules[rule], region).body;
  begin(rule);
  if (!body.empty()) context_.element = elements_.of(*body.front());
  w_.open("{} {{", head);
  declare(slots_of(rule, body), [&](std::uint32_t slot) { return std::ranges::find(own, slot) != own.end(); });
  return finish(*of, body);
}

std::string CheckedPath::walk(std::uint32_t rule, const ir::Block& step, const ir::Block& core,
                          const std::vector<std::string>& at_core,
                          unsigned depth) {
  begin(rule);
  if (!step.empty()) context_.element = elements_.of(*step.front());
  w_.set_depth(depth);
  core_ = &core;
  at_core_ = at_core;
  block(step);
  core_ = nullptr;
  return w_.take();
}

void CheckedPath::block(const ir::Block& b) {
  const std::string around = w_.place();
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Stmt* s = b[i].get();
    if (const auto* stream = form<plan::StreamCall>(*s); stream != nullptr && stream->index == 0) start_streams(b, i, *stream);
    w_.at(context_.place(s->span));
    statement(*s);
  }
  w_.at(around);
}

void CheckedPath::statement(const Stmt& s) {
  const unsigned size = context_.elem_bytes();
  switch (s.kind) {
    case K::Read:
      return read(s);
    case K::SetLocal:
      return w_.line("{} = {};", local(s.slot), value(*s.a));
    case K::SetGlobal:
      return w_.line("s.{} = {};", context_.global(s.ref), value(*s.a));
    case K::SetElem:
      return w_.line("prim::set(s.m->{}, {}, ({})({}));", context_.array(s.ref), value_u64(*s.a),
                     stored(context_.module.arrays[s.ref].elem), value(*s.b));
    case K::Emit:
      return w_.line("if (prim::emit<{}, {}>(s, {})) {}", write_, size, value_u64(*s.a), full(s.sites[0]));
    case K::Literals:
      return literals(s);
    case K::Run:
      return w_.line("if (prim::run<{}, {}>(s, {}, {}, {})) {}", write_, size, value_u64(*s.a), value_u64(*s.b),
                     s.c ? value_u64(*s.c) : "0", full(s.sites[0], "s.pos", value_u64(*s.b)));
    case K::Copy: {
      const std::string r = temporary("r");
      const std::uint64_t window = context_.module.window;
      w_.line("const u32 {} = prim::copy<{}, {}>(s, {}, {}, {});", r, write_, size, value_u64(*s.a), value_u64(*s.b),
              window ? fmt::format("{}ull", window) : "~0ull");
      w_.line("if ({} == 1) {}", r, fail(s.sites[0]));
      return w_.line("if ({}) {}", r, full(s.sites[1], "s.pos", value_u64(*s.b)));
    }
    case K::BuildCode:
      return build(s);
    case K::BuildStates:
      return build_states(s);
    case K::If:
      return branches(s);
    case K::Loop:
      return loop(s);
    case K::Stop:
      return w_.line("break;");
    case K::Reject:
      return w_.line("{}", fail(s.sites[0]));
    case K::Accept:
      return w_.line("return kAccepted;");
    case K::Check:
      if (left_out(s)) return;
      return w_.line("if ({}!({})) {}", form<plan::OutputCheck>(s) == nullptr ? ""
                                        : context_.sums_in_buffers            ? "Write && !s.counting && "
                                                                              : "Write && ",
                     value(*s.a), fail(s.sites[0]));
    case K::Call:
      return call(s);
    case K::Return:
      if (s.a) w_.line("result = {};", value(*s.a));
      return w_.line("return kOk;");
    case K::Within:
    case K::Producing:
      return region(s);
    case K::Into:
      return into(s);
    case K::Stage:
      return stage(s);
    case K::EmitBuffer:
      return emit_buffer(s);
    case K::ReadSymbol: {
      const std::string i = temporary("at"), n = temporary("n"), table = "s.m->" + context_.symbols(s.ref);
      w_.line("const u64 {} = {}, {} = {};", i, value_u64(*s.a), n, value_u64(*s.b));
      w_.line("if (prim::lacks(s, 8 * {})) {}", n, fail(s.sites[0]));
      w_.line("prim::set({}.length, {}, (u8){});", table, i, n);
      return w_.line("prim::set({}.text, {}, prim::take_le(s, 8 * {}));", table, i, n);
    }
    case K::EmitSymbol: {
      const std::string r = temporary("r");
      w_.line("const u32 {} = prim::emit_symbol<{}>(s, s.m->{}, {});", r, write_, context_.symbols(s.ref),
              value_u64(*s.a));
      w_.line("if ({} == 1) {}", r, fail(s.sites[0]));
      return w_.line("if ({}) {}", r, full(s.sites[1]));
    }
    case K::Mark:
      return w_.line("s.mark_pos[{0}] = s.pos; s.mark_made[{0}] = s.produced;", s.ref);
    case K::NewWindow:
      return new_window(s);
    case K::Align: {
      if (context_.bytes()) return;
      const std::string n = temporary("n");
      w_.line("u64 {} = (8 - (s.pos & 7)) & 7;", n);
      w_.line("if ({0} > s.end - s.pos) {0} = s.end - s.pos;", n);
      if (s.flag) {
        w_.open("{");
        w_.line("State t = s;");
        w_.line("if (prim::take(t, {})) {}", n, fail(s.sites[0]));
        w_.close();
      }
      return w_.line("s.pos += {};", n);
    }
    case K::Skip: {
      const std::string n = temporary("n");
      w_.line("const u64 {} = {};", n, value_u64(*s.a));
      w_.line("if (s.left_bits() >> 3 < {}) {}", n, fail(s.sites[0]));
      return w_.line("s.pos += prim::steps<State::kInput>({});", n);
    }
  }
}

// A chain of branches is written flat: compilers limit how deep brackets may nest.
void CheckedPath::branches(const Stmt& first) {
  w_.open("if ({}) {{", value(*first.a));
  for (const Stmt* s = &first;;) {
    block(s->body);
    if (s->orelse.empty()) break;
    const Stmt& next = *s->orelse[0];
    if (s->orelse.size() > 1 || next.kind != K::If) {
      w_.next("} else {");
      block(s->orelse);
      break;
    }
    w_.next_at(context_.place(next.span), "}} else if ({}) {{", value(*next.a));
    s = &next;
  }
  w_.close();
}

void CheckedPath::loop(const Stmt& s) {
  const auto* made_of = form<plan::CheckedLoop>(s);
  const bool tokens = made_of != nullptr && made_of->tokens, watched = made_of != nullptr && made_of->watched;
  std::string bound, counter, start;
  if (made_of != nullptr && made_of->started) w_.line("prim::go_on(s, start);");
  if (s.loop == ir::LoopKind::Times || s.loop == ir::LoopKind::UntilOutputs) {
    bound = temporary("bound");
    w_.line("const u64 {} = {};", bound, value_u64(*s.a));
  }
  if (s.loop == ir::LoopKind::UntilOutputs) {
    start = temporary("start");
    w_.line("const u64 {} = s.produced;", start);
  }
  if (s.loop == ir::LoopKind::Times) {
    counter = temporary("i");
    const std::string from = symbols_first(s, bound);
    if (context_.cuda()) w_.line("SLUICE_ROLLED");
    w_.open("for (u64 {0} = {2}; {0} < {1}; ++{0}) {{", counter, bound, from);
  } else {
    w_.open("for (;;) {");
  }
  if (tokens)
    enter(*loops_.at(*made_of->tokens),
          s.loop == ir::LoopKind::Times          ? fmt::format(", {}, {}{}", counter, bound, loops_.at(*made_of->tokens)->but_last ? " - 1" : "")
          : s.loop == ir::LoopKind::UntilOutputs ? fmt::format(", {} > ~0ull - {} ? ~0ull : {} + {}", bound, start, start, bound)
                                                 : "",
          s.loop == ir::LoopKind::Times ? fmt::format("{} - {}", bound, counter) : "");
  if (s.loop == ir::LoopKind::Times) {
    if (tokens) w_.line("if ({} >= {}) break;", counter, bound);
    if (s.slot != Stmt::kNoSlot) w_.line("{} = {};", local(s.slot), counter);
  }
  if (s.loop == ir::LoopKind::UntilEnd) w_.line("if (s.pos == s.end) break;");
  if (s.loop == ir::LoopKind::UntilOutputs) w_.line("if (s.produced - {} >= {}) break;", start, bound);
  if (s.loop == ir::LoopKind::UntilCond) w_.line("if ({}) break;", value(*s.a));
  const std::string at = watched ? temporary("at") : "", made = watched ? temporary("made") : "";
  if (watched) w_.line("const u64 {} = s.pos, {} = s.produced;", at, made);
  block(s.body);
  if (watched) w_.line("if (s.pos == {} && s.produced == {}) {}", at, made, fail(s.sites[0], at));
  w_.close();
}

// Symbols that lanes read before the loop goes on: how many steps are done.
std::string CheckedPath::symbols_first(const Stmt& s, const std::string& bound) {
  const auto* of = form<plan::ReadSymbols>(s);
  if (of == nullptr) return "0";
  const std::string read = temporary("read"), table = "s.m->" + context_.symbols(of->table);
  if (of->sizes != 0) {
    w_.line("const u64 {} = prim::read_sized_symbols<{}>(s, {}, {});", read, of->sizes, table, bound);
    return read;
  }
  const auto& symbol = std::ranges::find(s.body, K::ReadSymbol, [](const auto& one) { return one->kind; });
  w_.line("const u64 {} = prim::read_symbols(s, {}, {}, {}, {}, {});", read, table, of->counter ? local(*of->counter) : "0", bound,
          value_u64(*(*symbol)->b), of->most);
  if (of->counter) w_.line("{0} = {0} + {1};", local(*of->counter), read);
  return read;
}

// A token loop's function takes what it can. `steps`: how far the loop has come, and where it ends; `left`: steps until then, where
// they are counted, as they are in loops whose steps lanes do side by side.
void CheckedPath::enter(const plan::Loop& loop, const std::string& steps, const std::string& left) {
  std::string args;
  for (const std::uint32_t slot : loop.captures) args += ", " + local(slot);
  for (const std::uint32_t slot : loop.carried) args += ", " + local(slot);
  const std::string name = loop_name(context_, loop);
  if (context_.in_pairs(loop)) return w_.line("if (!{0} || !prim::in_pair<{1}>(s, {2})) {3}<{0}>(s);", write_, loop.number, pair_name(context_, loop), name);
  const std::string worth = loop.form == plan::LoopForm::SideBySide ? context_.format("prim::worth_lanes({})", left) : "";
  if (loop.counts && worth.empty()) w_.line("{}<{}>(s{}{});", name, write_, args, steps);
  else if (loop.counts) w_.line("if ({}) {}<{}>(s{}{});", worth, name, write_, args, steps);
  else if (worth.empty()) w_.line("if ({}) {}(s{}{});", write_, name, args, steps);
  else w_.line("if ({} && {}) {}(s{}{});", write_, worth, name, args, steps);
}

void CheckedPath::call(const Stmt& s) {
  const ir::Rule& rule = context_.module.rules[s.ref];
  std::string args;
  for (std::size_t i = 0; i < s.args.size(); ++i)
    args += ", " + (rule.slots[i].type.is_signed ? fmt::format("(i64)({})", value(*s.args[i])) : value_u64(*s.args[i]));
  std::string result;
  if (rule.result) {
    result = temporary("result");
    w_.line("{} {} = 0;", held(*rule.result), result);
    args += ", " + result;
  }
  if (const auto* stream = form<plan::StreamCall>(s)) args += fmt::format(", &{}[{}]", starts_, stream->index);
  const std::string r = temporary("r");
  w_.line("const u64 {} = {}<{}>(s{});", r, context_.rule(s.ref), write_, args);
  w_.line("if (SLUICE_UNLIKELY({0})) return {0};", r);
  if (rule.result && s.slot != Stmt::kNoSlot) w_.line("{} = {};", local(s.slot), result);
}

// Output goes to a buffer: in count mode too, for later stages read it.
void CheckedPath::into(const Stmt& s) {
  if (s.further) return into_output(s);
  if (form<plan::ViewOfInput>(s) != nullptr) return view(s);
  const std::string outer = temporary("outer"), kept = write_;
  w_.open("{");
  w_.line("const prim::Sink {} = prim::divert(s, s.m->{}, {});", outer, context_.buffer(s.ref),
          context_.module.buffers[s.ref].limit);
  write_ = "true";
  block(s.body);
  write_ = kept;
  w_.line("s.buffer_count[{}] = s.produced;", s.ref);
  w_.line("prim::restore(s, {});", outer);
  w_.close();
}

void CheckedPath::emit_buffer(const Stmt& s) {
  const std::string r = temporary("r"), count = fmt::format("s.buffer_count[{}]", s.ref), buffer = context_.buffer_start(s.ref, "s.m");
  const unsigned size = context_.elem_bytes();
  std::string made, most = s.form == ir::BufferForm::Runs ? "1" : count;
  switch (s.form) {
    case ir::BufferForm::Slice:
      most = temporary("n");
      w_.line("const u64 {} = {};", most, value_u64(*s.b));
      made = context_.format("prim::emit_all<{}, {}>(s, {} + {}, {})", write_, size, buffer, times("(" + value_u64(*s.a) + ")", size), most);
      break;
    case ir::BufferForm::All:
      made = context_.format("prim::emit_all<{}, {}>(s, {}, {})", write_, size, buffer, count);
      break;
    case ir::BufferForm::Runs:
      made = context_.format("prim::emit_runs<{}, {}>(s, {}, {})", write_, size, buffer, count);
      break;
    case ir::BufferForm::Unshuffled:
      made = context_.format("prim::emit_unshuffled<{}>(s, {}, {}, {})", write_, buffer, count, value_u64(*s.a));
      break;
    case ir::BufferForm::BitUnshuffled:
      made = context_.format("prim::emit_bit_unshuffled<{}>(s, {}, {}, {})", write_, buffer, count, value_u64(*s.a));
      break;
  }
  w_.line("const u32 {} = {};", r, made);
  const bool runs = s.form == ir::BufferForm::Runs;
  if (runs) w_.line("if ({} == 2) {}", r, fail(s.sites[1]));
  w_.line("if ({}) {}", r, full(s.sites[0], "s.pos", most));
}

// The bytes stay where they are. As many as there are and have room are taken before a refusal.
void CheckedPath::view(const Stmt& s) {
  const Stmt& literals = *s.body.front();
  const std::string n = temporary("n"), have = temporary("have"), room = std::to_string(context_.module.buffers[s.ref].limit);
  w_.open("{");
  w_.line("const u64 {} = {}, {} = s.end - s.pos;", n, value_u64(*literals.a), have);
  w_.line("s.buffer_from[{}] = s.pos;", s.ref);
  w_.line("s.pos += {0} < {1} ? ({0} < {2} ? {0} : {2}) : ({1} < {2} ? {1} : {2});", n, have, room);
  w_.line("if ({} > {} && {} <= {}) {}", n, have, have, room, fail(literals.sites[0]));
  w_.line("if ({} > {}) {}", n, room, fail(literals.sites[2]));
  w_.line("s.buffer_count[{}] = {};", s.ref, n);
  w_.close();
}

// note [lent room] of plan/memory.h. A chunk that is refused needs nothing of what waits.
void CheckedPath::permute(const std::string& stage, const Stmt& s) {
  if (!context_.lends_room) return w_.line("if ({}) {}", stage, fail(s.sites[0]));
  w_.line("prim::lend_room(s.m->waiting);");
  w_.line("if ({}) {}", stage, fail(s.sites[0]));
  w_.line("prim::take_room_back(s.m->waiting);");
}

void CheckedPath::stage(const Stmt& s) {
  const unsigned size = context_.elem_bytes();
  const std::string buffer = "s.m->" + context_.buffer(s.ref), count = fmt::format("s.buffer_count[{}]", s.ref);
  const auto optional = [&](const ir::ExprPtr& e) { return e ? value_u64(*e) : std::string("0"); };
  switch (s.stage) {
    case ir::StageKind::InverseMtf:
      if (s.array == Stmt::kNoSlot) {
        w_.line("prim::first_list(s.m->mtf_list);");
        permute(context_.format("prim::inverse_mtf({}, {}, s.m->mtf_list, 256)", buffer, count), s);
      } else {
        const std::string n = temporary("n");
        w_.line("const u64 {} = {};", n, value_u64(*s.b));
        w_.line("prim::first_list(s.m->mtf_list, s.m->{}, {});", context_.array(s.array), n);
        permute(context_.format("prim::inverse_mtf({0}, {1}, s.m->mtf_list, {2} < 256 ? {2} : 256)", buffer, count, n), s);
      }
      return;
    case ir::StageKind::InverseBwt:
      return permute(context_.format("prim::inverse_bwt({}, {}, {}, s.m->bwt_links, s.m->bwt_text)", buffer, count, value_u64(*s.a)), s);
    case ir::StageKind::PrefixSum:
      return w_.line("prim::prefix_sum<{}>({}, {}, {});", size, buffer, count, optional(s.a));
    case ir::StageKind::Add:
      return w_.line("prim::add_each<{}>({}, {}, {});", size, buffer, count, optional(s.a));
    case ir::StageKind::Gather:
      return w_.line("if (prim::gather<{}>({}, {}, s.m->{}, s.buffer_count[{}])) {}", size, buffer, count,
                     context_.buffer(s.array), s.array, fail(s.sites[0]));
  }
}

}  // namespace sluice::emit
