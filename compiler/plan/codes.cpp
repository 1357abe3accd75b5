#include "compiler/plan/codes.h"

#include <algorithm>
#include <optional>

#include "compiler/analysis/reason.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// Ways through a token that are told apart at once.
constexpr std::size_t kMostWays = 64;

// Of a token whose text a CPU's decoder holds a second time, and does for each of 256 bytes.
constexpr std::size_t kMostSteps = 64;

// What a lane takes of tokens of one size: prim::kLaneStrings, and words in registers.
constexpr unsigned kLaneStrings = 8, kMostLaneBytes = 32;

// What a token has done on some way to here.
struct Way {
  unsigned read = 0;            // bytes
  unsigned strings = 0;
  std::uint64_t made = 0;       // bytes, at most
  bool literal = false;         // the second byte is all that it makes
  std::optional<Local> second;  // the variable that holds it
  friend bool operator==(const Way&, const Way&) = default;
};
using Ways = std::vector<Way>;

class Shape {
 public:
  Shape(const ir::Module& module, const Loop& loop) : module_(module), loop_(loop) {}

  Codes run() {
    if (const char* why = around()) return none(why);
    const Ways ends = body(loop_.body, {Way{}});
    if (against_) {
      Codes refused = none(against_->text);
      refused.span = against_->span;
      against_.reset();
      fixed_ = true;
      const Codes of_one_size = fixed(body(loop_.body, {Way{}}));
      return against_ || !of_one_size.against.empty() ? refused : of_one_size;
    }
    Codes codes;
    bool any = false;
    for (const Way& way : ends) {
      if (way.read == 0) return none("a token may take no input");
      if (way.read == 2 && !way.literal) return none("a second byte of a token is not its output");
      codes.escapes |= way.literal;
      any |= way.read == 1;
    }
    if (!any) return none("no byte stands for a string by itself");
    return codes;
  }

 private:
  static Codes none(std::string why) {
    Codes codes;
    codes.against = std::move(why);
    return codes;
  }

  // Are they of one size?
  static Codes fixed(const Ways& ends) {
    if (ends.empty()) return none("no token of it is whole");
    Codes codes;
    codes.bytes = ends.front().read;
    codes.strings = ends.front().strings;
    for (const Way& way : ends)
      if (way.read != codes.bytes || way.strings != codes.strings) return none("tokens differ in size");
    if (codes.bytes == 0 || codes.strings == 0 || codes.strings > kLaneStrings) return none("a lane takes no such tokens");
    return kLaneStrings / codes.strings * codes.bytes > kMostLaneBytes ? none("a lane has no room for so many bytes") : codes;
  }

  // Why its tokens are not asked for.
  const char* around() const {
    if (loop_.element_bytes) return "its elements are not of the size that the format's own output has";
    if (loop_.reader != Reader::Bytes || loop_.form != LoopForm::Token || !loop_.counts)
      return "its tokens are not read by themselves";
    if (loop_.kind != ir::LoopKind::Forever && loop_.kind != ir::LoopKind::UntilEnd)
      return "it ends by a count, not with a token or the region";
    if (module_.input != ir::Input::Bytes) return "they are whole bytes of a bit stream";
    if (!loop_.hoisted.empty()) return "a token reads what was computed before the loop";
    if (loop_.element_bits(module_) != 8) return "its elements are not bytes";
    if (!loop_.carried.empty() || !loop_.set_globals.empty()) return "a token leaves something to the next one";
    return nullptr;
  }

  void refuse(const Step& s, const char* why) {
    if (!against_) against_ = analysis::Reason{why, s.span};
  }

  Ways body(const Body& steps, Ways ways) {
    for (const Step& s : steps) {
      if (against_ || ways.empty()) return {};
      for_each_operand(s, [&](const Operand& o) { operand(s, o, ways); });
      ways = step(s, std::move(ways));
    }
    return ways;
  }

  Ways step(const Step& s, Ways ways) {
    if (const auto* branch = std::get_if<If>(&s.what)) {
      Ways all = body(branch->then, ways);
      for (Way& way : branch->orelse ? body(*branch->orelse, ways) : ways)
        if (std::ranges::find(all, way) == all.end()) all.push_back(std::move(way));
      if (all.size() > kMostWays) refuse(s, "there are too many ways through a token");
      return all;
    }
    if (const auto* drop = std::get_if<Drop>(&s.what)) return body(drop->read, std::move(ways));
    if (const auto* call = std::get_if<Inline>(&s.what)) {
      if (call->exits) refuse(s, "a rule that it calls returns early");
      return body(call->body, std::move(ways));
    }
    if (std::holds_alternative<Leave>(s.what)) return {};
    for (Way& way : ways) simple(s, way);
    return ways;
  }

