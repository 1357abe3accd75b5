#include "compiler/plan/locals.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

class Walk {
 public:
  LocalUse use;

  void body(const Body& steps) {
    for (const Step& s : steps) step(s);
  }

 private:
  // What is surely set where control is; empty where it never is.
  using Known = std::optional<std::set<Local>>;

  void step(const Step& s) {
    for_each_operand(s, [&](const Operand& o) { read(o); });
    std::visit([&](const auto& what) { (*this)(what); }, s.what);
  }

  void read(const Operand& o) {
    for_each_node(*o, [&](const ir::Expr& e) {
      if (e.op == ir::Op::Local) read(Local{o.scope, e.ref});
    });
  }
  void read(Local local) {
    use.read.insert(local);
    use.named.insert(local);
    if (known_ && !known_->contains(local)) use.early.insert(local);
  }
  void set(Local local) {
    use.named.insert(local);
    if (known_) known_->insert(local);
  }

  static Known both(const Known& a, const Known& b) {
    if (!a || !b) return a ? a : b;
    std::set<Local> common;
    std::ranges::set_intersection(*a, *b, std::inserter(common, common.end()));
    return common;
  }

  // Steps that may be done any number of times: what they set, they may not have.
  void repeated(const Body& steps) {
    const Known before = known_;
    body(steps);
    known_ = before;
  }

  void operator()(const Field& s) {
    if (s.into == Field::Into::Local) set(s.local);
  }
  void operator()(const Drop& s) { body(s.read); }
  void operator()(const Let& s) { set(s.local); }
  void operator()(const Sum& s) {  // a lane that the loop has left takes part in it
    use.early.insert(s.local);
    read(s.local);
    set(s.local);
  }
  void operator()(const Literals& s) { repeated(s.read); }

  void operator()(const Symbol& s) {
    const Known before = known_;
    Known after;
    for (const SymbolArm& arm : s.arms) {
      known_ = before;
      if (arm.take == Take::Extra || arm.take == Take::Payload) set(arm.local);
      body(arm.body);
      after = both(after, known_);
    }
    known_ = s.arms.empty() ? before : after;
  }

  void operator()(const If& s) {
    const Known before = known_;
    body(s.then);
    const Known then = known_;
    known_ = before;
    if (s.orelse) body(*s.orelse);
    known_ = both(then, known_);
  }

  void operator()(const Inline& s) {
    for (std::uint32_t i = 0; i < s.args.size(); ++i) set({s.scope, i});
    body(s.body);
    if (const auto at = exits_.find(s.scope); at != exits_.end()) known_ = both(at->second, known_);
  }
  void operator()(const Exit& s) {
    exits_[s.scope] = both(exits_[s.scope], known_);
    known_.reset();
  }

  void operator()(const Repeat& s) { counted(s.index, s.body); }
  void operator()(const Unchecked& s) {
    if (s.unpacked != Unpacked::Stored) counted(s.index, s.body);  // which names nothing
  }
  void operator()(const SideBySide& s) {
    if (s.unpacked != Unpacked::Stored || s.list != ListPart::None) counted(s.index, s.body);
  }
  void counted(const std::optional<Local>& index, const Body& steps) {
    const Known before = known_;
    if (index) set(*index);
    body(steps);
    known_ = before;
  }

  void operator()(const Leave&) { known_.reset(); }
  void operator()(const Break&) { known_.reset(); }
  template <typename Other>
  void operator()(const Other&) {}

  Known known_ = std::set<Local>{};
  std::map<ScopeId, Known> exits_;
};

}  // namespace

LocalUse local_use(const Body& token) {
  Walk walk;
  walk.body(token);
  return std::move(walk.use);
}

}  // namespace sluice::plan
