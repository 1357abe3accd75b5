// A symbol inside a fast loop, and what depends on it: see fast_token.h and symbol_plan.h.
//
//   read s code litlen            ->   u32 e = table_litlen[Bits::look(b, 10)];          the table, and its row
//   if (lt s 256)  emit s              if (e & special) { second level, or leave }       long codes
//   else read len ranges ...           if (kind of e == 0) { emit } else { len = ... }   arms
#include <algorithm>

#include "compiler/emit/fast_token.h"

namespace sluice::emit {
namespace {

constexpr unsigned kRefilled = 56;  // bits that are surely there behind a refill
constexpr unsigned kMostRow = 3;    // symbols of one step before its last token

}  // namespace

bool FastToken::symbol(const ir::Stmt& s, const List& rest, bool& rest_done) {
  const ir::Code& code = context_.module.codes[s.read.ref];
  const auto plan = !context_.bytes() ? plan_symbol(context_.module, s, rest) : std::nullopt;
  if (!plan) return leave("it reads a prefix code too large for a table");
  Symbol y{*plan, code};
  y.chain = rows_ && at_start_ && code.copies == 1 && plan->arms[0].emits_symbol && scopes_.size() == 1 &&
            inner_loops_ == 0 && conditional_ == 0;
  y.first = context_.table_bits(code);
  y.longest = context_.cuda ? code.max_bits : ir::table_most(code);
  if (!choose_table(s, y)) return false;
  y.entry = temporary("e");
  const std::string look = fmt::format("{}[Bits::look(b, {})]", y.table, y.first);
  if (y.chain) {
    row_of_symbols(y, look);
  } else {
    need_bits(y.most());
    writer_.line("u32 {} = {};", y.entry, look);
  }
  long_code(y);
  rest_done = plan->consumed;
  return symbol_arms(y);
}

// The table in Scratch that the plan needs, made once, and the local that points to it.
bool FastToken::choose_table(const ir::Stmt& s, Symbol& y) {
  for (const CodeTable& t : tables_)
    if (t.plan.code == y.plan.code && t.plan.info == y.plan.info) y.member = t.name;
  if (y.member.empty()) {
    y.member = context_.lookup(y.plan.code, tables_.size());
    tables_.push_back({y.plan, y.member});
  }
  if (y.most() > context_.look_bits()) return leave("a symbol with its extra bits is longer than the bit buffer");
  y.table = y.member;
  if (y.code.copies > 1) {
    const auto which = s.read.index ? value_u64(*s.read.index) : std::nullopt;
    if (!which) return leave("which code it reads needs the input's exact position");
    y.table = temporary("table");
    y.copy = *which;
    writer_.line("const u32* const {} = {}->{}[{}];", y.table, scratch(), y.member, y.copy);
  } else if (declared_.insert(y.member).second) {
    table_pointers_ += fmt::format("  const u32* const {0} = m->{0}[0];\n", y.member);
    uses_.scratch = true;
  }
  return true;
}

// Symbols that stand for themselves come in rows and are short: as many as one refill surely holds, plus whatever comes
// after them. The next look-up always runs ahead, beside the output.
void FastToken::row_of_symbols(const Symbol& y, const std::string& look) {
  row_ = std::min(kMostRow, (kRefilled - y.most()) / y.first);
  preload_ = fmt::format("{} = {};", y.entry, look);
  preload_depth_ = conditional_ + (y.plan.arms.size() > 1 ? 1 : 0);
  prologue_ = fmt::format("  Bits::refill(b, src, in);\n  u32 {}\n", preload_);
  cost_.in += 8;
  sure_bits_ = kRefilled;
  for (unsigned k = 0; k < row_; ++k) {
    writer_.open("if (({} & prim::kKindMask) == 0) {{", y.entry);
    store_symbol(y);
    writer_.line("{}", preload_);
    sure_bits_ -= y.first;
  }
  for (unsigned k = 0; k < row_; ++k) writer_.close();
  mark_token();
}

// The symbol of the entry is the output.
void FastToken::store_symbol(const Symbol& y) {
  writer_.line("Bits::drop(b, src, in, prim::entry_bits({}));", y.entry);
  writer_.line("prim::store<{}>(out, prim::entry_payload({}));", context_.elem_bytes(), y.entry);
  writer_.line("out += {};", context_.elem_bytes());
  cost_.out += context_.elem_bytes();
  outputs_ = true;
}

// Leave, or the second level of a long code.
void FastToken::long_code(const Symbol& y) {
  const std::string& e = y.entry;
  writer_.open("if (SLUICE_UNLIKELY({} & {}u)) {{", e, kKindSpecial);
  if (y.longest > y.first && context_.cuda) {
    // No second level: it would cost more shared memory than long codes are worth. The lanes look for the length.
    const std::string which = fmt::format("{}->{}[{}]", scratch(), context_.code(y.plan.code),
                                          y.code.copies > 1 ? y.copy : std::string("0"));
    writer_.line("{} = prim::long_entry<{}>({}, kInfo_{}, Bits::look(b, {}));", e, context_.msb(), which, y.member,
                 y.longest);
    writer_.line("if ({} & {}u) {}", e, kKindSpecial, go_leave());
  } else if (y.longest > y.first) {
    writer_.line("if (({} & prim::kKindMask) == prim::kKindLeave) {}", e, go_leave());
    writer_.line("Bits::drop(b, src, in, {});", y.first);
    writer_.line("{0} = {1}[prim::entry_payload({0}) + Bits::look(b, prim::entry_code_bits({0}))];", e, y.table);
    writer_.line("if ({} & {}u) {}", e, kKindSpecial, go_leave());
  } else {
    writer_.line("{}", go_leave());
  }
  writer_.close();
}

// What the plan says comes after the symbol, each in its branch. False: control never comes out of them.
bool FastToken::symbol_arms(const Symbol& y) {
  const unsigned sure = sure_bits_;
  const Cost before = cost_;
  Cost most_cost = before;
  unsigned least_sure = 64;
  bool goes_on = false;
  unsigned open_elses = 0;
  const bool several = y.plan.arms.size() > 1;
  for (std::size_t k = 0; k < y.plan.arms.size(); ++k) {
    const SymbolArm& arm = y.plan.arms[k];
    const bool guarded = several && k + 1 != y.plan.arms.size();
    if (guarded) {
      writer_.open("if (({} & prim::kKindMask) == {}u) {{", y.entry, k << kKindShift);
    } else if (several) {
      writer_.open("{");
    }
    if (several) ++conditional_;
    sure_bits_ = sure - (y.longest + arm.max_extra);
    cost_ = before;
    bool falls = symbol_arm(y, arm);
    if (falls && y.chain) preload();
    if (guarded && falls && y.chain) {
      writer_.line("continue;");
      falls = false;
    }
    if (several) --conditional_;
    if (guarded && !y.chain) {
      writer_.next("} else {");
      ++open_elses;
    } else if (several) {
      writer_.close();
    }
    most_cost.in = std::max(most_cost.in, cost_.in);
    most_cost.out = std::max(most_cost.out, cost_.out);
    if (falls) least_sure = std::min(least_sure, sure_bits_);
    goes_on |= falls;
  }
  for (; open_elses > 0; --open_elses) writer_.close();
  cost_ = most_cost;
  sure_bits_ = least_sure > kRefilled ? 0 : least_sure;
  return goes_on || y.chain;
}

bool FastToken::symbol_arm(const Symbol& y, const SymbolArm& arm) {
  preloaded_ = false;
  if (arm.emits_symbol && y.plan.consumed) {
    store_symbol(y);
    return true;
  }
  const std::string& e = y.entry;
  if (arm.fused && arm.fused->slot == ir::Stmt::kNoSlot) {
    writer_.line("Bits::drop(b, src, in, prim::entry_bits({}));", e);  // with its extra bits
  } else if (arm.fused) {
    writer_.line("{} = prim::entry_payload({}) + prim::take_entry(b, src, in, {});", define(arm.fused->slot), e, e);
  } else {
    writer_.line("Bits::drop(b, src, in, prim::entry_bits({}));", e);
    writer_.line("{} = prim::entry_payload({});", define(y.plan.slot), e);
  }
  at_start_ = false;
  return !y.plan.consumed || list(arm.rest);
}

}  // namespace sluice::emit
