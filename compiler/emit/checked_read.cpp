// What the checked path takes from the input and its state: fields, literals, codes, and expressions that ask where it
// stands. See checked.h.
#include "compiler/emit/checked.h"

namespace sluice::emit {
namespace {

using ir::Op;
using ir::ReadSpec;
using ir::Stmt;

std::string algorithm(const Context& c, ir::Algo a) {
  switch (a) {
    case ir::Algo::Adler32:
      return c.format("prim::adler32");
    case ir::Algo::Crc32:
      return c.format("prim::crc32");
    case ir::Algo::Crc32c:
      return c.format("prim::crc32c");
    case ir::Algo::Crc32Bzip2:
      return c.format("prim::crc32_bzip2");
    case ir::Algo::XxHash32:
      return c.format("prim::xxh32");
    case ir::Algo::XxHash64:
      return c.format("prim::xxh64");
  }
  return "";
}

std::string policy(const Context& c, const ir::Code& code) {
  const ir::Incomplete p = code.incomplete;
  if (code.longest_first) return c.format("prim::kLongestFirst");
  return p == ir::Incomplete::Refuse   ? c.format("prim::kRefuse")
         : p == ir::Incomplete::Single ? c.format("prim::kSingle")
                                       : c.format("prim::kAccept");
}

}  // namespace

std::optional<ExprText> CheckedPath::stream(const ir::Expr& e) const {
  const bool bytes = context_.bytes();
  const unsigned size = context_.elem_bytes();
  switch (e.op) {
    case Op::Remaining:
      if (bytes != e.flag) return ExprText{"s.end - s.pos"};
      return ExprText{bytes ? "(s.end - s.pos) << 3" : "(s.end - s.pos) >> 3"};
    case Op::AtEnd:
      return ExprText{"s.pos == s.end"};
    case Op::Aligned:
      return ExprText{"s.aligned()", true};
    case Op::Produced:
      return ExprText{"s.produced", true};
    case Op::Peek:
      return ExprText{context_.format("prim::peek<{}>(s, {})", e.flag, e.imm), true};
    case Op::PeekBits:
      return ExprText{context_.format("prim::peek_bits(s, {})", e.imm), true};
    case Op::ProducedSince:
      return ExprText{fmt::format("s.produced - s.mark_made[{}]", e.ref)};
    case Op::ConsumedSince:
      if (context_.turns()) {
        const std::string since = context_.format("prim::since(s.pos, s.mark_pos[{}])", e.ref);
        return ExprText{e.flag ? since : since + " >> 3", e.flag};
      }
      // Where a region elsewhere may be read, the mark may stand behind the position.
      if (!context_.moves.empty()) {
        const std::string since = fmt::format("(s.pos < s.mark_pos[{0}] ? 0 : s.pos - s.mark_pos[{0}])", e.ref);
        return ExprText{bytes != e.flag ? since : fmt::format("{} {} 3", since, bytes ? "<<" : ">>"), bytes != e.flag};
      }
      if (bytes != e.flag) return ExprText{fmt::format("s.pos - s.mark_pos[{}]", e.ref)};
      return ExprText{fmt::format("(s.pos - s.mark_pos[{}]) {} 3", e.ref, bytes ? "<<" : ">>")};
    case Op::OutputCount:
      return ExprText{fmt::format("s.further_made[{}]", e.ref), true};
    case Op::BufferCount:
      return ExprText{fmt::format("s.buffer_count[{}]", e.ref), true};
    case Op::BufferElem: {
      auto i = printer_.print_u64(*e.kids[0]);
      if (!i) return std::nullopt;
      const std::string element = context_.buffer_element(e.ref, "s.m", *i);
      return ExprText{e.type.is_signed ? context_.format("prim::sign_extend({}, {})", element, e.type.bits) : element, true};
    }
    case Op::DictionarySize:
      return ExprText{"s.dictionary_size", true};
    case Op::Checksum:
      switch (e.stream) {
        case ir::Stream::Output: {
          // In count mode there is no output to look at; count_plan has made sure that the value is only compared, in
          // checks that are skipped then.
          const std::string mark = fmt::format("s.mark_made[{}]", e.ref), made = "s.produced - " + mark;
          const std::string sum = fmt::format("(u64){}(s.out + {}, {})", algorithm(context_, e.algo), times(mark, size),
                                              size == 1 ? made : times("(" + made + ")", size));
          if (plan_.checksums == plan::Checksums::Off) return ExprText{"0ull", true};
          return write_ == "true" ? ExprText{sum, true} : ExprText{fmt::format("{} ? {} : 0", write_, sum)};
        }
        case ir::Stream::Input: {
          const std::string mark = fmt::format("s.mark_pos[{}]", e.ref);
          if (bytes && !context_.moves.empty())
            return ExprText{fmt::format("(u64){0}(s.in + {1}, s.pos < {1} ? 0 : s.pos - {1})", algorithm(context_, e.algo), mark), true};
          if (bytes) return ExprText{fmt::format("(u64){0}(s.in + {1}, s.pos - {1})", algorithm(context_, e.algo), mark), true};
          // Of the bytes that lie wholly between: none when mark and position stand in the same one.
          const std::string first = fmt::format("(({} + 7) >> 3)", mark);
          return ExprText{fmt::format("(u64){0}(s.in + {1}, s.pos >> 3 > {1} ? (s.pos >> 3) - {1} : 0)",
                                      algorithm(context_, e.algo), first),
                          true};
        }
        case ir::Stream::Dictionary:
          return ExprText{fmt::format("(u64){}(s.dictionary, s.dictionary_size)", algorithm(context_, e.algo)), true};
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void CheckedPath::read(const Stmt& s) {
  if (form<plan::AlignedRead>(s) != nullptr) w_.line("if (!s.aligned()) {}", fail(s.sites[2]));
  if (s.slot != Stmt::kNoSlot) return read_value(s.read, s.sites, local(s.slot));
  const std::string dropped = temporary("dropped");
  w_.line("[[maybe_unused]] {} {} = 0;", held(s.read.type), dropped);
  read_value(s.read, s.sites, dropped);
}

void CheckedPath::read_value(const ReadSpec& r, const std::array<ir::SiteId, 3>& sites, const std::string& target) {
  // Of a warp's stream that turns, most fields have a word at most, which is read where it is looked for.
  const bool word = context_.turns() && context_.target == plan::Target::Warp && !r.type.is_signed &&
                    r.order != ReadSpec::Order::Little && r.order != ReadSpec::Order::Big &&
                    (r.kind == ReadSpec::Kind::Computed ? r.width->range.hi <= 32 : r.type.bits <= 32);
  const auto take = [&] {
    return r.order == ReadSpec::Order::Little ? context_.format("prim::take_le")
           : r.order == ReadSpec::Order::Big  ? context_.format("prim::take_be")
                                              : context_.format("prim::take");
  };
  const auto two = [&](const std::string& call) {
    const std::string e = temporary("r");
    w_.line("const u32 {} = {};", e, call);
    w_.line("if ({}) {}", e,
            core_ ? fail(sites[0])
                  : fmt::format("return fail(s, {} == 1 ? {} : {}, s.pos);", e, context_.site(sites[0]), context_.site(sites[1])));
  };
  const auto read_word = [&](const std::string& n) {
    const std::string e = temporary("word");
    w_.line("const u64 {} = {}(s, {});", e, context_.format("prim::read_word"), n);
    w_.line("if ({} >> 32) {}", e, fail(sites[0]));
    w_.line("{} = {};", target, e);
  };
  switch (r.kind) {
    case ReadSpec::Kind::Fixed: {
      const unsigned bits = r.type.bits;
      if (word) return read_word(std::to_string(bits));
      w_.line("if (prim::lacks(s, {})) {}", bits, fail(sites[0]));
      if (r.type.is_signed) return w_.line("{0} = prim::sign_extend({1}(s, {2}), {2});", target, take(), bits);
      return w_.line("{} = {}(s, {});", target, take(), bits);
    }
    case ReadSpec::Kind::Computed: {
      const std::string n = temporary("width");
      w_.line("const u64 {} = {};", n, value_u64(*r.width));
      if (word) return read_word("(u32)" + n);
      w_.line("if (prim::lacks(s, {})) {}", n, fail(sites[0]));
      if (r.type.is_signed)
        return w_.line("{0} = {2} == 0 ? 0 : prim::sign_extend({1}(s, {2}), {2});", target, take(), n);
      return w_.line("{} = {}(s, {});", target, take(), n);
    }
    case ReadSpec::Kind::Varint: {
      const std::string raw = temporary("raw");
      w_.line("u64 {} = 0;", raw);
      two(context_.format("prim::take_varint<{}>(s, {})", r.type.bits, raw));
      w_.line("{} = {};", target, r.type.is_signed ? context_.format("prim::zigzag({})", raw) : raw);
      return;
    }
    case ReadSpec::Kind::Code: {
      const std::string raw = temporary("symbol");
      w_.line("u64 {} = 0;", raw);
      two(context_.format("prim::take_symbol(s, s.m->{}{}, {})", context_.code(r.ref),
                      r.index ? fmt::format("[{}]", value_u64(*r.index)) : "[0]", raw));
      w_.line("{} = {};", target, raw);
      return;
    }
    case ReadSpec::Kind::Ranges: {
      const std::string i = temporary("at"), n = temporary("extra");
      w_.line("const u64 {} = {};", i, value_u64(*r.index));
      const Context::RangeText range = context_.range_at(r.ref, context_.packs(r.ref) ? temporary("range") : "", i);
      if (!range.declared.empty()) w_.line("{}", range.declared);
      w_.line("const u64 {} = {};", n, range.extra);
      w_.line("if (prim::lacks(s, {})) {}", n, fail(sites[0]));
      w_.line("{} = {} + prim::take(s, {});", target, range.base, n);
      return;
    }
  }
}

void CheckedPath::literals(const Stmt& s) {
  const ReadSpec& r = s.read;
  const std::string n = temporary("n");
  const auto* made_of = form<plan::CheckedLiterals>(s);
  if (made_of != nullptr && made_of->form == plan::Together::Bytes) {
    w_.line("const u32 {} = prim::literal_bytes<{}>(s, {});", n, write_, value_u64(*s.a));
    w_.line("if ({} == 1) {}", n, fail(s.sites[0]));
    return w_.line("if ({}) {}", n, full(s.sites[2]));
  }
  const std::string at = temporary("at"), element = temporary("element");
  w_.line("u64 {} = {};", n, value_u64(*s.a));
  if (made_of != nullptr) together(made_of->form, r, n);
  w_.open("for (; {0} > 0; --{0}) {{", n);
  w_.line("const u64 {} = s.pos;", at);
  w_.line("{} {} = 0;", held(r.type), element);
  read_value(r, s.sites, element);
  w_.line("if (prim::emit<{}, {}>(s, (u64){})) {}", write_, context_.elem_bytes(), element, full(s.sites[2], at));
  w_.close();
}

// A kernel's lanes take one literal each, as many as are there and sound; the loop behind does the rest, and refuses.
void CheckedPath::together(plan::Together form, const ReadSpec& r, const std::string& n) {
  const bool sign = r.type.is_signed, stream = r.order == ReadSpec::Order::Stream;
  const char* order = stream ? "Stream" : r.order == ReadSpec::Order::Little ? "Little" : "Big";
  if (form == plan::Together::Varints)
    w_.line("{} -= prim::literal_varints<{}, {}, {}, {}>(s, {});", n, write_, context_.elem_bytes(), r.type.bits, sign,
            n);
  if (form == plan::Together::Fields)
    w_.line("{} -= prim::literal_fields<{}, {}, prim::Order::{}, {}>(s, {}, {});", n, write_, context_.elem_bytes(),
            order, sign, n, r.kind == ReadSpec::Kind::Fixed ? std::to_string(r.type.bits) : value_u64(*r.width));
}

// Lengths or counts, and how many.
std::string CheckedPath::source_of(const Stmt& s) const {
  const std::string from = s.from_table ? context_.table(s.array) : "s.m->" + context_.array(s.array);
  const std::size_t all =
      s.from_table ? context_.module.tables[s.array].values.size() : context_.module.arrays[s.array].count;
  const bool whole = !s.a || (s.a->op == Op::Const && s.a->imm == 0);
  return fmt::format("{}, {}", whole ? from : fmt::format("{} + ({})", from, value_u64(*s.a)), s.b ? value_u64(*s.b) : std::to_string(all));
}

void CheckedPath::build_states(const Stmt& s) {
  const ir::StateCode& code = context_.module.states[s.ref];
  const std::string r = temporary("r");
  const std::string call = std::ranges::find(plan_.extras, s.ref, &plan::StateExtras::code) != plan_.extras.end()
                               ? context_.format("prim::build_walked_states(s.m->{}, {}, {}, {})", context_.array(code.entries), source_of(s), code.max_log, context_.extras(s.ref))
                               : context_.format("prim::build_states(s.m->{}, {}, {})", context_.array(code.entries), source_of(s), code.max_log);
  w_.line("const u32 {} = {};", r, call);
  if (s.sites[0] != ir::kNoSite) w_.line("if ({} == prim::kStatesOversubscribed) {}", r, fail(s.sites[0]));
  if (s.sites[1] != ir::kNoSite) w_.line("if ({} == prim::kStatesIncomplete) {}", r, fail(s.sites[1]));
  w_.line("s.{} = {};", context_.global(code.log), r);
}

void CheckedPath::build(const Stmt& s) {
  const ir::Code& code = context_.module.codes[s.ref];
  const std::string copy = s.d ? value_u64(*s.d) : "0";
  const std::string name = fmt::format("s.m->{}[{}]", context_.code(s.ref), copy);
  const std::string made = context_.format("prim::build_code({}, {}, {})", name, source_of(s), policy(context_, code));
  if (s.sites[0] == ir::kNoSite && s.sites[1] == ir::kNoSite) {  // lengths that are known to be sound
    w_.line("{};", made);
  } else {
    const std::string r = temporary("r");
    w_.line("const u32 {} = {};", r, made);
    if (s.sites[0] != ir::kNoSite) w_.line("if ({} == prim::kCodeOversubscribed) {}", r, fail(s.sites[0]));
    if (s.sites[1] != ir::kNoSite) w_.line("if ({} == prim::kCodeIncomplete) {}", r, fail(s.sites[1]));
  }
  const auto* built = form<plan::BuiltTables>(s);
  if (built == nullptr) return;
  for (const std::uint32_t t : built->tables) {
    const std::string table = context_.lookup(s.ref, t);
    w_.line("prim::build_table<{}, {}, {}>(s.m->{}[{}], {}, kInfo_{});", context_.msb() || plan_.tables[t].backward, context_.table_bits(code),
            context_.cuda() ? context_.table_bits(code) : ir::table_most(code), table, copy, name, table);
    if (plan_.tables[t].pairs)
      w_.line("if (prim::pairs_pay<{0}>((s.end - s.pos) >> 3)) prim::pair_entries<{0}>(s.m->{1}[{2}]);", context_.table_bits(code), table, copy);
  }
}

}  // namespace sluice::emit
