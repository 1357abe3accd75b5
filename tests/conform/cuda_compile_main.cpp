// sluice_cuda_compile --find: prints where NVRTC is; exit code 77 when it is nowhere.
// sluice_cuda_compile SCHEDULES CACHE [CODEC...]: NVRTC compiles the kernels of every codec under every schedule for
// every architecture (kOthersArchitectures), which is the other half of running their text under the host's compiler. Prints a table of times
// and resources; exit code 1 when a kernel is refused or takes more of the machine than the bounds below, 77 when there
// is no NVRTC. Texts that were compiled before come from the directory CACHE.
//
// Times are the compiling thread's processor time. Decoding and counting kernels are texts of their own, compiled side by
// side as decoders do it (runtime/api/cuda_decoder_make.cpp): a codec's time is that of the slower one. SCHEDULES has lines NAME|DIRECTIVES, the first of which is the
// default: what tests/simt/kernels.cmake makes of the registry of strategies. Device functions are compiled in a kernel that calls
// them with a sink that adds up. Kernels of the default schedule that can be compiled as several objects are, too, for one
// architecture, and linked, where nvJitLink is at hand.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "runtime/api/cuda_unit.h"
#include "runtime/jit/cuda_code.h"
#include "tests/support/objects_link.h"
#include "tests/support/subject.h"
#include "tests/support/vectors.h"

