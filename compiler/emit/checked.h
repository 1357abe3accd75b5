#pragma once
// The checked path: each rule as a function that checks every bound and names the clause that refuses. It is the only
// half that reports errors; fast loops hand back to it at a token's start. What a statement's text depends on beside the
// statement is the plan's to say (plan/checked.h).
//
//   read %0 fixed u16 little !3     ->   if (prim::lacks(s, 16)) return fail(s, kSite3_end_of_input, s.pos);
//                                        size_0 = prim::take_le(s, 16);
#include <functional>
#include <map>
#include <set>

#include "compiler/analysis/slots.h"
#include "compiler/emit/expr.h"
#include "compiler/ir/elements.h"
#include "compiler/emit/loop_text.h"
#include "compiler/emit/objects.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/plan.h"

namespace sluice::emit {

class CheckedPath : public StreamView {
 public:
  CheckedPath(const Context& context, const plan::Plan& plan);

  // The plan's rules: what they are called, then what they do.
  void write_rules(Writer&);

  // For strategy split. The body of a region of a rule as a function: `own` are the slots it declares, others are in its
  // head. And the text of a step with the lines `at_core` in the place of one region's body, every refusal a `goto stuck`.
  std::string piece(std::uint32_t rule, const std::vector<std::uint32_t>& region, const std::string& head,
                    const std::vector<std::uint32_t>& own);
  std::string walk(std::uint32_t rule, const ir::Block& step, const ir::Block& core, const std::vector<std::string>& at_core,
                   unsigned depth);

  // StreamView
  std::optional<ExprText> stream(const ir::Expr&) const override;
  std::string local(std::uint32_t slot) const override { return context_.local(rule_, slot); }
  std::string global(std::uint32_t g) const override { return "s." + context_.global(g); }

 private:
  Apart apart(const plan::CheckedRule&, const analysis::Slots* = nullptr) const;
  std::string head(const plan::CheckedRule&, const analysis::Slots*) const;  // of a definition: told what it does with its slots
  std::string definition(const plan::CheckedRule&);
  std::string finish(const plan::CheckedRule&, const ir::Block&);
  // What the plan says of a statement; null: it has its one form.
  template <typename What>
  const What* form(const ir::Stmt& s) const {
    const auto found = forms_.find(&s);
    return found == forms_.end() ? nullptr : std::get_if<What>(&found->second->what);
  }
  bool left_out(const ir::Stmt& s) const {
    const auto* check = form<plan::OutputCheck>(s);
    return check != nullptr && check->left_out;
  }
  analysis::Slots slots_of(std::uint32_t rule, const ir::Block&) const;
  void declare(const analysis::Slots&, const std::function<bool(std::uint32_t slot)>& own);
  void begin(std::uint32_t rule);
  void block(const ir::Block&);
  void statement(const ir::Stmt&);
  void read(const ir::Stmt&);
  void read_value(const ir::ReadSpec&, const std::array<ir::SiteId, 3>&, const std::string& target);
  void literals(const ir::Stmt&);
  void together(plan::Together, const ir::ReadSpec&, const std::string& n);
  std::string symbols_first(const ir::Stmt&, const std::string& bound);
  void enter(const plan::Loop&, const std::string& steps, const std::string& left);
  void build(const ir::Stmt&);
  void build_states(const ir::Stmt&);
  std::string source_of(const ir::Stmt&) const;
  void branches(const ir::Stmt&);
  void loop(const ir::Stmt&);
  void call(const ir::Stmt&);
  void start_streams(const ir::Block&, std::size_t at, const plan::StreamCall&);
  void region(const ir::Stmt&);
  void region_of_dictionary(const ir::Stmt&);
  void new_window(const ir::Stmt&);
  void inside(const ir::Block&);
  void into(const ir::Stmt&);
  void into_output(const ir::Stmt&);
  void elsewhere(const ir::Stmt&, const std::string& n, const std::string& back);
  void emit_buffer(const ir::Stmt&);
  void view(const ir::Stmt&);
  void stage(const ir::Stmt&);
  void permute(const std::string& stage, const ir::Stmt&);
  std::string value(const ir::Expr& e) const { return *printer_.print(e); }
  std::string value_u64(const ir::Expr& e) const { return *printer_.print_u64(e); }
  std::string fail(ir::SiteId site, const std::string& at = "s.pos") const;
  // Of OutputFull. `n`: how many elements the action makes at once; the fewest where that is not told.
  std::string full(ir::SiteId site, const std::string& at = "s.pos", const std::string& n = "1") const;
  std::string temporary(const char* stem) { return temporary_name(stem, counter_++); }

  Context context_;  // its element: of what is output where the text stands
  const ir::Elements elements_;
  const plan::Plan& plan_;
  std::map<const ir::Stmt*, const plan::CheckedStep*> forms_;
  std::map<std::uint32_t, const plan::Loop*> loops_;  // token loops, by number
  std::set<std::uint32_t> started_;  // rules whose loop may go on from a start
  std::string starts_;               // of the calls being printed: their array
  ExprPrinter printer_;
  Writer w_{context_.notes()};
  std::string write_ = "Write";  // template argument: is output stored here? Always inside `into`
  std::uint32_t rule_ = 0;
  unsigned counter_ = 0;
  const ir::Block* core_ = nullptr;  // of a walk
  std::vector<std::string> at_core_;
};

// All of them, behind a line that says what they are.
void write_checked_path(Writer&, const Context&, const plan::Plan&);

}  // namespace sluice::emit
