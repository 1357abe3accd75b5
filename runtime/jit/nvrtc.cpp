#include "runtime/jit/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>

#include "runtime/jit/nvrtc_search.h"
#include "runtime/jit/shared_library.h"

namespace sluice::runtime {
namespace {

// NVRTC's C interface, from its documentation. Results: 0 is success.
using Code = int;
using Handle = struct NvrtcProgram*;
constexpr Code kInvalidOption = 5, kCompilation = 6;

constexpr std::array<std::string_view, 4> kFlags = {"--std=c++20", "--ptxas-options=-v", "--ptxas-options=--opt-level=2", "--disable-warnings"};

Error unable(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

}  // namespace

struct Nvrtc::Loaded {
  Code (*version)(int* major, int* minor) = nullptr;
  Code (*arch_count)(int* count) = nullptr;
  Code (*archs)(int* list) = nullptr;
  const char* (*error_string)(Code result) = nullptr;
  Code (*create)(Handle* program, const char* text, const char* name, int headers, const char* const* header_texts,
                 const char* const* header_names) = nullptr;
  Code (*destroy)(Handle* program) = nullptr;
  Code (*compile)(Handle program, int count, const char* const* options) = nullptr;
  Code (*log_size)(Handle program, std::size_t* size) = nullptr;
  Code (*log)(Handle program, char* text) = nullptr;
  Code (*ptx_size)(Handle program, std::size_t* size) = nullptr;
  Code (*ptx)(Handle program, char* text) = nullptr;
  Code (*cubin_size)(Handle program, std::size_t* size) = nullptr;
  Code (*cubin)(Handle program, char* image) = nullptr;

  // Every function, or false.
  bool fill(const SharedLibrary& library) {
    return library.get("nvrtcVersion", version) && library.get("nvrtcGetNumSupportedArchs", arch_count) &&
           library.get("nvrtcGetSupportedArchs", archs) && library.get("nvrtcGetErrorString", error_string) &&
           library.get("nvrtcCreateProgram", create) && library.get("nvrtcDestroyProgram", destroy) &&
           library.get("nvrtcCompileProgram", compile) && library.get("nvrtcGetProgramLogSize", log_size) &&
           library.get("nvrtcGetProgramLog", log) && library.get("nvrtcGetPTXSize", ptx_size) &&
           library.get("nvrtcGetPTX", ptx) && library.get("nvrtcGetCUBINSize", cubin_size) &&
           library.get("nvrtcGetCUBIN", cubin);
  }

  std::string version_text() const {
    int major = 0, minor = 0;
    return version(&major, &minor) == 0 ? fmt::format("{}.{}", major, minor) : "of unknown version";
  }

  // "sm_75, sm_80, ..."
  std::string known_archs() const {
    int count = 0;
    if (arch_count(&count) != 0 || count <= 0) return "";
    std::vector<int> list(static_cast<std::size_t>(count));
    if (archs(list.data()) != 0) return "";
    return fmt::format("sm_{}", fmt::join(list, ", sm_"));
  }

