#include "tests/bench/costs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "runtime/api/sluice.hpp"

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// An empty cache directory for as long as this lives.
class OwnCache {
 public:
  OwnCache() : directory_(fs::temp_directory_path() / ("sluice-bench-" + std::to_string(getpid()))) {
    fs::create_directories(directory_);
    setenv("SLUICE_CACHE_DIR", directory_.c_str(), 1);
  }
  ~OwnCache() {
    unsetenv("SLUICE_CACHE_DIR");
    std::error_code error;
    fs::remove_all(directory_, error);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  void clear() const {
    for (const auto& entry : fs::directory_iterator(directory_)) fs::remove_all(entry.path());
  }

 private:
  fs::path directory_;
};

// Milliseconds of `cli check spec`, from start to exit; negative when it fails.
double check_once(const std::string& cli, const std::string& spec) {
  const auto start = Clock::now();
  std::string words[] = {cli, "check", spec};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, cli.c_str(), &silent, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&silent);
  if (spawned != 0) return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

CompileCost compile_cost(const std::string& codec, unsigned rounds, const std::string& cli, const std::string& spec,
                         std::string& problem) {
  CompileCost cost;
  cost.codec = codec;
  const OwnCache cache;
  Options options;
  options.target = Target::Cpu;
  std::vector<double> front, emit, cold, cached, check;
  for (unsigned round = 0; round < rounds; ++round) {
    cache.clear();
    const auto fresh = Decoder::from_name(codec, options);
    const auto again = Decoder::from_name(codec, options);
    if (!fresh || !again) {
      problem = (fresh ? again : fresh).error().text;
      return cost;
    }
    if (fresh->timings().cached || !again->timings().cached) {
      problem = codec + ": the second compilation did not come from the cache";
      return cost;
    }
    for (const auto* timings : {&fresh->timings(), &again->timings()}) {
      front.push_back(timings->front);
      emit.push_back(timings->emit);
    }
    cold.push_back(fresh->timings().jit);
    cached.push_back(again->timings().jit);
    if (cli.empty()) continue;
    check.push_back(check_once(cli, spec));
    if (check.back() < 0) {
      problem = cli + " check " + spec + " failed";
      return cost;
    }
  }
  cost.front = median(front);
  cost.emit = median(emit);
  cost.cold = median(cold);
  cost.cached = median(cached);
  if (!check.empty()) cost.check = median(check);
  return cost;
}

}  // namespace sluice::bench
