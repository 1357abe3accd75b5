#pragma once
// From what went wrong to a message on stderr and an exit code.
#include <string>

#include "runtime/api/sluice.hpp"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/print.h"
#include "runtime/cli/terminal.h"

namespace sluice::cli {

inline int usage_error(const std::string& text) {
  print_error(text);
  return kSpecOrUsage;
}

inline int environment_error(const std::string& text) {
  print_error(text);
  return kEnvironment;
}

// Diagnostics of a spec come rendered, with their own heading; anything else is a sentence.
inline int report(const Error& error) {
  if (error.kind == Error::Kind::Spec) {
    print_err("{}{}", error.text, error.text.ends_with('\n') ? "" : "\n");
    return kSpecOrUsage;
  }
  const bool environment = error.kind == Error::Kind::Environment || error.kind == Error::Kind::NoMemory;
  return environment ? environment_error(error.text) : usage_error(error.text);
}

// For the GPU itself, or its driver, when it is not there: with the way on without.
inline int report_no_gpu(const Error& error) {
  return environment_error(error.text + "\n(--target cpu decodes without a GPU)");
}

}  // namespace sluice::cli
