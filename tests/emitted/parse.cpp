#include "tests/emitted/parse.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"
#include "compiler/embed/embed.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::emitted {
namespace {

constexpr const char* kFile = "/emitted.cpp";
constexpr const char* kShim = "/runtime/prim/cuda/clang.h";

}  // namespace

std::unique_ptr<clang::ASTUnit> parse(const Text& text, std::string& errors) {
  std::vector<std::string> arguments{"-w", "-ffreestanding", "-nostdinc", "-I/"};
  if (text.cuda) {
    arguments.insert(arguments.end(), {"-x", "cuda", "-std=c++20", "--cuda-device-only", "--cuda-gpu-arch=sm_90",
                                       "-nocudainc", "-nocudalib", "-include", kShim});
  } else {
    arguments.insert(arguments.end(), {"-x", "c++", "-std=c++17", "-march=x86-64-v3"});
  }
  clang::tooling::FileContentMappings files;
  for (const embed::File& file : embed::files())
    if (file.path.starts_with("runtime/")) files.emplace_back("/" + std::string(file.path), std::string(file.text));
  for (const auto& [name, header] : text.headers) files.emplace_back("/" + name, header);
  llvm::raw_string_ostream stream(errors);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  clang::TextDiagnosticPrinter printer(stream, options.get());
  auto unit = clang::tooling::buildASTFromCodeWithArgs(
      text.text, arguments, kFile, "sluice", std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), files, &printer);
  if (!unit || unit->getDiagnostics().hasErrorOccurred()) {
    if (errors.empty()) errors = "the front end gave no tree";
    return nullptr;
  }
  return unit;
}

}  // namespace sluice::emitted
