#include "compiler/driver/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "compiler/embed/embed.h"

namespace sluice::driver {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSuffix = ".sluice";
constexpr std::string_view kScheduleSuffix = ".schedule";
constexpr std::string_view kCodecs = "codecs/";

std::optional<SpecText> in_directory(const fs::path& directory, const std::string& name) {
  for (const fs::path& path :
       {directory / (name + std::string(kSuffix)), directory / name / (name + std::string(kSuffix))})
    if (auto spec = read_spec(path.string())) return spec;
  return std::nullopt;
}

}  // namespace

bool is_format_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<SpecText> read_spec(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return std::nullopt;
  const fs::path directory = fs::path(path).parent_path();
  return SpecText{path, directory.empty() ? "." : directory.string(), std::move(text)};
}

std::optional<SpecText> find_spec(std::string_view name, const std::string& directory,
                                  std::span<const std::string> search) {
  if (!is_format_name(name)) return std::nullopt;
  const std::string own(name);
  if (!directory.empty()) {
    if (auto spec = in_directory(directory, own)) return spec;
    if (auto spec =
            read_spec((fs::path(directory) / ".." / own / (own + std::string(kSuffix))).lexically_normal().string()))
      return spec;
  }
  for (const std::string& place : search)
    if (auto spec = in_directory(place, own)) return spec;
  const std::string_view text = embed::text(std::string(kCodecs) + own + "/" + own + std::string(kSuffix));
  if (!text.data()) return std::nullopt;
  return SpecText{own + std::string(kSuffix), "", std::string(text)};
}

std::optional<SpecText> find_schedules(std::string_view path_or_name, std::span<const std::string> search) {
  if (!is_format_name(path_or_name)) {
    fs::path path(path_or_name);
    return read_spec(path.replace_extension(kScheduleSuffix).string());
  }
  const std::string own(path_or_name), file = own + std::string(kScheduleSuffix);
  for (const std::string& place : search) {
    if (!in_directory(place, own)) continue;  // the spec is not this one
    for (const fs::path& path : {fs::path(place) / file, fs::path(place) / own / file})
      if (auto found = read_spec(path.string())) return found;
    return std::nullopt;
  }
  const std::string_view text = embed::text(std::string(kCodecs) + own + "/" + file);
  if (!text.data()) return std::nullopt;
  return SpecText{file, "", std::string(text)};
}

std::vector<std::string> builtin_codecs() {
  std::vector<std::string> names;
  for (const embed::File& file : embed::files()) {
    std::string_view path = file.path;
    if (!path.starts_with(kCodecs) || !path.ends_with(kSuffix)) continue;
    path.remove_prefix(kCodecs.size());
    const std::string_view name = path.substr(0, path.find('/'));
    // The codec's own spec; others in its directory are its parts.
    if (path == std::string(name) + "/" + std::string(name) + std::string(kSuffix)) names.emplace_back(name);
  }
  return names;
}

}  // namespace sluice::driver
