#include "tests/simt/fiber.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

// SLUICE_SIMT_UCONTEXT: the portable way, on any machine.
#if defined(__x86_64__) && !defined(SLUICE_SIMT_UCONTEXT)
#define SIMT_ASSEMBLY 1
#else
#define SIMT_ASSEMBLY 0
#include <ucontext.h>
#endif

// A program that has the sanitizer in it has these.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* memory, std::size_t size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* token);
[[gnu::weak]] void __tsan_release(void* token);
}

namespace sluice::simt {
namespace {

constexpr unsigned kNoSync = 1;  // __tsan_switch_to_fiber_no_sync: a switch orders nothing

// Frames of instrumented code are several times as large; pages that nobody touches cost nothing.
constexpr std::size_t kStackBytes = std::size_t{512} << 10;

}  // namespace

// ---- The switch -----------------------------------------------------------------------------------------------------

#if SIMT_ASSEMBLY

// Saves what a callee must keep, changes stacks, goes on where the other one stood. 15-20 ns, ucontext takes 180.
extern "C" void sluice_simt_switch(void** from, void* to);
asm(R"(
  .text
  .p2align 4
  .globl sluice_simt_switch
  .hidden sluice_simt_switch
  .type sluice_simt_switch, @function
sluice_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size sluice_simt_switch, .-sluice_simt_switch
)");

namespace {

constexpr unsigned kSaved = 6;  // registers pushed above

void* prepare(void*, std::byte* stack, std::size_t size, void (*entry)()) {
  auto* top = reinterpret_cast<void**>(stack + size);
  *--top = nullptr;  // entry's return address, there for unwinders; aligned as after a call
  *--top = reinterpret_cast<void*>(entry);
  for (unsigned i = 0; i < kSaved; ++i) *--top = nullptr;
  return top;
}

void swap(void*& from, void* to) { sluice_simt_switch(&from, to); }
void discard(void*) {}

}  // namespace

#else

namespace {

void* prepare(void* old, std::byte* stack, std::size_t size, void (*entry)()) {
  auto* context = old != nullptr ? static_cast<ucontext_t*>(old) : new ucontext_t;
  getcontext(context);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = size;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
  return context;
}

void swap(void*& from, void* to) {
  if (from == nullptr) from = new ucontext_t;
  swapcontext(static_cast<ucontext_t*>(from), static_cast<ucontext_t*>(to));
}
void discard(void* context) { delete static_cast<ucontext_t*>(context); }

}  // namespace

#endif

// ---- Fiber ---------------------------------------------------------------------------------------------------------

Fiber::Fiber() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  map_size_ = kStackBytes + page;
  void* map = mmap(nullptr, map_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0) {
    std::perror("simt: stack of a fiber");
    std::abort();
  }
  map_ = static_cast<std::byte*>(map);
  stack_ = map_ + page;
  stack_size_ = kStackBytes;
  if (__tsan_create_fiber != nullptr) {
    tsan_ = __tsan_create_fiber(0);
    owns_tsan_ = true;
  }
}

Fiber::Fiber(MainTag) {}

Fiber::~Fiber() {
  if (owns_tsan_) __tsan_destroy_fiber(tsan_);
  discard(context_);
  if (map_ != nullptr) munmap(map_, map_size_);
}

void Fiber::attach() {
  if (__tsan_create_fiber != nullptr) tsan_ = __tsan_get_current_fiber();
  if (__sanitizer_start_switch_fiber == nullptr || stack_ != nullptr) return;
  pthread_attr_t attributes;
  void* bottom = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &bottom, &stack_size_);
  pthread_attr_destroy(&attributes);
  stack_ = static_cast<std::byte*>(bottom);
}

void Fiber::restart(void (*entry)(), bool abandoned) {
  // ThreadSanitizer's fiber goes on as the same one: a new one would race with it for the stack.
  if (abandoned && __asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(stack_, stack_size_);
  fake_stack_ = nullptr;
  context_ = prepare(context_, stack_, stack_size_, entry);
}

void Fiber::entered() {
  if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

void Fiber::switch_to(Fiber& next, bool last) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(last ? nullptr : &fake_stack_, next.stack_, next.stack_size_);
  }
  if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(next.tsan_, kNoSync);
  swap(context_, next.context_);
  if (__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
}

// ---- ThreadSanitizer -----------------------------------------------------------------------------------------------

void release(void* token) {
  if (__tsan_release != nullptr) __tsan_release(token);
}
void acquire(void* token) {
  if (__tsan_acquire != nullptr) __tsan_acquire(token);
}

}  // namespace sluice::simt
