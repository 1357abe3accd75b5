#include "compiler/ir/names.h"

#include <array>
#include <charconv>
#include <iterator>

namespace sluice::ir {
namespace {

constexpr Type kU32{32, false};

constexpr OpInfo kOps[] = {
    {Op::Const, "const"},
    {Op::Local, "local", 0, RefKind::Slot},
    {Op::Global, "global", 0, RefKind::Global},
    {Op::Arg, "arg", 0, RefKind::Arg},
    {Op::Elem, "elem", 1, RefKind::Array},
    {Op::TableElem, "table_elem", 1, RefKind::Table},
    {Op::Add, "add", 2},
    {Op::Sub, "sub", 2},
    {Op::Mul, "mul", 2},
    {Op::Div, "div", 2},
    {Op::Rem, "rem", 2},
    {Op::BitAnd, "bit_and", 2},
    {Op::BitOr, "bit_or", 2},
    {Op::BitXor, "bit_xor", 2},
    {Op::Shl, "shl", 2},
    {Op::Shr, "shr", 2},
    {Op::Eq, "eq", 2, RefKind::None, kBool},
    {Op::Ne, "ne", 2, RefKind::None, kBool},
    {Op::Lt, "lt", 2, RefKind::None, kBool},
    {Op::Le, "le", 2, RefKind::None, kBool},
    {Op::Gt, "gt", 2, RefKind::None, kBool},
    {Op::Ge, "ge", 2, RefKind::None, kBool},
    {Op::LogAnd, "and", 2, RefKind::None, kBool},
    {Op::LogOr, "or", 2, RefKind::None, kBool},
    {Op::LogNot, "not", 1, RefKind::None, kBool},
    {Op::BitNot, "bit_not", 1},
    {Op::Neg, "neg", 1, RefKind::None, kI64},
    {Op::Select, "select", 3},
    {Op::Min, "min", 2},
    {Op::Max, "max", 2},
    {Op::Cast, "cast", 1},
    {Op::SignExtend, "sign_extend", 2, RefKind::None, kI64},
    {Op::ZigZag, "zigzag", 1, RefKind::None, kI64},
    {Op::AddOk, "add_ok", 2, RefKind::None, kBool},
    {Op::SubOk, "sub_ok", 2, RefKind::None, kBool},
    {Op::MulOk, "mul_ok", 2, RefKind::None, kBool},
    {Op::Fits, "fits", 1, RefKind::None, kBool},
    {Op::Remaining, "remaining"},
    {Op::AtEnd, "at_end", 0, RefKind::None, kBool},
    {Op::Aligned, "aligned", 0, RefKind::None, kBool},
    {Op::Produced, "produced"},
    {Op::Peek, "peek"},
    {Op::PeekBits, "peek_bits"},
    {Op::ProducedSince, "produced_since", 0, RefKind::Mark},
    {Op::ConsumedSince, "consumed_since", 0, RefKind::Mark},
    {Op::Checksum, "checksum", 0, RefKind::Mark, kU32},
    {Op::DictionarySize, "dictionary_size"},
    {Op::BufferCount, "buffer_count", 0, RefKind::Buffer},
    {Op::OutputCount, "output_count", 0, RefKind::Output},
    {Op::BufferElem, "buffer_elem", 1, RefKind::Buffer},
};

// Each list is in the order of its enum: the word of enumerator e is list[e].
constexpr std::string_view kReasons[] = {
    "reject",       "end_of_input",   "output_full",    "bad_distance", "no_such_code",
    "varint_too_long", "out_of_range", "divide_by_zero", "oversubscribed", "incomplete",
    "bytes_left",   "output_short",   "unaligned",      "no_progress",  "trailing_bytes",
    "bad_padding"};
constexpr std::string_view kStatements[] = {
    "read",   "set",    "set_global", "set_elem", "emit", "literals", "run",  "copy", "build",
    "build_states", "if",     "loop",   "stop",       "reject",   "accept", "check",  "call", "return",
    "within", "producing", "mark",    "new_window", "align", "skip",
    "into",   "stage",  "emit_buffer", "read_symbol", "emit_symbol"};
constexpr std::string_view kLoops[] = {"forever", "until_end", "until_outputs", "until_cond", "times"};
constexpr std::string_view kReads[] = {"fixed", "computed", "varint", "code", "ranges"};
constexpr std::string_view kAlgos[] = {"adler32", "crc32", "crc32c", "crc32_bzip2", "xxh32", "xxh64"};
constexpr std::string_view kStreams[] = {"input", "output", "dictionary"};
constexpr std::string_view kInputs[] = {"bytes", "bits_lsb", "bits_msb"};
constexpr std::string_view kPolicies[] = {"refuse", "single", "accept"};
constexpr std::string_view kForms[] = {"all", "runs", "unshuffled", "bit_unshuffled", "slice"};
constexpr std::string_view kStages[] = {"inverse_mtf", "inverse_bwt", "prefix_sum", "add", "gather"};

static_assert(std::size(kOps) == static_cast<std::size_t>(Op::BufferElem) + 1);
static_assert(std::size(kReasons) == static_cast<std::size_t>(Reason::BadPadding) + 1);
static_assert(std::size(kStatements) == static_cast<std::size_t>(Stmt::Kind::EmitSymbol) + 1);
static_assert(std::size(kLoops) == static_cast<std::size_t>(LoopKind::Times) + 1);
static_assert(std::size(kReads) == static_cast<std::size_t>(ReadSpec::Kind::Ranges) + 1);
static_assert(std::size(kAlgos) == static_cast<std::size_t>(Algo::XxHash64) + 1);
static_assert(std::size(kStreams) == static_cast<std::size_t>(Stream::Dictionary) + 1);
static_assert(std::size(kInputs) == static_cast<std::size_t>(Input::BitsMsb) + 1);
static_assert(std::size(kPolicies) == static_cast<std::size_t>(Incomplete::Accept) + 1);
static_assert(std::size(kStages) == static_cast<std::size_t>(StageKind::Gather) + 1);
static_assert(std::size(kForms) == static_cast<std::size_t>(BufferForm::Slice) + 1);
static_assert([] {
  for (std::size_t i = 0; i < std::size(kOps); ++i) {
    if (static_cast<std::size_t>(kOps[i].op) != i) return false;
  }
  return true;
}());

template <typename T>
struct WordsOf;
template <> struct WordsOf<Reason> { static constexpr auto& list = kReasons; };
template <> struct WordsOf<Stmt::Kind> { static constexpr auto& list = kStatements; };
template <> struct WordsOf<LoopKind> { static constexpr auto& list = kLoops; };
template <> struct WordsOf<ReadSpec::Kind> { static constexpr auto& list = kReads; };
template <> struct WordsOf<Algo> { static constexpr auto& list = kAlgos; };
template <> struct WordsOf<Stream> { static constexpr auto& list = kStreams; };
template <> struct WordsOf<Input> { static constexpr auto& list = kInputs; };
template <> struct WordsOf<Incomplete> { static constexpr auto& list = kPolicies; };
template <> struct WordsOf<BufferForm> { static constexpr auto& list = kForms; };
template <> struct WordsOf<StageKind> { static constexpr auto& list = kStages; };

template <typename T>
std::string_view word(T value) {
  const auto index = static_cast<std::size_t>(value);
  return index < std::size(WordsOf<T>::list) ? WordsOf<T>::list[index] : std::string_view("?");
}

}  // namespace

const OpInfo& info(Op op) { return kOps[static_cast<std::size_t>(op)]; }

std::optional<Op> op_named(std::string_view text) {
  for (const OpInfo& entry : kOps) {
    if (entry.name == text) return entry.op;
  }
  return std::nullopt;
}

std::string_view name(Reason reason) { return word(reason); }
std::string_view name(Stmt::Kind kind) { return word(kind); }
std::string_view name(LoopKind kind) { return word(kind); }
std::string_view name(ReadSpec::Kind kind) { return word(kind); }
std::string_view name(Algo algo) { return word(algo); }
std::string_view name(Stream stream) { return word(stream); }
std::string_view name(Input input) { return word(input); }
std::string_view name(Incomplete policy) { return word(policy); }
std::string_view name(BufferForm form) { return word(form); }
std::string spelling(BufferForm form) {
  return form == BufferForm::Slice ? "literals" : "emit " + std::string(word(form));
}
std::string_view name(StageKind stage) { return word(stage); }
std::string name(Type type) { return (type.is_signed ? "i" : "u") + std::to_string(type.bits); }

template <typename T>
std::optional<T> named(std::string_view text) {
  for (std::size_t i = 0; i < std::size(WordsOf<T>::list); ++i) {
    if (WordsOf<T>::list[i] == text) return static_cast<T>(i);
  }
  return std::nullopt;
}
template std::optional<Reason> named<Reason>(std::string_view);
template std::optional<Stmt::Kind> named<Stmt::Kind>(std::string_view);
template std::optional<LoopKind> named<LoopKind>(std::string_view);
template std::optional<ReadSpec::Kind> named<ReadSpec::Kind>(std::string_view);
template std::optional<Algo> named<Algo>(std::string_view);
template std::optional<Stream> named<Stream>(std::string_view);
template std::optional<Input> named<Input>(std::string_view);
template std::optional<Incomplete> named<Incomplete>(std::string_view);
template std::optional<StageKind> named<StageKind>(std::string_view);

std::optional<Type> type_named(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'u' && text[0] != 'i')) return std::nullopt;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), bits);
  if (error != std::errc{} || end != text.data() + text.size() || bits < 1 || bits > 64) return std::nullopt;
  return Type{static_cast<std::uint8_t>(bits), text[0] == 'i'};
}

