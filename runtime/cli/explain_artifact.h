#pragma once
// `sluice explain X.sluicea`: what an artifact holds.
#include <string>

namespace sluice::cli {

// Prints the page, or with `json` the facts of the format and the list of images. Returns the exit code.
int explain_artifact(const std::string& path, bool json);

}  // namespace sluice::cli
