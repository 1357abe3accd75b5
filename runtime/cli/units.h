#pragma once
// Numbers as people read them.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace sluice::cli {

// "12.3 us", "4.56 ms", "1.23 s"
inline std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

// Decimal units: "3.2 MB/s", "1.05 GB/s".
inline std::string speed_text(std::uint64_t bytes, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
  if (rate < 1e9) return fmt::format("{:.1f} MB/s", rate / 1e6);
  return fmt::format("{:.2f} GB/s", rate / 1e9);
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sluice::cli
