// Scheduling: who runs next, who waits, and when a collective is complete.
#include "tests/simt/simt.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "tests/simt/block.h"

namespace sluice::simt {

constinit thread_local Place place{};

namespace {

constinit thread_local Block* running = nullptr;

// Fibers are kept: a launch of one short block would spend its time on mmap.
struct Fibers {
  Fiber main{Fiber::MainTag{}};
  std::vector<std::unique_ptr<Fiber>> lanes;
  std::vector<bool> abandoned;  // in the middle of a kernel
};
Fibers& fibers() {
  thread_local Fibers all;
  return all;
}

// Volatile: AddressSanitizer has untouchable places between variables, and would see a memset().
void poison(std::span<std::byte> memory) {
  if (memory.empty()) return;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::uint64_t kPoisonWord = 0x0101010101010101u * static_cast<std::uint64_t>(kPoison);
  std::size_t i = 0;
  for (; i < memory.size() && reinterpret_cast<std::uintptr_t>(&memory[i]) % kWord != 0; ++i) {
    *static_cast<volatile std::byte*>(&memory[i]) = kPoison;
  }
  for (; i + kWord <= memory.size(); i += kWord) *reinterpret_cast<volatile std::uint64_t*>(&memory[i]) = kPoisonWord;
  for (; i < memory.size(); ++i) *static_cast<volatile std::byte*>(&memory[i]) = kPoison;
}

}  // namespace

// ---- One thread ----------------------------------------------------------------------------------------------------

void Block::thread_main() {
  Fiber::entered();
  Block& block = *running;
  acquire(&block.started_);
  block.body_(block.argument_);
  block.end_thread();
}

void Block::end_thread() {
  Thread& me = current();
  const unsigned warp = current_ / kWarp;
  const std::uint32_t bit = 1u << current_ % kWarp;
  release(&finished_);
  me.state = Thread::State::Ended;
  ++ended_;
  Warp& w = warp_[warp];
  w.ended |= bit;
  w.ready &= ~bit;
  for (unsigned i = 0; i < w.gatherings; ++i) {
    if (w.gathering[i].mask & bit) fail(Fault::ExitedLane, "a thread ended while lanes of its warp wait for it");
  }
  if (at_barrier_ != 0) block_complete();
  yield(true);
  std::abort();  // nobody switches to an ended thread
}

void Block::fail(Fault fault, const char* sentence) {
  fault_ = fault;
  sentence_ = sentence;
  current().fiber->switch_to(fibers().main, current().state == Thread::State::Ended);
  std::abort();  // nobody switches to a thread of a block that failed
}

// ---- Collectives ---------------------------------------------------------------------------------------------------

std::uint64_t Block::collective(Op op, std::uint32_t mask, std::uint64_t value, std::uint32_t argument, unsigned width,
                                unsigned line) {
  Thread& me = current();
  me.op = op;
  me.mask = mask;
  me.value = value;
  me.argument = argument;
  me.width = width;
  me.line = line;
  if (++collectives_ > launch_.most_collectives) fail(Fault::Runaway, "more collectives than the launch allows");
  if (waits_for_block(op))
    await_block(me);
  else if (op == Op::Arrive || op == Op::Await)
    come_to_named(me);
  else
    await_warp(me);
  return me.result;
}

void Block::await_warp(Thread& me) {
  const unsigned warp = current_ / kWarp;
  const unsigned lane = current_ % kWarp;
  const std::uint32_t bit = 1u << lane;
  Warp& w = warp_[warp];
  Thread* const lanes = &threads_[warp * kWarp];
  if ((me.mask & bit) == 0) fail(Fault::CallerNotInMask, "a lane calls a collective whose mask leaves it out");
  if (me.mask & (~w.exists | w.ended)) fail(Fault::ExitedLane, "a mask names a lane that has ended or never was");

  unsigned at = w.gatherings;
  for (unsigned i = 0; i < w.gatherings; ++i) {
    const Gathering& other = w.gathering[i];
    // Lanes that don't name each other don't wait for each other, or may still be on their ways here.
    if (!(other.mask & bit) || !(other.arrived & me.mask)) continue;
    const Thread& there = lanes[std::countr_zero(other.arrived)];
    if (other.mask != me.mask || there.op != me.op || there.line != me.line) {
      fail(Fault::Divergent, "lanes that name each other in their masks are at different collectives");
    }
    at = i;
  }
  if (at == w.gatherings) w.gathering[w.gatherings++] = {me.mask, 0};
  w.gathering[at].arrived |= bit;

  // Only a barrier orders memory.
  const bool barrier = me.op == Op::SyncWarp;
  Tokens& tokens = w.tokens[static_cast<unsigned>(std::countr_zero(me.mask))];
  void* const token = &tokens.token[tokens.turn & 1];
  if (barrier) release(token);

  if (w.gathering[at].arrived == me.mask) {
    const Fault fault = combine(lanes, me.mask);
    if (fault == Fault::ShuffleOutsideMask) fail(fault, "a shuffle reads from a lane outside its mask");
    if (fault == Fault::ShuffleWidth) fail(fault, "a shuffle's width is not a power of two up to 32");
    w.gathering[at] = w.gathering[--w.gatherings];
    if (barrier) ++tokens.turn;
    make_ready(warp, me.mask);
    interleave();
  } else {
    me.state = Thread::State::Waiting;
    w.ready &= ~bit;
    yield();
  }
  if (barrier) acquire(token);
}

void Block::await_block(Thread& me) {
  for (unsigned i = 0; at_barrier_ != 0 && i < launch_.threads; ++i) {
    const Thread& other = threads_[i];
    if (other.state != Thread::State::Waiting || !waits_for_block(other.op)) continue;
    if (other.line != me.line || other.op != me.op)
      fail(Fault::Divergent, "threads of the block are at different __syncthreads()");
    break;
  }
  void* const token = &barrier_.token[barrier_.turn & 1];
  release(token);
  ++at_barrier_;
  votes_ += me.value != 0;
  me.state = Thread::State::Waiting;
  warp_[current_ / kWarp].ready &= ~(1u << current_ % kWarp);
  if (block_complete())
    interleave();
  else
    yield();
  acquire(token);
}

void Block::come_to_named(Thread& me) {
  if (me.value == 0 || me.value >= kNamed) fail(Fault::Divergent, "a barrier's number is 1 to 15");
  Named& barrier = named_[me.value];
  void* const token = &barrier.tokens.token[barrier.tokens.turn & 1];
  release(token);
  const bool waits = me.op == Op::Await;
  if (waits) {
    me.state = Thread::State::Waiting;
    warp_[current_ / kWarp].ready &= ~(1u << current_ % kWarp);
  }
  if (++barrier.threads == me.argument) {
    barrier.threads = 0;
    ++barrier.tokens.turn;
    for (unsigned i = 0; i < launch_.threads; ++i)
      if (threads_[i].state == Thread::State::Waiting && threads_[i].op == Op::Await && threads_[i].value == me.value)
        make_ready(i / kWarp, 1u << i % kWarp);
    interleave();
  } else if (waits) {
    yield();
  }
  if (waits) acquire(token);
}

// Threads that have ended are not waited for. True: all are there, and ready to go on.
bool Block::block_complete() {
  if (at_barrier_ + ended_ != launch_.threads) return false;
  for (unsigned i = 0; i < launch_.threads; ++i) {
    Thread& thread = threads_[i];
    thread.result = thread.op == Op::SyncThreadsOr    ? votes_ != 0
                    : thread.op == Op::SyncThreadsAnd ? votes_ == at_barrier_
                                                      : votes_;
  }
  at_barrier_ = votes_ = 0;
  ++barrier_.turn;
  for (unsigned warp = 0; warp < warps_; ++warp) make_ready(warp, warp_[warp].exists & ~warp_[warp].ended);
  return true;
}

void Block::make_ready(unsigned warp, std::uint32_t lanes) {
  warp_[warp].ready |= lanes;
  for (; lanes != 0; lanes &= lanes - 1) {
    threads_[warp * kWarp + static_cast<unsigned>(std::countr_zero(lanes))].state = Thread::State::Ready;
  }
}

// ---- Who runs next -------------------------------------------------------------------------------------------------

unsigned Block::draw(unsigned below) {  // splitmix64
  std::uint64_t x = random_ += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return static_cast<unsigned>(((x ^ x >> 31) >> 32) * below >> 32);
}

// In turn: the next ready thread behind this one. With a seed: the first ready one from a random place on.
int Block::next_ready() {
  const unsigned from = launch_.seed == 0 ? (current_ + 1) % (warps_ * kWarp) : draw(warps_ * kWarp);
  const unsigned warp = from / kWarp;
  const std::uint32_t behind = ~0u << from % kWarp;
  const auto pick = [&](unsigned at, std::uint32_t lanes) {
    return static_cast<int>(at * kWarp) + std::countr_zero(lanes);
  };
  if (warp_[warp].ready & behind) return pick(warp, warp_[warp].ready & behind);
  for (unsigned i = 1; i < warps_; ++i) {
    const unsigned at = (warp + i) % warps_;
    if (warp_[at].ready) return pick(at, warp_[at].ready);
  }
  return warp_[warp].ready ? pick(warp, warp_[warp].ready) : -1;
}

void Block::yield(bool last) {
  Fiber& mine = *current().fiber;
  const int next = next_ready();
  if (next < 0) {
    if (ended_ != launch_.threads) {
      fault_ = Fault::Deadlock;
      sentence_ = "threads wait and none can run";
    }
    mine.switch_to(fibers().main, last);
    std::abort();  // the block is over
  }
  if (static_cast<unsigned>(next) == current_) return;
  const unsigned back = current_;
  current_ = static_cast<unsigned>(next);
  place.thread.x = current_;
  mine.switch_to(*threads_[current_].fiber, last);
  // Whoever came back to this thread has made it the current one.
  if (current_ != back) std::abort();
}

void Block::interleave() {
  if (launch_.seed != 0 && draw(4) == 0) yield();
}

// ---- A block -------------------------------------------------------------------------------------------------------

void Block::begin(unsigned index) {
  Fibers& all = fibers();
  place = {{0, 0, 0}, {index, 0, 0}, {launch_.threads, 1, 1}, {launch_.blocks, 1, 1}};
  warps_ = (launch_.threads + kWarp - 1) / kWarp;
  current_ = ended_ = at_barrier_ = votes_ = 0;
  for (Named& barrier : named_) barrier.threads = 0;
  collectives_ = 0;
  for (unsigned i = 0; i < launch_.threads; ++i) {
    if (i == all.lanes.size()) {
      all.lanes.push_back(std::make_unique<Fiber>());
      all.abandoned.push_back(false);
    }
    threads_[i] = Thread{};
    threads_[i].fiber = all.lanes[i].get();
    threads_[i].state = Thread::State::Ready;
    all.lanes[i]->restart(thread_main, all.abandoned[i]);
  }
  for (unsigned warp = 0; warp < warps_; ++warp) {
    const unsigned lanes = std::min(kWarp, launch_.threads - warp * kWarp);
    Warp& w = warp_[warp];
    w.exists = w.ready = lanes == kWarp ? ~0u : (1u << lanes) - 1;
    w.ended = 0;
    w.gatherings = 0;
  }
  poison({launch_.shared.start, launch_.shared.size});
}

Report Block::run(unsigned index, void (*body)(void*), void* argument) {
  begin(index);
  body_ = body;
  argument_ = argument;
  Fibers& all = fibers();
  Block* const outer = running;
  running = this;
  release(&started_);
  const int first = next_ready();
  current_ = static_cast<unsigned>(first);
  place.thread.x = current_;
  all.main.switch_to(*threads_[current_].fiber);
  acquire(&finished_);
  running = outer;
  for (unsigned i = 0; i < launch_.threads; ++i) all.abandoned[i] = threads_[i].state != Thread::State::Ended;
  Report report;
  report.collectives = collectives_;
  if (fault_ == Fault::None) return report;
  report.fault = fault_;
  report.block = index;
  report.text = describe();
  return report;
}

// ---- Doors ---------------------------------------------------------------------------------------------------------

Report launch(const Launch& how, void (*body)(void*), void* argument) {
  if (how.threads == 0 || how.threads > kMaxThreads) return {Fault::Trap, 0, 0, "a block has 1 to 1024 threads"};
  fibers().main.attach();
  const auto block = std::make_unique<Block>(how);
  Report all;
  for (unsigned i = 0; i < how.blocks && all.ok(); ++i) {
    const std::uint64_t before = all.collectives;
    all = block->run(i, body, argument);
    all.collectives += before;
  }
  return all;
}

std::uint64_t collective(Op op, std::uint32_t mask, std::uint64_t value, std::uint32_t argument, unsigned width,
                         unsigned line) {
  return running->collective(op, mask, value, argument, width, line);
}

void interleave() { running->interleave(); }

void begin_copy(const AsyncCopy& copy, unsigned line) {
  Thread& me = running->current();
  for (const AsyncCopy& other : me.copies) {
    if (copy.to >= other.to + other.bytes || other.to >= copy.to + copy.bytes) continue;
    me.line = line;
    running->fail(Fault::CopyOverlap, "an asynchronous copy goes where another one is still on its way to");
  }
  me.copies.push_back(copy);
}

bool take_copy(AsyncCopy& copy) {
  std::deque<AsyncCopy>& copies = running->current().copies;
  if (copies.empty()) return false;
  copy = copies.front();
  copies.pop_front();
  return true;
}

void trap(unsigned line) {
  running->current().line = line;
  running->fail(Fault::Trap, "the kernel called __trap()");
}

}  // namespace sluice::simt
