#pragma once
// Turns LLVM's fatal errors into text. LLVM reports what it can't handle by ending the process; a library must not.
#include <string>

namespace sluice::clang_plugin {

// Runs body(state). False when LLVM reported a fatal error on this thread meanwhile: its text is in `error` and what
// the body had allocated is lost. The handler is installed at the first call and stays: it acts on threads inside
// guarded() only, and leaves all others to LLVM's own handling.
bool guarded(void (*body)(void* state), void* state, std::string& error);

}  // namespace sluice::clang_plugin
