#pragma once
// Expressions of the model as expressions of the IR.
#include "compiler/ir/ir.h"
#include "dsl/model/model.h"

namespace sluice::lower {

// The expression alone: it is total only after the checks that its `checked` nodes ask for.
ir::ExprPtr plain(const model::Expr& e);
// plain(e) as a 64-bit unsigned value. A negative one becomes a very large one.
ir::ExprPtr unsigned_word(const model::Expr& e);
// The same of a value that is not negative, as its range or a check before says: counts, sizes.
ir::ExprPtr fitted_word(const model::Expr& e);

ir::ExprPtr constant(std::uint64_t value, Span span);
ir::ExprPtr node(ir::Op op, ir::Type type, ir::Range range, Span span);
ir::ExprPtr truth(ir::Op op, Span span, ir::ExprPtr a, ir::ExprPtr b = nullptr);
// The value of `e` lies in t.
ir::ExprPtr fits(const model::Expr& e, model::Type t);
// The value of `e` lies in r, some of it but not all of it does.
ir::ExprPtr lies_in(const model::Expr& e, model::Range r);

}  // namespace sluice::lower
