// The machine's C++ compiler as an engine: $SLUICE_CXX, else c++, g++ or clang++ from $PATH; $SLUICE_CXXFLAGS adds
// flags, split at blanks. Text goes in and a shared object comes out through a directory of temporary files.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "runtime/jit/engine.h"
#include "runtime/jit/isa.h"

extern char** environ;

namespace sluice::runtime {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFlags[] = {"-x",
                                  "c++",
                                  "-std=c++17",
                                  "-O3",
                                  "-ffreestanding",
                                  "-fno-exceptions",
                                  "-fno-rtti",
                                  "-fno-semantic-interposition",
                                  "-w"};
constexpr const char* kSharedFlags[] = {"-march=native", "-shared", "-fPIC"};
// No unwind tables, no stack protector: nothing of the C library but what our loader knows.
constexpr const char* kObjectFlags[] = {"-c",   "-fPIE", "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
                                        "-fcf-protection=none"};
constexpr std::size_t kMaxErrorText = 4000;

Error unable(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

std::string in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::stringstream dirs(path ? path : "");
  for (std::string dir; std::getline(dirs, dir, ':');) {
    const std::string full = dir + "/" + program;
    if (!dir.empty() && access(full.c_str(), X_OK) == 0) return full;
  }
  return "";
}

std::string find_compiler(std::string& why_not) {
  if (const char* own = std::getenv("SLUICE_CXX"); own && *own) {
    std::string found = in_path(own);
    if (found.empty()) why_not = fmt::format("SLUICE_CXX={} can't be run", own);
    return found;
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (std::string found = in_path(name); !found.empty()) return found;
  why_not = "no c++, g++ or clang++ in PATH";
  return "";
}

std::vector<std::string> extra_flags() {
  const char* text = std::getenv("SLUICE_CXXFLAGS");
  std::istringstream words(text ? text : "");
  return {std::istream_iterator<std::string>(words), {}};
}

class TempDir {
 public:
  TempDir() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "sluice.XXXXXX").string();
    if (!error && mkdtemp(name.data())) path_ = name;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Exit status of the program, its output in `log`; or -1 when it could not be started.
int run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = -1;
  const int failed = posix_spawn(&child, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CxxEngine final : public Engine {
 public:
  std::string_view name() const override { return "cxx"; }

  std::string identity(std::string& why_not) const override {
    const std::string compiler = find_compiler(why_not);
    struct stat info {};
    if (compiler.empty() || stat(compiler.c_str(), &info) != 0) return "";
    // Asking for the version would start a process; size and time of the binary change with it.
    std::string id = fmt::format("{} {} {}", compiler, info.st_size, info.st_mtime);
    for (const char* flag : kFlags) id += fmt::format(" {}", flag);
    for (const char* flag : kSharedFlags) id += fmt::format(" {}", flag);
    for (const std::string& flag : extra_flags()) id += fmt::format(" {}", flag);
    return id;
  }

  Result<std::vector<std::uint8_t>> compile(std::string_view text) const override {
    return run_compiler(text, {std::begin(kSharedFlags), std::end(kSharedFlags)}, "decoder.so");
  }

  Result<std::vector<std::uint8_t>> compile_object(std::string_view text, const std::string& cpu) const override {
    std::vector<std::string> flags(std::begin(kObjectFlags), std::end(kObjectFlags));
    const Isa* const isa = isa_of(cpu);
    flags.push_back(fmt::format("-march={}", isa ? isa->level : cpu.empty() ? "native" : std::string_view(cpu)));
    for (const std::string_view feature : isa ? isa->beyond : decltype(isa->beyond){})
      if (!feature.empty()) flags.push_back(fmt::format("-m{}", feature));
    return run_compiler(text, flags, "decoder.o");
  }

 private:
  Result<std::vector<std::uint8_t>> run_compiler(std::string_view text, const std::vector<std::string>& flags,
                                                 const char* output) const {
    std::string why_not;
    const std::string compiler = find_compiler(why_not);
    if (compiler.empty()) return unable(why_not);
    const TempDir dir;
    if (dir.path().empty()) return unable("no directory for temporary files");
    const std::string source = dir.path() / "decoder.cpp", image = dir.path() / output, log = dir.path() / "log";
    if (!(std::ofstream(source, std::ios::binary) << text).flush()) return unable("temporary file can't be written");

    std::vector<std::string> words{compiler};
    words.insert(words.end(), std::begin(kFlags), std::end(kFlags));
    words.insert(words.end(), flags.begin(), flags.end());
    for (std::string& flag : extra_flags()) words.push_back(std::move(flag));
    words.insert(words.end(), {source, "-o", image});
    const int status = run(words, log);
    if (status < 0) return unable(fmt::format("{} can't be started", compiler));
    if (status != 0) {
      std::string said = slurp(log);
      if (said.size() > kMaxErrorText) said.resize(kMaxErrorText);
      // A compiler that takes its own tests may still refuse our flags or be broken: not the text's fault alone.
      return Error{said.find("error:") != std::string::npos && said.find("decoder.cpp:") != std::string::npos
                       ? Error::Kind::Spec
                       : Error::Kind::Environment,
                   fmt::format("{} failed with status {}:\n{}", compiler, status, said),
                   {}};
    }
    const std::string bytes = slurp(image);
    return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
  }
};

}  // namespace

std::unique_ptr<Engine> make_cxx_engine() { return std::make_unique<CxxEngine>(); }

}  // namespace sluice::runtime
