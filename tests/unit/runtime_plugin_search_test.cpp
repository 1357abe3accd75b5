#include "runtime/jit/plugin_search.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "temporary_directory.h"

namespace sluice::runtime {
namespace {
namespace fs = std::filesystem;

class PluginSearch : public testing::Test {
 protected:
  fs::path plugin_in(const fs::path& directory) {
    fs::create_directories(directory);
    std::ofstream(directory / kPluginFile) << "code";
    return directory / kPluginFile;
  }
  fs::path found(const PluginPlaces& places) {
    why_.clear();
    return find_plugin(places, why_);
  }
  // A program in a build tree with a plugin at its top.
  PluginPlaces built() {
    PluginPlaces places;
    places.build = root_ / "build";
    places.library = places.program = root_ / "build" / "tests" / "unit" / "program";
    places.install = root_ / "usr" / "lib" / "sluice";
    places.library_dir = "lib";
    places.user = geteuid();
    return places;
  }
  const test::TemporaryDirectory own_;
  const fs::path root_ = fs::canonical(own_.path());
  std::string why_;
};

TEST_F(PluginSearch, ProgramsOfTheBuildTreeFindItsPlugin) {
  const fs::path plugin = plugin_in(root_ / "build");
  EXPECT_EQ(found(built()), plugin);
}

TEST_F(PluginSearch, InstalledProgramsNeverTakeTheBuildTrees) {
  plugin_in(root_ / "build");
  PluginPlaces places = built();
  places.program = root_ / "usr" / "bin" / "sluice";
  places.library = root_ / "usr" / "lib" / "libsluice.so.0";
  EXPECT_EQ(found(places), "");
  EXPECT_EQ(why_, "no libsluice_clang.so in " + (root_ / "usr" / "lib" / "sluice").string());
  const fs::path installed = plugin_in(places.install);
  EXPECT_EQ(found(places), installed);
  places.program = root_ / "buildings" / "program";  // its name begins like the tree's, which makes it no part of it
  places.library = places.program;
  fs::remove(installed);
  EXPECT_EQ(found(places), "");
}

TEST_F(PluginSearch, SomebodyElsesBuildTreeIsNotTrusted) {
  const fs::path plugin = plugin_in(root_ / "build");
  PluginPlaces places = built();
  places.user = geteuid() + 1;
  EXPECT_EQ(found(places), "");
  EXPECT_EQ(why_, "the build tree " + places.build.string() + " does not belong to the user alone");
  places.user = geteuid();
  ASSERT_EQ(chmod(plugin.c_str(), 0666), 0);
  EXPECT_EQ(found(places), "");
  EXPECT_EQ(why_, plugin.string() + " may be written by others");
  ASSERT_EQ(chmod(plugin.c_str(), 0644), 0);
  ASSERT_EQ(chmod(places.build.c_str(), 0777), 0);
  EXPECT_EQ(found(places), "");
}

TEST_F(PluginSearch, AMovedInstallationFindsItsOwn) {
  PluginPlaces places = built();
  places.program = root_ / "moved" / "bin" / "sluice";
  places.library = places.program;
  const fs::path plugin = plugin_in(root_ / "moved" / "lib" / "sluice");
  EXPECT_EQ(found(places), plugin);
  places.library = root_ / "elsewhere" / "libsluice.so";
  const fs::path beside = plugin_in(root_ / "elsewhere" / "sluice");
  EXPECT_EQ(found(places), beside);
}

TEST_F(PluginSearch, NothingBesideAProgramOutsideTheBuildTree) {
  PluginPlaces places = built();
  places.program = root_ / "downloads" / "program";
  places.library = places.program;
  plugin_in(root_ / "downloads");
  plugin_in(root_ / "lib" / "sluice");
  EXPECT_EQ(found(places), "");
}

TEST_F(PluginSearch, AnExplicitDirectoryIsTheOnlyOne) {
  plugin_in(root_ / "build");
  PluginPlaces places = built();
  places.chosen = root_ / "chosen";
  EXPECT_EQ(found(places), "");
  const fs::path plugin = plugin_in(places.chosen);
  EXPECT_EQ(found(places), plugin);
}

}  // namespace
}  // namespace sluice::runtime
