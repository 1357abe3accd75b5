#include "dsl/model/model.h"

namespace sluice::model {

ExprPtr clone(const Expr& e) {
  auto copy = std::make_unique<Expr>();
  copy->op = e.op;
  copy->type = e.type;
  copy->range = e.range;
  copy->imm = e.imm;
  copy->ref = e.ref;
  copy->algo = e.algo;
  copy->stream = e.stream;
  copy->flag = e.flag;
  copy->checked = e.checked;
  copy->wraps = e.wraps;
  copy->span = e.span;
  for (const ExprPtr& kid : e.kids) copy->kids.push_back(clone(*kid));
  return copy;
}

i128 const_value(const Expr& e) {
  return e.type.is_signed ? static_cast<i128>(static_cast<std::int64_t>(e.imm)) : static_cast<i128>(e.imm);
}

}  // namespace sluice::model
