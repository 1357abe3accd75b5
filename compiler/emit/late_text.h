#pragma once
// What of a token is done when those before it are known, as members of the struct that its text stands in (guess_text.cpp,
// chain_text.cpp): note [late] in compiler/plan/late.h.
//
//   struct Own : prim::Record { u32 v3_size; };    the record, and what late steps read of the token
//   struct Carried { u32 v8_done; };               what tokens carry, but for what those that walk them know
//   void count(c), add(own, c), sum(at, c, have), latch(at, c, have), take(c, lane); take_turned(at, c), own_of_lane(one, own, lane), or move(own, c), take_moved(at, c), moved_of(c, at)
//   template <bool Checks> bool late(own, out, c)  the late steps
#include <string>
#include <vector>

#include "compiler/emit/token_text.h"
#include "compiler/emit/writer.h"

namespace sluice::emit {

class LateText {
 public:
  // `token`: the text of the token, of which this has the names.
  LateText(const Context& lane, const plan::Plan& plan, const plan::Loop& loop, const TokenText& token);

  void write_own(Writer&) const;
  // Where the token ends that makes the record: what is kept. In front of it: what is kept is declared.
  void declare_kinds(Writer&) const;
  void write_keep(Writer&) const;
  void write_late(Writer&);

  const std::vector<plan::Local>& carried() const { return carried_; }
  // What tokens carry, of the function that the loop is, as an initialiser.
  std::string made(const std::vector<plan::Local>& of) const;
  // Gives it back to that function; `from`: what holds it.
  void give_back(Writer&, const std::vector<plan::Local>& of, const std::string& from) const;

 private:
  static std::string kind(plan::Value symbol) { return temporary_name("kind", symbol); }
  void write_added(Writer&);
  void write_turned(Writer&) const;
  void write_moved(Writer&);
  void read_kept(Writer&) const;
  const char* held_as(plan::Local l) const { return token_.held_as(l); }

  const plan::Loop& loop_;
  const plan::Records& records_;
  const std::vector<plan::Local> carried_;
  const TokenText& token_;
  TokenText late_, tagged_;
};

// Is it a global? And where it is kept outside of the loop.
[[nodiscard]] bool in_state(plan::Local);
[[nodiscard]] std::string home_of(const TokenText&, plan::Local);

}  // namespace sluice::emit
