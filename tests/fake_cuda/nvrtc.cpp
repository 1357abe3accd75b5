// NVRTC's interface. What it "compiles" stays text: the image is a mark, then the text. The log has ptxas' form.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/fake_cuda/fake.h"

namespace {

struct Program {
  std::string text, arch, log, image;
};

Program* program_of(void* handle) { return static_cast<Program*>(handle); }

std::string log_for(const std::string& kernel, const std::string& arch) {
  return "ptxas info    : Compiling entry function '" + kernel + "' for '" + arch +
         "'\nptxas info    : Function properties for " + kernel +
         "\n    16 bytes stack frame, 0 bytes spill stores, 8 bytes spill loads\n"
         "ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem, 592 bytes cmem[0]\n";
}

}  // namespace

FAKE_EXPORT int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
FAKE_EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}
FAKE_EXPORT int nvrtcGetSupportedArchs(int* list) {
  list[0] = 80;
  list[1] = 90;
  return 0;
}
FAKE_EXPORT const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_OF_THE_STAND_IN"; }
FAKE_EXPORT int nvrtcCreateProgram(void** program, const char* text, const char*, int, const char* const*,
                                   const char* const*) {
  if (const int code = fake::enter("nvrtcCreateProgram", fake::Needs::Nothing)) return code;
  *program = new Program{text, "", "", ""};
  return 0;
}
FAKE_EXPORT int nvrtcDestroyProgram(void** program) {
  delete program_of(*program);
  *program = nullptr;
  return 0;
}
FAKE_EXPORT int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  if (const int code = fake::enter("nvrtcCompileProgram", fake::Needs::Nothing)) return code;
  Program& program = *program_of(handle);
  const std::string flag = "--gpu-architecture=";
  for (int i = 0; i < count; ++i)
    if (std::string(options[i]).starts_with(flag)) program.arch = options[i] + flag.size();
    else program.log += std::string("option ") + options[i] + "\n";
  if (!program.arch.ends_with("80") && !program.arch.ends_with("90")) return 5;
  if (program.text.find("#error") != std::string::npos) {
    program.log = "kernel.cu(1): error: #error\n";
    return 6;
  }
  if (const char* word = std::getenv("SLUICE_FAKE_REFUSES"); word && program.text.find(word) != std::string::npos) {
    program.log = "kernel.cu(7): warning #177-D: unused\n\nkernel.cu(9): error: \"" + std::string(word) +
                  "\" is refused\n1 error detected\n";
    return 6;
  }
  for (const char* kernel : {"sluice_decode_kernel", "sluice_count_kernel"})
    if (program.text.find(std::string(kernel) + "(") != std::string::npos) program.log += log_for(kernel, program.arch);
  fake::text_compiled(program.text);
  program.image = "FAKE" + program.text;
  return 0;
}
FAKE_EXPORT int nvrtcGetProgramLogSize(void* handle, std::size_t* size) {
  *size = program_of(handle)->log.size() + 1;
  return 0;
}
FAKE_EXPORT int nvrtcGetProgramLog(void* handle, char* text) {
  std::memcpy(text, program_of(handle)->log.c_str(), program_of(handle)->log.size() + 1);
  return 0;
}
FAKE_EXPORT int nvrtcGetCUBINSize(void* handle, std::size_t* size) {
  *size = program_of(handle)->image.size() + 1;
  return 0;
}
FAKE_EXPORT int nvrtcGetCUBIN(void* handle, char* image) {
  std::memcpy(image, program_of(handle)->image.c_str(), program_of(handle)->image.size() + 1);
  return 0;
}
FAKE_EXPORT int nvrtcGetPTXSize(void* handle, std::size_t* size) { return nvrtcGetCUBINSize(handle, size); }
FAKE_EXPORT int nvrtcGetPTX(void* handle, char* text) { return nvrtcGetCUBIN(handle, text); }
