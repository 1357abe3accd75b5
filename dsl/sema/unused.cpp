// What no statement names takes no room: of a module its users may want a rule and none of its tables.
//
//   array lengths: u4[320], array counts: u16[16]     statements name counts alone: counts is array 0, there is no other
#include <array>

#include "dsl/sema/context.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

using model::Expr;
using model::Op;
using model::Stmt;
using Kind = model::Stmt::Kind;

enum class List : std::uint8_t { Globals, Arrays, Tables, Ranges, Codes, States, Buffers, Outputs, Symbols, Marks };
constexpr std::size_t kLists = 10;

// Calls visit(list, number) for whatever of a list the expression itself names; `number` may be changed.
template <class Visit>
void names_of(Expr& e, const Visit& visit) {
  switch (e.op) {
    case Op::Global:
      return visit(List::Globals, e.ref);
    case Op::Elem:
      return visit(List::Arrays, e.ref);
    case Op::TableElem:
      return visit(List::Tables, e.ref);
    case Op::BufferElem:
    case Op::BufferCount:
      return visit(List::Buffers, e.ref);
    case Op::OutputCount:
      return visit(List::Outputs, e.ref);
    case Op::ProducedSince:
    case Op::ConsumedSince:
      return visit(List::Marks, e.ref);
    case Op::Checksum:
      if (e.stream != model::Stream::Dictionary) visit(List::Marks, e.ref);
      return;
    default:
      return;
  }
}

// The same of a statement, without its expressions and blocks.
template <class Visit>
void names_of(Stmt& s, const Visit& visit) {
  if (s.read.kind == model::ReadSpec::Kind::Code) visit(List::Codes, s.read.ref);
  if (s.read.kind == model::ReadSpec::Kind::Ranges) visit(List::Ranges, s.read.ref);
  switch (s.kind) {
    case Kind::SetGlobal:
      return visit(List::Globals, s.ref);
    case Kind::SetElem:
      return visit(List::Arrays, s.ref);
    case Kind::Build:
    case Kind::BuildStates:
      visit(s.kind == Kind::Build ? List::Codes : List::States, s.ref);
      return visit(s.from_table ? List::Tables : List::Arrays, s.array);
    case Kind::Mark:
      return visit(List::Marks, s.ref);
    case Kind::Within:
      if (s.b) visit(List::Marks, s.ref);
      return;
    case Kind::Stage:
      visit(List::Buffers, s.ref);
      if (s.array != Stmt::kNoSlot) visit(s.stage == model::StageKind::Gather ? List::Buffers : List::Arrays, s.array);
      return;
    case Kind::Into:
      return visit(s.further ? List::Outputs : List::Buffers, s.ref);
    case Kind::EmitBuffer:
      return visit(List::Buffers, s.ref);
    case Kind::ReadSymbol:
    case Kind::EmitSymbol:
      return visit(List::Symbols, s.ref);
    default:
      return;
  }
}

template <class Visit>
void all_names(model::Format& format, const Visit& visit) {
  for (model::Rule& rule : format.rules)
    for_each_stmt(rule.body, [&](Stmt& s) {
      names_of(s, visit);
      for_own_exprs(s, [&](Expr& e) { names_of(e, visit); });
    });
}

// Keeps what is used, in its order; `number`: the new one of each that is.
template <class T>
void keep(std::vector<T>& list, const std::vector<bool>& used, std::vector<std::uint32_t>& number) {
  std::uint32_t kept = 0;
  number.assign(list.size(), 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!used[i]) continue;
    number[i] = kept;
    if (kept != i) list[kept] = std::move(list[i]);
    ++kept;
  }
  list.resize(kept);
}

}  // namespace

void drop_unused(model::Format& format) {
  std::array<std::vector<bool>, kLists> used;
  std::array<std::vector<std::uint32_t>, kLists> number;
  const auto of = [](auto& lists, List list) -> auto& { return lists[static_cast<std::size_t>(list)]; };
  const auto each_list = [&](const auto& visit) {
    visit(List::Globals, format.globals);
    visit(List::Arrays, format.arrays);
    visit(List::Tables, format.tables);
    visit(List::Ranges, format.ranges);
    visit(List::Codes, format.codes);
    visit(List::States, format.states);
    visit(List::Buffers, format.buffers);
    visit(List::Outputs, format.outputs);
    visit(List::Symbols, format.symbols);
    visit(List::Marks, format.marks);
  };
  each_list([&](List list, auto& all) { of(used, list).assign(all.size(), false); });
  all_names(format, [&](List list, std::uint32_t& ref) { of(used, list)[ref] = true; });
  // A format's own outputs are what its callers give room for, whether anything goes there or not; a module's have a prefix.
  for (std::size_t i = 0; i < format.outputs.size(); ++i)
    if (format.outputs[i].name.find('.') == std::string::npos) of(used, List::Outputs)[i] = true;
  // A state code is its entries and their number, even where nothing but its start is read.
  for (std::size_t i = 0; i < format.states.size(); ++i) {
    const model::StateCode& code = format.states[i];
    const bool any = of(used, List::States)[i] || of(used, List::Arrays)[code.entries] || of(used, List::Globals)[code.log];
    of(used, List::States)[i] = of(used, List::Arrays)[code.entries] = of(used, List::Globals)[code.log] = any;
  }
  each_list([&](List list, auto& all) { keep(all, of(used, list), of(number, list)); });
  for (model::StateCode& code : format.states) {
    code.entries = of(number, List::Arrays)[code.entries];
    code.log = of(number, List::Globals)[code.log];
  }
  all_names(format, [&](List list, std::uint32_t& ref) { ref = of(number, list)[ref]; });
}

}  // namespace sluice::sema
