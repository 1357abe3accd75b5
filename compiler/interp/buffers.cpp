// Buffers, the stages that transform them, and byte strings read from the input.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "compiler/interp/machine.h"

namespace sluice::interp {
namespace {

// Four equal elements in a row are followed by the number of more of the same.
constexpr unsigned kRunHead = 4;

// Walks the elements as `emit runs` reads them; visit(value, times). False: the last run lacks its count.
template <typename Visit>
bool expand_runs(const std::vector<std::uint64_t>& elements, const Visit& visit) {
  unsigned equal = 0;
  std::uint64_t last = 0;
  for (const std::uint64_t element : elements) {
    if (equal == kRunHead) {
      visit(last, static_cast<std::uint8_t>(element));
      equal = 0;
      continue;
    }
    equal = equal != 0 && element == last ? equal + 1 : 1;
    last = element;
    visit(element, 1);
  }
  return equal != kRunHead;
}

// Output i of the buffer's bytes, of which those of elements of `size` bytes lie apart: all first ones, then all second ones.
std::uint64_t unshuffled(const std::vector<std::uint64_t>& elements, std::uint64_t size, std::uint64_t i) {
  const std::uint64_t whole = elements.size() / size;
  return i < whole * size ? elements[i % size * whole + i / size] : elements[i];
}

// Likewise of bits: each of the 8 * size bits of an element lies with that of seven others in a byte.
std::uint64_t bit_unshuffled(const std::vector<std::uint64_t>& elements, std::uint64_t size, std::uint64_t i) {
  const std::uint64_t whole = elements.size() / size / 8 * 8;
  if (i >= whole * size) return elements[i];
  const std::uint64_t element = i / size, byte = i % size;
  std::uint64_t value = 0;
  for (std::uint64_t bit = 0; bit < 8; ++bit) {
    const std::uint64_t packed = elements[((8 * byte + bit) * whole + element) / 8];
    value |= (packed >> (element % 8) & 1) << bit;
  }
  return value;
}

}  // namespace

Machine::Flow Machine::into(const ir::Stmt& s) {
  if (filling_ != nullptr || further_open_ != ir::Stmt::kNoSlot) {
    broken();
    return Flow::Fail;
  }
  if (tracer_) trace({.kind = TraceEvent::Kind::Into, .name = s.further ? module_.outputs[s.ref].name : module_.buffers[s.ref].name}, &s);
  if (s.further) return into_output(s);
  filling_ = &buffers_[s.ref];
  filling_->clear();
  const std::uint64_t limit = module_.buffers[s.ref].limit;
  return redirected(s, module_.buffers[s.ref].name, limit, limit, [&] { filling_ = nullptr; });
}

// As a chunk's own output, from what is there on: its room is the caller's, and nothing is promised. What was made before a
// refusal is counted, as it is of the chunk's own.
Machine::Flow Machine::into_output(const ir::Stmt& s) {
  const Room room = s.ref < job_.further.size() ? job_.further[s.ref] : Room{};
  const std::uint64_t here = further_[s.ref], bytes = module_.outputs[s.ref].type.bits / 8u;
  const std::uint64_t most = plan_ != nullptr ? std::min(job_.capacity_elements, ir::kMaxCapacity)
                                              : std::min({room.capacity_elements, room.out.size() / bytes, ir::kMaxCapacity});
  const auto out = std::exchange(out_, plan_ != nullptr ? room.out : room.out.subspan(here * bytes));
  const ir::Type element = std::exchange(element_, module_.outputs[s.ref].type);
  further_open_ = s.ref;
  return redirected(s, module_.outputs[s.ref].name, most - here, kNoPromise, [&] {
    further_open_ = ir::Stmt::kNoSlot;
    further_[s.ref] += produced_;
    out_ = out;
    element_ = element;
  });
}

// The block of an Into, whose output is called `name`: it counts, looks back and is limited for itself. `close` ends it; then what
// stands around it is as it was, after a failure, too, for `produced` of the result counts the chunk's output.
Machine::Flow Machine::redirected(const ir::Stmt& s, std::string_view name, std::uint64_t limit, std::uint64_t promised,
                                  const std::function<void()>& close) {
  const std::uint64_t outer_produced = std::exchange(produced_, 0), outer_window = std::exchange(window_start_, 0);
  const std::uint64_t outer_limit = std::exchange(limit_, limit), outer_promised = std::exchange(promised_, promised);
  const std::uint64_t outer_dictionary = std::exchange(dictionary_before_, 0);
  const Flow flow = block(s.body);
  if (tracer_ && flow == Flow::Next) trace({.kind = TraceEvent::Kind::Filled, .name = name, .count = produced_}, &s);
  close();
  produced_ = outer_produced;
  window_start_ = outer_window;
  limit_ = outer_limit;
  promised_ = outer_promised;
  dictionary_before_ = outer_dictionary;
  return flow;
}

Machine::Flow Machine::stage(const ir::Stmt& s) {
  Elements& elements = buffers_[s.ref];
  if (&elements == filling_) {
    broken();
    return Flow::Fail;
  }
  bool good = true;
  switch (s.stage) {
    case ir::StageKind::InverseMtf: good = inverse_mtf(s, elements); break;
    case ir::StageKind::InverseBwt: good = inverse_bwt(eval(s.a), elements); break;
    case ir::StageKind::PrefixSum: {
      std::uint64_t sum = s.a ? eval(s.a) : 0;
      for (std::uint64_t& element : elements) element = extend(sum += element, module_.output);
      break;
    }
    case ir::StageKind::Add: {
      const std::uint64_t base = eval(s.a);
      for (std::uint64_t& element : elements) element = extend(element + base, module_.output);
      break;
    }
    case ir::StageKind::Gather: {
      const Elements& from = buffers_[s.array];
      for (std::uint64_t& element : elements) {
        good = good && unsigned_of(element) < from.size();
        element = good ? from[unsigned_of(element)] : 0;
      }
      break;
    }
  }
  if (broken_ || !good) return fail(s.sites[0], in_.position());
  if (tracer_) trace({.kind = TraceEvent::Kind::Stage, .name = module_.buffers[s.ref].name, .count = elements.size()}, &s);
  return Flow::Next;
}

bool Machine::inverse_mtf(const ir::Stmt& s, Elements& elements) {
  Elements list(256);
  if (s.array == ir::Stmt::kNoSlot) {
    std::iota(list.begin(), list.end(), 0);
  } else {
    const std::uint64_t count = eval(s.b);
    if (count > arrays_[s.array].size()) {
      broken();
      return false;
    }
    list.assign(arrays_[s.array].begin(), arrays_[s.array].begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (std::uint64_t& value : list) value = extend(value, module_.output);
  for (std::uint64_t& element : elements) {
    if (unsigned_of(element) >= list.size()) return false;
    const auto found = list.begin() + static_cast<std::ptrdiff_t>(unsigned_of(element));
    element = *found;
    std::rotate(list.begin(), found, found + 1);
  }
  return true;
}

// next[] sorts the column, equal elements in their order; the original is the walk from `origin` along it.
bool Machine::inverse_bwt(std::uint64_t origin, Elements& elements) const {
  if (origin >= elements.size()) return false;
  std::array<std::uint64_t, 257> place{};  // by byte: where the next one goes; before that: counts, one further on
  const auto byte = [&](std::uint64_t element) { return static_cast<std::uint8_t>(unsigned_of(element)); };
  for (const std::uint64_t element : elements) ++place[byte(element) + 1u];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint64_t> next(elements.size());
  for (std::uint64_t i = 0; i < elements.size(); ++i) next[place[byte(elements[i])]++] = i;
  const Elements column = elements;
  std::uint64_t row = next[origin];
  for (std::uint64_t& element : elements) {
    element = column[row];
    row = next[row];
  }
  return true;
}

Machine::Flow Machine::emit_buffer(const ir::Stmt& s) {
  const Elements& elements = buffers_[s.ref];
  if (&elements == filling_) {
    broken();
    return Flow::Fail;
  }
  const bool runs = s.form == ir::BufferForm::Runs;
  std::uint64_t size = elements.size();
  if (runs) {
    size = 0;
    if (!expand_runs(elements, [&](std::uint64_t, std::uint64_t times) { size += times; })) {
      return fail(s.sites[1], in_.position());
    }
  }
  const bool slice = s.form == ir::BufferForm::Slice;
  const std::uint64_t from = slice ? eval(s.a) : 0;
  if (slice) {
    size = eval(s.b);
    if (from > elements.size() || size > elements.size() - from) {
      broken();
      return Flow::Fail;
    }
  }
  if (!has_room(size)) return full(s.sites[0], in_.position(), runs ? 1 : size);
  if (tracer_) {
    trace({.kind = TraceEvent::Kind::Buffer, .name = module_.buffers[s.ref].name, .value = slice ? from : elements.size(),
           .count = size}, &s);
  }
  if (slice) {
    for (std::uint64_t i = 0; i < size; ++i) put(elements[from + i]);
  } else if (s.a) {
    const std::uint64_t bytes = eval(s.a);
    if (bytes == 0) {
      broken();
      return Flow::Fail;
    }
    for (std::uint64_t i = 0; i < size; ++i)
      put(s.form == ir::BufferForm::Unshuffled ? unshuffled(elements, bytes, i) : bit_unshuffled(elements, bytes, i));
  } else if (runs) {
    expand_runs(elements, [&](std::uint64_t value, std::uint64_t times) {
      for (std::uint64_t i = 0; i < times; ++i) put(value);
    });
  } else {
    for (const std::uint64_t element : elements) put(element);
  }
  return Flow::Next;
}

Machine::Flow Machine::read_symbol(const ir::Stmt& s) {
  const std::uint64_t start = in_.position(), entry = eval(s.a), bytes = eval(s.b);
  if (entry >= symbols_[s.ref].size() || bytes < 1 || bytes > ir::kMaxSymbolBytes ||
      (!in_.aligned() && in_.left() > 0)) {
    broken();
    return Flow::Fail;
  }
  if (bytes > in_.left() / 8) return fail(s.sites[0], start);
  std::vector<std::uint8_t>& text = symbols_[s.ref][entry];
  text.clear();
  for (std::uint64_t i = 0; i < bytes; ++i) text.push_back(static_cast<std::uint8_t>(in_.bits(8)));
  if (tracer_) {
    trace({.kind = TraceEvent::Kind::Symbol, .name = module_.symbols[s.ref].name, .bit = start,
           .bits = in_.position() - start, .value = entry, .count = bytes}, &s);
  }
  return Flow::Next;
}

Machine::Flow Machine::emit_symbol(const ir::Stmt& s) {
  const std::uint64_t entry = eval(s.a);
  if (entry >= symbols_[s.ref].size()) {
    broken();
    return Flow::Fail;
  }
  const std::vector<std::uint8_t>& text = symbols_[s.ref][entry];
  if (text.empty()) return fail(s.sites[0], in_.position());
  if (!has_room(text.size())) return full(s.sites[1], in_.position());
  if (tracer_) {
    trace({.kind = TraceEvent::Kind::Symbol, .name = module_.symbols[s.ref].name, .value = entry, .count = text.size()}, &s);
  }
  for (const std::uint8_t byte : text) put(byte);
  return Flow::Next;
}

}  // namespace sluice::interp
