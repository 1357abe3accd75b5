#include "runtime/jit/program.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "compiler/analysis/memory.h"
#include "runtime/jit/elf_loader.h"

namespace sluice::runtime {
namespace {

static_assert(kMaxScratchBytes == 2 * analysis::kMaxChunkBytes);

Error failed(std::string text) { return {Error::Kind::Environment, std::move(text), {}}; }

Result<Program> load_object(std::span<const std::uint8_t> image) {
  Result<LoadedObject> loaded = LoadedObject::load(image);
  if (!loaded) return loaded.error();
  auto object = std::make_shared<LoadedObject>(std::move(*loaded));
  return program_from([&](const char* name, std::size_t size) { return object->symbol(name, size); }, object);
}

// The system's loader wants a file: one in memory has no name another process could reach, and no place to clean up.
Result<Program> load_shared(std::span<const std::uint8_t> image) {
  const int fd = memfd_create("sluice", MFD_CLOEXEC);
  if (fd < 0) return failed(fmt::format("memory file: {}", std::strerror(errno)));
  std::size_t done = 0;
  while (done < image.size()) {
    const ssize_t n = write(fd, image.data() + done, image.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  void* handle = nullptr;
  if (done == image.size()) handle = dlopen(fmt::format("/proc/self/fd/{}", fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* why = handle || done < image.size() ? nullptr : dlerror();
  if (!handle) {
    close(fd);
    return failed(fmt::format("shared object not loaded: {}", why ? why : "out of memory"));
  }
  // The file stays open as long as the code: the loader knows libraries by name, and this name is the fd's number.
  std::shared_ptr<void> code(handle, [fd](void* h) {
    dlclose(h);
    close(fd);
  });
  return program_from([&](const char* name, std::size_t) { return dlsym(handle, name); }, code);
}

}  // namespace

Result<Program> Program::load(std::span<const std::uint8_t> image) {
  Elf64_Ehdr header;
  if (image.size() < sizeof header) return failed("compiled code is too short");
  std::memcpy(&header, image.data(), sizeof header);
  return header.e_type == ET_DYN ? load_shared(image) : load_object(image);
}

}  // namespace sluice::runtime
