#pragma once
// What a terminal gets and a pipe doesn't: colours and a line that shows work going on.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sluice::cli {

// Whether to colour what goes to `stream`: it is a terminal, TERM is not "dumb", and NO_COLOR is unset or empty
// (https://no-color.org).
bool colour_wanted(std::FILE* stream);

// "sluice: error: TEXT" on stderr, the word coloured on a terminal; one newline at the end, whether `text` has it or
// not.
void print_error(std::string_view text);

// A line on stderr that says what goes on and how far it is, redrawn ten times a second, gone when the object is.
// Nothing is ever written unless stderr is a terminal, nor for work done within half a second.
class Progress {
 public:
  // `total` steps; 0: unknown, then only the time is shown.
  Progress(std::string label, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One step is done. Any thread.
  void advance() { done_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void redraw_until_stopped();
  std::string line() const;

  const std::string label_;
  const std::size_t total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> done_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;  // under mutex_
  std::thread thread_;    // runs only on a terminal
};

}  // namespace sluice::cli
