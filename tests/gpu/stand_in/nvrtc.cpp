// A stand-in for NVRTC: "compiles" a kernel's text with this machine's C++ compiler for the SIMT layer (tests/simt). What
// it calls a CUBIN is a shared library behind a small head, which the stand-in driver loads (driver.cpp). With both,
// everything between a spec and the results of a launch runs on a machine without a GPU:
//
//   SLUICE_NVRTC=.../libsluice_stand_in_nvrtc.so SLUICE_CUDA_DRIVER=.../libsluice_stand_in_cuda.so sluice_gpu_conform
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/stand_in/image.h"

namespace {

namespace fs = std::filesystem;
using Code = int;
constexpr Code kCompilation = 6;

struct Program {
  std::string text, log;
  std::vector<char> image;
};

std::string whole(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The text with what the driver looks for behind it.
std::string host_text(const std::string& text) {
  std::string made = "#include \"tests/simt/cuda_on_host.h\"\nnamespace {\n#line 1 \"kernel.cu\"\n" + text + "\n}\n";
  for (const std::string kernel : {"sluice_decode_kernel", "sluice_count_kernel"})
    if (text.find(" " + kernel + "(") != std::string::npos)
      made += "extern \"C\" void stand_in_run_" + kernel + "(void* b) { " + kernel +
              "(*static_cast<const sluice_cuda_batch*>(b)); }\n";
  return made + "extern \"C\" void stand_in_shared(sluice::simt::Region* r) { *r = simt_shared_region(); }\n";
}

// `defines`: with a blank before each.
Code build(Program& program, const std::string& defines) {
  static std::atomic<unsigned> count{0};
  const fs::path stem =
      fs::temp_directory_path() / ("sluice_stand_in_" + std::to_string(getpid()) + "_" + std::to_string(count++));
  const fs::path source = stem.string() + ".cpp", object = stem.string() + ".so", log = stem.string() + ".log";
  std::ofstream(source) << host_text(program.text);
  const std::string command = std::string(STAND_IN_CXX) + " -std=c++20 -O1 -w -fPIC -shared -fno-strict-aliasing" + defines + " -I'" +
                              STAND_IN_ROOT + "' '" + source.string() + "' '" + STAND_IN_DRIVER + "' -Wl,-rpath,'" +
                              fs::path(STAND_IN_DRIVER).parent_path().string() + "' -o '" + object.string() + "' >'" +
                              log.string() + "' 2>&1";
  const bool done = std::system(command.c_str()) == 0;
  program.log = whole(log);
  if (done) {
    const std::string library = whole(object);
    const sluice::gpu::ImageHead head{sluice::gpu::kImageMagic, library.size()};
    program.image.resize(sizeof head + library.size());
    std::memcpy(program.image.data(), &head, sizeof head);
    std::memcpy(program.image.data() + sizeof head, library.data(), library.size());
  }
  std::error_code ignored;
  for (const fs::path& path : {source, object, log}) fs::remove(path, ignored);
  return done ? 0 : kCompilation;
}

}  // namespace

extern "C" {

Code nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
Code nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}
Code nvrtcGetSupportedArchs(int* list) {
  *list = 90;
  return 0;
}
const char* nvrtcGetErrorString(Code code) { return code == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION"; }

Code nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
  *program = new Program{text, "", {}};
  return 0;
}
Code nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
Code nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  std::string defines;
  for (const char* const option : std::span(options, static_cast<std::size_t>(count)))
    if (std::string_view(option).starts_with("-D")) defines += std::string(" '") + option + "'";
  return build(*program, defines);
}

// Sizes of texts count the zero byte at their end.
Code nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
Code nvrtcGetProgramLog(Program* program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return 0;
}
Code nvrtcGetCUBINSize(Program* program, std::size_t* size) {
  *size = program->image.size();
  return 0;
}
Code nvrtcGetCUBIN(Program* program, char* image) {
  std::memcpy(image, program->image.data(), program->image.size());
  return 0;
}
// No PTX is made here.
Code nvrtcGetPTXSize(Program*, std::size_t* size) {
  *size = 0;
  return 0;
}
Code nvrtcGetPTX(Program*, char*) { return kCompilation; }
}
