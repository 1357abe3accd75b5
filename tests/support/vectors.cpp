#include "tests/support/vectors.h"

#include <algorithm>
#include <sstream>

#include "tests/support/subject.h"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;

fs::path codecs_directory() { return fs::path(SLUICE_SOURCE_DIR) / "codecs"; }

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

std::vector<std::string> codec_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(codecs_directory(), error)) {
    const std::string name = entry.path().filename().string();
    if (fs::exists(entry.path() / (name + ".sluice"))) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Vector> all_vectors() {
  std::vector<Vector> vectors;
  for (const std::string& codec : codec_names()) {
    for (const fs::path& path : list_files(codecs_directory() / codec / "vectors")) {
      if (path.extension() != ".in") continue;
      const auto beside = [&](const char* ending) { return fs::path(path).replace_extension(ending); };
      Vector item;
      item.codec = codec;
      item.name = path.stem().string();
      item.set = trimmed(read_text(beside(".set")).value_or(""));
      item.in = read_file(path).value_or(Bytes());
      item.dictionary = read_file(beside(".dict")).value_or(Bytes());
      item.out = read_file(beside(".out"));
      for (const ir::Output& output : item.out ? load_codec(codec, item.set).module.outputs : std::vector<ir::Output>())
        item.further.push_back(read_file(fs::path(path).replace_extension(".out." + output.name)).value_or(Bytes()));
      item.error = trimmed(read_text(beside(".err")).value_or(""));
      vectors.push_back(std::move(item));
    }
  }
  return vectors;
}

std::vector<Policy> policies(const std::string& codec) {
  std::vector<Policy> list;
  for (const auto& row : read_table(codecs_directory() / codec / "policies.tsv")) {
    const auto versions = row.size() == 6 ? parse_version_range(row[2]) : std::nullopt;
    if (versions) {
      list.push_back({row[0], row[1], *versions, row[3], row[4], row[5]});
    } else {
      list.push_back({"not readable: " + row[0], "", {}, "", "", ""});
    }
  }
  return list;
}

std::vector<Policy> policies_of_modules(const std::string& codec) {
  std::vector<Policy> list;
  std::istringstream spec(read_text(codecs_directory() / codec / (codec + ".sluice")).value_or(""));
  for (std::string line; std::getline(spec, line);) {
    constexpr std::string_view kUse = "use ";
    if (!line.starts_with(kUse)) continue;
    const std::string module = trimmed(line.substr(kUse.size(), line.find('(') - kUse.size()));
    for (const auto& more : {policies(module), policies_of_modules(module)}) list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

}  // namespace sluice::test