  // A token of one size is read as its text says: what it makes may follow from all of it.
  void simple_of_one_size(const Step& s, Way& way) {
    if (const auto* field = std::get_if<Field>(&s.what)) {
      if (field->form != FieldForm::Load || field->width != kNoValue || field->bits % 8 != 0 || field->into == Field::Into::Element)
        return refuse(s, "a field's end is not where its width says");
      way.read += field->bits / 8;
      return;
    }
    const auto* literals = std::get_if<Literals>(&s.what);
    const bool one = literals != nullptr && literals->form == LiteralsForm::Fixed && (*literals->count).imm == 1;
    if (one || std::holds_alternative<Store>(s.what) || std::holds_alternative<SymbolBytes>(s.what)) {
      way.read += one ? 1 : 0;
      ++way.strings;
      return;
    }
    const bool plain = std::holds_alternative<Width>(s.what) || std::holds_alternative<Let>(s.what) || std::holds_alternative<Check>(s.what);
    if (!plain) refuse(s, "it does more than read, compute and make strings");
  }

  void simple(const Step& s, Way& way) {
    if (fixed_) return simple_of_one_size(s, way);
    if (const auto* field = std::get_if<Field>(&s.what)) {
      const bool byte = field->form == FieldForm::Load && field->width == kNoValue && field->bits == 8 && field->into != Field::Into::Element;
      if (!byte || way.read == 2 || (way.read == 1 && (way.made != 0 || field->type.is_signed)))
        return refuse(s, "a token reads more than a byte, and one behind it that is its output");
      if (++way.read == 2 && field->into == Field::Into::Local) way.second = field->local;
      return;
    }
    if (const auto* literals = std::get_if<Literals>(&s.what)) {
      const bool one = literals->form == LiteralsForm::Fixed && (*literals->count).imm == 1;
      if (!one || way.read != 1 || way.made != 0) return refuse(s, "its literals are not one byte behind its first one");
      way.read = 2;
      way.made = 1;
      way.literal = true;
      return;
    }
    if (const auto* store = std::get_if<Store>(&s.what)) {
      const ir::Expr& value = *store->value;
      const bool second = way.second && value.op == ir::Op::Local && Local{store->value.scope, value.ref} == *way.second;
      if (second ? way.made != 0 : way.read == 2) return refuse(s, "a token reads a second byte, and makes something else");
      way.literal |= second;
      if (++way.made > ir::kMaxSymbolBytes) refuse(s, "it makes more than 8 bytes");
      return;
    }
    if (std::holds_alternative<SymbolBytes>(s.what)) {
      if (way.read == 2) return refuse(s, "a token reads a second byte, and makes something else");
      way.made += ir::kMaxSymbolBytes;
      if (way.made > ir::kMaxSymbolBytes) refuse(s, "it makes more than 8 bytes");
      return;
    }
    if (makes_output(s)) return refuse(s, "it makes output that is neither values nor a symbol");
    const bool plain = std::holds_alternative<Width>(s.what) || std::holds_alternative<Let>(s.what) || std::holds_alternative<Check>(s.what);
    if (!plain) refuse(s, "it does more than read and compute");
  }

  // The table is made before any token is read, and of first bytes alone.
  void operand(const Step& s, const Operand& o, const Ways& ways) {
    const bool stored = std::holds_alternative<Store>(s.what) && (*o).op == ir::Op::Local;
    for_each_node(*o, [&](const ir::Expr& e) {
      const bool known = e.op == ir::Op::Const || e.op == ir::Op::Local || e.op == ir::Op::Global || e.op == ir::Op::Elem ||
                         e.op == ir::Op::TableElem || (e.op >= ir::Op::Add && e.op <= ir::Op::Fits);
      if (!known) refuse(s, "it asks for more than its first byte");
      if (e.op != ir::Op::Local || stored || fixed_) return;
      for (const Way& way : ways)
        if (way.second == Local{o.scope, e.ref}) refuse(s, "it asks for more than its first byte");
    });
  }

  const ir::Module& module_;
  const Loop& loop_;
  std::optional<analysis::Reason> against_;
  bool fixed_ = false;  // it is asked for tokens of one size
};

}  // namespace

Codes codes_of(const ir::Module& module, const Loop& loop) { return Shape(module, loop).run(); }

std::optional<Codes> strings_of(const ir::Module& module, const Loop& loop) {
  Codes codes = codes_of(module, loop);
  if (!codes.against.empty() || codes.bytes != 0) return std::nullopt;
  std::size_t steps = 0;
  for_each_step(loop.body, [&](const Step&) { ++steps; });
  return steps > kMostSteps ? std::nullopt : std::optional(std::move(codes));
}

bool says_its_codes(const ir::Module& module, const Loop& loop) {
  const Codes codes = codes_of(module, loop);
  const Codes& said = *loop.codes;
  return said.escapes == codes.escapes && said.bytes == codes.bytes && said.strings == codes.strings && said.against == codes.against;
}

}  // namespace sluice::plan
