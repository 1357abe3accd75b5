#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "compiler/ir/elements.h"
#include "compiler/ir/names.h"

namespace sluice::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Module& m) : m_(m) {}

  std::vector<std::string> run() {
    module();
    for (const Rule& r : m_.rules) rule(r);
    if (problems_.empty()) {  // these follow references
      recursion();
      if (problems_.empty()) problems_ = Elements(m_).problems();
      if (problems_.empty()) problems_ = verify_buffers(m_);
      if (problems_.empty()) problems_ = verify_regions(m_);
      for (const Rule& r : m_.rules) {
        where_ = "rule " + r.name;
        for (const std::string& text : verify_definitions(r)) problem(text);
      }
    }
    return std::move(problems_);
  }

 private:
  void problem(std::string_view text) { problems_.push_back(fmt::format("{}: {}", where_, text)); }
  void require(bool holds, std::string_view text) {
    if (!holds) problem(text);
  }

  // ---- declarations

  void module() {
    where_ = "module " + m_.name;
    require(!m_.rules.empty(), "there is no rule");
    require(m_.rules.size() <= kMaxRules, "more rules than an error word can tell apart");
    require(m_.output.bits == 8 || m_.output.bits == 16 || m_.output.bits == 32 || m_.output.bits == 64,
            "the output type is not 8, 16, 32 or 64 bits wide");
    require(m_.outputs.size() <= kMaxFurtherOutputs, "more further outputs than a caller can give room for");
    for (const Output& o : m_.outputs)
      require(o.type.bits == 8 || o.type.bits == 16 || o.type.bits == 32 || o.type.bits == 64,
              "output `" + o.name + "` is not 8, 16, 32 or 64 bits wide");
    require(!m_.has_dictionary || m_.output.bits == 8, "a preset dictionary needs byte outputs");
    for (const Array& a : m_.arrays) require(a.count > 0, "array `" + a.name + "` is empty");
    for (const Table& t : m_.tables) require(!t.values.empty(), "table `" + t.name + "` is empty");
    for (const Ranges& r : m_.ranges) {
      require(!r.base.empty() && r.base.size() == r.extra.size(),
              "ranges `" + r.name + "` needs as many extras as bases");
      for (const std::uint8_t extra : r.extra) require(extra <= 64, "ranges `" + r.name + "` reads more than 64 bits");
    }
    for (const Code& c : m_.codes) {
      require(c.symbols >= 1 && c.symbols <= kMaxSymbols, "code `" + c.name + "` has too few or too many symbols");
      require(c.max_bits >= 1 && c.max_bits <= kMaxCodeBits, "code `" + c.name + "` has a bad longest length");
      require(c.copies >= 1, "code `" + c.name + "` has no copies");
      require(!c.longest_first || c.incomplete == Incomplete::Refuse,
              "code `" + c.name + "` hands out longest codes first, and may leave some unused");
    }
    for (const StateCode& c : m_.states) {
      const bool sized = c.symbols >= 1 && c.symbols <= model::kMaxStateSymbols && c.max_log >= 1 && c.max_log <= model::kMaxStateLog;
      require(sized, "state code `" + c.name + "` has too few or too many symbols or states");
      require(c.entries < m_.arrays.size() && m_.arrays[c.entries].elem == Type{32, false} && sized &&
                  m_.arrays[c.entries].count == 1u << c.max_log,
              "state code `" + c.name + "` has no array of its entries");
      require(c.log < m_.globals.size() && m_.globals[c.log].type == Type{4, false}, "state code `" + c.name + "` has no global for its log");
    }
    for (const Buffer& b : m_.buffers) {
      require(b.limit >= 1 && b.limit <= kMaxBufferElements, "buffer `" + b.name + "` has a limit out of range");
    }
    for (const Symbols& y : m_.symbols) {
      require(y.count >= 1 && y.count <= kMaxSymbolEntries, "symbols `" + y.name + "` has too few or too many entries");
      require(m_.output.bits == 8, "symbols `" + y.name + "` needs byte outputs");
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> words;
    for (const Site& s : m_.sites) {
      require(s.rule < m_.rules.size(), "site `" + s.name + "` names no rule");
      require(s.clause >= 1 && s.clause <= kMaxClause, "site `" + s.name + "` has a clause number out of range");
      require(words.emplace(s.rule, s.clause).second, "site `" + s.name + "` shares its rule and clause with another");
    }
  }

  void rule(const Rule& r) {
    rule_ = &r;
    where_ = "rule " + r.name;
    require(r.params <= r.slots.size(), "more parameters than slots");
    if (&r == &m_.rules[0]) require(r.params == 0 && !r.result, "the entry takes and returns nothing");
    for (const Slot& s : r.slots) {
      require(inside(s.range, s.type), "slot `" + s.name + "` has a range outside its type");
    }
    block(r.body, Around{});
  }

  void recursion() {
    std::vector<int> state(m_.rules.size(), 0);  // 0 not seen, 1 open, 2 done
    for (std::uint32_t i = 0; i < m_.rules.size(); ++i) visit(i, state);
  }
  void visit(std::uint32_t rule, std::vector<int>& state) {
    if (state[rule] == 2) return;
    where_ = "rule " + m_.rules[rule].name;
    if (state[rule] == 1) return problem("calls itself");
    state[rule] = 1;
    calls(m_.rules[rule].body, state);
    state[rule] = 2;
  }
  void calls(const Block& statements, std::vector<int>& state) {
    for (const auto& s : statements) {
      if (s->kind == Stmt::Kind::Call) visit(s->ref, state);
      calls(s->body, state);
      calls(s->orelse, state);
    }
  }

  // ---- expressions

  static bool inside(Range r, Type t) { return r.lo <= r.hi && range_of(t).lo <= r.lo && r.hi <= range_of(t).hi; }

  std::size_t count_of(RefKind kind) const {
    switch (kind) {
      case RefKind::Slot: return rule_->slots.size();
      case RefKind::Global: return m_.globals.size();
      case RefKind::Arg: return m_.args.size();
      case RefKind::Array: return m_.arrays.size();
      case RefKind::Table: return m_.tables.size();
      case RefKind::Mark: return m_.marks.size();
      case RefKind::Buffer: return m_.buffers.size();
      case RefKind::Output: return m_.outputs.size();
      case RefKind::None: return 1;
    }
    return 0;
  }

  void expr(const Expr& e) {
    const OpInfo& op = info(e.op);
    const std::string text(op.name);
    require(inside(e.range, e.type), text + " has a range outside its type");
    const bool needs_ref = op.ref != RefKind::None && !(e.op == Op::Checksum && e.stream == Stream::Dictionary);
    if (needs_ref) require(e.ref < count_of(op.ref), text + " refers to nothing");
    if (e.kids.size() != op.kids) return problem(text + " has a wrong number of operands");
    for (const ExprPtr& kid : e.kids) {
      if (!kid) return problem(text + " lacks an operand");
      expr(*kid);
    }
    switch (e.op) {
      case Op::Const: {
        const i128 value = e.type.is_signed ? i128{static_cast<std::int64_t>(e.imm)} : i128{e.imm};
        require(e.range.lo <= value && value <= e.range.hi, "constant outside its range");
        break;
      }
      case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge: case Op::Div: case Op::Rem: case Op::Min: case Op::Max:
        require(comparable(*e.kids[0], *e.kids[1]), text + " mixes signed and unsigned operands");
        break;
      case Op::LogAnd: case Op::LogOr:
        require(e.kids[0]->type == kBool && e.kids[1]->type == kBool, text + " of something that is not a bool");
        break;
      case Op::LogNot: case Op::Select:
        require(e.kids[0]->type == kBool, text + " of something that is not a bool");
        break;
      case Op::AddOk: case Op::SubOk: case Op::MulOk:
        require(e.kids[0]->type.is_signed == e.kids[1]->type.is_signed, text + " mixes signed and unsigned operands");
        break;
      case Op::Peek: require(e.imm >= 1 && e.imm <= 8, "peek of 0 or more than 8 bytes"); break;
      case Op::PeekBits:
        require(e.imm >= 1 && e.imm <= 64, "peek of 0 or more than 64 bits");
        require(m_.input != Input::Bytes, "peek of bits in a stream of bytes");
        break;
      default: break;
    }
    if (op.type == kBool) require(e.type == kBool, text + " must have type u1");
  }

  // The first operand's signedness governs: the second must mean the same number under it.
  static bool comparable(const Expr& a, const Expr& b) {
    return a.type.is_signed == b.type.is_signed || (b.range.lo >= 0 && b.range.hi <= range_of(kI64).hi);
  }

  void operand(const ExprPtr& e, std::string_view what) {
    if (e) return expr(*e);
    problem(fmt::format("lacks its {}", what));
  }
  void optional_operand(const ExprPtr& e) {
    if (e) expr(*e);
  }
  void condition(const ExprPtr& e) {
    operand(e, "condition");
    if (e) require(e->type == kBool, "the condition is not a bool");
  }

  // ---- statements

  struct Around {
    bool in_loop = false;    // a Stop may stand here
    bool in_region = false;  // inside a Within, Producing or Into: no Return
  };

  void block(const Block& statements, Around around) {
    for (const auto& s : statements) statement(*s, around);
  }

  void statement(const Stmt& s, Around around) {
    where_ = fmt::format("rule {}: {}", rule_->name, name(s.kind));
    if (!s.name.empty()) where_ += " `" + s.name + "`";
    for (const SiteId site : s.sites) {
      require(site == kNoSite || site < m_.sites.size(), "names a site that is not there");
    }
    operands(s, around);
    const std::string here = where_;
    if (s.kind == Stmt::Kind::Loop) around.in_loop = true;
    if (s.kind == Stmt::Kind::Within || s.kind == Stmt::Kind::Producing || s.kind == Stmt::Kind::Into) {
      around = {false, true};
    }
    block(s.body, around);
    block(s.orelse, around);
    where_ = here;
  }

  void site(const Stmt& s, std::size_t index, std::initializer_list<Reason> reasons) {
    const SiteId id = s.sites[index];
    if (id == kNoSite) return problem(fmt::format("lacks its site for {}", name(*reasons.begin())));
    if (id >= m_.sites.size()) return;
    bool known = false;
    for (const Reason reason : reasons) known = known || m_.sites[id].reason == reason;
    require(known, fmt::format("has a site of reason {} where {} belongs", name(m_.sites[id].reason),
                               name(*reasons.begin())));
  }
  void site_if_any(const Stmt& s, std::size_t index, Reason reason) {
    if (s.sites[index] != kNoSite) site(s, index, {reason});
  }

  void written_slot(const Stmt& s, bool required) {
    if (s.slot == Stmt::kNoSlot) return require(!required, "writes no slot");
    require(s.slot < rule_->slots.size(), "writes a slot that is not there");
  }

  void read_spec(const Stmt& s) {
    const ReadSpec& r = s.read;
    const bool ordered = r.order != ReadSpec::Order::Stream;
    site(s, 0, {Reason::EndOfInput});
    switch (r.kind) {
      case ReadSpec::Kind::Fixed:
        require(!ordered || r.type.bits % 8 == 0, "has a byte order but no whole bytes");
        if (m_.input == Input::Bytes) {
          require(r.type.bits == 8 || (ordered && r.type.bits % 8 == 0),
                  "reads bits, or bytes without an order, from bytes");
        }
        break;
      case ReadSpec::Kind::Computed: operand(r.width, "width"); break;
      case ReadSpec::Kind::Varint: site(s, 1, {Reason::VarintTooLong}); break;
      case ReadSpec::Kind::Code:
        require(r.ref < m_.codes.size(), "names a code that is not there");
        require(m_.input != Input::Bytes, "reads a prefix code from bytes");
        optional_operand(r.index);
        site(s, 1, {Reason::NoSuchCode});
        break;
      case ReadSpec::Kind::Ranges:
        require(r.ref < m_.ranges.size(), "names ranges that are not there");
        operand(r.index, "index");
        break;
    }
  }

  void operands(const Stmt& s, Around around) {
    switch (s.kind) {
      case Stmt::Kind::Read:
        written_slot(s, false);
        read_spec(s);
        site_if_any(s, 2, Reason::Unaligned);
        break;
      case Stmt::Kind::SetLocal: written_slot(s, true); operand(s.a, "value"); break;
      case Stmt::Kind::SetGlobal:
        require(s.ref < m_.globals.size(), "writes a global that is not there");
        operand(s.a, "value");
        break;
      case Stmt::Kind::SetElem:
        require(s.ref < m_.arrays.size(), "writes an array that is not there");
        operand(s.a, "index");
        operand(s.b, "value");
        break;
      case Stmt::Kind::Emit: operand(s.a, "value"); site(s, 0, {Reason::OutputFull}); break;
      case Stmt::Kind::Literals: operand(s.a, "count"); read_spec(s); site(s, 2, {Reason::OutputFull}); break;
      case Stmt::Kind::Run:
        operand(s.a, "value");
        operand(s.b, "count");
        optional_operand(s.c);
        site(s, 0, {Reason::OutputFull});
        break;
      case Stmt::Kind::Copy:
        operand(s.a, "distance");
        operand(s.b, "length");
        site(s, 0, {Reason::BadDistance});
        site(s, 1, {Reason::OutputFull});
        break;
      case Stmt::Kind::BuildCode: build(s); break;
      case Stmt::Kind::BuildStates: build_states(s); break;
      case Stmt::Kind::If: condition(s.a); break;
      case Stmt::Kind::Loop:
        if (s.loop == LoopKind::UntilCond) condition(s.a);
        if (s.loop == LoopKind::Times || s.loop == LoopKind::UntilOutputs) operand(s.a, "count");
        require(s.loop == LoopKind::Times || s.slot == Stmt::kNoSlot, "only `times` loops have a counter");
        written_slot(s, false);
        site_if_any(s, 0, Reason::NoProgress);
        break;
      case Stmt::Kind::Stop: require(around.in_loop, "stands in no loop, or would leave a region"); break;
      case Stmt::Kind::Reject: site(s, 0, {Reason::Reject}); break;
      case Stmt::Kind::Accept: break;
      case Stmt::Kind::Check:
        condition(s.a);
        require(s.sites[0] != kNoSite, "lacks its site");
        break;
      case Stmt::Kind::Call: call(s); break;
      case Stmt::Kind::Return:
        require(!around.in_region, "would leave a region");
        if (rule_->result) operand(s.a, "result");
        else require(!s.a, "the rule has no result");
        break;
      case Stmt::Kind::Within:
        operand(s.a, "size");
        require(!s.flag || m_.input != Input::Bytes, "counts the bits of a byte stream");
        require(!s.b || s.ref < m_.marks.size(), "names a mark that is not there");
        optional_operand(s.b);
        require(!s.dictionary || (m_.has_dictionary && !s.b && !s.flag && !s.backward), "is no region of a dictionary");
        require(!s.backward || (m_.input == Input::BitsLsb && !s.flag), "reads from its end what has no bits, lowest first");
        if (!s.dictionary) site(s, 0, {Reason::EndOfInput});
        site(s, 1, {Reason::BytesLeft});
        if (s.backward) site(s, 2, {Reason::BadPadding});
        break;
      case Stmt::Kind::Producing:
        operand(s.a, "count");
        site(s, 0, {Reason::OutputFull});
        site(s, 1, {Reason::OutputShort});
        break;
      case Stmt::Kind::Mark: require(s.ref < m_.marks.size(), "names a mark that is not there"); break;
      case Stmt::Kind::NewWindow:
        require(!s.flag || m_.has_dictionary, "there is no preset dictionary");
        require(!s.a || s.flag, "has bytes of no dictionary");
        optional_operand(s.a);
        break;
      case Stmt::Kind::Align:
        if (s.flag) site(s, 0, {Reason::Reject});
        break;
      case Stmt::Kind::Skip: operand(s.a, "size"); site(s, 0, {Reason::EndOfInput}); break;
      case Stmt::Kind::Into:
        if (!s.further) buffer(s.ref);
        else require(s.ref < m_.outputs.size(), "names an output that is not there");
        break;
      case Stmt::Kind::Stage: stage(s); break;
      case Stmt::Kind::EmitBuffer:
        buffer(s.ref);
        require(s.form == BufferForm::All || s.form == BufferForm::Slice || m_.output.bits == 8,
                s.form == BufferForm::Runs ? "expands runs of something that is not a byte"
                                           : "unshuffles something that is not a byte");
        if (s.form == BufferForm::Unshuffled || s.form == BufferForm::BitUnshuffled) operand(s.a, "size");
        else if (s.form == BufferForm::Slice) operand(s.a, "start");
        else require(!s.a, "has a size that nothing needs");
        if (s.form == BufferForm::Slice) operand(s.b, "count");
        else require(!s.b, "has a count that nothing needs");
        site(s, 0, {Reason::OutputFull});
        if (s.form == BufferForm::Runs) site(s, 1, {Reason::OutputShort});
        break;
      case Stmt::Kind::ReadSymbol:
        require(s.ref < m_.symbols.size(), "names symbols that are not there");
        operand(s.a, "index");
        operand(s.b, "size");
        site(s, 0, {Reason::EndOfInput});
        break;
      case Stmt::Kind::EmitSymbol:
        require(s.ref < m_.symbols.size(), "names symbols that are not there");
        operand(s.a, "index");
        site(s, 0, {Reason::NoSuchCode});
        site(s, 1, {Reason::OutputFull});
        break;
    }
  }

  void buffer(std::uint32_t ref) { require(ref < m_.buffers.size(), "names a buffer that is not there"); }

  void stage(const Stmt& s) {
    buffer(s.ref);
    switch (s.stage) {
      case StageKind::InverseMtf:
        require(m_.output.bits == 8, "moves something that is not a byte to the front");
        if (s.array != Stmt::kNoSlot) {
          require(s.array < m_.arrays.size(), "names an alphabet that is not there");
          operand(s.b, "count");
        }
        break;
      case StageKind::InverseBwt:
        require(m_.output.bits == 8, "sorts something that is not a byte");
        operand(s.a, "origin");
        break;
      case StageKind::PrefixSum: optional_operand(s.a); return;
      case StageKind::Add: operand(s.a, "value"); return;
      case StageKind::Gather:
        buffer(s.array);
        require(s.array != s.ref, "gathers a buffer from itself");
        break;
    }
    site(s, 0, {Reason::OutOfRange});
  }

  void build(const Stmt& s) {
    require(s.array < (s.from_table ? m_.tables.size() : m_.arrays.size()), "names lengths that are not there");
    optional_operand(s.a);
    optional_operand(s.b);
    optional_operand(s.d);
    if (s.ref >= m_.codes.size()) return problem("names a code that is not there");
    // Lengths in a constant table can be judged at compile time, and then need no sites.
    if (!s.from_table) site(s, 0, {Reason::Oversubscribed});
    else site_if_any(s, 0, Reason::Oversubscribed);
    const bool can_refuse = m_.codes[s.ref].incomplete != Incomplete::Accept;
    if (!s.from_table && can_refuse) site(s, 1, {Reason::Incomplete});
    else site_if_any(s, 1, Reason::Incomplete);
  }

  void build_states(const Stmt& s) {
    require(s.ref < m_.states.size(), "names a state code that is not there");
    require(s.array < (s.from_table ? m_.tables.size() : m_.arrays.size()), "names counts that are not there");
    optional_operand(s.a);
    optional_operand(s.b);
    // As lengths in a constant table.
    if (!s.from_table) site(s, 0, {Reason::Oversubscribed}), site(s, 1, {Reason::Incomplete});
    else site_if_any(s, 0, Reason::Oversubscribed), site_if_any(s, 1, Reason::Incomplete);
  }

  void call(const Stmt& s) {
    if (s.ref >= m_.rules.size()) return problem("calls a rule that is not there");
    const Rule& callee = m_.rules[s.ref];
    require(s.ref != 0, "calls the entry");
    require(s.args.size() == callee.params, "passes a wrong number of arguments to `" + callee.name + "`");
    for (const ExprPtr& arg : s.args) operand(arg, "argument");
    written_slot(s, false);
    require(s.slot == Stmt::kNoSlot || callee.result.has_value(), "`" + callee.name + "` has no result");
  }

  const Module& m_;
  const Rule* rule_ = nullptr;
  std::string where_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Module& module) { return Verifier(module).run(); }

}  // namespace sluice::ir
