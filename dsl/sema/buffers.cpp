// Buffers, stages and symbols.
//
//   into text                          the block's output goes to the buffer
//     ...
//   stage inverse_bwt text, origin o   the buffer is rewritten in place
//   emit all text
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::Op;
using model::StageKind;
using Kind = model::Stmt::Kind;

// The symbol of that kind; null and reported when the name stands for nothing, or for something else.
Symbol* Body::declared(const ast::Name& name, Symbol::Kind kind, Code code, std::string_view what) {
  if (name.text.empty()) return nullptr;
  Symbol* symbol = find(name.text);
  if (symbol == nullptr) {
    undefined(name, what);
    return nullptr;
  }
  symbol->used = true;
  if (symbol->kind == kind) return symbol;
  auto report = context_.sink.error(
      code, name.span, fmt::format("`{}` is {}, not {}", name.text, kind_name(symbol->kind), kind_name(kind)));
  report.note(symbol->span, "declared here");
  if (symbol->kind == Symbol::Kind::Output)
    report.help(fmt::format("what an output holds is the caller's: `into {0}` adds to it, `count of {0}` is how much there is; a "
                            "`buffer` can be looked at", name.text));
  return nullptr;
}

// Where an `into` sends its block's output.
Symbol* Body::target(const ast::Name& name) {
  Symbol* symbol = find(name.text);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::Output) return buffer(name);
  symbol->used = true;
  return symbol;
}

Symbol* Body::buffer(const ast::Name& name) { return declared(name, Symbol::Kind::Buffer, Code::NotABuffer, "buffer"); }

// count of NAME
model::ExprPtr Body::count_of(const ast::Expr& e) {
  const Symbol* symbol = target(e.name);
  if (symbol == nullptr) return nullptr;
  const bool further = symbol->kind == Symbol::Kind::Output;
  if (rule_ == nullptr) {
    context_.sink.error(Code::NotConstant, e.span,
                        fmt::format("what {} holds is known at run time only", kind_name(symbol->kind)));
    return nullptr;
  }
  if (further) {
    ExprPtr count = make(Op::OutputCount, model::kU64, {0, kMaxOutputs}, e.span);
    count->ref = symbol->id;
    return count;
  }
  const i128 limit = context_.format.buffers[symbol->id].limit;
  if (limit == 0) return nullptr;  // its declaration was wrong
  ExprPtr count = make(Op::BufferCount, model::kU64, {0, limit}, e.span);
  count->ref = symbol->id;
  return count;
}

// NAME[EXPR]; an index past the end is not refused: the element is 0 there.
model::ExprPtr Body::buffer_element(const ast::Expr& e, const Symbol& symbol) {
  if (rule_ == nullptr) {
    context_.sink.error(Code::NotConstant, e.span, "what a buffer holds is known at run time only");
    return nullptr;
  }
  const std::uint64_t limit = context_.format.buffers[symbol.id].limit;
  if (e.kids.empty() || limit == 0) return nullptr;
  bool may_be_past_the_end = false;
  ExprPtr at = checked_index(e.kids[0].get(), limit, symbol.name, &may_be_past_the_end);
  if (!at) return nullptr;
  auto element = std::make_unique<Expr>();
  element->op = Op::BufferElem;
  element->type = instance_.output;
  element->range = model::range_of(instance_.output);
  element->ref = symbol.id;
  element->span = e.span;
  element->kids.push_back(std::move(at));
  return element;
}

void Body::into(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Into, s);
  const Symbol* to = target(s.name);
  if (to != nullptr) stmt->ref = to->id;
  stmt->further = to != nullptr && to->kind == Symbol::Kind::Output;
  const Type outer = std::exchange(element_, stmt->further ? to->type : instance_.output);
  ++regions_;
  block(s.body, stmt->body);
  --regions_;
  element_ = outer;
  if (to != nullptr) out.push_back(std::move(stmt));
}

// The elements of a buffer are those of the output; moving to front, sorting and counting runs are about bytes.
bool Body::needs_bytes(const ast::Name& what) {
  const Type type = instance_.output;
  if (!instance_.has_output) return false;  // reported
  if (type == Type{8, false}) return true;
  context_.sink.error(Code::StageMismatch, what.span,
                      fmt::format("`{}` works on bytes, but the elements are `{}`", what.text, type_text(type)));
  return false;
}

void Body::stage(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Stage, s);
  stmt->array = Stmt::kNoSlot;
  const Symbol* target = buffer(s.name);
  const bool sound = stage_operands(s, *stmt);
  if (target == nullptr || !sound) return;
  stmt->ref = target->id;
  if (stmt->stage == StageKind::Gather && stmt->array == target->id) {
    context_.sink.error(Code::StageMismatch, s.source.span, "a buffer can't be gathered from itself")
        .help("its elements are the indices; what they select stands in another buffer");
    return;
  }
  out.push_back(std::move(stmt));
}

bool Body::stage_operands(const ast::Stmt& s, model::Stmt& to) {
  const std::string& word = s.word.text;
  if (word == "inverse_mtf") {
    to.stage = StageKind::InverseMtf;
    return needs_bytes(s.word) && (s.source.text.empty() || alphabet(s, to));
  }
  if (word == "gather") {
    to.stage = StageKind::Gather;
    const Symbol* from = buffer(s.source);
    if (from != nullptr) to.array = from->id;
    return from != nullptr;
  }
  if (s.a) {
    to.a = word == "inverse_bwt" ? amount(s.a.get(), "this origin") : expr(s.a.get());
    if (!to.a) return false;
  }
  to.stage = word == "inverse_bwt"  ? StageKind::InverseBwt
             : word == "prefix_sum" ? StageKind::PrefixSum
                                    : StageKind::Add;
  return to.stage != StageKind::InverseBwt || needs_bytes(s.word);
}

