#include "runtime/jit/cuda_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/jit/clang_ptx.h"

namespace sluice::runtime {
namespace {

constexpr std::size_t kLength = 8;
constexpr std::string_view kPtx = "compute_";

constexpr std::string_view kRefused = "the generated kernel does not compile, which is a fault of Sluice, not of the spec: ";

// The line of a compiler's log that says what is wrong.
std::string_view first_error(std::string_view log) {
  const std::size_t at = log.find("error");
  if (at == std::string_view::npos) return log.substr(0, log.find('\n'));
  const std::size_t start = log.rfind('\n', at) + 1;  // npos + 1: the first line
  return log.substr(start, log.find('\n', at) - start);
}

enum class Wanted { Any, Nvrtc, Clang };

Wanted wanted_compiler() {
  const char* text = std::getenv("SLUICE_CUDA_JIT");
  const std::string_view word = text ? text : "";
  return word == "clang" ? Wanted::Clang : word == "nvrtc" ? Wanted::Nvrtc : Wanted::Any;
}

std::string nvrtc_name(const Nvrtc& nvrtc) { return "NVRTC " + nvrtc.path().filename().string(); }

CacheKey nvrtc_key(const Nvrtc& nvrtc, std::string_view text, const std::string& arch) {
  const std::vector<std::string> flags = nvrtc_flags();
  std::vector<std::string_view> parts{"cuda", nvrtc.identity(), arch, text};
  parts.insert(parts.end(), flags.begin(), flags.end());
  return cache_key(parts);
}

// From the cache, or compiled and kept there. `compile` gives a DeviceCode.
template <class Compile>
Result<CompiledCuda> cached(const CacheKey& key, const std::string& arch, const ObjectCache& cache,
                            const std::string& compiler, Compile&& compile) {
  if (const auto bytes = cache.load(key))
    if (auto code = unpack(*bytes, arch))
      return CompiledCuda{std::move(*code), true, fmt::format("{}: {} from the cache", compiler, arch)};
  Result<DeviceCode> code = compile();
  if (!code) {
    if (code.error().kind != Error::Kind::Spec) return code.error();
    const std::string& log = code.error().text;
    return Error{Error::Kind::Environment, fmt::format("{}{}\n{}", kRefused, first_error(log), log), {}};
  }
  cache.store(key, pack(*code));
  return CompiledCuda{std::move(*code), false, fmt::format("{}: compiled for {}", compiler, arch)};
}

Result<CompiledCuda> by_nvrtc(const Nvrtc& nvrtc, std::string_view text, const std::string& arch,
                              const ObjectCache& cache) {
  return cached(nvrtc_key(nvrtc, text, arch), arch, cache, nvrtc_name(nvrtc), [&] { return nvrtc.compile(text, arch); });
}

Result<CompiledCuda> by_clang(std::string_view text, const std::string& arch, const ObjectCache& cache) {
  std::string why_not;
  const std::string identity = clang_ptx_identity(why_not);
  if (identity.empty()) return Error{Error::Kind::Environment, "Clang: " + why_not, {}};
  if (!arch.starts_with(kPtx))
    return Error{Error::Kind::Environment, fmt::format("Clang makes PTX, no code for {}: that takes NVRTC", arch), {}};
  const std::string gpu = "sm_" + arch.substr(kPtx.size());
  return cached(cache_key(std::array<std::string_view, 4>{"cuda", identity, arch, text}), arch, cache, "Clang",
                [&]() -> Result<DeviceCode> {
                  auto ptx = clang_ptx(text, gpu);
                  if (!ptx) return ptx.error();
                  DeviceCode code;
                  code.arch = arch;
                  code.image = std::move(*ptx);
                  return code;
                });
}

}  // namespace

std::vector<std::uint8_t> pack(const DeviceCode& code) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(kLength + code.log.size() + code.image.size());
  for (std::size_t i = 0; i < kLength; ++i)
    bytes.push_back(static_cast<std::uint8_t>(std::uint64_t{code.log.size()} >> (8 * i)));
  bytes.insert(bytes.end(), code.log.begin(), code.log.end());
  bytes.insert(bytes.end(), code.image.begin(), code.image.end());
  return bytes;
}

