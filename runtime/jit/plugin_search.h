#pragma once
// Where the Clang plugin is taken from. It is code that runs in the caller's process, so the places are few and each is
// one that whoever runs the program trusts already:
//
//   1. the explicit directory ($SLUICE_PLUGIN_DIR), and then no other
//   2. LIBDIR/sluice of the installation: as configured, beside the library that this code is in, and beside the
//      program's bin when the installation was moved
//   3. the build tree, only for a program or library that lies in it, and only when the user who runs it owns it
//
// Nowhere is a plugin loaded that others may write to, or that belongs to neither the user nor root.
//
//   installed in /usr, run by anybody     -> /usr/lib/x86_64-linux-gnu/sluice/libsluice_clang.so
//   build/tests/unit/x, run by its owner  -> build/libsluice_clang.so
//   the same, run by somebody else        -> none; the sentence says why
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace sluice::runtime {

inline constexpr std::string_view kPluginFile = "libsluice_clang.so";

struct PluginPlaces {
  std::filesystem::path chosen;      // the explicit directory; empty: none
  std::filesystem::path program;     // the running program's file
  std::filesystem::path library;     // the file this code is in: libsluice.so, or the program
  std::filesystem::path install;     // LIBDIR/sluice as configured; empty: not known
  std::filesystem::path library_dir; // LIBDIR relative to the prefix ("lib/x86_64-linux-gnu")
  std::filesystem::path build;       // the build tree; empty: not known
  uid_t user = 0;

  // Of the running process.
  static PluginPlaces of_this_process();
};

// The plugin's path, or an empty one with `why_not`: where it was looked for, and what was found but not trusted.
[[nodiscard]] std::filesystem::path find_plugin(const PluginPlaces& places, std::string& why_not);

}  // namespace sluice::runtime
