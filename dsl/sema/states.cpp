// State codes (FSE, tANS). What is read of one, and asked of a state, are fields and arithmetic over its entries:
//
//   state: NAME                  more: uint(NAME.log)                   state = more & mask
//   state: NAME from last        entry = NAME[last & mask]
//                                more: uint(entry & 15)                 state = (entry >> 20) + more & mask
//   symbol of NAME at state      NAME[state & mask] >> 12 & (the least 2^n - 1 that every symbol fits)
//   bits of NAME at state        NAME[state & mask] & 15
#include <fmt/format.h>

#include <bit>

#include "dsl/sema/body.h"

namespace sluice::sema {

using model::Op;

namespace {

enum class Sum { Good, Over, Uneven };

// The number of states that `count` elements of the table from `start` on ask for.
Sum judge(const model::Table& table, std::uint64_t start, std::uint64_t count, unsigned max_log) {
  const std::uint64_t most = std::uint64_t{1} << max_log;
  std::uint64_t sum = 0;
  for (std::uint64_t i = start; i < start + count; ++i) {
    const bool less_than_one = table.elem.is_signed && static_cast<std::int64_t>(table.values[i]) < 0;
    const std::uint64_t states = less_than_one ? 1 : table.values[i];
    if (states > most || sum + states > most) return Sum::Over;
    sum += states;
  }
  return std::has_single_bit(sum) ? Sum::Good : Sum::Uneven;
}

}  // namespace

void Body::build_states(const ast::Stmt& s, const Symbol& target, const Symbol& source, model::Block& out) {
  const model::StateCode& code = context_.format.states[target.id];
  if (s.c) {
    context_.sink.error(Code::NotIndexable, s.name.span, fmt::format("`{}` is one code: it takes no index", s.name.text))
        .note(target.span, "declared here");
    return;
  }
  auto stmt = make_stmt(Stmt::Kind::BuildStates, s);
  if (!build_operands(s, target, source, code.symbols, "counts", *stmt)) return;
  if (stmt->from_table && stmt->a->op == Op::Const && stmt->b->op == Op::Const) {
    const Sum sum = judge(context_.format.tables[source.id], stmt->a->imm, stmt->b->imm, code.max_log);
    if (sum != Sum::Good) {
      context_.sink
          .error(Code::BadCounts, s.source.span,
                 sum == Sum::Over ? fmt::format("the counts in `{}` are of more states than the {} of `{}`", s.source.text,
                                                1u << code.max_log, s.name.text)
                                  : fmt::format("the counts in `{}` do not add up to a power of two", s.source.text))
          .note(source.span, "declared here");
      return;
    }
  }
  out.push_back(std::move(stmt));
}

const Symbol* Body::state_code(const ast::Name& name) {
  Symbol* symbol = find(name.text);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::State) return nullptr;
  symbol->used = true;
  return symbol;
}

bool Body::goes_on_from_a_state(const ast::ReadType& r) {
  if (!r.from) return false;
  context_.sink
      .error(Code::NotAStateCode, r.from->span, fmt::format("`{}` is no state code: it goes on from no state", context_.text(r.span)))
      .help("only the next state of a state code is read `from` the one before");
  return true;
}

// Null: wrong, and reported.
model::ExprPtr Body::state_entry(const model::StateCode& code, const ast::Expr* state, Span span) {
  ExprPtr at = expr(state);
  if (!at || code.symbols == 0) return nullptr;
  const i128 last = (i128{1} << code.max_log) - 1;
  at = as_signed(std::move(at), false);
  if (!model::within(at->range, {0, last})) at = bits(Op::BitAnd, std::move(at), literal(last, model::kU64, span), span);
  if (!at) return nullptr;
  const model::Array& entries = context_.format.arrays[code.entries];
  auto entry = std::make_unique<Expr>();
  entry->op = Op::Elem;
  entry->type = entries.elem;
  entry->range = model::range_of(entries.elem);
  entry->ref = code.entries;
  entry->span = span;
  entry->kids.push_back(std::move(at));
  return entry;
}

