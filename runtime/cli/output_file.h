#pragma once
// Files written so that their old contents are lost only once the new ones are complete.
//
//   out/text exists             bytes go to a file without a name in out/; when all are there it gets a temporary name
//                               and is renamed to out/text, with the old file's owner and permissions
//   out/text is a link to ../a  the same in .. for a; the link stays
//   out/text is a pipe or a     written as it is
//   device, or the path is -
//
// Whatever fails (no room, no permission, the machine or the program dies), out/text is what it was, and nothing else
// is in the directory. Where the file system has no files without names, one with a temporary name serves, which a
// program killed in the middle leaves behind.
#include <cstdint>
#include <span>
#include <string>

namespace sluice::cli {

// Whether the file has to be on the disk, not only in the machine's memory, before the old one goes. For files that
// can't be made again: after a loss of power there is the old file or the new one.
enum class Sync : bool { No, Yes };

// False when it fails: `error` says why in a sentence.
[[nodiscard]] bool write_file(const std::string& path, std::span<const std::uint8_t> bytes, std::string& error,
                              Sync sync = Sync::No);

struct OutputFile {
  std::string path;
  std::span<const std::uint8_t> bytes;
};

// Writes all of them or none: no file is replaced before all are written.
[[nodiscard]] bool write_files(std::span<const OutputFile> files, std::string& error);

// Whether `path` can be written to, to be asked before long work whose result goes there. Touches nothing.
[[nodiscard]] bool can_write(const std::string& path, std::string& error);

// Whether `path` is a stream (standard output, a pipe, a device): what has been written there stays written.
[[nodiscard]] bool is_stream(const std::string& path);

// Where symbolic links lead, whether there is a file or not: a path without a link at its end, or one that stands for
// an open descriptor; `path` itself when links go round in a circle.
[[nodiscard]] std::string follow_links(const std::string& path);

// The open descriptor that `path` stands for: 1 for "-" and "/dev/stdout", 63 for "/dev/fd/63"; -1 for another path.
[[nodiscard]] int descriptor_of(const std::string& path);

}  // namespace sluice::cli
