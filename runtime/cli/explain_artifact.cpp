#include "runtime/cli/explain_artifact.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/artifact/hash.h"
#include "compiler/artifact/read.h"
#include "compiler/schedule/directives.h"
#include "runtime/cli/files.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/jit/aot.h"

namespace sluice::cli {
namespace {

using artifact::Artifact;

void row(std::string_view label, const std::string& value) { print_out("  {:<13} {}\n", label, value); }

void print_page(const Artifact& a, const std::string& hash) {
  const artifact::Format& f = a.format;
  print_out("artifact of format {}\n", f.name);
  row("made by", a.producer);
  row("hash", hash);
  for (const auto& [name, value] : f.parameters) row("parameter", fmt::format("{} = {}", name, value));
  row("output", fmt::format("elements of {}{} bits", f.element_signed ? "signed " : "", f.element_bits));
  for (const artifact::Output& o : f.outputs)
    row("output", fmt::format("`{}`: elements of {}{} bits", o.name, o.element_signed ? "signed " : "", o.element_bits));
  for (const artifact::Argument& arg : f.arguments)
    row("argument", fmt::format("{}: {}{} = {}", arg.name, arg.is_signed ? 'i' : 'u', arg.bits, arg.initial));
  row("errors", fmt::format("{} places that refuse data, with their lines", f.sites.size()));

  print_out("\nCode for CPUs{}\n", a.cpu.empty() ? ": none" : "");
  for (const artifact::CpuImage& image : a.cpu)
    row(image.isa, fmt::format("{} bytes, {}", image.image.size(),
                               runtime::runs_here(image.isa, image.host) ? "runs here" : "does not run here"));

  const bool gpu = a.cuda && !a.cuda->images.empty();
  print_out("\nCode for GPUs{}\n", gpu ? "" : ": none");
  if (!gpu) return;
  for (const artifact::CudaImage& image : a.cuda->images) {
    row(image.arch, fmt::format("{} bytes; {}", image.image.size(), image.schedule));
    row("", fmt::format("{} threads and {} chunks a block, {} bytes of temporary memory a chunk",
                        image.plan.threads_per_block, image.plan.chunks_per_block, image.plan.temp_bytes_per_slot));
    row("", schedule::explain_alignment(image.plan.input_alignment, image.plan.output_alignment));
    for (const artifact::Resources& k : image.kernels)
      row("", fmt::format("{}: {} registers, {} bytes shared, {} stack, {} spilled", k.kernel, k.registers, k.shared,
                          k.stack, k.spill_stores));
  }
}

void print_json(const Artifact& a, const std::string& hash) {
  using nlohmann::ordered_json;
  // Facts of another program's making: text that is no JSON becomes null.
  ordered_json page{{"producer", a.producer}, {"hash", hash}};
  page["facts"] = ordered_json::parse(a.format.facts, nullptr, false);
  if (page["facts"].is_discarded()) page["facts"] = nullptr;
  page["cpu"] = ordered_json::array();
  for (const artifact::CpuImage& image : a.cpu)
    page["cpu"].push_back(
        {{"isa", image.isa}, {"bytes", image.image.size()}, {"runs_here", runtime::runs_here(image.isa, image.host)}});
  page["cuda"] = ordered_json::array();
  if (a.cuda)
    for (const artifact::CudaImage& image : a.cuda->images)
      page["cuda"].push_back({{"arch", image.arch},
                              {"bytes", image.image.size()},
                              {"schedule", image.schedule},
                              {"threads_per_block", image.plan.threads_per_block},
                              {"chunks_per_block", image.plan.chunks_per_block},
                              {"temp_bytes_per_chunk", image.plan.temp_bytes_per_slot},
                              {"input_alignment", image.plan.input_alignment},
                              {"output_alignment", image.plan.output_alignment}});
  print_out("{}\n", page.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

int explain_artifact(const std::string& path, bool json) {
  std::string error;
  const auto bytes = read_file(path, error);
  if (!bytes) return environment_error(error);
  const auto artifact = artifact::read(*bytes, error);
  if (!artifact) return environment_error(fmt::format("{}: {}", path, error));
  if (json)
    print_json(*artifact, artifact::hash_text(*bytes));
  else
    print_page(*artifact, artifact::hash_text(*bytes));
  return kDone;
}

}  // namespace sluice::cli