namespace {

using namespace sluice;

constexpr int kSkipped = 77;
constexpr std::string_view kArchitectures[] = {"sm_80", "sm_90", "sm_100"};
// Schedules other than the default are compiled for the last of these alone, unless $SLUICE_NVRTC_ALL is set: all of them take
// minutes. Then a text that is the same for both but for numbers, such as those of a block's registers, is compiled for one of
// them, which alternates: every codec, and every schedule, is compiled for both. Of these codecs all texts are, since some
// schedules suit no other.
constexpr std::string_view kOthersArchitectures[] = {"sm_80", "sm_90"};
constexpr std::string_view kLinkedArchitecture = "sm_90";
constexpr std::string_view kForEach[] = {"blosclz", "gompresso_bit"};
constexpr std::string_view kDeviceFunction = "device";  // in the place of a schedule
constexpr std::string_view kDeviceArchitectures[] = {"sm_80", "sm_90"};

// What a kernel may take. Spilled registers and frames are loads and stores that nobody wrote: some are the price of
// functions that are kept out of line for the sake of compile time; more than this means that something went wrong.
constexpr unsigned kMaxRegisters = 168;    // three blocks of 128 threads, 12 warps, on an SM of 65536 registers
// Bytes of stores, of a function: loops over parts hold places of their own. blosc, whose one rule has the loops of four
// payload formats, is at 260 for sm_80; all others stay below 192. Which registers are spilled is the compiler's affair, so
// there is room for its next version.
constexpr unsigned kMaxSpill = 320;
// A kernel whose lanes guess where tokens begin has its registers given out for that (strategy/speculate.cpp), and carries
// the loops of strategy `warp` for inputs that do not synchronise, which want about 100 registers: not all of them fit 48.
constexpr unsigned kMaxSpillBesideGuesses = 4 * (168 - 48);
constexpr unsigned kMaxStack = 1024;       // the driver's default limit for a thread's stack
constexpr unsigned kMaxShared = schedule::kStaticShared;  // static shared memory of a block

struct Task {
  std::string codec, set, schedule, directives, arch;
  std::string instead;  // the architecture that the text is compiled for if it is alike there; empty: compiled in any case
  // Results.
  bool refused = false;  // by the schedule's rules: nothing to compile
  bool elsewhere = false;  // compiled for `instead`
  bool cached = false;
  double milliseconds = 0;
  std::string problem, row;
  std::uint32_t objects = 0;  // that it was linked of; 0: it was not
};

// Of the calling thread, which is the one that NVRTC works on: other programs' load is not in it.
double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

std::string resources(const runtime::DeviceCode& code, const std::string& name, std::string& problem) {
  const runtime::KernelResources* kernel = runtime::find_kernel(code.kernels, name);
  if (kernel == nullptr) {
    problem += "no kernel " + name + "; ";
    return "";
  }
  const auto bound = [&](const char* what, unsigned value, unsigned most) {
    if (value > most) problem += fmt::format("{} takes {} {}, more than {}; ", name, value, what, most);
  };
  // Frames of functions that were not inlined are not in the kernel's own line.
  const auto guesses = [](const runtime::KernelResources& f) {
    return f.name.find("speculate") != std::string::npos || f.name.find("decode_together") != std::string::npos;
  };
  const bool guessing = std::ranges::any_of(code.kernels, guesses);
  unsigned stack = kernel->stack, spill = kernel->spill_stores;
  bound("bytes of spill stores", spill, kMaxSpill);
  for (const runtime::KernelResources& function : code.kernels) {
    if (function.kernel) continue;
    stack = std::max(stack, function.stack);
    spill = std::max(spill, function.spill_stores);
    bound("bytes of spill stores in a function", function.spill_stores,
          guessing && !guesses(function) ? kMaxSpillBesideGuesses : kMaxSpill);
  }
  bound("registers", kernel->registers, kMaxRegisters);
  bound("bytes of stack", stack, kMaxStack);
  bound("bytes of shared memory", kernel->shared, kMaxShared);
  return fmt::format("{:>5} {:>6} {:>6} {:>7}", kernel->registers, stack, spill, kernel->shared);
}

void run_device_function(Task& task, driver::Compiled& compiled, const runtime::ObjectCache& cache) {
  const auto text = device_function(compiled, "cuda:" + task.arch, "", {}, false);
  if (!text) {
    task.refused = text.error().text.find("SL0707") != std::string::npos;
    if (!task.refused) task.problem = text.error().text;
    return;
  }
  const double start = thread_milliseconds();
  const auto made = runtime::compile_cuda(text->text + text->trial, task.arch, cache);
  task.milliseconds = thread_milliseconds() - start;
  if (!made) {
    task.problem = made.error().text;
    return;
  }
  task.cached = made->cached;
  task.row = resources(made->code, kDeviceTrial, task.problem);
}

// The same but for decimal numbers.
bool alike(const std::string& a, const std::string& b) {
  const auto words = [](std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  return words(a) == words(b);
}

// A kernel's text for an architecture, and its plan; nothing where the schedule is refused.
std::optional<emit::CudaUnit> unit_for(const Task& task, driver::Compiled& compiled, const driver::Request& request,
                                       const std::string& arch, bool counts) {
  const driver::Scheduled scheduled =
      driver::schedule_for(compiled, request, analysis::analyse(*compiled.module), "cuda:" + arch, task.directives);
  if (!scheduled.schedule) return std::nullopt;
  return emit::emit_cuda(*compiled.module, {.schedule = *scheduled.schedule,
                                            .decode = !counts,
                                            .count = counts,
                                            .device = schedule::device_for(arch)});
}

// The linker that is at hand.
const std::optional<test::ObjectsLinker>& linker() {
  static const auto found = []() -> std::optional<test::ObjectsLinker> {
    std::string why_not;
    auto one = test::ObjectsLinker::find(why_not);
    if (!one) fmt::print("skipped: objects are not linked: {}\n", why_not);
    return one;
  }();
  return found;
}

// The kernel as objects, linked.
void link_objects(Task& task, const emit::CudaUnit& unit) {
  if (unit.objects.count == 1 || !linker()) return;
  const auto link = [](std::span<const runtime::DeviceCode> objects) { return linker()->link(objects); };
  const auto made = runtime::compile_objects(unit.text, task.arch, {unit.objects.count, unit.objects.registers, link});
  if (!made) task.problem = fmt::format("as {} objects: {}", unit.objects.count, made.error().text);
  task.objects = unit.objects.count;
}

void run(Task& task, const runtime::ObjectCache& cache) {
  driver::Request request;
  request.name = task.codec;
  if (const auto at = task.set.find('='); at != std::string::npos) {
    request.params.push_back({task.set.substr(0, at), task.set.substr(at + 1)});
  }
  driver::Compiled compiled = driver::compile_spec(request);
  if (!compiled.ok()) {
    task.problem = driver::failure_message(compiled, false);
    return;
  }
  if (task.schedule == kDeviceFunction) return run_device_function(task, compiled, cache);
  // The counting kernel is the same functions without their stores: once a codec is enough.
  task.cached = true;
  for (const bool counts : {false, true}) {
    if (counts && !task.directives.empty()) break;
    const auto unit = unit_for(task, compiled, request, task.arch, counts);
    if (!unit) {
      task.refused = true;
      if (task.directives.empty()) task.problem = "the default schedule is refused";
      return;
    }
    if (!task.instead.empty()) {
      const auto other = unit_for(task, compiled, request, task.instead, counts);
      task.elsewhere = other && alike(other->text, unit->text);
      if (task.elsewhere) return;
    }
    const double start = thread_milliseconds();
    const auto made = runtime::compile_cuda(unit->text, task.arch, cache);
    task.milliseconds = std::max(task.milliseconds, thread_milliseconds() - start);
    if (!made) {
      task.problem = made.error().text;
      return;
    }
    task.cached = task.cached && made->cached;
    task.row += resources(made->code, counts ? unit->plan.count : unit->plan.decode, task.problem);
    const bool every = std::getenv("SLUICE_NVRTC_ALL") != nullptr;
    if (!counts && task.problem.empty() && task.directives.empty() && (every || task.arch == kLinkedArchitecture)) link_objects(task, *unit);
  }
}

std::vector<Task> all_tasks(const std::string& schedules_file, const std::vector<std::string>& codecs) {
  std::vector<std::pair<std::string, std::string>> schedules;
  std::ifstream file(schedules_file);
  for (std::string line; std::getline(file, line);) {
    const auto bar = line.find('|');
    if (bar != std::string::npos) schedules.emplace_back(line.substr(0, bar), line.substr(bar + 1));
  }
  std::vector<Task> tasks;
  for (std::size_t number = 0; number < codecs.size(); ++number) {
    const std::string& codec = codecs[number];
    std::size_t alternates = number;  // by codec and schedule
    std::vector<std::string> sets{""};
    for (const test::Vector& vector : test::all_vectors()) {
      if (vector.codec == codec && std::ranges::find(sets, vector.set) == sets.end()) sets.push_back(vector.set);
    }
    const bool everything = std::getenv("SLUICE_NVRTC_ALL") != nullptr;
    for (const std::string& set : sets) {
      for (const auto& [name, directives] : schedules) {
        if (!set.empty() && name != schedules.front().first) continue;
        std::span<const std::string_view> architectures = kArchitectures;
        if (name != schedules.front().first) architectures = kOthersArchitectures;
        if (name != schedules.front().first && !everything) architectures = architectures.last(1);
        const bool once = everything && name != schedules.front().first && std::ranges::count(kForEach, codec) == 0;
        const std::string_view only = kOthersArchitectures[alternates++ % std::size(kOthersArchitectures)];
        for (const std::string_view arch : architectures) {
          const std::string instead(once && arch != only ? only : "");
          tasks.push_back({codec, set, name, directives, std::string(arch), instead, {}, {}, {}, {}, {}, {}, {}});
        }
      }
      for (const std::string_view arch : kDeviceArchitectures)
        tasks.push_back({codec, set, std::string(kDeviceFunction), {}, std::string(arch), {}, {}, {}, {}, {}, {}, {}, {}});
    }
  }
  return tasks;
}

// Compiles on all cores; prints rows in the order of the tasks, as soon as all before them are there.
void run_all(std::vector<Task>& tasks, const runtime::ObjectCache& cache) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<bool> done(tasks.size());
  std::size_t printed = 0;
  const auto worker = [&] {
    for (std::size_t i; (i = next++) < tasks.size();) {
      run(tasks[i], cache);
      const std::lock_guard lock(mutex);
      done[i] = true;
      for (; printed < tasks.size() && done[printed]; ++printed) {
        const Task& task = tasks[printed];
        if ((task.refused || task.elsewhere) && task.problem.empty()) continue;
        fmt::print("{:<28} {:<15} {:<7} {:>8} {}{}{}\n", task.codec + (task.set.empty() ? "" : " " + task.set),
                   task.schedule, task.arch, task.cached ? "cached" : fmt::format("{:.0f} ms", task.milliseconds),
                   task.row, task.problem.empty() ? "" : "  FAILED: ", task.problem);
        std::fflush(stdout);
      }
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) workers.emplace_back(worker);
  for (std::thread& one : workers) one.join();
}

// Schedules that are legal for an architecture, and of which every kernel was left to the other one.
std::set<std::string> left_out(std::span<const Task> tasks) {
  std::map<std::string, std::set<std::string>> compiled;
  std::set<std::string> result;
  for (const Task& task : tasks)
    if (!task.refused && !task.elsewhere) compiled[task.schedule].insert(task.arch);
  for (const Task& task : tasks)
    if (task.elsewhere && !compiled[task.schedule].contains(task.arch)) result.insert(task.schedule + " for " + task.arch);
  return result;
}

}  // namespace

int main(int count, char** words) {
  const bool find = count == 2 && std::string(words[1]) == "--find";
  if (count < 3 && !find) {
    fmt::print(stderr, "usage: sluice_cuda_compile --find | SCHEDULES CACHE [CODEC...]\n");
    return 2;
  }
  const auto nvrtc = runtime::Nvrtc::find();
  if (!nvrtc) {
    fmt::print("skipped: kernels are not compiled for GPUs: {}\n", nvrtc.error().text);
    return kSkipped;
  }
  if (find) {
    fmt::print("{}\n", nvrtc->path().string());
    return 0;
  }
  std::vector<std::string> codecs(words + 3, words + count);
  if (codecs.empty()) codecs = test::codec_names();
  std::vector<Task> tasks = all_tasks(words[1], codecs);
  fmt::print("{}\n{:<28} {:<15} {:<7} {:>8} {:>26} {:>27}\n{:<60} {:>5} {:>6} {:>6} {:>7}{:>5} {:>6} {:>6} {:>7}\n",
             nvrtc->path().string(), "codec", "schedule", "target", "compile", "decode", "count", "", "regs", "stack",
             "spills", "shared", "regs", "stack", "spills", "shared");
  run_all(tasks, runtime::ObjectCache(words[2]));

  std::size_t failed = 0, compiled = 0, cached = 0, objects = 0, linked = 0;
  std::vector<double> times;
  for (const Task& task : tasks) {
    failed += !task.problem.empty();
    if (task.refused || task.elsewhere) continue;
    ++compiled;
    cached += task.cached;
    objects += task.objects;
    linked += task.objects != 0;
    if (!task.cached) times.push_back(task.milliseconds);
  }
  std::ranges::sort(times);
  fmt::print("{} kernels, {} from the cache, {} failed", compiled, cached, failed);
  if (!times.empty())
    fmt::print("; compiler's time median {:.0f} ms, longest {:.0f} ms", times[times.size() / 2], times.back());
  fmt::print("; {} linked of {} objects\n", linked, objects);
  if (linker() && linked == 0 && count == 3) {
    fmt::print("FAILED: no kernel is compiled as objects\n");
    ++failed;
  }
  for (const std::string& what : count == 3 ? left_out(tasks) : std::set<std::string>()) {
    fmt::print("FAILED: no kernel of schedule {} was compiled: kForEach wants a codec of it\n", what);
    ++failed;
  }
  return failed == 0 && compiled > 0 ? 0 : 1;
}
