// The Clang plugin as an engine. The plugin and LLVM behind it are loaded at the first compile, not before: a format
// that is in the cache never pays for them.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include "compiler/embed/embed.h"
#include "runtime/jit/clang/plugin_abi.h"
#include "runtime/jit/clang_ptx.h"
#include "runtime/jit/engine.h"
#include "runtime/jit/plugin_search.h"

namespace sluice::runtime {
namespace fs = std::filesystem;
namespace {

#if defined(__x86_64__)
constexpr bool kOwnLoader = true;
#else
constexpr bool kOwnLoader = false;
#endif

Error unable(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

class Plugin {
 public:
  // Null with `why_not` set when it can't be loaded. Never unloaded: LLVM keeps threads' state that must outlive it.
  static std::unique_ptr<Plugin> open(const fs::path& path, std::string& why_not) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
      const char* text = dlerror();
      why_not = text ? text : "dlopen failed";
      return nullptr;
    }
    auto plugin = std::make_unique<Plugin>();
    sluice_clang_plugin_version_fn version = nullptr;
    const bool all = get(handle, "sluice_clang_plugin_version", version) && version() == SLUICE_CLANG_PLUGIN_VERSION &&
                     get(handle, "sluice_clang_compile", plugin->compile) &&
                     get(handle, "sluice_clang_ptx", plugin->ptx) &&
                     get(handle, "sluice_clang_free", plugin->free) && get(handle, "sluice_clang_load", plugin->load) &&
                     get(handle, "sluice_clang_symbol", plugin->symbol) &&
                     get(handle, "sluice_clang_unload", plugin->unload);
    if (all) return plugin;
    why_not = fmt::format("{} is of another version", path.string());
    return nullptr;
  }

  sluice_clang_compile_fn compile = nullptr;
  sluice_clang_ptx_fn ptx = nullptr;
  sluice_clang_free_fn free = nullptr;
  sluice_clang_load_fn load = nullptr;
  sluice_clang_symbol_fn symbol = nullptr;
  sluice_clang_unload_fn unload = nullptr;

 private:
  template <class F>
  static bool get(void* handle, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle, name));
    return function != nullptr;
  }
};

// Text the plugin allocated.
std::string take(const Plugin& plugin, sluice_clang_bytes& bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data), bytes.size);
  plugin.free(&bytes);
  return text;
}

class ClangEngine final : public Engine {
 public:
  ClangEngine() : path_(find_plugin(PluginPlaces::of_this_process(), not_found_)) {}

  std::string_view name() const override { return "clang"; }

  std::string identity(std::string& why_not) const override {
    struct stat info {};
    if (path_.empty() || stat(path_.c_str(), &info) != 0) {
      why_not = not_found_.empty() ? fmt::format("{} is gone", path_.string()) : not_found_;
      return "";
    }
    // Flags are the plugin's own, so its file stands for them; LLVM's version is what both were built with.
    return fmt::format("plugin {} {} {} llvm {}", SLUICE_CLANG_PLUGIN_VERSION, info.st_size, info.st_mtime,
                       SLUICE_LLVM_VERSION);
  }

  Result<std::vector<std::uint8_t>> compile(std::string_view text) const override { return compile_for(text, nullptr); }

  Result<std::vector<std::uint8_t>> compile_object(std::string_view text, const std::string& cpu) const override {
    return compile_for(text, cpu.empty() ? nullptr : cpu.c_str());
  }

  Result<std::vector<std::uint8_t>> compile_ptx(const std::string& text, const std::string& gpu) const {
    std::string why_not;
    const Plugin* plugin = started(why_not);
    if (!plugin) return unable(why_not);
    sluice_clang_bytes ptx{}, errors{};
    return taken(*plugin, plugin->ptx(text.data(), text.size(), gpu.c_str(), &ptx, &errors), ptx, errors);
  }

  // Our own loader where it knows the machine; ORC, which starts LLVM, where it does not or $SLUICE_LOADER=orc asks.
  Result<Program> load(std::span<const std::uint8_t> image) const override {
    const char* wanted = std::getenv("SLUICE_LOADER");
    return kOwnLoader && (!wanted || std::string_view(wanted) != "orc") ? Program::load(image) : load_with_orc(image);
  }

 private:
  Result<std::vector<std::uint8_t>> compile_for(std::string_view text, const char* cpu) const {
    std::string why_not;
    const Plugin* plugin = started(why_not);
    if (!plugin) return unable(why_not);
    sluice_clang_bytes object{}, errors{};
    return taken(*plugin, plugin->compile(text.data(), text.size(), cpu, &object, &errors, nullptr), object, errors);
  }

  // What a compile gave, by its status.
  static Result<std::vector<std::uint8_t>> taken(const Plugin& plugin, int status, sluice_clang_bytes& output,
                                                 sluice_clang_bytes& errors) {
    if (status != 0)
      return Error{status == 1 ? Error::Kind::Spec : Error::Kind::Environment, take(plugin, errors), {}};
    std::vector<std::uint8_t> image(output.data, output.data + output.size);
    plugin.free(&output);
    return image;
  }

  Result<Program> load_with_orc(std::span<const std::uint8_t> image) const {
    std::string why_not;
    const Plugin* plugin = started(why_not);
    if (!plugin) return unable(why_not);
    sluice_clang_program* loaded = nullptr;
    sluice_clang_bytes errors{};
    if (plugin->load(image.data(), image.size(), &loaded, &errors) != 0) return unable(take(*plugin, errors));
    std::shared_ptr<void> code(loaded,
                               [unload = plugin->unload](void* p) { unload(static_cast<sluice_clang_program*>(p)); });
    return program_from([&](const char* symbol, std::size_t) { return plugin->symbol(loaded, symbol); }, code);
  }

  const Plugin* started(std::string& why_not) const {
    const std::lock_guard lock(mutex_);
    if (!plugin_ && path_.empty()) why_not = not_found_;
    if (!plugin_ && !path_.empty()) plugin_ = Plugin::open(path_, why_not);
    return plugin_.get();
  }

  std::string not_found_;  // where the plugin was looked for, when it was not found
  fs::path path_;          // then empty
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Plugin> plugin_;
};

}  // namespace

std::string clang_ptx_identity(std::string& why_not) {
  const std::string plugin = ClangEngine().identity(why_not);
  return plugin.empty() ? plugin : "ptx by " + plugin;
}

Result<std::vector<std::uint8_t>> clang_ptx(std::string_view text, const std::string& gpu) {
  // NVRTC's words, then the text as NVRTC would get it.
  std::string whole(embed::text("runtime/prim/cuda/clang.h"));
  whole.append("\n").append(text);
  return ClangEngine().compile_ptx(whole, gpu);
}

std::unique_ptr<Engine> make_clang_engine() { return std::make_unique<ClangEngine>(); }

}  // namespace sluice::runtime