// alphabet ARRAY[0, COUNT]
bool Body::alphabet(const ast::Stmt& s, model::Stmt& to) {
  const Symbol* array = declared(s.source, Symbol::Kind::Array, Code::StageMismatch, "array");
  ExprPtr start = expr(s.a.get());
  to.b = amount(s.b.get(), "this count");
  if (array == nullptr || !start || !to.b) return false;
  const model::Array& list = context_.format.arrays[array->id];
  if (list.count == 0) return false;  // its declaration was wrong
  if (start->op != Op::Const || start->imm != 0) {
    context_.sink.error(Code::StageMismatch, start->span, "an alphabet is the first elements of its array")
        .help(fmt::format("write `{}[0, COUNT]`", s.source.text));
    return false;
  }
  if (!model::within(model::range_of(list.elem), model::range_of(instance_.output))) {
    context_.sink
        .error(
            Code::StageMismatch, s.source.span,
            fmt::format("values of `{}` do not all fit the output's `{}`", s.source.text, type_text(instance_.output)))
        .note(array->span, "declared here");
    return false;
  }
  const std::uint64_t most = std::min<std::uint64_t>(list.count, model::kMaxAlphabet);
  if (to.b->range.lo > static_cast<i128>(most)) {
    context_.sink
        .error(Code::StageMismatch, to.b->span,
               most < list.count ? fmt::format("an alphabet has at most {} elements", most)
                                 : fmt::format("this count always passes the end of `{}`, which has {} elements",
                                               s.source.text, list.count))
        .note(array->span, "declared here");
    return false;
  }
  to.array = array->id;
  return true;
}

void Body::emit_buffer(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::EmitBuffer, s);
  const Symbol* source = buffer(s.name);
  const std::string& word = s.word.text;
  stmt->form = word == "runs"             ? model::BufferForm::Runs
               : word == "unshuffled"     ? model::BufferForm::Unshuffled
               : word == "bit_unshuffled" ? model::BufferForm::BitUnshuffled
               : word == "literals"       ? model::BufferForm::Slice
                                          : model::BufferForm::All;
  if (stmt->form == model::BufferForm::Slice) return slice(s, source, std::move(stmt), out);
  if (s.a) {
    stmt->a = amount(s.a.get(), "this size");
    if (!stmt->a) return;
    if (stmt->a->range.hi < 1) {
      context_.sink.error(Code::StageMismatch, stmt->a->span, "an element has a byte at least");
      return;
    }
  }
  if (source == nullptr) return;
  if (stmt->form != model::BufferForm::All && !needs_bytes({"emit " + word, s.span})) return;
  stmt->ref = source->id;
  out.push_back(std::move(stmt));
}

// literals NAME[FROM, COUNT]
void Body::slice(const ast::Stmt& s, const Symbol* source, std::unique_ptr<model::Stmt> stmt, model::Block& out) {
  stmt->a = amount(s.a.get(), "this start");
  stmt->b = amount(s.b.get(), "this count");
  if (source == nullptr || !stmt->a || !stmt->b) return;
  const std::uint64_t limit = context_.format.buffers[source->id].limit;
  if (limit == 0) return;  // its declaration was wrong
  if (stmt->a->range.lo + stmt->b->range.lo > static_cast<i128>(limit)) {
    context_.sink
        .error(Code::NeverFits, s.span,
               fmt::format("these elements are always past the end of `{}`, which holds at most {}", s.name.text, limit))
        .note(source->span, "declared here");
    return;
  }
  stmt->ref = source->id;
  // It was there, so both together are no more than what the buffer holds.
  std::vector<ExprPtr> ends;
  ends.push_back(model::clone(*stmt->a));
  ends.push_back(model::clone(*stmt->b));
  const ExprPtr end = make(model::Op::Add, model::kU64, model::range_of(model::kU64), s.span, std::move(ends));
  facts_.narrow(*end, {0, static_cast<i128>(limit)});
  out.push_back(std::move(stmt));
}

void Body::read_symbol(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::ReadSymbol, s);
  const Symbol* target = declared(s.name, Symbol::Kind::Symbols, Code::NotSymbols, "list of symbols");
  stmt->b = expr(s.b.get());
  if (target == nullptr) return;
  const model::Symbols& symbols = context_.format.symbols[target->id];
  if (symbols.count == 0) return;
  bool checked = false;
  stmt->a = checked_index(s.a.get(), symbols.count, symbols.name, &checked);
  if (!stmt->a || !stmt->b) return;
  if (model::disjoint(stmt->b->range, {1, static_cast<i128>(model::kMaxSymbolBytes)})) {
    context_.sink.error(Code::NeverFits, stmt->b->span,
                        fmt::format("a symbol is 1 to {} bytes", model::kMaxSymbolBytes));
    return;
  }
  stmt->ref = target->id;
  out.push_back(std::move(stmt));
}

void Body::emit_symbol(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::EmitSymbol, s);
  const Symbol* source = declared(s.name, Symbol::Kind::Symbols, Code::NotSymbols, "list of symbols");
  if (source == nullptr) return;
  const model::Symbols& symbols = context_.format.symbols[source->id];
  if (symbols.count == 0) return;
  bool checked = false;
  stmt->a = checked_index(s.a.get(), symbols.count, symbols.name, &checked);
  if (!stmt->a) return;
  stmt->ref = source->id;
  out.push_back(std::move(stmt));
}

}  // namespace sluice::sema
