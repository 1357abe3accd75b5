// The passes on every real format: the interpreter must give the same result for the module as lowered and as
// rewritten, on the format's vectors and on damaged forms of them.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "compiler/driver/compile.h"
#include "compiler/passes/pipeline.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;

// Of the source tree, whose tests/support/specs the build knows: __FILE__ is relative where a compiler's cache makes it so.
fs::path codecs() { return fs::path(SLUICE_SPECS).parent_path().parent_path().parent_path() / "codecs"; }

// Larger vectors take the interpreter seconds under the sanitizers.
constexpr std::size_t kMaxInput = 20000;
constexpr int kDamagedForms = 12;

Bytes read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void damage(Bytes& bytes, std::mt19937& random) {
  if (bytes.empty()) return;
  switch (random() % 3) {
    case 0:
      bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << (random() % 8));
      break;
    case 1:
      bytes.resize(random() % bytes.size());
      break;
    default:
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
      break;
  }
}

TEST(PassesCodecs, KeepEveryResult) {
  std::mt19937 random(20);
  std::size_t formats = 0, decodes = 0, accepted = 0;
  for (const auto& entry : fs::directory_iterator(codecs())) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    driver::Request request;
    request.name = (entry.path() / (name + ".sluice")).string();
    request.passes = false;
    const driver::Compiled before = driver::compile_spec(request), compiled = driver::compile_spec(request);
    ASSERT_TRUE(before.ok() && compiled.ok()) << driver::failure_message(before, false);
    std::string text = ir::print(*compiled.module), error;
    std::optional<ir::Module> after = ir::read(text, &error);
    ASSERT_TRUE(after) << error;
    passes::run(*after);
    for (const std::string& problem : ir::verify(*after)) ADD_FAILURE() << name << ": " << problem;
    ++formats;
    ASSERT_TRUE(fs::is_directory(entry.path() / "vectors")) << name << " has no vectors";
    for (const auto& vector : fs::directory_iterator(entry.path() / "vectors")) {
      if (vector.path().extension() != ".in" || fs::file_size(vector.path()) > kMaxInput) continue;
      for (int form = 0; form < kDamagedForms; ++form) {
        Bytes in = read_bytes(vector.path());
        for (int i = 0; i < form; i += 4) damage(in, random);
        const RunOptions options{.capacity = form == 1 ? 100u : 200000u};
        const Outcome was = run(*before.module, in, options), is = run(*after, in, options);
        ASSERT_EQ(was, is) << vector.path() << " form " << form;
        ++decodes;
        accepted += was.error.empty() ? 1 : 0;
      }
    }
  }
  EXPECT_GE(formats, 9u);
  EXPECT_GE(decodes, formats * kDamagedForms);
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace sluice::test
