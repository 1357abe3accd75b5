// sluice_fuzz_replay CODEC COUNT PATH...: runs files (of directories: their .in files and files without an ending) as
// they are, then COUNT mutations of them drawn from a fixed seed. For machines without libFuzzer, and for findings.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "tests/fuzz/differential.h"
#include "tests/support/files.h"

namespace {

using sluice::test::Bytes;

constexpr std::size_t kMaxSize = 512;

std::vector<Bytes> seeds(int count, char** words) {
  std::vector<Bytes> all;
  for (int i = 3; i < count; ++i) {
    std::vector<std::filesystem::path> paths{words[i]};
    if (std::filesystem::is_directory(words[i])) {
      paths = sluice::test::list_files(words[i]);
      std::erase_if(paths, [](const auto& path) { return path.has_extension() && path.extension() != ".in"; });
    }
    for (const auto& path : paths) {
      if (auto bytes = sluice::test::read_file(path)) all.push_back(std::move(*bytes));
    }
  }
  return all;
}

// One to four small changes: a flipped bit, another byte, a byte less or more, a cut, a piece of another seed.
Bytes mutated(const std::vector<Bytes>& all, std::mt19937_64& random) {
  Bytes bytes = all[random() % all.size()];
  for (std::uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (bytes.empty() ? 3 : random() % 6) {
      case 0: bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8); break;
      case 1: bytes[at] = static_cast<std::uint8_t>(random()); break;
      case 2: bytes.erase(place); break;
      case 3: bytes.insert(place, static_cast<std::uint8_t>(random())); break;
      case 4: bytes.resize(at); break;
      default: {
        const Bytes& other = all[random() % all.size()];
        const std::size_t from = other.empty() ? 0 : random() % other.size();
        bytes.insert(place, other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      }
    }
  }
  if (bytes.size() > kMaxSize) bytes.resize(kMaxSize);
  bytes.shrink_to_fit();
  return bytes;
}

bool run(sluice::test::Differential& differential, const Bytes& bytes) {
  const std::string difference = differential.run(bytes);
  if (difference.empty()) return true;
  std::fprintf(stderr, "%s\ninput:", difference.c_str());
  for (const std::uint8_t byte : bytes) std::fprintf(stderr, " %02x", byte);
  std::fprintf(stderr, "\n");
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: sluice_fuzz_replay CODEC COUNT PATH...\n");
    return 2;
  }
  std::string problem;
  auto differential = sluice::test::Differential::of(words[1], problem);
  if (!differential) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 2;
  }
  const std::vector<Bytes> all = seeds(count, words);
  if (all.empty()) {
    std::fprintf(stderr, "sluice_fuzz_replay: no input files\n");
    return 3;
  }
  for (const Bytes& bytes : all) {
    if (!run(*differential, bytes)) return 1;
  }
  const std::uint64_t mutations = std::strtoull(words[2], nullptr, 10);
  std::mt19937_64 random(all.size() + mutations);  // another number of them: other ones
  for (std::uint64_t i = 0; i < mutations; ++i) {
    if (!run(*differential, mutated(all, random))) return 1;
  }
  std::printf("%s: %zu files, %llu mutations: the same on both\n", words[1], all.size(),
              static_cast<unsigned long long>(mutations));
  return 0;
}
