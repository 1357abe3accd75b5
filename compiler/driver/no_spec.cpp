#include "compiler/driver/no_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "compiler/driver/library.h"
#include "dsl/diag/diag.h"

namespace sluice::driver {
namespace fs = std::filesystem;
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The codecs with `name` in their names, as `lz4_block` has `lz4`.
std::vector<std::string> codecs_with(std::string_view name, std::vector<std::string> codecs) {
  if (name.empty()) return {};
  const std::string part = lower(name);
  std::erase_if(codecs, [&](const std::string& codec) { return codec.find(part) == std::string::npos; });
  return codecs;
}

// "`a`", "`a` or `b`", "`a`, `b` or `c`"
std::string one_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return text;
}

}  // namespace

std::string no_file_text(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    fs::path directory = fs::path(path).lexically_normal();
    if (directory.filename().empty()) directory = directory.parent_path();
    const fs::path inside = directory / (directory.filename().string() + ".sluice");
    if (!fs::is_regular_file(inside, error)) return path + ": a directory, not a spec";
    return fmt::format("{}: a directory; did you mean `{}`?", path, inside.string());
  }
  std::string text = path + ": no such file, or it can't be read";
  const std::string stem = fs::path(path).stem().string();
  if (std::ranges::count(builtin_codecs(), stem) != 0)
    text += fmt::format("; the codec that is built in is named without an ending: `{}`", stem);
  return text;
}

std::string no_codec_text(const std::string& name) {
  std::error_code error;
  if (fs::is_regular_file(name, error)) {
    if (const auto spec = read_spec(name))
      if (auto text = why_not_text(name, spec->text)) return *std::move(text);
    return fmt::format("no codec `{}`; the file of that name is given as `./{}`", name, name);
  }
  const std::vector<std::string> known = builtin_codecs();
  std::vector<std::string> meant = codecs_with(name, known);
  if (meant.empty())
    if (auto near = did_you_mean(name, known)) meant.push_back(*std::move(near));
  if (!meant.empty()) return fmt::format("no codec `{}`; did you mean {}?", name, one_of(meant));
  return fmt::format("no codec `{}`; built in are {}. A spec of your own is given by its path", name,
                     fmt::join(known, ", "));
}

std::optional<std::string> why_not_text(const std::string& name, std::string_view bytes) {
  if (std::ranges::equal(bytes.substr(0, artifact::kMagic.size()), artifact::kMagic,
                         [](char c, std::uint8_t byte) { return static_cast<std::uint8_t>(c) == byte; }))
    return name + ": an artifact, not a spec (commands that take artifacts know them by the ending .sluicea)";
  const auto zero = bytes.find('\0');
  if (zero == std::string_view::npos) return std::nullopt;
  return fmt::format("{}: not a text (byte {} is 0), so no spec", name, zero);
}

}  // namespace sluice::driver