  // NVRTC's convention for everything it gives: a size, then that many bytes.
  std::optional<std::vector<std::uint8_t>> take(Handle program, Code (*size_of)(Handle, std::size_t*),
                                                Code (*get)(Handle, char*)) const {
    std::size_t size = 0;
    if (size_of(program, &size) != 0 || size == 0) return std::nullopt;
    std::vector<std::uint8_t> bytes(size);
    if (get(program, reinterpret_cast<char*>(bytes.data())) != 0) return std::nullopt;
    return bytes;
  }
};

struct Nvrtc::Holder {
  std::mutex mutex;
  std::optional<Loaded> loaded;  // under the mutex until it is set, constant then
};

bool is_cuda_arch(std::string_view arch) {
  if (arch.starts_with("sm_"))
    arch.remove_prefix(3);
  else if (arch.starts_with("compute_"))
    arch.remove_prefix(8);
  else
    return false;
  if (arch.ends_with('a') || arch.ends_with('f')) arch.remove_suffix(1);
  return arch.size() >= 2 && arch.size() <= 3 && std::ranges::all_of(arch, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> nvrtc_flags() {
  std::vector<std::string> flags(kFlags.begin(), kFlags.end());
  const char* const more = std::getenv("SLUICE_NVRTC_FLAGS");
  std::istringstream words(more ? more : "");
  for (std::string flag; words >> flag;) flags.push_back(std::move(flag));
  return flags;
}

Result<Nvrtc> Nvrtc::find() {
  NvrtcSearch search = search_nvrtc();
  if (!search.file && search.ask_loader) {
    std::string why_not;
    for (const char* name : kNvrtcNames)
      if (const auto library = SharedLibrary::open(name, why_not)) {
        search.file = library->path();
        break;
      }
    search.looked_in.emplace_back("the loader's list");
  }
  if (!search.file)
    return unable(
        fmt::format("NVRTC ({}) was not found in {}; install CUDA's run-time compiler (for example the "
                    "Python package nvidia-cuda-nvrtc) or set SLUICE_NVRTC to its file",
                    kNvrtcNames[0], fmt::join(search.looked_in, ", ")));
  std::error_code error;
  std::filesystem::path path = std::filesystem::canonical(*search.file, error);
  if (error) path = *search.file;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return unable(fmt::format("{} can't be read", path.string()));
  std::string identity =
      fmt::format("{} {} {}.{:09}", path.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  return Nvrtc(std::move(path), std::move(identity), std::make_shared<Holder>());
}

Result<const Nvrtc::Loaded*> Nvrtc::loaded() const {
  const std::lock_guard lock(holder_->mutex);
  if (holder_->loaded) return &*holder_->loaded;
  std::string why_not;
  const auto library = SharedLibrary::open(path_.string(), why_not);
  if (!library) return unable("NVRTC can't be loaded: " + why_not);
  Loaded functions;
  if (!functions.fill(*library)) return unable(fmt::format("{} lacks functions of NVRTC", path_.string()));
  // NVRTC opens its built-ins by name alone. Loaded under that name from beside it, they are found wherever they are;
  // when they aren't beside it, NVRTC's own search may still succeed, and says so if not.
  static_cast<void>(SharedLibrary::open(
      (path_.parent_path() / ("libnvrtc-builtins.so." + functions.version_text())).string(), why_not));
  holder_->loaded = functions;
  return &*holder_->loaded;
}

Result<std::string> Nvrtc::version() const {
  const auto api = loaded();
  if (!api) return api.error();
  return (*api)->version_text();
}

Result<DeviceCode> Nvrtc::compile(std::string_view text, const std::string& arch, std::span<const std::string> more) const {
  if (!is_cuda_arch(arch))
    return Error{Error::Kind::Usage,
                 fmt::format("`{}` is not an architecture: write sm_90 (a GPU's code) or compute_90 (PTX)", arch),
                 {}};
  const auto found = loaded();
  if (!found) return found.error();
  const Loaded& api = **found;

  const std::string source(text);
  Handle program = nullptr;
  if (const Code result = api.create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr); result != 0)
    return unable(fmt::format("NVRTC {}: {}", api.version_text(), api.error_string(result)));
  struct Destroy {
    const Loaded& api;
    Handle program;
    ~Destroy() { static_cast<void>(api.destroy(&program)); }
  } destroy{api, program};

  DeviceCode code;
  code.arch = arch;
  std::vector<std::string> flags = nvrtc_flags();
  flags.insert(flags.begin(), "--gpu-architecture=" + arch);
  flags.insert(flags.end(), more.begin(), more.end());
  std::vector<const char*> pointers;
  for (const std::string& flag : flags) pointers.push_back(flag.c_str());
  const Code compiled = api.compile(program, static_cast<int>(pointers.size()), pointers.data());
  if (const auto log = api.take(program, api.log_size, api.log)) code.log.assign(log->begin(), log->end() - 1);
  if (compiled == kCompilation) return Error{Error::Kind::Spec, code.log, {}};
  if (compiled == kInvalidOption)
    return unable(fmt::format("NVRTC {} does not compile for {} (it knows {}){}{}", api.version_text(), arch,
                              api.known_archs(), code.log.empty() ? "" : ": ", code.log));
  if (compiled != 0)
    return unable(fmt::format("NVRTC {} ({}): {}{}{}", api.version_text(), path_.string(), api.error_string(compiled),
                              code.log.empty() ? "" : ": ", code.log));

  auto image = code.is_ptx() ? api.take(program, api.ptx_size, api.ptx) : api.take(program, api.cubin_size, api.cubin);
  if (!image) return unable(fmt::format("NVRTC {} made no code for {}", api.version_text(), arch));
  code.image = std::move(*image);
  code.kernels = parse_ptxas_log(code.log);
  return code;
}

}  // namespace sluice::runtime
