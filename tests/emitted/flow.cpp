#include "tests/emitted/flow.h"

namespace sluice::emitted {

std::unique_ptr<clang::CFG> graph_of(const clang::FunctionDecl& f, clang::ASTContext& context) {
  clang::CFG::BuildOptions options;
  options.setAllAlwaysAdd();
  options.AddLoopExit = false;
  return clang::CFG::buildCFG(&f, f.getBody(), &context, options);
}

}  // namespace sluice::emitted
