#include "tests/emitted/contracts.h"

#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"

namespace sluice::emitted {
namespace {

using namespace clang;

constexpr std::int64_t kSlack = 32;  // prim::kCopySlack: what a wide copy may write past its end

constexpr std::int64_t kToldBytes = 64;  // prim::kToldBytes: what is moved of a token that its first byte tells

// prim::kPlainLiterals and prim::kPlainCopy, 8 and 16 bytes at once: what is moved of a plain token; of the input, behind its size.
constexpr std::int64_t kPlainOut = 7 + 16 + kSlack, kPlainIn = 8;

constexpr std::int64_t kJoinedBytes = 64;  // prim::kJoinedBytes: what is moved of a token that is put together

constexpr Contract bits(std::string_view name) { return {.name = name, .asks = Asks::Bits, .amount = 1}; }
constexpr Contract span(std::string_view name) { return {.name = name, .asks = Asks::Span}; }
constexpr Contract load(std::string_view name, int in, std::int64_t bytes) {
  return {.name = name, .asks = Asks::Margin, .in = in, .in_bytes = bytes};
}

constexpr Contract kContracts[]{
    // They test for themselves: the checked path.
    {"lacks"},
    {"peek"},
    {"peek_bits"},
    {"emit"},
    {"literal_bytes"},
    {"run"},
    {"copy"},
    {"take_varint"},
    {"read_word"},
    {"take_symbol"},
    {"emit_symbol"},
    {"read_symbols"},
    {"read_sized_symbols"},
    {"emit_all"},
    {"emit_runs"},
    {"emit_unshuffled"},
    {"emit_bit_unshuffled"},
    {"literal_varints"},
    {"literal_fields"},
    {"divert"},
    {"restore"},
    {"back"},
    {"open"},
    {"prefetch"},
    {"view"},
    {"element"},
    {"buffer_element"},
    {"resolve_parts"},
    {"clear_slots"},
    {"open_part"},
    {"part_fits"},
    {"write_parts"},
    {"speculate"},
    {"speculate_bits"},
    {"team_speculate"},
    {"as_values"},
    {"decode_values"},
    {"decode_chain_tokens"},
    {"take_strings"},
    {"decode_codes"},
    {"decode_fixed"},
    {"team_fixed"},
    {"list_of"},
    {"field"},  // of a tile's FirstBytes, which have a token's bytes
    {"packed_list"},
    {"packed_fields"},
    {"packed_steps"},
    {"run_of_values"},
    {"sum_list"},
    {"other_steps"},
    {"fill_array"},
    {"take_fills"},
    {"put_array"},
    {"set"},
    {"in_pair"},  // it hands on streams as they are
    {"turn"},
    {"measure_stream"},
    {"start_streams"},
    {"go_on"},
    {"number_at"},
    {"decode_together"},
    {"next_job"},
    {"end_jobs"},
    {"next_walk"},
    {"walk_ahead"},
    {"open_walks"},
    {"end_walks"},
    {"open_packets"},
    {"write_packets"},
    {"end_packets"},
    {"left_bits"},
    {"byte"},
    {"aligned"},
    // They say where things are, and touch nothing.
    {"source"},
    {"burst_source"},
    {"back_source"},
    {"direct_source"},
    {"bit_at"},
    {"lanes_may_load"},
    {"ask_ahead"},
    {"alike"},
    {"idle_source"},
    {"cursor"},
    {"byte_of"},
    {"global"},
    {"output"},
    {"burst_output"},
    {"direct_output"},
    {"end"},
    {"bytes"},
    {"pending_copies"},
    {"part_output"},
    {"part_place"},
    {"any_window"},
    {"made"},
    {"position"},
    {"place"},
    {"look"},
    {"look_after"},
    {"shown"},
    {"bits"},
    {"too_far"},
    {"end_of"},
    {"settle"},
    {"give_back"},
    {.name = "ready", .in = 1},
    // What a copy put off is inside what that copy was allowed.
    {"flush"},
    {"part_end"},
    bits("take"),
    bits("take_le"),
    bits("take_be"),
    span("adler32"),
    span("crc32"),
    span("crc32c"),
    span("crc32_bzip2"),
    span("xxh32"),
    span("xxh64"),
    // Input of fast loops.
    load("load_byte", 1, 1),
    load("load_le16", 1, 2),
    load("load_le32", 1, 4),
    load("load_le64", 1, 8),
    load("load_be16", 1, 2),
    load("load_be32", 1, 4),
    load("load_be64", 1, 8),
    load("bits_at", 1, kPosition),
    load("wide_bits_at", 1, kPosition),
    load("word_at", 1, kPosition),
    load("whole_word_at", 1, kPosition),
    load("whole_bits_at", 1, kPosition),
    load("whole_at", 1, kPosition),
    load("unpack", 1, kUnpack),
    load("lane_bits_at", 1, kLane),
    load("drop", 2, 0),
    load("drop_shown", 2, 0),
    load("take_entry", 2, 0),
    {.name = "varint", .asks = Asks::Margin, .in = 1, .length = 2},
    {.name = "at", .asks = Asks::Margin, .in = 2, .in_bytes = kRefill, .moves = true},
    {.name = "refill", .asks = Asks::Margin, .in = 2, .in_bytes = kRefill, .moves = true},
    {.name = "need", .asks = Asks::Margin, .in = 2, .in_bytes = kRefill, .moves = true},
    // Output, or both.
    {.name = "store", .asks = Asks::Margin, .out = 0, .out_bytes = 1, .elements = true},
    {.name = "store_lane", .asks = Asks::Margin, .out = 0, .out_bytes = 1, .elements = true},
    {.name = "fill", .asks = Asks::Margin, .out = 0, .length = 3, .elements = true},
    {.name = "fill_flat", .asks = Asks::Margin, .out = 0, .out_bytes = 1, .elements = true},
    {.name = "fill_wide", .asks = Asks::Margin, .out = 0, .out_bytes = kSlack, .length = 2},
    {.name = "fill_equal", .asks = Asks::Margin, .out = 0, .length = 2, .elements = true},
    {.name = "unpack_out", .asks = Asks::Margin, .in = 2, .out = 0, .in_bytes = kReach, .out_bytes = kSlack},
    {.name = "unpack_sums", .asks = Asks::Margin, .in = 2, .out = 0, .in_bytes = kReach, .out_bytes = kSlack},
    {.name = "fill_group", .asks = Asks::Margin, .out = 0, .out_bytes = kSlack, .length = 2},
    {.name = "put", .asks = Asks::Margin, .out = 0, .out_bytes = 8},
    {.name = "copy_match", .asks = Asks::Margin, .out = 1, .out_bytes = kSlack, .length = 3},
    {.name = "copy_steps", .asks = Asks::Margin, .out = 1, .out_bytes = kSlack, .length = 3},
    {.name = "copy_some", .asks = Asks::Margin, .out = 1, .out_bytes = kSlack, .length = 3},
    {.name = "move_short", .asks = Asks::Margin, .in = 2, .out = 0, .in_bytes = 8, .out_bytes = 8},
    {.name = "literals_short", .asks = Asks::Margin, .in = 2, .out = 0, .in_bytes = kSlack, .out_bytes = kSlack},
    {.name = "literals", .asks = Asks::Margin, .in = 2, .out = 0, .in_bytes = kSlack, .out_bytes = kSlack, .length = 3},
    {.name = "slice_short", .asks = Asks::Margin, .out = 0, .out_bytes = kSlack},
    {.name = "slice", .asks = Asks::Margin, .out = 0, .out_bytes = kSlack, .length = 2},
    {.name = "take_told", .asks = Asks::Margin, .in = 5, .out = 2, .in_bytes = kToldBytes, .out_bytes = kToldBytes + kSlack, .taken = true},
    {.name = "take_plain", .asks = Asks::Margin, .in = 3, .out = 0, .in_bytes = kPlainIn, .out_bytes = kPlainOut, .taken = true},
    {.name = "keep_sums", .asks = Asks::Margin, .in = 4, .in_bytes = kReach},  // of its array it asks the type
    {"hold"},
    {.name = "join_alone", .taken = true},  // it asks for room itself
    {.name = "join", .asks = Asks::Margin, .in = 3, .out = 1, .in_bytes = kJoinedBytes, .out_bytes = kJoinedBytes},
    {.name = "lane_varints",
     .asks = Asks::Margin,
     .in = 2,
     .out = 0,
     .in_bytes = 32,
     .out_bytes = 32,
     .elements = true},
};

// A constant of the primitives around a function.
std::optional<std::int64_t> primitive_constant(const FunctionDecl& f, llvm::StringRef name) {
  const ASTContext& context = f.getASTContext();
  for (const DeclContext* c = f.getDeclContext(); c != nullptr; c = c->getParent()) {
    if (!c->isNamespace()) continue;
    for (const NamedDecl* found : c->getRedeclContext()->lookup(DeclarationName(&context.Idents.get(name)))) {
      const auto* v = dyn_cast<VarDecl>(found);
      if (v == nullptr || v->getInit() == nullptr) continue;
      Expr::EvalResult value;
      if (v->getInit()->EvaluateAsInt(value, context)) return value.Val.getInt().getExtValue();
    }
  }
  return std::nullopt;
}

}  // namespace

std::int64_t template_number(const FunctionDecl& f, unsigned index) {
  const TemplateArgumentList* arguments = f.getTemplateSpecializationArgs();
  if (arguments == nullptr || arguments->size() <= index) return 1;
  const TemplateArgument& a = arguments->get(index);
  return a.getKind() == TemplateArgument::Integral ? a.getAsIntegral().getExtValue() : 1;
}

std::int64_t bytes_of(std::int64_t stated, const FunctionDecl& f) {
  if (stated >= 0) return stated;
  constexpr const char* kNames[] = {"kRefillBytes", "kPositionBytes", "kLaneAfter", "kUnpackBytes", "kUnpackReach"};
  const char* const name = kNames[-stated - 1];
  return primitive_constant(f, name).value_or(8);
}

std::optional<Contract> contract_of(const FunctionDecl& f) {
  if (!f.getDeclName().isIdentifier()) return std::nullopt;
  const auto found = std::ranges::find(kContracts, std::string_view(f.getName()), &Contract::name);
  if (found == std::end(kContracts)) return std::nullopt;
  if (f.getNumParams() != 0)  // bits in a register
    if (const auto* first = f.getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl(); first != nullptr && first->getName() == "Window")
      return Contract{found->name};
  Contract c = *found;
  if (c.name == "fill_flat") c.out_bytes = template_number(f, 1);
  if (c.name == "fill_equal") c.out_bytes = kSlack / template_number(f, 0);
  if (c.name == "take_told") c.in_bytes += template_number(f, 0);
  if (c.name == "take_plain") c.in_bytes += template_number(f, 6);  // its size; all it loads stands at most as far behind
  return c;
}

}  // namespace sluice::emitted
