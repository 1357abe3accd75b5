#pragma once
// The one table of words for the IR: printing, reading, error texts and explain pages spell a kind the same way.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"

namespace sluice::ir {

// What Expr::ref of an operator counts in.
enum class RefKind : std::uint8_t { None, Slot, Global, Arg, Array, Table, Mark, Buffer, Output };

struct OpInfo {
  Op op;
  std::string_view name;
  unsigned kids = 0;       // exact number of operands
  RefKind ref = RefKind::None;
  Type type = kU64;        // the usual result type: left out in text
};

const OpInfo& info(Op op);
std::optional<Op> op_named(std::string_view name);

// snake_case words; each enumerator has one and no two of an enum share it.
std::string_view name(Reason reason);
std::string_view name(Stmt::Kind kind);
std::string_view name(LoopKind kind);
std::string_view name(ReadSpec::Kind kind);
std::string_view name(Algo algo);
std::string_view name(Stream stream);
std::string_view name(Input input);
std::string_view name(Incomplete policy);
std::string_view name(BufferForm form);
std::string spelling(BufferForm form);  // as a spec says it: "emit runs", "literals"
std::string_view name(StageKind stage);
std::string name(Type type);  // "u8", "i64"

// The enumerator with this word. T: any enum of the list above.
template <typename T>
std::optional<T> named(std::string_view word);
extern template std::optional<Reason> named<Reason>(std::string_view);
extern template std::optional<Stmt::Kind> named<Stmt::Kind>(std::string_view);
extern template std::optional<LoopKind> named<LoopKind>(std::string_view);
extern template std::optional<ReadSpec::Kind> named<ReadSpec::Kind>(std::string_view);
extern template std::optional<Algo> named<Algo>(std::string_view);
extern template std::optional<Stream> named<Stream>(std::string_view);
extern template std::optional<Input> named<Input>(std::string_view);
extern template std::optional<Incomplete> named<Incomplete>(std::string_view);
extern template std::optional<StageKind> named<StageKind>(std::string_view);
std::optional<Type> type_named(std::string_view word);

// Type and range an expression has when text says nothing: those of the slot, global, argument, array, table or
// buffer it names, else the operator's usual ones. `rule` may be null. References out of range give the operator's.
struct Typing {
  Type type;
  Range range;
};
Typing usual_typing(const Module& module, const Rule* rule, const Expr& e);

}  // namespace sluice::ir
