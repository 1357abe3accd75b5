// `build CODE from SOURCE[START, COUNT]`: lengths from a table are judged now, lengths from an array at run time.
#include <fmt/format.h>

#include "dsl/sema/body.h"

namespace sluice::sema {

namespace {

enum class Fit { Good, TooLong, Over, Under };

// Kraft's sum of `count` lengths from `start` against a full code of max_bits.
Fit judge(const model::Table& table, std::uint64_t start, std::uint64_t count, const model::Code& code) {
  std::uint64_t sum = 0, used = 0;
  for (std::uint64_t i = start; i < start + count; ++i) {
    const std::uint64_t length = table.values[i];
    if (length == 0) continue;
    if (length > code.max_bits) return Fit::TooLong;
    sum += std::uint64_t{1} << (code.max_bits - length);  // at most 65536 terms of 2^19
    ++used;
  }
  const std::uint64_t full = std::uint64_t{1} << code.max_bits;
  if (sum > full) return Fit::Over;
  if (used == 0 || sum == full || code.incomplete == model::Incomplete::Accept) return Fit::Good;
  if (code.incomplete == model::Incomplete::Single && used == 1 && sum * 2 == full) return Fit::Good;
  return Fit::Under;
}

}  // namespace

// What lengths or counts, `what`, are taken of `source`, and how many: `to`'s operands. False: wrong, and reported.
bool Body::build_operands(const ast::Stmt& s, const Symbol& target, const Symbol& source, std::uint64_t symbols, std::string_view what,
                          model::Stmt& to) {
  const bool table = source.kind == Symbol::Kind::Table;
  const std::uint64_t size = table ? context_.format.tables[source.id].values.size() : context_.format.arrays[source.id].count;
  if (symbols == 0 || size == 0) return false;  // a declaration was wrong
  to.ref = target.id;
  to.array = source.id;
  to.from_table = table;
  to.a = s.a ? amount(s.a.get(), "this start") : literal(0, model::kU64, s.source.span);
  to.b = s.b ? amount(s.b.get(), "this count") : literal(static_cast<i128>(size), model::kU64, s.source.span);
  if (!to.a || !to.b) return false;
  if (to.a->range.lo + to.b->range.lo > static_cast<i128>(size)) {
    context_.sink
        .error(Code::BadBuild, s.span,
               fmt::format("these {} always pass the end of `{}`, which has {} elements", what, s.source.text, size))
        .note(source.span, "declared here");
    return false;
  }
  if (to.b->range.lo > static_cast<i128>(symbols)) {
    context_.sink
        .error(Code::BadBuild, s.b ? s.b->span : s.source.span,
               fmt::format("more {} than `{}` has symbols ({})", what, s.name.text, symbols))
        .note(target.span, "declared here")
        .help(fmt::format("give the code more symbols, or take fewer: `{}[0, {}]`", s.source.text, symbols));
    return false;
  }
  return true;
}

void Body::build(const ast::Stmt& s, model::Block& out) {
  Symbol* target = find(s.name.text);
  Symbol* source = find(s.source.text);
  if (target == nullptr) undefined(s.name, "prefix code or state code");
  if (source == nullptr) undefined(s.source, "array or table");
  if (target == nullptr || source == nullptr) return;
  target->used = source->used = true;
  const bool states = target->kind == Symbol::Kind::State;
  if (!states && target->kind != Symbol::Kind::Code) {
    context_.sink
        .error(Code::BadBuild, s.name.span,
               fmt::format("`{}` is {}, neither a prefix code nor a state code", s.name.text, kind_name(target->kind)))
        .note(target->span, "declared here");
    return;
  }
  const bool table = source->kind == Symbol::Kind::Table;
  if (!table && source->kind != Symbol::Kind::Array) {
    context_.sink
        .error(Code::BadBuild, s.source.span,
               fmt::format("`{}` is {}: {} come from an array or a table", s.source.text, kind_name(source->kind),
                           states ? "counts of states" : "code lengths"))
        .note(source->span, "declared here");
    return;
  }
  if (states) return build_states(s, *target, *source, out);
  const model::Code& code = context_.format.codes[target->id];
  auto stmt = make_stmt(Stmt::Kind::Build, s);
  if (!build_operands(s, *target, *source, code.symbols, "lengths", *stmt)) return;
  if ((code.copies > 1) != (s.c != nullptr)) {
    context_.sink
        .error(Code::NotIndexable, s.name.span,
               code.copies > 1 ? fmt::format("`{}` is {} codes: say which one", s.name.text, code.copies)
                               : fmt::format("`{}` is one code: it takes no index", s.name.text))
        .note(target->span, "declared here");
    return;
  }
  if (s.c) {
    bool checked = false;
    stmt->c = checked_index(s.c.get(), code.copies, s.name.text, &checked);
    if (!stmt->c) return;
  }
  const Range start = stmt->a->range, count = stmt->b->range;
  if (table && start.lo == start.hi && count.lo == count.hi) {
    const Fit fit = judge(context_.format.tables[source->id], static_cast<std::uint64_t>(start.lo),
                          static_cast<std::uint64_t>(count.lo), code);
    if (fit == Fit::TooLong || fit == Fit::Over) {
      context_.sink
          .error(Code::OversubscribedTable, s.source.span,
                 fit == Fit::TooLong
                     ? fmt::format("a length in `{}` is more than the {} bits of `{}`", s.source.text, code.max_bits,
                                   s.name.text)
                     : fmt::format("the lengths in `{}` claim more codes than there are", s.source.text))
          .note(source->span, "declared here");
      return;
    }
    if (fit == Fit::Under) {
      context_.sink
          .error(Code::IncompleteTable, s.source.span,
                 fmt::format("the lengths in `{}` leave codes unused, which `{}` refuses", s.source.text, s.name.text))
          .note(target->span, "declared here")
          .help("add `, incomplete accept` to the prefix code, or complete the lengths");
      return;
    }
  }
  out.push_back(std::move(stmt));
}

}  // namespace sluice::sema
