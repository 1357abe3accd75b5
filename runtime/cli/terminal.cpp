#include "runtime/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/cli/print.h"

namespace sluice::cli {
namespace {

constexpr std::chrono::milliseconds kFirstDraw{500}, kRedraw{100};
constexpr std::size_t kBarWidth = 30;
constexpr std::string_view kClearLine = "\r\x1b[K";

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

bool colour_wanted(std::FILE* stream) {
  return is_terminal(stream) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

void print_error(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const bool colour = colour_wanted(stderr);
  print_err("sluice: {}error:{} {}\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "", text);
}

Progress::Progress(std::string label, std::size_t total) : label_(std::move(label)), total_(total) {
  if (is_terminal(stderr) && variable("TERM") != "dumb") thread_ = std::thread([this] { redraw_until_stopped(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::redraw_until_stopped() {
  std::unique_lock lock(mutex_);
  if (wake_.wait_for(lock, kFirstDraw, [this] { return stopped_; })) return;
  do {
    print_err("{}{}", kClearLine, line());
  } while (!wake_.wait_for(lock, kRedraw, [this] { return stopped_; }));
  print_err("{}", kClearLine);
}

std::string Progress::line() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (total_ == 0) return fmt::format("{} {:.1f} s", label_, elapsed.count());
  const std::size_t done = std::min(done_.load(std::memory_order_relaxed), total_);
  const std::size_t filled = done * kBarWidth / total_;
  return fmt::format("{} [{:#<{}}{:.<{}}] {}/{} {:.1f} s", label_, "", filled, "", kBarWidth - filled, done, total_,
                     elapsed.count());
}

}  // namespace sluice::cli
