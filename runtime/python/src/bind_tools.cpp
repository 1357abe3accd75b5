// What is not decoding: checking and explaining descriptions, building artifacts, encoding. Pages go to Python as JSON.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/artifact/read.h"
#include "compiler/artifact/write.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/plan/explain.h"
#include "compiler/plan/lower.h"
#include "dsl/diag/render.h"
#include "runtime/api/spec_request.h"
#include "runtime/cli/build_artifact.h"
#include "runtime/cli/build_targets.h"
#include "runtime/cli/explain_cuda.h"
#include "runtime/encode/encoder.h"
#include "runtime/python/src/errors.h"
#include "runtime/python/src/input.h"
#include "runtime/python/src/module.h"
#include "runtime/python/src/output.h"
#include "runtime/python/src/spec_options.h"

namespace sluice::python {
namespace {

// (JSON of the diagnostics, the same as text). Errors that are no diagnostics are raised: no such file, no such codec.
std::pair<std::string, std::string> check(const std::string& source, bool is_text, const std::string& name,
                                          const Settings& settings, const std::vector<std::string>& search) {
  const driver::Compiled compiled = driver::compile_spec(request_of(source, is_text, name, settings, search, true));
  if (!compiled.ok() && compiled.failure != driver::Failure::Diagnosed) raise_error(error_of(compiled, false));
  return {to_json(compiled.sources, compiled.diags.diagnostics()), render_all(compiled.sources, compiled.diags.diagnostics(), false)};
}

// (JSON, text) of what `sluice explain` prints.
std::pair<std::string, std::string> explain(const std::string& source, bool is_text, const std::string& name,
                                            const std::string& target, const std::string& directives,
                                            const Settings& settings, const std::vector<std::string>& search) {
  const driver::Request request = request_of(source, is_text, name, settings, search, true);
  driver::Compiled compiled = driver::compile_spec(request);
  if (!compiled.ok()) raise_error(error_of(compiled, false));
  const ir::Module& module = *compiled.module;
  const analysis::Facts facts = analysis::analyse(module);
  const bool cuda = target.starts_with("cuda");
  std::optional<cli::CudaPage> page;
  if (cuda) {
    page = cli::explain_cuda(compiled, request, facts, target, directives);
    if (!page->scheduled.schedule)
      raise_error({Error::Kind::Usage, render_all(compiled.sources, page->scheduled.diags.diagnostics(), false), {}});
    if (page->refused) raise_error(*page->refused);
  }
  const auto schedule = cuda ? page->scheduled.schedule : driver::schedule_for(compiled, request, facts, "cuda", "").schedule;
  const bool split = schedule && schedule->strategy == schedule::Strategy::Split;
  const plan::Plan cpu = plan::lower(module, plan::Target::Cpu);
  const plan::TokenPlans gpu = plan::token_plans(module, facts.splits.loops);
  std::vector<const plan::Plan*> plans{&cpu, &gpu.of_warp(split)};
  if (split) plans.push_back(&gpu.parts->lane);

  auto json = nlohmann::ordered_json::parse(analysis::explain_json(module, facts, compiled.sources));
  json["forms"] = nlohmann::ordered_json::parse(plan::explain_json(module, plans, compiled.sources));
  std::string text = analysis::explain_text(module, facts, compiled.sources, false) + plan::explain_text(module, plans, compiled.sources, false);
  if (cuda) {
    json["cuda"] = cli::cuda_page_json(*page, compiled, facts);
    text += cli::cuda_page_text(*page, compiled, facts, false);
  }
  return {json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), std::move(text)};
}

nb::bytes build(const std::string& source, bool is_text, const std::string& name, const std::vector<std::string>& targets,
                const std::string& schedule, const Settings& settings, const std::vector<std::string>& search) {
  cli::BuildRequest request;
  std::string wrong;
  const auto parsed = cli::parse_build_targets(targets, wrong);
  if (!parsed) raise_error({Error::Kind::Usage, wrong, {}});
  request.targets = *parsed;
  request.spec = request_of(source, is_text, name, settings, search, true);
  request.schedule = schedule;
  std::optional<Result<artifact::Artifact>> built;
  {
    const nb::gil_scoped_release release;
    driver::Compiled compiled = driver::compile_spec(request.spec);
    built = compiled.ok() ? cli::build_artifact(request, compiled) : Result<artifact::Artifact>(error_of(compiled, false));
  }
  if (!*built) raise_error(built->error());
  const artifact::Bytes bytes = artifact::write(**built);
  return nb::bytes(bytes.data(), bytes.size());
}

const encode::Encoder& encoder_of(const std::string& name) {
  if (const encode::Encoder* encoder = encode::find_encoder(name)) return *encoder;
  std::string names;
  for (const encode::Encoder& encoder : encode::encoders()) names += (names.empty() ? "" : ", ") + std::string(encoder.name);
  raise_error({Error::Kind::Usage, "no encoder for `" + name + "`; there are: " + names, {}});
}

nb::bytes encode_bytes(const std::string& name, nb::handle data, const Settings& options) {
  const encode::Encoder& encoder = encoder_of(name);
  encode::Settings settings(encoder.options);
  std::string wrong;
  for (const auto& [option, value] : options)
    if (!settings.set(option, value, wrong)) raise_error({Error::Kind::Usage, wrong, {}});
  const Input input(data);
  std::optional<Result<std::vector<std::uint8_t>>> coded;
  {
    const nb::gil_scoped_release release;
    coded = encoder.encode(input.bytes(), settings, [](std::size_t) {});
  }
  if (!*coded) raise_error(coded->error());
  return nb::bytes((*coded)->data(), (*coded)->size());
}

// name -> [(option, meaning, initial, least, most)]
nb::dict encoders() {
  nb::dict all;
  for (const encode::Encoder& encoder : encode::encoders()) {
    nb::list options;
    for (const encode::Option& o : encoder.options)
      options.append(nb::make_tuple(std::string(o.name), std::string(o.meaning), o.initial, o.least, o.most));
    all[std::string(encoder.name).c_str()] = options;
  }
  return all;
}

// [(name, the spec's text)]
nb::list codecs() {
  nb::list list;
  for (const std::string& name : driver::builtin_codecs()) {
    const auto spec = driver::find_spec(name, "", {});
    list.append(nb::make_tuple(name, spec ? spec->text : std::string()));
  }
  return list;
}

}  // namespace

void bind_tools(nb::module_& module) {
  module.def("check", &check);
  module.def("explain", &explain);
  module.def("build", &build);
  module.def("encode", &encode_bytes, nb::arg("name"), nb::arg("data").none(), nb::arg("options"));
  module.def("encoders", &encoders);
  module.def("codecs", &codecs);
}

}  // namespace sluice::python
