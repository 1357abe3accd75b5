#pragma once
// Parameters of a format, as they come from Python: pairs of texts.
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/compile.h"
#include "runtime/api/sluice.hpp"

namespace sluice::python {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline std::vector<Setting> as_settings(const Settings& settings) {
  std::vector<Setting> list;
  for (const auto& [name, value] : settings) list.push_back({name, value});
  return list;
}

// What the front end is asked to compile: `source` is a name or a path, or with `is_text` a description called `name`.
inline driver::Request request_of(const std::string& source, bool is_text, const std::string& name, const Settings& settings,
                                  const std::vector<std::string>& search, bool passes) {
  driver::Request request;
  request.name = is_text ? name : source;
  if (is_text) request.text = source;
  for (const auto& [parameter, value] : settings) request.params.push_back({parameter, value});
  request.search = search;
  request.passes = passes;
  return request;
}

}  // namespace sluice::python
