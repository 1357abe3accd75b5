// sluice_golden --root=DIR --project=DIR [--sluice=PROGRAM] [--update] [gtest flags]
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "dsl/diag/diag.h"
#include "tests/golden/golden.h"

namespace sluice::golden {
namespace {

class Test : public testing::Test {
 public:
  explicit Test(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void compare(const Options& options, const Golden& golden) {
  const Outcome outcome = run(options, golden);
  ASSERT_EQ(outcome.failure, "") << golden.file << ": " << golden.command;
  std::filesystem::path expected = golden.file;
  expected.replace_extension(".expected");
  if (options.update) {
    write_file(expected, outcome.text);
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(expected)) << expected << " is missing; --update writes it. Output:\n"
                                                 << outcome.text;
  EXPECT_EQ(read_file(expected), outcome.text) << golden.file << ": " << golden.command;
}

// Every code has a golden that shows its text.
void coverage(const Options& options, const std::vector<Golden>& goldens) {
  std::string all;
  for (const Golden& golden : goldens) {
    std::filesystem::path expected = golden.file;
    all += read_file(expected.replace_extension(".expected"));
  }
  std::string missing;
  for (const CodeInfo& info : all_codes())
    if (all.find(fmt::format("[{}]", info.id)) == std::string::npos)
      missing += fmt::format("  {} {}\n", info.id, info.title);
  EXPECT_EQ(missing, "") << "codes without a golden below " << options.root;
  EXPECT_GT(goldens.size(), 0u);
}

// An expected text without its golden is a test that nobody runs.
void no_orphans(const Options& options) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.root)) {
    if (entry.path().extension() != ".expected") continue;
    std::filesystem::path spec = entry.path(), ir = entry.path();
    EXPECT_TRUE(std::filesystem::exists(spec.replace_extension(".sluice")) ||
                std::filesystem::exists(ir.replace_extension(".ir")))
        << entry.path();
  }
}

void add(const std::string& group, const std::string& name, std::function<void()> body) {
  testing::RegisterTest(group.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [body = std::move(body)]() -> Test* { return new Test(body); });
}

}  // namespace

void register_all(const Options& options) {
  const std::vector<Golden> goldens = find_goldens(options);
  for (const Golden& golden : goldens) add(golden.group, golden.name, [=] { compare(options, golden); });
  add("coverage", "every_code", [=] { coverage(options, goldens); });
  add("coverage", "no_orphans", [=] { no_orphans(options); });
  register_documents(options);
  register_robustness(options);
}

}  // namespace sluice::golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  sluice::golden::Options options;
  const char* update = std::getenv("SLUICE_GOLDEN_UPDATE");
  options.update = update && std::string_view(update) != "" && std::string_view(update) != "0";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view value = word.substr(std::min(word.find('=') + 1, word.size()));
    if (word.starts_with("--root=")) {
      options.root = value;
    } else if (word.starts_with("--project=")) {
      options.project = value;
    } else if (word.starts_with("--sluice=")) {
      options.program = value;
    } else if (word == "--update") {
      options.update = true;
    } else {
      fmt::print(stderr, "unknown argument {}\n", word);
      return 2;
    }
  }
  if (options.root.empty() || options.project.empty()) {
    fmt::print(stderr, "usage: {} --root=DIR --project=DIR [--sluice=PROGRAM] [--update]\n", argv[0]);
    return 2;
  }
  sluice::golden::register_all(options);
  return RUN_ALL_TESTS();
}
