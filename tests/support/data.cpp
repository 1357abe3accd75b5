#include "tests/support/data.h"

#include <array>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include "tests/support/files.h"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;

// Later entries are tried only when earlier ones do not match, so longer endings stand first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kCodecOfEnding{{
    {".deflatepart", "deflate"},
    {".deflate", "deflate"},
    {".zlib", "zlib"},
    {".tgz", "gzip"},
    {".gz", "gzip"},
    {".lz4block", "lz4_block"},
    {".lz4", "lz4_frame"},
    {".rawsnappy", "snappy_raw"},
    {".sz", "snappy_framed"},
    {".zlibchunks", "orc_zlib"},
    {".snappychunks", "orc_snappy"},
    {".lz4chunks", "orc_lz4"},
    {".zstdchunks", "orc_zstd"},
    {".fsst", "fsst"},
    {".bz2", "bzip2"},
    {".tbz", "bzip2"},
    {".zst", "zstd"},
}};

std::string codec_of(std::string_view name) {
  for (const auto& [ending, codec] : kCodecOfEnding) {
    if (name.ends_with(ending)) return std::string(codec);
  }
  return {};
}

// Folders whose files are whole streams of one codec. orc/ and parquet/ hold containers (and .jsn.gz goldens).
bool holds_streams(std::string_view name) {
  for (const std::string_view folder : {"gzip/", "lz4/", "snappy/", "bzip2/", "fsst/", "zstd/", "corrupt/gzip/", "corrupt/lz4/", "corrupt/snappy/", "corrupt/bzip2/", "corrupt/fsst/", "corrupt/zstd/",
                                        "orc/chunked/"}) {
    if (name.starts_with(folder)) return true;
  }
  return false;
}

// corrupt/rle: streams of the codecs their names begin with.
std::pair<std::string, std::string> rle_codec_of(std::string_view name) {
  if (name == "corrupt/rle/byte_literal_cut.bin") return {"orc_byte_rle", ""};
  if (name == "corrupt/rle/rle1_endless_varint.bin") return {"orc_rle_v1", "T=u64"};
  if (name.starts_with("corrupt/rle/rle2_")) return {"orc_rle_v2", "T=u64"};
  return {};
}

void add_manifest(const fs::path& root, std::vector<DataCase>& cases) {
  for (const auto& row : read_table(root / "MANIFEST.tsv")) {
    if (row.size() < 9) continue;
    DataCase item;
    item.name = row[0];
    item.path = root / row[0];
    item.exercises = row[5];
    if (holds_streams(item.name)) {
      item.codec = codec_of(item.name);
    } else {
      std::tie(item.codec, item.set) = rle_codec_of(item.name);
    }
    if (item.codec.empty()) continue;
    item.expected_sha256 = row[7];
    if (!row[6].empty()) item.expected_bytes = std::strtoull(row[6].c_str(), nullptr, 10);
    if (item.expected_sha256.empty()) {
      item.expect = Expect::Refusal;
    } else if (item.name.ends_with(".deflatepart")) {
      item.expect = Expect::Unfinished;
    }
    cases.push_back(std::move(item));
  }
}

// INDEX.tsv: file, encoding, signed, n_values, bytes, sha256_of_expected, ... Paths start with "orc/streams/".
void add_orc_streams(const fs::path& root, std::vector<DataCase>& cases) {
  for (const auto& row : read_table(root / "orc" / "streams" / "INDEX.tsv")) {
    if (row.size() < 6) continue;
    DataCase item;
    const std::uint64_t values = std::strtoull(row[3].c_str(), nullptr, 10);
    if (row[1] == "rle1") {
      item.codec = "orc_rle_v1";
      item.set = row[2] == "True" ? "T=i64" : "T=u64";
      item.expected_bytes = values * sizeof(std::uint64_t);
    } else if (row[1] == "rle2") {
      item.codec = "orc_rle_v2";
      item.set = row[2] == "True" ? "" : "T=u64";
      item.expected_bytes = values * sizeof(std::uint64_t);
    } else if (row[1] == "byte") {
      item.codec = "orc_byte_rle";
      item.expected_bytes = values;
    } else {
      continue;
    }
    item.name = row[0];
    item.path = root / row[0];
    item.expected_sha256 = row[5];
    item.exercises = row.size() > 7 ? row[7] : std::string();
    cases.push_back(std::move(item));
  }
}

// INDEX.tsv: file, encoding, width, n_values, bytes, sha256_of_expected, first values, runs.
void add_parquet_streams(const fs::path& root, std::vector<DataCase>& cases) {
  for (const auto& row : read_table(root / "parquet" / "streams" / "INDEX.tsv")) {
    if (row.size() < 6 || row[1] != "delta_bp") continue;
    DataCase item;
    const bool wide = row[2] == "64";
    item.codec = "parquet_delta";
    item.set = wide ? "" : "T=i32";
    item.expected_bytes = std::strtoull(row[3].c_str(), nullptr, 10) * (wide ? sizeof(std::int64_t) : sizeof(std::int32_t));
    item.name = row[0];
    item.path = root / row[0];
    item.expected_sha256 = row[5];
    item.exercises = row.size() > 7 ? row[7] : std::string();
    cases.push_back(std::move(item));
  }
}

}  // namespace

std::optional<fs::path> data_directory() {
  const char* named = std::getenv("SLUICE_DATA");
  const fs::path directory = named != nullptr ? fs::path(named) : fs::path(SLUICE_SOURCE_DIR) / ".." / "shared" / "data";
  std::error_code error;
  if (!fs::exists(directory / "MANIFEST.tsv", error)) return std::nullopt;
  return fs::weakly_canonical(directory);
}

std::string data_missing_reason() {
  return "no test data: $SLUICE_DATA is not set to a directory with a MANIFEST.tsv, nor is there a ../shared/data";
}

std::vector<DataCase> data_cases() {
  std::vector<DataCase> cases;
  const auto root = data_directory();
  if (!root) return cases;
  add_manifest(*root, cases);
  add_orc_streams(*root, cases);
  add_parquet_streams(*root, cases);
  return cases;
}

}  // namespace sluice::test
