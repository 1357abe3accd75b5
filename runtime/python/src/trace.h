#pragma once
// The fields of one chunk, one after the other, as the reference interpreter meets them.
//
// The interpreter calls, an iterator is called: so it runs in a thread of its own, a bounded queue ahead. That thread
// never touches Python, so it may stand still anywhere when the interpreter ends.
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/interp/interp.h"
#include "runtime/api/sluice.hpp"
#include "runtime/python/src/output.h"

namespace sluice::python {

// One event. What the numbers mean depends on the kind: interp::TraceEvent.
struct TraceField {
  const char* kind = "";
  std::string name, text;  // text: the event as `sluice trace` prints it, without position and width
  std::uint64_t bit = 0, bits = 0, output = 0, value = 0, count = 0;
  bool is_signed = false;
  std::uint32_t depth = 0;
};

class Trace {
 public:
  // Takes over the compiled description, which has a module, and the input. The thread starts at once.
  Trace(driver::Compiled compiled, std::vector<std::uint8_t> input, std::unique_ptr<Memory> output);
  Trace(const Trace&) = delete;
  ~Trace();

  // The next field; nothing behind the last one. Waits for it: call it without the GIL.
  [[nodiscard]] std::optional<TraceField> next();
  // Behind the last one: the chunk's verdict.
  [[nodiscard]] std::uint64_t error() const { return shared_->result.error; }
  [[nodiscard]] std::uint64_t produced() const { return shared_->result.produced; }
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] ErrorPlace place() const;

 private:
  struct Shared {
    driver::Compiled compiled;
    std::vector<std::uint8_t> input;
    std::unique_ptr<Memory> output;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<TraceField> queue;  // with mutex
    bool done = false, stop = false;
    interp::Result result;
  };
  static void run(Shared& shared);

  std::shared_ptr<Shared> shared_;
  std::deque<TraceField> taken_;  // of the queue, for next() to hand out
  pid_t process_ = getpid();
  std::thread thread_;
};

}  // namespace sluice::python
