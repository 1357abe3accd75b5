#include "dsl/sema/sema.h"

#include "dsl/sema/context.h"

namespace sluice::sema {

std::optional<model::Format> analyse(const ast::File& file, const Loader& loader, const Params& params,
                                     SourceSet& sources, DiagSink& sink) {
  const std::size_t errors_before = sink.error_count();
  Context context{sources, sink, loader, {}, {}, {}, {}, false, {}, {}};
  std::vector<std::string> path;
  Instance& top = *instantiate(context, file, file.format.text, "", Given{&params, nullptr, nullptr}, path);
  place_rules(context);
  for (std::uint32_t rule = 0; rule < context.rules.size(); ++rule) check_body(context, rule);
  warn_unused_in_blocks(context);

  // What follows looks at the whole format: with a part of it missing it would report what is not so.
  if (!file.ok || sink.error_count() != errors_before) return std::nullopt;
  warn_unused(context, top);
  if (!order_rules(context)) return std::nullopt;
  drop_unused(context.format);
  check_trailing(context, top);
  check_into(context.format, sink);
  check_elements(context.format, sink);
  check_regions(context.format, sink);
  prove_alignment(context.format, sink);
  prove_progress(context.format, sink);
  if (sink.error_count() != errors_before) return std::nullopt;
  return std::move(context.format);
}

}  // namespace sluice::sema
