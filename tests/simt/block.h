// The threads of the block that runs, who of them may run, and who waits for what. Internal to the SIMT layer.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tests/simt/fiber.h"
#include "tests/simt/lane.h"
#include "tests/simt/simt.h"

namespace sluice::simt {

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kMaxWarps = kMaxThreads / kWarp;

// A thread, and the collective that it is at.
struct Thread {
  Fiber* fiber = nullptr;
  enum class State : std::uint8_t { Ready, Waiting, Ended } state = State::Ended;
  Op op{};
  unsigned line = 0;
  unsigned width = 0;
  std::uint32_t mask = 0;
  std::uint32_t argument = 0;
  std::uint64_t value = 0;
  std::uint64_t result = 0;
  std::deque<AsyncCopy> copies;  // on their ways, the oldest first
};

// Lanes of one warp that wait for the rest of their mask.
struct Gathering {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;
};

// Tokens of ThreadSanitizer for one barrier. Two, used in turn: a thread may reach the next barrier before the others
// have left this one, but not the one after that; so nobody learns of what happened behind the barrier he leaves.
struct Tokens {
  char token[2] = {};
  unsigned turn = 0;
};

// A barrier with a number: threads that have come to it, of which some wait.
struct Named {
  unsigned threads = 0;
  Tokens tokens{};
};
inline constexpr unsigned kNamed = 16;

struct Warp {
  std::uint32_t exists = 0, ended = 0, ready = 0;
  unsigned gatherings = 0;
  std::array<Gathering, kWarp> gathering{};  // disjoint or not, each has an arrived lane of its own
  std::array<Tokens, kWarp> tokens{};        // of the warp barriers whose lowest lane this is
};

class Block {
 public:
  explicit Block(const Launch& launch) : launch_(launch), random_(launch.seed) {}

  // Runs all threads to their ends or to a fault.
  Report run(unsigned index, void (*body)(void*), void* argument);

  // ---- Called by the running thread ----
  std::uint64_t collective(Op op, std::uint32_t mask, std::uint64_t value, std::uint32_t argument, unsigned width,
                           unsigned line);
  void interleave();
  [[noreturn]] void fail(Fault fault, const char* sentence);
  Thread& current() { return threads_[current_]; }

 private:
  static void thread_main();
  void begin(unsigned index);
  void await_warp(Thread& me);
  void await_block(Thread& me);
  void come_to_named(Thread& me);
  bool block_complete();
  void yield(bool last = false);  // goes on with a ready thread, or back to run() when there is none
  int next_ready();
  unsigned draw(unsigned below);
  void make_ready(unsigned warp, std::uint32_t lanes);
  void end_thread();
  [[nodiscard]] std::string describe() const;

  const Launch& launch_;
  std::uint64_t random_;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  unsigned warps_ = 0;
  unsigned current_ = 0;
  unsigned ended_ = 0;
  unsigned at_barrier_ = 0;
  unsigned votes_ = 0;  // of the threads at the barrier, those with a value
  std::uint64_t collectives_ = 0;
  Fault fault_ = Fault::None;
  const char* sentence_ = "";
  Tokens barrier_;
  std::array<Named, kNamed> named_{};
  char started_ = 0, finished_ = 0;  // tokens: the caller's doings before, and the threads' for the caller
  std::array<Warp, kMaxWarps> warp_{};
  std::array<Thread, kMaxThreads> threads_{};
};

inline bool waits_for_block(Op op) {
  return op == Op::SyncThreads || op == Op::SyncThreadsOr || op == Op::SyncThreadsAnd || op == Op::SyncThreadsCount;
}

// Results of a warp's collective whose lanes are all there. `first` is lane 0 of the warp. Returns the fault, if any.
Fault combine(Thread* first, std::uint32_t mask);

[[nodiscard]] const char* name_of(Op op);

}  // namespace sluice::simt
