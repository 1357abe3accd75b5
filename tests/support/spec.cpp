#include "tests/support/spec.h"

#include <utility>

#include "compiler/driver/compile.h"
#include "tests/support/files.h"

namespace sluice::test {

std::optional<ir::Module> compile_codec(const std::string& name, const std::string& set, bool passes, std::string& problem) {
  driver::Request request;
  request.name = name;
  request.passes = passes;
  if (!set.empty()) {
    for (const std::string& word : split(set, ',')) {
      const auto at = word.find('=');
      if (at == std::string::npos) {
        problem = "not NAME=VALUE: " + word;
        return std::nullopt;
      }
      request.params.push_back({word.substr(0, at), word.substr(at + 1)});
    }
  }
  driver::Compiled compiled = driver::compile_spec(request);
  if (!compiled.ok()) {
    problem = driver::failure_message(compiled, false);
    return std::nullopt;
  }
  return std::move(*compiled.module);
}

}  // namespace sluice::test
