#include "compiler/emit/careful.h"

#include <algorithm>

namespace sluice::emit {
namespace {

using ir::Op;
using ir::ReadSpec;
using ir::Stmt;
using K = Stmt::Kind;

const char* algorithm(ir::Algo a) {
  switch (a) {
    case ir::Algo::Adler32:
      return "prim::adler32";
    case ir::Algo::Crc32:
      return "prim::crc32";
    case ir::Algo::Crc32c:
      return "prim::crc32c";
    case ir::Algo::Crc32Bzip2:
      return "prim::crc32_bzip2";
    case ir::Algo::XxHash32:
      return "prim::xxh32";
  }
  return "";
}

const char* policy(ir::Incomplete p) {
  return p == ir::Incomplete::Refuse   ? "prim::kRefuse"
         : p == ir::Incomplete::Single ? "prim::kSingle"
                                       : "prim::kAccept";
}

}  // namespace

std::optional<std::string> Careful::stream(const ir::Expr& e) const {
  const bool bytes = context_.bytes();
  const unsigned size = context_.elem_bytes();
  switch (e.op) {
    case Op::Remaining:
      return bytes ? "(s.end - s.pos)" : "((s.end - s.pos) >> 3)";
    case Op::AtEnd:
      return "(s.pos == s.end)";
    case Op::Aligned:
      return "s.aligned()";
    case Op::Produced:
      return "s.made";
    case Op::Peek:
      return fmt::format("prim::peek<{}>(s, {})", e.flag, e.imm);
    case Op::ProducedSince:
      return fmt::format("(s.made - s.mark_made[{}])", e.ref);
    case Op::ConsumedSince:
      return fmt::format("((s.pos - s.mark_pos[{}]){})", e.ref, bytes == e.flag ? (bytes ? " << 3" : " >> 3") : "");
    case Op::BufferCount:
      return fmt::format("s.buffer_count[{}]", e.ref);
    case Op::BufferElem: {
      auto i = printer_.print_u64(*e.kids[0]);
      if (!i) return std::nullopt;
      const std::string element = fmt::format("prim::buffer_element<{}>(s.m->{}, s.buffer_count[{}], {})", size,
                                              context_.buffer(e.ref), e.ref, *i);
      return e.type.is_signed ? fmt::format("prim::sign_extend({}, {})", element, e.type.bits) : element;
    }
    case Op::DictionarySize:
      return "s.dictionary_size";
    case Op::Checksum:
      switch (e.stream) {
        case ir::Stream::Output: {
          // In count mode there is no output to look at; count_plan has made sure that the value is only compared, in
          // checks that are skipped then.
          const std::string sum =
              fmt::format("(u64){0}(s.out + s.mark_made[{1}] * {2}, (s.made - s.mark_made[{1}]) * {2})",
                          algorithm(e.algo), e.ref, size);
          if (!context_.checksum) return "0ull";
          return write_ == "true" ? sum : fmt::format("({} ? {} : 0)", write_, sum);
        }
        case ir::Stream::Input: {
          const char* to_byte = bytes ? "" : " >> 3";
          return fmt::format("(u64){0}(s.in + (s.mark_pos[{1}]{2}), (s.pos{2}) - (s.mark_pos[{1}]{2}))",
                             algorithm(e.algo), e.ref, to_byte);
        }
        case ir::Stream::Dictionary:
          return fmt::format("(u64){}(s.dictionary, s.dictionary_size)", algorithm(e.algo));
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string Careful::fail(ir::SiteId site, const std::string& at) const {
  if (core_) return "goto stuck;";  // of a walk: the step is done again, with an error's every detail
  return fmt::format("return fail(s, {}, {});", context_.site(site), at);
}

std::string Careful::prototype(std::uint32_t r) const {
  const ir::Rule& rule = context_.module.rules[r];
  std::string p;
  for (std::uint32_t i = 0; i < rule.params; ++i)
    p += fmt::format(", {} {}", held(rule.slots[i].type), context_.local(r, i));
  if (rule.result) p += fmt::format(", {}& result", held(*rule.result));
  return fmt::format("template <bool Write> SLUICE_COLD u64 {}(State& s{})", context_.rule(r), p);
}

std::string Careful::definition(std::uint32_t r) {
  rule_ = r;
  const ir::Rule& rule = context_.module.rules[r];
  w_ = Writer();
  w_.line("// {}", rule.name);
  w_.open(prototype(r) + " {");
  for (std::uint32_t i = rule.params; i < rule.slots.size(); ++i)
    w_.line("{} {} = 0;", held(rule.slots[i].type), context_.local(r, i));
  for (std::uint32_t i = 0; i < rule.slots.size(); ++i) w_.line("(void){};", context_.local(r, i));
  block(rule.body);
  w_.line("return kOk;");
  w_.close();
  w_.line("");
  return w_.take();
}

std::string Careful::piece(std::uint32_t rule, const std::string& head, const std::set<std::uint32_t>& own,
                           const ir::Block& body) {
  rule_ = rule;
  w_ = Writer();
  w_.open(head + " {");
  for (const std::uint32_t slot : own) {
    w_.line("{} {} = 0;", held(context_.module.rules[rule].slots[slot].type), local(slot));
    w_.line("(void){};", local(slot));
  }
  block(body);
  w_.line("return kOk;");
  w_.close();
  w_.line("");
  return w_.take();
}

std::string Careful::walk(std::uint32_t rule, const ir::Block& step, const ir::Block& core, const std::string& at_core,
                          unsigned depth) {
  rule_ = rule;
  w_ = Writer();
  w_.set_depth(depth);
  core_ = &core;
  at_core_ = at_core;
  block(step);
  core_ = nullptr;
  return w_.take();
}

void Careful::block(const ir::Block& b) {
  for (const auto& s : b) statement(*s);
}

void Careful::statement(const Stmt& s) {
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
      return w_.line("if (prim::emit<{}, {}>(s, {})) {}", write_, size, value_u64(*s.a), fail(s.sites[0]));
    case K::Literals:
      return literals(s);
    case K::Run:
      return w_.line("if (prim::run<{}, {}>(s, {}, {}, {})) {}", write_, size, value_u64(*s.a), value_u64(*s.b),
                     s.c ? value_u64(*s.c) : "0", fail(s.sites[0]));
    case K::Copy: {
      const std::string r = temporary("r");
      const std::uint64_t window = context_.module.window;
      w_.line("const u32 {} = prim::copy<{}, {}>(s, {}, {}, {});", r, write_, size, value_u64(*s.a), value_u64(*s.b),
              window ? fmt::format("{}ull", window) : "~0ull");
      return w_.line("if ({}) return fail(s, {} == 1 ? {} : {}, s.pos);", r, r, context_.site(s.sites[0]),
                     context_.site(s.sites[1]));
    }
    case K::BuildCode:
      return build(s);
    case K::If:
      w_.open("if ({}) {{", value(*s.a));
      block(s.body);
      if (!s.orelse.empty()) {
        w_.next("} else {");
        block(s.orelse);
      }
      return w_.close();
    case K::Loop:
      return loop(s);
    case K::Stop:
      return w_.line("break;");
    case K::Reject:
      return w_.line("{}", fail(s.sites[0]));
    case K::Accept:
      return w_.line("return kAccepted;");
    case K::Check:
      if (!context_.checksum && count_.skipped.contains(&s)) return;
      return w_.line("if ({}!({})) {}", count_.skipped.contains(&s) ? "Write && " : "", value(*s.a), fail(s.sites[0]));
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
    case K::EmitBuffer: {
      const std::string r = temporary("r");
      w_.line("const u32 {} = prim::{}<{}, {}>(s, s.m->{}, s.buffer_count[{}]);", r, s.flag ? "emit_runs" : "emit_all",
              write_, size, context_.buffer(s.ref), s.ref);
      if (!s.flag) return w_.line("if ({}) {}", r, fail(s.sites[0]));
      return w_.line("if ({0}) return fail(s, {0} == 1 ? {1} : {2}, s.pos);", r, context_.site(s.sites[0]),
                     context_.site(s.sites[1]));
    }
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
      return w_.line("if ({0}) return fail(s, {0} == 1 ? {1} : {2}, s.pos);", r, context_.site(s.sites[0]),
                     context_.site(s.sites[1]));
    }
    case K::Mark:
      return w_.line("s.mark_pos[{0}] = s.pos; s.mark_made[{0}] = s.made;", s.ref);
    case K::NewWindow:
      return w_.line("s.window = s.made; s.reach = {};",
                     s.flag && context_.module.has_dictionary ? "s.dictionary_size" : "0");
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

void Careful::read(const Stmt& s) {
  if (s.read.order != ReadSpec::Order::Stream && !context_.bytes() && s.sites[2] != ir::kNoSite)
    w_.line("if (!s.aligned()) {}", fail(s.sites[2]));
  if (s.slot != Stmt::kNoSlot) return read_value(s.read, s.sites, local(s.slot));
  w_.open("{");
  w_.line("{} dropped = 0;", held(s.read.type));
  read_value(s.read, s.sites, "dropped");
  w_.line("(void)dropped;");
  w_.close();
}

void Careful::read_value(const ReadSpec& r, const std::array<ir::SiteId, 3>& sites, const std::string& target) {
  const char* take = r.order == ReadSpec::Order::Little ? "take_le"
                     : r.order == ReadSpec::Order::Big  ? "take_be"
                                                        : "take";
  const auto two = [&](const std::string& call) {
    const std::string e = temporary("r");
    w_.line("const u32 {} = {};", e, call);
    w_.line("if ({0}) return fail(s, {0} == 1 ? {1} : {2}, s.pos);", e, context_.site(sites[0]),
            context_.site(sites[1]));
  };
  switch (r.kind) {
    case ReadSpec::Kind::Fixed: {
      const unsigned bits = r.type.bits;
      w_.line("if (prim::lacks(s, {})) {}", bits, fail(sites[0]));
      w_.line(fmt::runtime(r.type.is_signed ? "{0} = prim::sign_extend(prim::{1}(s, {2}), {2});"
                                            : "{0} = prim::{1}(s, {2});"),
              target, take, bits);
      return;
    }
    case ReadSpec::Kind::Computed: {
      const std::string n = temporary("width");
      w_.line("const u64 {} = {};", n, value_u64(*r.width));
      w_.line("if (prim::lacks(s, {})) {}", n, fail(sites[0]));
      w_.line(fmt::runtime(r.type.is_signed ? "{0} = {2} == 0 ? 0 : prim::sign_extend(prim::{1}(s, {2}), {2});"
                                            : "{0} = prim::{1}(s, {2});"),
              target, take, n);
      return;
    }
    case ReadSpec::Kind::Varint: {
      const std::string raw = temporary("raw");
      w_.line("u64 {} = 0;", raw);
      two(fmt::format("prim::take_varint<{}>(s, {})", r.type.bits, raw));
      w_.line("{} = {};", target, r.type.is_signed ? fmt::format("prim::zigzag({})", raw) : raw);
      return;
    }
    case ReadSpec::Kind::Code: {
      const std::string raw = temporary("symbol");
      w_.line("u64 {} = 0;", raw);
      two(fmt::format("prim::take_symbol(s, s.m->{}{}, {})", context_.code(r.ref),
                      r.index ? fmt::format("[{}]", value_u64(*r.index)) : "[0]", raw));
      w_.line("{} = {};", target, raw);
      return;
    }
    case ReadSpec::Kind::Ranges: {
      const std::string i = temporary("at"), n = temporary("extra");
      w_.line("const u64 {} = {};", i, value_u64(*r.index));
      w_.line("const u64 {} = {}_extra[{}];", n, context_.ranges(r.ref), i);
      w_.line("if (prim::lacks(s, {})) {}", n, fail(sites[0]));
      w_.line("{} = {}_base[{}] + prim::take(s, {});", target, context_.ranges(r.ref), i, n);
      return;
    }
  }
}

void Careful::literals(const Stmt& s) {
  const ReadSpec& r = s.read;
  const std::string n = temporary("n");
  if (r.kind == ReadSpec::Kind::Fixed && r.type == ir::Type{8, false} && context_.elem_bytes() == 1) {
    w_.line("const u32 {} = prim::literal_bytes<{}>(s, {});", n, write_, value_u64(*s.a));
    return w_.line("if ({0}) return fail(s, {0} == 1 ? {1} : {2}, s.pos);", n, context_.site(s.sites[0]),
                   context_.site(s.sites[2]));
  }
  const std::string at = temporary("at"), element = temporary("element");
  w_.line("u64 {} = {};", n, value_u64(*s.a));
  if (context_.cuda && !context_.thread) together(r, n);
  w_.open("for (; {0} > 0; --{0}) {{", n);
  w_.line("const u64 {} = s.pos;", at);
  w_.line("{} {} = 0;", held(r.type), element);
  read_value(r, s.sites, element);
  w_.line("if (prim::emit<{}, {}>(s, (u64){})) {}", write_, context_.elem_bytes(), element, fail(s.sites[2], at));
  w_.close();
}

// A kernel's lanes take one literal each, as many as are there and sound; the loop behind does the rest, and refuses.
void Careful::together(const ReadSpec& r, const std::string& n) {
  const bool sign = r.type.is_signed, stream = r.order == ReadSpec::Order::Stream;
  const char* order = stream ? "Stream" : r.order == ReadSpec::Order::Little ? "Little" : "Big";
  if (r.kind == ReadSpec::Kind::Varint)
    w_.line("{} -= prim::literal_varints<{}, {}, {}, {}>(s, {});", n, write_, context_.elem_bytes(), r.type.bits, sign,
            n);
  if (r.kind == ReadSpec::Kind::Fixed || r.kind == ReadSpec::Kind::Computed)
    w_.line("{} -= prim::literal_fields<{}, {}, prim::Order::{}, {}>(s, {}, {});", n, write_, context_.elem_bytes(),
            order, sign, n, r.kind == ReadSpec::Kind::Fixed ? std::to_string(r.type.bits) : value_u64(*r.width));
}

void Careful::build(const Stmt& s) {
  const ir::Code& code = context_.module.codes[s.ref];
  const std::string copy = s.d ? value_u64(*s.d) : "0";
  const std::string name = fmt::format("s.m->{}[{}]", context_.code(s.ref), copy);
  const std::string from = s.from_table ? context_.table(s.array) : "s.m->" + context_.array(s.array);
  const std::size_t all =
      s.from_table ? context_.module.tables[s.array].values.size() : context_.module.arrays[s.array].count;
  const std::string r = temporary("r");
  w_.line("const u32 {} = prim::build_code({}, {} + {}, {}, {});", r, name, from, s.a ? value_u64(*s.a) : "0",
          s.b ? value_u64(*s.b) : std::to_string(all), policy(code.incomplete));
  if (s.sites[0] != ir::kNoSite) w_.line("if ({} == prim::kCodeOversubscribed) {}", r, fail(s.sites[0]));
  if (s.sites[1] != ir::kNoSite) w_.line("if ({} == prim::kCodeIncomplete) {}", r, fail(s.sites[1]));
  w_.line("(void){};", r);
  for (const CodeTable& t : tables_)
    if (t.plan.code == s.ref)
      w_.line("prim::build_table<{}, {}, {}>(s.m->{}[{}], {}, kInfo_{});", context_.msb(), ir::table_bits(code),
              context_.cuda ? ir::table_bits(code) : ir::table_most(code), t.name, copy, name, t.name);
}

void Careful::loop(const Stmt& s) {
  const auto fast = fast_.find(&s);
  std::string bound, counter, start;
  if (s.loop == ir::LoopKind::Times || s.loop == ir::LoopKind::UntilOutputs) {
    bound = temporary("bound");
    w_.line("const u64 {} = {};", bound, value_u64(*s.a));
  }
  if (s.loop == ir::LoopKind::UntilOutputs) {
    start = temporary("start");
    w_.line("const u64 {} = s.made;", start);
  }
  if (s.loop == ir::LoopKind::Times) {
    counter = temporary("i");
    w_.open("for (u64 {0} = 0; {0} < {1}; ++{0}) {{", counter, bound);
  } else {
    w_.open("for (;;) {");
  }
  if (fast != fast_.end()) {
    std::string args;
    for (std::uint32_t slot : fast->second.captures) args += ", " + local(slot);
    for (std::uint32_t slot : fast->second.carried) args += ", " + local(slot);
    if (s.loop == ir::LoopKind::Times) args += ", " + counter + ", " + bound;
    if (s.loop == ir::LoopKind::UntilOutputs)
      args += fmt::format(", {} > ~0ull - {} ? ~0ull : {} + {}", bound, start, start, bound);
    if (fast->second.counts) w_.line("{}<{}>(s{});", fast->second.name, write_, args);
    else w_.line("if ({}) {}(s{});", write_, fast->second.name, args);
  }
  if (s.loop == ir::LoopKind::Times) {
    if (fast != fast_.end()) w_.line("if ({} >= {}) break;", counter, bound);
    if (s.slot != Stmt::kNoSlot) w_.line("{} = {};", local(s.slot), counter);
  }
  if (s.loop == ir::LoopKind::UntilEnd) w_.line("if (s.pos == s.end) break;");
  if (s.loop == ir::LoopKind::UntilOutputs) w_.line("if (s.made - {} >= {}) break;", start, bound);
  if (s.loop == ir::LoopKind::UntilCond) w_.line("if ({}) break;", value(*s.a));
  const bool watch = s.loop != ir::LoopKind::Times && s.sites[0] != ir::kNoSite;
  const std::string at = watch ? temporary("at") : "", made = watch ? temporary("made") : "";
  if (watch) w_.line("const u64 {} = s.pos, {} = s.made;", at, made);
  block(s.body);
  if (watch) w_.line("if (s.pos == {} && s.made == {}) {}", at, made, fail(s.sites[0], at));
  w_.close();
}

void Careful::call(const Stmt& s) {
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
  const std::string r = temporary("r");
  w_.line("const u64 {} = {}<{}>(s{});", r, context_.rule(s.ref), write_, args);
  w_.line("if (SLUICE_UNLIKELY({0})) return {0};", r);
  if (rule.result && s.slot != Stmt::kNoSlot) w_.line("{} = {};", local(s.slot), result);
}

void Careful::region(const Stmt& s) {
  const std::string n = temporary("n"), outer = temporary("outer");
  w_.open("{");
  w_.line("const u64 {} = {};", n, value_u64(*s.a));
  if (s.kind == K::Within) {
    w_.line("if (s.left_bits(){} < {}) {}", s.flag ? "" : " >> 3", n, fail(s.sites[0]));
    w_.line("const u64 {} = s.end;", outer);
    w_.line("s.end = s.pos + {};", s.flag ? n : fmt::format("prim::steps<State::kInput>({})", n));
    inside(s.body);
    w_.line("if (s.pos != s.end) {}", fail(s.sites[1]));
    w_.line("s.end = {};", outer);
  } else {
    w_.line("if (s.limit - s.made < {}) {}", n, fail(s.sites[0]));
    w_.line("const u64 {} = s.limit;", outer);
    w_.line("s.limit = s.made + {};", n);
    inside(s.body);
    w_.line("if (s.made != s.limit) {}", fail(s.sites[1]));
    w_.line("s.limit = {};", outer);
  }
  w_.close();
}

void Careful::inside(const ir::Block& b) {
  if (&b != core_) return block(b);
  const std::string& text = at_core_;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    w_.line(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

// Output goes to a buffer: in count mode too, for later stages read it.
void Careful::into(const Stmt& s) {
  const std::string outer = temporary("outer"), kept = write_;
  w_.open("{");
  w_.line("const prim::Sink {} = prim::divert(s, s.m->{}, {});", outer, context_.buffer(s.ref),
          context_.module.buffers[s.ref].limit);
  write_ = "true";
  block(s.body);
  write_ = kept;
  w_.line("s.buffer_count[{}] = s.made;", s.ref);
  w_.line("prim::restore(s, {});", outer);
  w_.close();
}

void Careful::stage(const Stmt& s) {
  const unsigned size = context_.elem_bytes();
  const std::string buffer = "s.m->" + context_.buffer(s.ref), count = fmt::format("s.buffer_count[{}]", s.ref);
  const auto optional = [&](const ir::ExprPtr& e) { return e ? value_u64(*e) : std::string("0"); };
  switch (s.stage) {
    case ir::StageKind::InverseMtf:
      if (s.array == Stmt::kNoSlot) {
        w_.line("prim::first_list(s.m->mtf_list);");
        w_.line("if (prim::inverse_mtf({}, {}, s.m->mtf_list, 256)) {}", buffer, count, fail(s.sites[0]));
      } else {
        const std::string n = temporary("n");
        w_.line("const u64 {} = {};", n, value_u64(*s.b));
        w_.line("prim::first_list(s.m->mtf_list, s.m->{}, {});", context_.array(s.array), n);
        w_.line("if (prim::inverse_mtf({0}, {1}, s.m->mtf_list, {2} < 256 ? {2} : 256)) {3}", buffer, count, n,
                fail(s.sites[0]));
      }
      return;
    case ir::StageKind::InverseBwt:
      return w_.line("if (prim::inverse_bwt({}, {}, {}, s.m->bwt_links, s.m->bwt_text)) {}", buffer, count,
                     value_u64(*s.a), fail(s.sites[0]));
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