model::ExprPtr Body::state_part(const ast::Expr& e) {
  const Symbol* symbol = state_code(e.name);
  if (symbol == nullptr) {
    const Symbol* other = find(e.name.text);
    if (other == nullptr) {
      undefined(e.name, "state code");
    } else {
      context_.sink
          .error(Code::NotAStateCode, e.name.span, fmt::format("`{}` is {}, not a state code", e.name.text, kind_name(other->kind)))
          .note(other->span, "declared here");
    }
    return nullptr;
  }
  if (rule_ == nullptr) {
    context_.sink.error(Code::NotConstant, e.span, "what a state says is known at run time only");
    return nullptr;
  }
  const model::StateCode& code = context_.format.states[symbol->id];
  ExprPtr entry = e.kids.empty() ? nullptr : state_entry(code, e.kids[0].get(), e.span);
  if (!entry) return nullptr;
  const auto number = [&](std::uint64_t n) { return literal(static_cast<i128>(n), model::kU64, e.span); };
  // Entries are made by `build` alone: whatever a table was built from, it holds no other symbols than that, nor other states.
  if (e.kind == ast::Expr::Kind::StateSymbol) {
    ExprPtr symbol_of = bits(Op::BitAnd, shift(Op::Shr, std::move(entry), number(model::kStateSymbolShift), e.span), number(std::bit_ceil(code.symbols) - 1), e.span);
    symbol_of->range = {0, i128{code.symbols} - 1};
    return symbol_of;
  }
  return state_bits(code, std::move(entry), e.span);
}

// How many bits follow a state, of its entry: no more than its table's logarithm.
model::ExprPtr Body::state_bits(const model::StateCode& code, ExprPtr entry, Span span) {
  const auto number = [&](std::uint64_t n) { return literal(static_cast<i128>(n), model::kU64, span); };
  ExprPtr width = bits(Op::BitAnd, std::move(entry), number(model::kStateBitsMask), span);
  width->range = {0, i128{code.max_log}};
  return width;
}

// A value of its own that the spec can't name.
model::ExprPtr Body::hidden(std::string name, ExprPtr value, const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Stmt::Kind::Set, s);
  stmt->name = name;
  stmt->slot = static_cast<std::uint32_t>(rule_->slots.size());
  rule_->slots.push_back({std::move(name), value->type, value->range, false, s.span, std::nullopt});
  ExprPtr local = make(Op::Local, value->type, value->range, s.span);
  local->ref = stmt->slot;
  stmt->a = std::move(value);
  out.push_back(std::move(stmt));
  return local;
}

// Reads the bits of a state; its number, or null: wrong, and reported.
model::ExprPtr Body::state_read(const ast::Stmt& s, const Symbol& symbol, model::Block& out) {
  const ast::ReadType& r = s.read;
  const model::StateCode& code = context_.format.states[symbol.id];
  if (r.index) {
    context_.sink.error(Code::NotIndexable, r.span, fmt::format("`{}` is one code: it takes no index", symbol.name)).note(symbol.span, "declared here");
    return nullptr;
  }
  if (!no_parts(r, false) || !needs_bits(r.name.span, "a state code") || code.symbols == 0) return nullptr;
  const Span span = r.from ? cover(r.span, r.from->span) : r.span;
  const auto number = [&](std::uint64_t n) { return literal(static_cast<i128>(n), model::kU64, span); };
  auto stmt = make_stmt(Stmt::Kind::Read, s);
  ExprPtr base;
  if (r.from) {
    ExprPtr entry = state_entry(code, r.from.get(), span);
    if (!entry) return nullptr;
    entry = hidden(symbol.name + ".entry", std::move(entry), s, out);
    base = shift(Op::Shr, model::clone(*entry), number(model::kStateBaseShift), span);
    stmt->read.width = state_bits(code, std::move(entry), span);
  } else {
    stmt->read.width = make(Op::Global, context_.format.globals[code.log].type, context_.format.globals[code.log].range(), span);
    stmt->read.width->ref = code.log;
  }
  stmt->read.kind = model::ReadSpec::Kind::Computed;
  stmt->read.type = {static_cast<std::uint8_t>(stmt->read.width->range.hi), false};
  stmt->read.range = model::range_of(stmt->read.type);
  stmt->read.width = as_signed(std::move(stmt->read.width), false);
  stmt->slot = static_cast<std::uint32_t>(rule_->slots.size());
  rule_->slots.push_back({s.name.text == "_" ? symbol.name + ".bits" : s.name.text, stmt->read.type, stmt->read.range, false, s.span, std::nullopt});
  ExprPtr state = make(Op::Local, stmt->read.type, stmt->read.range, span);
  state->ref = stmt->slot;
  out.push_back(std::move(stmt));
  if (base) state = arithmetic(Op::Add, false, std::move(base), std::move(state), span);
  // What an entry adds to its base keeps inside of the table that it was built for, and none is larger.
  state->range.hi = std::min(state->range.hi, (i128{1} << code.max_log) - 1);
  return state;
}

void Body::read_state(const ast::Stmt& s, const Symbol& code, model::Block& out) {
  ExprPtr state = state_read(s, code, out);
  if (s.name.text == "_") return;
  const bool broken = !state;
  let(s, std::move(state), out);
  const auto declared = scopes_.back().find(s.name.text);
  if (declared == scopes_.back().end()) return;
  declared->second.may_be_unused = true;
  declared->second.is_broken = declared->second.is_broken || broken;
}

}  // namespace sluice::sema
