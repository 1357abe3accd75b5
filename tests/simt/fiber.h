// Stacks to run on and the switch between them, with the notes that sanitizers need. Internal to the SIMT layer.
//
// This layer's own files are built without sanitizers whatever the rest is built with: it finds out at run time, by
// weak symbols, which one is there.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sluice::simt {

class Fiber {
 public:
  // Allocates a stack, with an untouchable page below it. Aborts when the machine has no memory for it.
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the next switch to this fiber call entry() on an empty stack. What it ran before is forgotten; `abandoned`:
  // in the middle.
  void restart(void (*entry)(), bool abandoned);

  // First call in entry().
  static void entered();

  // Goes on in `next`; returns when somebody switches back. `last`: nobody will.
  void switch_to(Fiber& next, bool last = false);

  // The fiber that is the OS thread itself.
  struct MainTag {};
  explicit Fiber(MainTag);
  // Takes note of the OS thread's stack; before the first switch from it.
  void attach();

 private:
  void* context_ = nullptr;  // stack pointer, or an ucontext_t
  std::byte* map_ = nullptr;
  std::size_t map_size_ = 0;
  std::byte* stack_ = nullptr;
  std::size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  void* tsan_ = nullptr;
  bool owns_tsan_ = false;
};

// ---- ThreadSanitizer; nothing without it --------------------------------------------------------------------------

// What happened before release(token) is visible after acquire(token).
void release(void* token);
void acquire(void* token);

}  // namespace sluice::simt
