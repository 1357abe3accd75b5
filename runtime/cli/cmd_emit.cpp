// sluice emit SPEC --target cpu|ir|cuda|ptx|cubin: what the compiler makes of a spec, as text.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/driver/schedule.h"
#include "compiler/emit/cpu.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/printer.h"
#include "compiler/plan/kernel_text.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/text.h"
#include "compiler/strategy/strategies.h"
#include "dsl/diag/render.h"
#include "runtime/api/cuda_unit.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/target_option.h"
#include "runtime/cli/terminal.h"
#include "runtime/jit/cuda_code.h"

namespace sluice::cli {
namespace {

struct EmitOptions {
  std::string spec, target, schedule, output = "-";
  std::vector<std::string> set;
  bool device_function = false;
};

constexpr const char* kPtxArch = "compute_80";  // what a bare `ptx` means: runs on everything newer too
constexpr const char* kCubinArch = "sm_90";

// "cubin:sm_80" and "ptx:compute_90" as an architecture; `word` alone is `usual`. False for anything else.
bool code_target(const std::string& text, const std::string& word, const char* prefix, const char* usual,
                 std::string& arch) {
  if (text == word) {
    arch = usual;
    return true;
  }
  if (!text.starts_with(word + ":")) return false;
  arch = text.substr(word.size() + 1);
  return runtime::is_cuda_arch(arch) && arch.starts_with(prefix);
}

struct CodeTarget {
  bool text = false, ptx = false, cubin = false;
  std::string arch;
};

// cuda[:sm_90], ptx[:compute_90], cubin[:sm_90].
CodeTarget cuda_target(const std::string& text) {
  CodeTarget target;
  target.text = parse_cuda_target(text, target.arch);
  target.ptx = !target.text && code_target(text, "ptx", "compute_", kPtxArch, target.arch);
  target.cubin = !target.text && !target.ptx && code_target(text, "cubin", "sm_", kCubinArch, target.arch);
  return target;
}

// plan:cpu, plan:cuda[:sm_90]: what stands behind the colon.
std::optional<std::string> plan_target(const std::string& text) {
  std::string arch;
  if (!text.starts_with("plan:")) return std::nullopt;
  const std::string target = text.substr(5);
  return target == "cpu" || parse_cuda_target(target, arch) ? std::optional(target) : std::nullopt;
}

bool is_target(const std::string& text) {
  const CodeTarget target = cuda_target(text);
  return text == "cpu" || plan_target(text) || text == "ir" || target.text || target.ptx || target.cubin;
}

int write(const EmitOptions& options, std::span<const std::uint8_t> bytes) {
  std::string error;
  return write_file(options.output, bytes, error) ? kDone : environment_error(error);
}

int write(const EmitOptions& options, const std::string& text) {
  return write(options, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

int emit_cuda(const EmitOptions& options, const CodeTarget& target, driver::Compiled& compiled) {
  const bool countable = ir::count_plan(*compiled.module).countable;
  const std::string name = target.arch.empty() ? "cuda" : "cuda:" + target.arch;
  driver::Request request;
  request.name = options.spec;
  const auto made = cuda_text(compiled, request, name, options.schedule,
                              countable ? CudaKernels::Both : CudaKernels::Decode, colour_wanted(stderr));
  if (!made) return report(made.error());
  if (target.text) {
    if (const int written = write(options, made->unit.text); written != kDone) return written;
    if (target.arch.empty()) return kDone;
  }
  const auto code = runtime::compile_cuda(made->unit.text, target.arch, runtime::ObjectCache::standard());
  if (target.text && !code && !runtime::kernel_refused(code.error())) {
    print_err("sluice: note: the text was not compiled: {}\n", code.error().text);  // it may be right all the same
    return kDone;
  }
  if (!code) return report(code.error());
  if (target.text) return kDone;
  std::span<const std::uint8_t> image = code->code.image;
  if (target.ptx) image = image.first(image.size() - 1);  // without the driver's terminating zero
  return write(options, image);
}

// The header of a device function; with an architecture named, compiled around a sink that does nothing.
int emit_device_function(const EmitOptions& options, const CodeTarget& target, driver::Compiled& compiled) {
  const std::string name = target.arch.empty() ? "cuda" : "cuda:" + target.arch;
  const auto made = device_function(compiled, name, options.schedule, options.set, colour_wanted(stderr));
  if (!made) return report(made.error());
  if (const int written = write(options, made->text); written != kDone) return written;
  if (target.arch.empty()) return kDone;
  const auto code = runtime::compile_cuda(made->text + made->trial, target.arch, runtime::ObjectCache::standard());
  if (code) return kDone;
  if (runtime::kernel_refused(code.error())) return report(code.error());
  print_err("sluice: note: the text was not compiled: {}\n", code.error().text);  // it may be right all the same
  return kDone;
}

int emit_plan(const EmitOptions& options, const std::string& target, driver::Compiled& compiled) {
  const ir::Module& module = *compiled.module;
  if (target == "cpu") {
    const plan::Plan plan = plan::lower(module, plan::Target::Cpu);
    return write(options, plan::print(module, plan::members_of(module, plan.tables), plan.tables) +
                              plan::print(module, plan));
  }
  const analysis::Facts facts = analysis::analyse(module);
  driver::Request request;
  request.name = options.spec;
  const driver::Scheduled scheduled = options.device_function
                                          ? driver::device_function_schedule(compiled, facts, target, options.schedule)
                                          : driver::schedule_for(compiled, request, facts, target, options.schedule);
  if (!scheduled.schedule) {
    print_err("{}", render_all(compiled.sources, scheduled.diags.diagnostics(), colour_wanted(stderr)));
    return kSpecOrUsage;
  }
  const schedule::Schedule& schedule = *scheduled.schedule;
  const plan::TokenPlans tokens = plan::token_plans(module, facts.splits.loops, plan::asked_of(schedule, options.device_function ? plan::Outputs::Sink : plan::Outputs::Memory));
  const plan::Kernel kernel = strategy::kernel_of({module, facts, tokens}, schedule,
                                                  schedule::device_for(schedule::arch_of(target)));
  std::string text = plan::print(module, kernel, tokens.of_warp(kernel.parts).tables) +
                     plan::print(module, tokens.of_warp(kernel.parts));
  if (kernel.parts) text += plan::print(module, tokens.parts->lane);
  return write(options, text);
}

int emit_text(const EmitOptions& options) {
  LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const NamedOutput output{options.output, "--output"};
  if (const std::string wrong = wrong_outputs(source_files(loaded.compiled.sources), {&output, 1}); !wrong.empty())
    return usage_error(wrong);
  const CodeTarget target = cuda_target(options.target);
  const bool kernel_plan = plan_target(options.target).value_or("cpu") != "cpu";
  if (options.device_function && !target.text && !kernel_plan)
    return usage_error("--device-function is for the targets cuda and plan:cuda");
  if (options.device_function && target.text) return emit_device_function(options, target, loaded.compiled);
  if (target.text || target.ptx || target.cubin) return emit_cuda(options, target, loaded.compiled);
  const std::optional<std::string> planned = plan_target(options.target);
  if (planned && (*planned != "cpu" || options.schedule.empty())) return emit_plan(options, *planned, loaded.compiled);
  if (!options.schedule.empty()) return usage_error("--schedule is for the targets plan:cuda, cuda, ptx and cubin");
  const ir::Module& module = *loaded.compiled.module;
  return write(options, options.target == "ir" ? ir::print(module) : emit::emit_cpu(module, {.sources = &loaded.compiled.sources}));
}

}  // namespace

void add_emit(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EmitOptions>();
  CLI::App* command = app.add_subcommand("emit", "Print generated code, or the intermediate representation");
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("SPEC");
  command
      ->add_option("--target", options->target,
                   "cpu: C++ for this machine's compilers; ir: intermediate representation; plan:cpu, plan:cuda: what the "
                   "decoder's loops will do; cuda: a GPU's kernel as "
                   "text, compiled to see that it does when an architecture is named; ptx, cubin: what NVRTC makes of "
                   "it")
      ->required()
      ->check([](const std::string& text) {
        return is_target(text) ? std::string()
                               : text + " is not one of cpu, ir, plan:cpu, plan:cuda[:sm_90], cuda[:sm_90], ptx[:compute_90], "
                                        "cubin[:sm_90]";
      })
      ->type_name("cpu|ir|plan:TARGET|cuda|ptx|cubin");
  command->add_flag("--device-function", options->device_function,
                    "With cuda: a header with a __device__ function instead of kernels, by which a warp of your own kernel "
                    "decodes a chunk and hands its outputs to your code; the header says how to call it. For formats that do not "
                    "read their output again");
  add_schedule_option(*command, options->schedule);
  command->add_option("-o,--output", options->output, "Where to; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_set_option(*command, options->set);
  command->callback([options, &exit_code] { exit_code = emit_text(*options); });
}

}  // namespace sluice::cli
