#include "compiler/artifact/make.h"

#include <algorithm>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/error_text.h"

namespace sluice::artifact {

Format make_format(const ir::Module& module, const SourceSet& sources,
                   std::vector<std::pair<std::string, std::string>> parameters) {
  Format format;
  format.name = module.name;
  format.parameters = std::move(parameters);
  format.element_bits = module.output.bits;
  format.element_signed = module.output.is_signed;
  for (const ir::Output& o : module.outputs) format.outputs.push_back({o.name, o.type.bits, o.type.is_signed});
  format.has_dictionary = module.has_dictionary;
  format.reads_dictionary = ir::reads_dictionary(module);
  format.countable = ir::count_plan(module).countable;
  for (const ir::Argument& a : module.args)
    format.arguments.push_back({a.name, a.initial, a.type.bits, a.type.is_signed});
  for (ir::SiteId id = 0; id < module.sites.size(); ++id) {
    const ir::Site& site = module.sites[id];
    const std::string rule = site.rule < module.rules.size() ? module.rules[site.rule].name : module.name;
    format.sites.push_back({site.rule, site.clause, rule, site.name, ir::describe_site(module, sources, id)});
  }
  format.facts = analysis::explain_json(module, analysis::analyse(module), sources);
  return format;
}

void add_call_errors(Artifact& artifact) {
  const auto demands = [](const CudaImage& image) { return image.plan.input_alignment > 1 || image.plan.output_alignment > 1; };
  const bool aligned = artifact.cuda && std::ranges::any_of(artifact.cuda->images, demands);
  for (const ir::CallError& error : ir::call_errors())
    if (aligned || ir::call_word(error.clause) == ir::kNoRoom)
      artifact.format.sites.push_back({ir::kCallRule, error.clause, "call", std::string(error.name),
                                       ir::describe_call(artifact.format.name, error)});
}

}  // namespace sluice::artifact
