// sluice_simt_emit CODEC SET NAME DIRECTIVES WHERE SYMBOL OUT.cpp: a codec's CUDA text under a schedule as a source file for
// the host's compiler, with a simt::Kernel called SYMBOL behind it. A schedule that is not legal for the codec makes a
// file that says so, and so does `elsewhere` for WHERE, which is `here` for what is built. A NAME that begins with "device" is not a
// kernel's but that of a device function, which device_kernel.h calls.
#include <fmt/core.h>

#include <fstream>
#include <string>

#include "compiler/analysis/facts.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "compiler/emit/device_function.h"

namespace {

using namespace sluice;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result + '"';
}

std::string refusal(const driver::Scheduled& scheduled) {
  std::string text = "refused";
  for (const Diagnostic& one : scheduled.diags.diagnostics()) text += ": " + one.message;
  return text;
}

}  // namespace

int main(int count, char** words) {
  if (count != 8) {
    fmt::print(stderr, "usage: sluice_simt_emit CODEC SET NAME DIRECTIVES here|elsewhere SYMBOL OUT.cpp\n");
    return 2;
  }
  const std::string codec = words[1], set = words[2], name = words[3], directives = words[4], symbol = words[6];
  const bool elsewhere = std::string_view(words[5]) == "elsewhere";
  driver::Request request;
  request.name = codec;
  if (const auto at = set.find('='); at != std::string::npos)
    request.params.push_back({set.substr(0, at), set.substr(at + 1)});
  driver::Compiled compiled = driver::compile_spec(request);
  if (!compiled.ok()) {
    fmt::print(stderr, "{}\n", driver::failure_message(compiled, false));
    return 2;
  }
  const auto facts = analysis::analyse(*compiled.module);
  const bool function = name.starts_with("device");
  const driver::Scheduled scheduled = function ? driver::device_function_schedule(compiled, facts, "cuda:sm_90", directives)
                                               : driver::schedule_for(compiled, request, facts, "cuda:sm_90", directives);
  std::ofstream out(words[7]);
  const std::string names = fmt::format("{}, {}, {}", quoted(codec), quoted(set), quoted(name));
  if (!scheduled.schedule || elsewhere) {
    out << "#include \"tests/simt/kernel.h\"\n"
        << fmt::format(
               "extern const sluice::simt::Kernel {0};\nconst sluice::simt::Kernel {0} = {{{1}, {2}, {3}, 0, 0, 0, 1, 1, nullptr, "
               "nullptr, nullptr}};\n",
               symbol, names, scheduled.schedule ? "nullptr" : quoted(refusal(scheduled)), scheduled.schedule.has_value());
    return out.flush() ? 0 : 3;
  }
  if (function) {
    const std::string space = emit::device_namespace(*compiled.module, {});
    const emit::CudaUnit unit = emit::emit_cuda(*compiled.module, {.schedule = *scheduled.schedule, .device_function = space});
    const ir::Module& module = *compiled.module;
    out << fmt::format("#define SIMT_SECTION simt_shared_{}\n", symbol)
        << "#include \"tests/simt/cuda_on_host.h\"\n#include \"tests/simt/kernel.h\"\n#include \"runtime/api/cuda_abi.h\"\n"
        << fmt::format("namespace {{\n#line 1 \"{}.cu\"\n{}\n}}  // namespace\n", symbol, unit.text)
        << fmt::format("#define DEVICE {}\n#define DEVICE_ARGS {}\n#define DEVICE_KERNEL {}\n#define DEVICE_NAMES {}\n", space,
                       module.args.empty() ? "" : ", b.args", symbol, names)
        << "#include \"tests/simt/device_kernel.h\"\n";
    return out.flush() ? 0 : 3;
  }
  const emit::CudaUnit unit = emit::emit_cuda(*compiled.module, {*scheduled.schedule});
  // Kernels are extern "C" in an unnamed namespace: a name of its own for each file.
  out << fmt::format("#define SIMT_SECTION simt_shared_{}\n", symbol)
      << "#include \"tests/simt/cuda_on_host.h\"\n#include \"tests/simt/kernel.h\"\n"
      << fmt::format("#define {0} {1}_decode\n#define {2} {1}_count\n", unit.plan.decode, symbol, unit.plan.count)
      << "namespace {\n"
      << fmt::format("#line 1 \"{}.cu\"\n", symbol) << unit.text << "\n}  // namespace\n"
      << fmt::format(
             "extern const sluice::simt::Kernel {0};\n"
             "const sluice::simt::Kernel {0} = {{{1}, nullptr, false, {2}, {3}, {4}ull, {5}, {6},\n"
             "    [](void* batch) {{ {0}_decode(*static_cast<const sluice_cuda_batch*>(batch)); }},\n"
             "    [](void* batch) {{ {0}_count(*static_cast<const sluice_cuda_batch*>(batch)); }},\n"
             "    simt_shared_region}};\n",
             symbol, names, unit.plan.threads_per_block, unit.plan.chunks_per_block, unit.plan.temp_bytes_per_slot,
             unit.plan.input_alignment, unit.plan.output_alignment);
  return out.flush() ? 0 : 3;
}
