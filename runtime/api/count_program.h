#pragma once
// The code behind decoded sizes, which many callers never need: a decoder of a description writes its text and compiles it when
// sizes are first asked for. An artifact brings it. As cuda::LazyProgram, but nothing goes on meanwhile: who asks for sizes waits.
//
//   sizes.will_be(emit, cache);   // costs nothing
//   sizes.get(program)            // emits, compiles and loads: parts of a second, or milliseconds from the cache
//   sizes.get(program)            // the same program, without a lock
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

#include "runtime/api/result.hpp"
#include "runtime/jit/cache.h"
#include "runtime/jit/program.h"

namespace sluice {

class CountProgram {
 public:
  // One that is there: an artifact's.
  void is(runtime::Program program);
  // The text of one that counts. Called by one thread at a time, beside those that do other things with what it reads.
  using Emit = std::function<std::string()>;
  // One to be made of what `emit` gives.
  void will_be(Emit emit, runtime::ObjectCache cache);

  // The program, made by the first call that asks; where it can't be, the error says why, and the next call tries again. Any number of
  // threads may ask: one makes it, the others wait. It lives as long as this. Neither is() nor will_be() was called: a fault of the caller.
  CallError get(const runtime::Program*& program) const;

 private:
  Emit emit_;
  runtime::ObjectCache cache_{std::filesystem::path()};
  mutable std::mutex making_;
  mutable runtime::Program program_;                         // under `making_`, until it is there
  mutable std::atomic<const runtime::Program*> there_{nullptr};  // program_, once it is there: nothing changes it then
};

}  // namespace sluice
