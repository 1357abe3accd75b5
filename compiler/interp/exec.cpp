// Statements other than output: fields, state, control and regions.
#include <algorithm>

#include "compiler/interp/machine.h"

namespace sluice::interp {

using Kind = ir::Stmt::Kind;

Machine::Flow Machine::fail(ir::SiteId site, std::uint64_t bit) {
  if (site == ir::kNoSite) broken();
  failed_site_ = site;
  failed_bit_ = bit;
  failed_depth_ = depth_;
  return Flow::Fail;
}

Machine::Flow Machine::full(ir::SiteId site, std::uint64_t bit, std::uint64_t n) {
  no_room_ = limit_ < promised_ && n <= promised_ - produced_;
  return fail(site, bit);
}

void Machine::set_local(std::uint32_t slot, std::uint64_t value) {
  local(slot) = extend(value, module_.rules[rule_].slots[slot].type);
}

Machine::Flow Machine::block(const ir::Block& statements) {
  for (const auto& s : statements) {
    const Flow flow = statement(*s);
    if (broken_) return Flow::Fail;
    if (flow != Flow::Next) return flow;
    if (job_.stop != nullptr && *job_.stop) return Flow::Accept;
  }
  return Flow::Next;
}

Machine::Flow Machine::statement(const ir::Stmt& s) {
  const std::uint64_t start = in_.position();
  switch (s.kind) {
    case Kind::Read: return read(s);
    case Kind::SetLocal:
    case Kind::SetGlobal:
    case Kind::SetElem: return assign(s);
    case Kind::Emit: return emit(s);
    case Kind::Literals: return literals(s);
    case Kind::Run: return run_values(s);
    case Kind::Copy: return copy(s);
    case Kind::BuildCode: return build_code(s);
    case Kind::BuildStates: return build_states(s);
    case Kind::If: return block(eval(s.a) != 0 ? s.body : s.orelse);
    case Kind::Loop: return loop(s);
    case Kind::Stop: return Flow::Stop;
    case Kind::Reject: return fail(s.sites[0], start);
    case Kind::Accept:
      if (tracer_) trace({.kind = TraceEvent::Kind::Accept, .name = s.name}, &s);
      return Flow::Accept;
    case Kind::Check: {
      if (plan_ != nullptr && plan_->skipped.contains(&s)) return Flow::Next;
      return eval(s.a) != 0 ? Flow::Next : fail(s.sites[0], start);
    }
    case Kind::Call: return call(s);
    case Kind::Return: result_ = s.a ? eval(s.a) : 0; return Flow::Return;
    case Kind::Within: return within(s);
    case Kind::Producing: return producing(s);
    case Kind::Mark: marks_[s.ref] = {start, produced_, in_.backward()}; return Flow::Next;
    case Kind::NewWindow:
      window_start_ = produced_;
      dictionary_before_ = s.flag && module_.has_dictionary ? job_.dictionary.size() : 0;
      if (s.a) dictionary_before_ = std::min(dictionary_before_, eval(s.a));
      return Flow::Next;
    case Kind::Align: return align(s);
    case Kind::Skip: return skip(s);
    case Kind::Into: return into(s);
    case Kind::Stage: return stage(s);
    case Kind::EmitBuffer: return emit_buffer(s);
    case Kind::ReadSymbol: return read_symbol(s);
    case Kind::EmitSymbol: return emit_symbol(s);
  }
  return Flow::Fail;
}

Machine::Flow Machine::read(const ir::Stmt& s) {
  const std::uint64_t start = in_.position();
  const bool whole_bytes = s.read.order != ir::ReadSpec::Order::Stream;
  if (whole_bytes && s.sites[2] != ir::kNoSite && !in_.aligned()) return fail(s.sites[2], start);
  const std::optional<std::uint64_t> value = read_value(s.read, s.sites);
  if (!value) return Flow::Fail;
  if (s.slot != ir::Stmt::kNoSlot) set_local(s.slot, *value);
  if (tracer_) {
    trace({.kind = TraceEvent::Kind::Field, .name = s.name, .bit = start, .bits = in_.taken_since(start),
           .value = *value, .type = s.read.type}, &s);
  }
  return Flow::Next;
}

Machine::Flow Machine::assign(const ir::Stmt& s) {
  TraceEvent event{.kind = TraceEvent::Kind::Let, .name = s.name};
  if (s.kind == Kind::SetLocal) {
    event.type = module_.rules[rule_].slots[s.slot].type;
    event.value = extend(eval(s.a), event.type);
    local(s.slot) = event.value;
  } else if (s.kind == Kind::SetGlobal) {
    event.type = module_.globals[s.ref].type;
    event.value = extend(eval(s.a), event.type);
    globals_[s.ref] = event.value;
  } else {
    event.type = module_.arrays[s.ref].elem;
    event.count = eval(s.a);
    event.value = extend(eval(s.b), event.type);
    if (event.count >= arrays_[s.ref].size()) {
      broken();
      return Flow::Fail;
    }
    arrays_[s.ref][event.count] = event.value;
  }
  if (tracer_) trace(event, &s);
  return Flow::Next;
}

Machine::Flow Machine::build_code(const ir::Stmt& s) {
  const std::vector<std::uint64_t>& source = s.from_table ? module_.tables[s.array].values : arrays_[s.array];
  const std::uint64_t copy = s.d ? eval(s.d) : 0, first = s.a ? eval(s.a) : 0;
  const std::uint64_t count = s.b ? eval(s.b) : source.size() - std::min<std::uint64_t>(first, source.size());
  const ir::Code& code = module_.codes[s.ref];
  if (copy >= code.copies || count > code.symbols || count > source.size() || first > source.size() - count) {
    broken();
    return Flow::Fail;
  }
  PrefixCode& built = codes_[s.ref][copy];
  switch (built.build(std::span(source).subspan(first, count), code.incomplete)) {
    case PrefixCode::Built::Oversubscribed: return fail(s.sites[0], in_.position());
    case PrefixCode::Built::Incomplete: return fail(s.sites[1], in_.position());
    case PrefixCode::Built::Ok: break;
  }
  if (tracer_) {
    trace({.kind = TraceEvent::Kind::Build, .name = code.name, .value = built.symbols_with_code(), .count = count}, &s);
  }
  return Flow::Next;
}

Machine::Flow Machine::loop(const ir::Stmt& s) {
  const bool counted = s.loop == ir::LoopKind::Times || s.loop == ir::LoopKind::UntilOutputs;
  const std::uint64_t bound = counted ? eval(s.a) : 0, output = produced_;
  for (std::uint64_t step = 0;; ++step) {
    switch (s.loop) {
      case ir::LoopKind::Forever: break;
      case ir::LoopKind::UntilEnd:
        if (in_.left() == 0) return Flow::Next;
        break;
      case ir::LoopKind::UntilOutputs:
        if (produced_ - output >= bound) return Flow::Next;
        break;
      case ir::LoopKind::UntilCond:
        if (eval(s.a) != 0) return Flow::Next;
        break;
      case ir::LoopKind::Times:
        if (step >= bound) return Flow::Next;
        if (s.slot != ir::Stmt::kNoSlot) set_local(s.slot, step);
        break;
    }
    const std::uint64_t step_bit = in_.position(), step_output = produced_;
    const Flow flow = block(s.body);
    if (broken_) return Flow::Fail;
    if (flow == Flow::Stop) return Flow::Next;
    if (flow != Flow::Next) return flow;
    const bool idle = in_.position() == step_bit && produced_ == step_output;
    if (idle && s.loop != ir::LoopKind::Times && s.sites[0] != ir::kNoSite) return fail(s.sites[0], step_bit);
  }
}

Machine::Flow Machine::call(const ir::Stmt& s) {
  const ir::Rule& callee = module_.rules[s.ref];
  std::vector<std::uint64_t> values;
  for (const auto& arg : s.args) values.push_back(eval(arg));
  const std::size_t caller_frame = frame_;
  const std::uint32_t caller = rule_;
  frame_ = slots_.size();
  slots_.resize(frame_ + callee.slots.size(), 0);
  rule_ = s.ref;
  ++depth_;
  for (std::uint32_t i = 0; i < values.size(); ++i) set_local(i, values[i]);
  if (tracer_) trace({.kind = TraceEvent::Kind::Enter, .name = callee.name}, &s);
  result_ = 0;
  const Flow flow = block(callee.body);
  const bool done = flow == Flow::Next || flow == Flow::Return;
  const std::uint64_t result = result_;
  if (done && tracer_) {
    trace({.kind = TraceEvent::Kind::Leave, .name = callee.name, .value = result,
           .type = callee.result.value_or(ir::kU64)}, &s);
  }
  slots_.resize(frame_);
  frame_ = caller_frame;
  rule_ = caller;
  --depth_;
  if (!done) return flow;
  if (s.slot != ir::Stmt::kNoSlot) set_local(s.slot, extend(result, callee.result.value_or(ir::kU64)));
  return Flow::Next;
}

Machine::Flow Machine::within(const ir::Stmt& s) {
  if (s.dictionary) return within_dictionary(s);
  const std::uint64_t size = eval(s.a), outer = in_.end(), unit = s.flag ? 1 : 8, here = in_.position();
  if (s.b) {
    const std::uint64_t offset = eval(s.b), mark = marks_[s.ref].bit;
    if (marks_[s.ref].backward || mark > outer || offset > (outer - mark) / unit) return fail(s.sites[0], here);
    std::uint64_t& read = elsewhere_[&s];
    const std::uint64_t from = mark + unit * offset;
    if (size > (outer - from) / unit || unit * size > 8 * job_.in.size() - read) return fail(s.sites[0], here);
    read += unit * size;
    in_.move_to(from);
  }
  if (size > in_.left() / unit) return fail(s.sites[0], in_.position());
  if (tracer_) trace({.kind = TraceEvent::Kind::Region, .name = s.name, .count = size}, &s);
  const std::uint64_t end = in_.position() + unit * size;
  const BitReader around = in_;
  if (s.backward) {
    if (!in_.turn(unit * size)) return fail(s.sites[2], end);
  } else {
    in_.set_end(end);
  }
  const Flow flow = block(s.body);
  if (flow != Flow::Next) return flow;
  if (in_.left() != 0) return fail(s.sites[1], in_.position());
  in_ = around;
  in_.move_to(s.b ? here : end);
  return Flow::Next;
}

// What goes wrong in it is told with the place there; of the input no more is consumed than what stands before.
Machine::Flow Machine::within_dictionary(const ir::Stmt& s) {
  const BitReader around = in_;
  in_ = BitReader(job_.dictionary, module_.input);
  if (tracer_) trace({.kind = TraceEvent::Kind::Region, .name = s.name, .count = job_.dictionary.size()}, &s);
  Flow flow = block(s.body);
  if (flow == Flow::Next && in_.left() != 0) flow = fail(s.sites[1], in_.position());
  in_ = around;
  failed_in_dictionary_ = flow == Flow::Fail;
  return flow;
}

Machine::Flow Machine::producing(const ir::Stmt& s) {
  const std::uint64_t wanted = eval(s.a), outer = limit_, outer_promised = promised_;
  if (wanted > promised_ - produced_) return fail(s.sites[0], in_.position());
  if (tracer_) trace({.kind = TraceEvent::Kind::Producing, .name = s.name, .count = wanted}, &s);
  promised_ = produced_ + wanted;
  limit_ = std::min(limit_, promised_);
  const Flow flow = block(s.body);
  if (flow != Flow::Next) return flow;
  if (produced_ != promised_) return fail(s.sites[1], in_.position());
  limit_ = outer;
  promised_ = outer_promised;
  return Flow::Next;
}

Machine::Flow Machine::align(const ir::Stmt& s) {
  const std::uint64_t start = in_.position();
  const std::uint64_t bits = std::min<std::uint64_t>((8 - start % 8) % 8, in_.left());
  const std::uint64_t skipped = in_.bits(static_cast<unsigned>(bits));
  if (s.flag && skipped != 0) {
    in_.move_to(start);
    return fail(s.sites[0], start);
  }
  if (tracer_ && bits != 0) trace({.kind = TraceEvent::Kind::Align, .bit = start, .bits = bits, .value = skipped}, &s);
  return Flow::Next;
}

Machine::Flow Machine::skip(const ir::Stmt& s) {
  const std::uint64_t start = in_.position(), bytes = eval(s.a);
  if (bytes > in_.left() / 8) return fail(s.sites[0], start);
  in_.move_to(start + 8 * bytes);
  if (tracer_) trace({.kind = TraceEvent::Kind::Skip, .bit = start, .bits = 8 * bytes, .count = bytes}, &s);
  return Flow::Next;
}

}  // namespace sluice::interp