Typing usual_typing(const Module& module, const Rule* rule, const Expr& e) {
  const Type usual = info(e.op).type;
  switch (e.op) {
    case Op::Local:
      if (rule != nullptr && e.ref < rule->slots.size()) return {rule->slots[e.ref].type, rule->slots[e.ref].range};
      break;
    case Op::Global:
      if (e.ref < module.globals.size()) return {module.globals[e.ref].type, module.globals[e.ref].range};
      break;
    case Op::Arg:
      if (e.ref < module.args.size()) return {module.args[e.ref].type, range_of(module.args[e.ref].type)};
      break;
    case Op::Elem:
      if (e.ref < module.arrays.size()) return {module.arrays[e.ref].elem, range_of(module.arrays[e.ref].elem)};
      break;
    case Op::TableElem:
      if (e.ref < module.tables.size()) return {module.tables[e.ref].elem, range_of(module.tables[e.ref].elem)};
      break;
    case Op::BufferCount:
      if (e.ref < module.buffers.size()) return {usual, {0, module.buffers[e.ref].limit}};
      break;
    case Op::BufferElem: return {module.output, range_of(module.output)};
    case Op::Checksum: {
      const Type sum{static_cast<std::uint8_t>(model::bits_of(e.algo)), false};
      return {sum, range_of(sum)};
    }
    default: break;
  }
  return {usual, range_of(usual)};
}

}  // namespace sluice::ir
