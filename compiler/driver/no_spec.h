#pragma once
// What to say where a spec was wanted and none is: in words that lead on to what may have been meant.
#include <optional>
#include <string>
#include <string_view>

namespace sluice::driver {

// For a path that read_spec gave nothing for: "gzip.sluice: no such file, or it can't be read; ...".
[[nodiscard]] std::string no_file_text(const std::string& path);

// For a word that find_spec gave nothing for: "no codec `lz4`; did you mean `lz4_block` or `lz4_frame`?".
[[nodiscard]] std::string no_codec_text(const std::string& name);

// For a file's bytes that can't be a spec, since they are an artifact or no text; nothing for every text.
[[nodiscard]] std::optional<std::string> why_not_text(const std::string& name, std::string_view bytes);

}  // namespace sluice::driver