std::optional<DeviceCode> unpack(std::span<const std::uint8_t> bytes, const std::string& arch) {
  if (bytes.size() < kLength) return std::nullopt;
  std::uint64_t log_size = 0;
  for (std::size_t i = 0; i < kLength; ++i) log_size |= std::uint64_t{bytes[i]} << (8 * i);
  bytes = bytes.subspan(kLength);
  if (log_size >= bytes.size()) return std::nullopt;  // no room left for an image
  const auto log = bytes.first(static_cast<std::size_t>(log_size));
  const auto image = bytes.subspan(log.size());
  DeviceCode code;
  code.arch = arch;
  code.log.assign(log.begin(), log.end());
  code.image.assign(image.begin(), image.end());
  // The driver reads PTX up to its zero byte.
  if (code.is_ptx() && code.image.back() != 0) return std::nullopt;
  code.kernels = parse_ptxas_log(code.log);
  return code;
}

Result<CompiledCuda> compile_cuda(std::string_view text, const std::string& arch, const ObjectCache& cache) {
  const Wanted wanted = wanted_compiler();
  if (wanted == Wanted::Clang) return by_clang(text, arch, cache);
  const auto nvrtc = Nvrtc::find();
  if (nvrtc) return by_nvrtc(*nvrtc, text, arch, cache);
  std::string why_not;
  if (wanted == Wanted::Any && arch.starts_with(kPtx) && !clang_ptx_identity(why_not).empty())
    return by_clang(text, arch, cache);
  return nvrtc.error();
}

bool is_cached(std::string_view text, const std::string& arch, const ObjectCache& cache) {
  const auto nvrtc = Nvrtc::find();
  return nvrtc && wanted_compiler() != Wanted::Clang && cache.load(nvrtc_key(*nvrtc, text, arch));
}

bool quick_start(const CudaObjects& objects, std::string_view text, const std::string& arch, const ObjectCache& cache, QuickStart wanted) {
  if (wanted == QuickStart::Never || objects.count < 2 || !objects.link || arch.starts_with(kPtx) || wanted_compiler() == Wanted::Clang)
    return false;
  if (wanted == QuickStart::Free && std::thread::hardware_concurrency() <= objects.count) return false;
  if (is_cached(text, arch, cache)) return false;
  const auto nvrtc = Nvrtc::find();
  return nvrtc && nvrtc->version();
}

Result<CompiledCuda> compile_objects(std::string_view text, const std::string& arch, const CudaObjects& objects) {
  const auto nvrtc = Nvrtc::find();
  if (!nvrtc) return nvrtc.error();
  const auto compile = [&](std::uint32_t number) {
    const std::array flags{std::string("--relocatable-device-code=true"), fmt::format("--maxrregcount={}", objects.registers),
                           fmt::format("--define-macro=SLUICE_OBJECT={}", number)};
    return nvrtc->compile(text, arch, flags);
  };
  std::vector<std::future<Result<DeviceCode>>> others;  // the first one is this thread's
  for (std::uint32_t number = 2; number <= objects.count; ++number) {
    try {
      others.push_back(std::async(std::launch::async, compile, number));
    } catch (const std::system_error&) {  // no threads to be had: when it is asked for
      others.push_back(std::async(std::launch::deferred, compile, number));
    }
  }
  std::vector<Result<DeviceCode>> results;
  results.push_back(compile(1));
  for (auto& other : others) results.push_back(other.get());
  std::vector<DeviceCode> made;
  CompiledCuda compiled;
  compiled.code.arch = arch;
  for (auto& result : results) {
    if (!result) return result.error();
    compiled.code.log += result->log;
    made.push_back(std::move(*result));
  }
  auto image = objects.link(made);
  if (!image) return image.error();
  compiled.code.image = std::move(*image);
  compiled.code.kernels = parse_ptxas_log(compiled.code.log);
  compiled.why = fmt::format("{}: compiled for {} as {} objects side by side", nvrtc_name(*nvrtc), arch, objects.count);
  return compiled;
}

bool kernel_refused(const Error& error) { return error.text.starts_with(kRefused); }

std::string compilable_arch(const std::string& arch) {
  const Wanted wanted = wanted_compiler();
  std::string why_not;
  if (wanted == Wanted::Nvrtc || (wanted == Wanted::Any && Nvrtc::find()) || clang_ptx_identity(why_not).empty())
    return arch;
  unsigned number = 0;
  const std::string_view digits = std::string_view(arch).substr(std::min(arch.find('_') + 1, arch.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return fmt::format("{}{}", kPtx, std::min(number, kNewestClangGpu));
}

}  // namespace sluice::runtime
