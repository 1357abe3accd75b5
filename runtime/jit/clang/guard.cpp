#include "runtime/jit/clang/guard.h"

#include <csetjmp>
#include <mutex>

#include "llvm/Support/ErrorHandling.h"

namespace sluice::clang_plugin {
namespace {

struct Escape {
  std::jmp_buf back;
  char text[512];
};

thread_local Escape* escape = nullptr;

// Leaving by longjmp skips destructors of LLVM's frames, which leaks; LLVM's contract is that the handler does not
// return, and no exception may pass its frames.
void on_fatal_error(void*, const char* reason, bool) {
  Escape* e = escape;
  if (!e) return;
  std::size_t n = 0;
  for (; reason[n] && n + 1 < sizeof e->text; ++n) e->text[n] = reason[n];
  e->text[n] = 0;
  std::longjmp(e->back, 1);
}

// Apart, so that no object with a destructor lives in the frame that is jumped to.
bool run(Escape* e, void (*body)(void*), void* state) {
  if (setjmp(e->back) != 0) return false;
  body(state);
  return true;
}

}  // namespace

bool guarded(void (*body)(void* state), void* state, std::string& error) {
  static std::once_flag installed;
  std::call_once(installed, [] { llvm::install_fatal_error_handler(on_fatal_error); });
  Escape here{};
  Escape* const outer = escape;
  escape = &here;
  const bool done = run(&here, body, state);
  escape = outer;
  if (!done) error = here.text;
  return done;
}

}  // namespace sluice::clang_plugin
