#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compiler/driver/compile.h"
#include "compiler/embed/embed.h"
#include "compiler/driver/library.h"
#include "temporary_directory.h"

namespace sluice::driver {
namespace {
namespace fs = std::filesystem;

Request named(const std::string& name, const std::string& search = "") {
  Request request;
  request.name = name;
  if (!search.empty()) request.search.push_back(search);
  return request;
}

Request written(const std::string& text) {
  Request request;
  request.name = "mine.sluice";
  request.text = text;
  return request;
}

TEST(Embedded, HoldsTheTreesFilesSorted) {
  EXPECT_TRUE(std::ranges::is_sorted(embed::files(), {}, &embed::File::path));
  EXPECT_NE(embed::text("codecs/deflate/deflate.sluice").find("format deflate"), std::string_view::npos);
  EXPECT_NE(embed::text("runtime/api/abi.h").find("struct sluice_job"), std::string_view::npos);
  EXPECT_NE(embed::text("runtime/prim/base.h").find("namespace prim"), std::string_view::npos);
  EXPECT_EQ(embed::text("runtime/api/abi").data(), nullptr);
}

TEST(Library, NamesLeadOutOfNoDirectory) {
  for (const char* name : {"deflate", "lz4_block", "X9"}) EXPECT_TRUE(is_format_name(name)) << name;
  for (const char* name : {"", "..", "a/b", "a.b", "a b"}) EXPECT_FALSE(is_format_name(name)) << name;
  EXPECT_FALSE(find_spec("../deflate/deflate", "codecs", {}));
}

class Specs : public testing::Test {
 protected:
  std::string put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return (root_ / path).string();
  }
  const test::TemporaryDirectory own_;
  const fs::path& root_ = own_.path();
};

TEST_F(Specs, AreLookedForNearestFirst) {
  put("one/mine.sluice", "one");
  put("two/mine/mine.sluice", "two");
  put("two/deflate/deflate.sluice", "own deflate");
  const std::vector<std::string> search{(root_ / "one").string(), (root_ / "two").string()};
  EXPECT_EQ(find_spec("mine", "", search)->text, "one");
  EXPECT_EQ(find_spec("mine", (root_ / "two").string(), search)->text, "two");
  EXPECT_EQ(find_spec("mine", (root_ / "two" / "deflate").string(), {})->text, "two");  // a neighbour's directory
  EXPECT_EQ(find_spec("deflate", "", search)->text, "own deflate");
  EXPECT_EQ(find_spec("deflate", "", {})->display, "deflate.sluice");
  EXPECT_FALSE(find_spec("absent", "", search));
}

TEST_F(Specs, CompileFromEveryPlace) {
  const std::string text =
      "format mine\n  input bytes\n  output bytes\n\n  repeat until end of input\n    c: u8\n    emit c\n";
  const std::string path = put("mine.sluice", text);
  const Compiled from_path = compile_spec(named(path));
  ASSERT_TRUE(from_path.ok()) << failure_message(from_path, false);
  EXPECT_EQ(from_path.module->name, "mine");
  EXPECT_TRUE(compile_spec(named("mine", root_.string())).ok());
  EXPECT_TRUE(compile_spec(written(text)).ok());
  for (const std::string& name : builtin_codecs()) {
    const Compiled compiled = compile_spec(named(name));
    EXPECT_TRUE(compiled.ok()) << failure_message(compiled, false);
  }
  EXPECT_GE(builtin_codecs().size(), 9u);
}

constexpr const char* kWrong =
    "format mine\n  input bytes\n  output bytes\n\n  repeat until end of input\n    absent()\n";

TEST_F(Specs, FailuresAreToldApart) {
  const Compiled file = compile_spec(named((root_ / "no.sluice").string()));
  EXPECT_EQ(file.failure, Failure::NoFile);
  EXPECT_NE(failure_message(file, false).find("no.sluice: no such file"), std::string::npos);

  const Compiled codec = compile_spec(named("deflat"));
  EXPECT_EQ(codec.failure, Failure::NoCodec);
  EXPECT_EQ(failure_message(codec, false), "no codec `deflat`; did you mean `deflate`?\n");

  const Compiled wrong = compile_spec(written(kWrong));
  EXPECT_EQ(wrong.failure, Failure::Diagnosed);
  EXPECT_FALSE(wrong.module);
  EXPECT_NE(failure_message(wrong, false).find("mine.sluice:6:5"), std::string::npos) << failure_message(wrong, false);
}

TEST_F(Specs, AFailedAssertionFailsTheCompilation) {
  const std::string text =
      "format mine\n  input bytes\n  output bytes\n  assert max_token_bits <= 7\n\n"
      "  repeat until end of input\n    c: u8\n    emit c\n";
  const Compiled wrong = compile_spec(written(text));
  EXPECT_EQ(wrong.failure, Failure::Diagnosed);
  EXPECT_NE(failure_message(wrong, false).find("max_token_bits"), std::string::npos) << failure_message(wrong, false);
}

}  // namespace
}  // namespace sluice::driver
