#include "runtime/cli/room.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

namespace sluice::cli {
namespace {

// Of what is free, an eighth stays free: input and program, and whatever else runs, go on growing.
constexpr std::uint64_t kLeftAlone = 8;

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The first number in the file, or behind `label` where one is given. "max" is none.
std::uint64_t number_in(const char* path, const char* label = nullptr) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "r"));
  if (!file) return kUnknown;
  char line[256];
  while (std::fgets(line, sizeof line, file.get()) != nullptr) {
    unsigned long long value = 0;
    if (label == nullptr) return std::sscanf(line, "%llu", &value) == 1 ? value : kUnknown;
    const std::string form = std::string(label) + " %llu";
    if (std::sscanf(line, form.c_str(), &value) == 1) return value;
  }
  return kUnknown;
}

}  // namespace

std::uint64_t available_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t free_kib = number_in("/proc/meminfo", "MemAvailable:");
  if (free_kib != kUnknown) bytes = std::min(bytes, free_kib * 1024);
  const std::uint64_t most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most != kUnknown && used != kUnknown) bytes = std::min(bytes, most - std::min(most, used));
  return bytes - bytes / kLeftAlone;
}

Room room_for_output(std::optional<std::uint64_t> max_output) {
  const std::uint64_t memory = available_memory();
  return max_output && *max_output <= memory ? Room{*max_output, true} : Room{memory, false};
}

std::string no_room_text(const Room& room) {
  return fmt::format("the output is larger than the {} bytes that {}", room.bytes,
                     room.asked ? "--max-output allows" : "are free in memory");
}

std::optional<Buffer> reserve(std::uint64_t wanted, std::uint64_t least) {
  for (;; wanted /= 2) {
    if (auto buffer = Buffer::make(std::max(wanted, least))) return buffer;
    if (wanted <= least) return std::nullopt;
  }
}

}  // namespace sluice::cli
