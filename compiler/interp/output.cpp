// Output actions: emit, literals, run, copy.
#include <algorithm>

#include "compiler/interp/machine.h"

namespace sluice::interp {

void Machine::put(std::uint64_t value) {
  if (filling_ != nullptr) {
    filling_->push_back(extend(value, element_));
  } else if (plan_ == nullptr) {
    const std::uint64_t at = produced_ * output_bytes();
    for (std::uint64_t i = 0; i < output_bytes(); ++i) out_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  ++produced_;
}

std::uint64_t Machine::stored(std::uint64_t element) const {
  if (filling_ != nullptr) return (*filling_)[element];
  std::uint64_t value = 0;
  const std::uint64_t at = element * output_bytes();
  for (std::uint64_t i = 0; i < output_bytes(); ++i) value |= std::uint64_t{out_[at + i]} << (8 * i);
  return value;
}

Machine::Flow Machine::emit(const ir::Stmt& s) {
  const std::uint64_t value = eval(s.a);
  if (!has_room(1)) return full(s.sites[0], in_.position());
  if (tracer_) trace({.kind = TraceEvent::Kind::Emit, .value = value, .type = element_, .count = 1}, &s);
  put(value);
  return Flow::Next;
}

Machine::Flow Machine::literals(const ir::Stmt& s) {
  const std::uint64_t count = eval(s.a), start = in_.position(), output = produced_;
  Flow flow = Flow::Next;
  for (std::uint64_t i = 0; i < count && flow == Flow::Next; ++i) {
    const std::uint64_t element = in_.position();
    const std::optional<std::uint64_t> value = read_value(s.read, s.sites);
    if (!value) {
      flow = Flow::Fail;
    } else if (!has_room(1)) {
      in_.move_to(element);
      flow = full(s.sites[2], element);
    } else {
      put(*value);
    }
  }
  if (tracer_ && produced_ != output) {
    trace({.kind = TraceEvent::Kind::Literals, .bit = start, .bits = in_.taken_since(start), .type = s.read.type,
           .output = output, .count = produced_ - output}, &s);
  }
  return flow;
}

Machine::Flow Machine::run_values(const ir::Stmt& s) {
  std::uint64_t value = eval(s.a);
  const std::uint64_t count = eval(s.b), step = s.c ? eval(s.c) : 0;
  if (!has_room(count)) return full(s.sites[0], in_.position(), count);
  if (tracer_) trace({.kind = TraceEvent::Kind::Run, .value = value, .type = element_, .count = count}, &s);
  if (!stores()) {
    produced_ += count;
    return Flow::Next;
  }
  for (std::uint64_t i = 0; i < count; ++i, value += step) put(value);
  return Flow::Next;
}

Machine::Flow Machine::copy(const ir::Stmt& s) {
  const std::uint64_t distance = eval(s.a), length = eval(s.b);
  const std::uint64_t history = produced_ - window_start_ + dictionary_before_;
  if (distance == 0 || distance > history || (module_.window != 0 && distance > module_.window)) {
    return fail(s.sites[0], in_.position());
  }
  if (!has_room(length)) return full(s.sites[1], in_.position(), length);
  if (tracer_) trace({.kind = TraceEvent::Kind::Copy, .value = distance, .type = ir::kU64, .count = length}, &s);
  if (!stores()) {
    produced_ += length;
    return Flow::Next;
  }
  for (std::uint64_t i = 0; i < length; ++i) {  // one by one: a copy may read what it has just written
    const std::uint64_t back = produced_ - window_start_;  // outputs in the window
    put(distance <= back ? stored(produced_ - distance) : job_.dictionary[job_.dictionary.size() - (distance - back)]);
  }
  return Flow::Next;
}

}  // namespace sluice::interp
