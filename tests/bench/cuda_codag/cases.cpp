#include "tests/bench/cuda_codag/cases.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "tests/bench/cuda_codag/material.h"
#include "tests/bench/cuda_codag/orc_encoder.h"
#include "tests/support/nesting.h"
#include "tests/support/random.h"

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = 128 << 10;         // CODAG, section V-B
constexpr std::size_t kMade = std::size_t{4} << 20;      // of a made column

// An ORC encoder's view of a column.
struct Type {
  std::string_view name;
  unsigned bytes;
  bool is_signed;
};

std::vector<std::int64_t> values_of(const Bytes& raw, const Type& type) {
  std::vector<std::int64_t> values(raw.size() / type.bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, raw.data() + i * type.bytes, type.bytes);
    const unsigned shift = 64 - 8 * type.bytes;
    values[i] = type.is_signed ? static_cast<std::int64_t>(word << shift) >> shift : static_cast<std::int64_t>(word);
  }
  return values;
}

Encode orc(const Type& type, bool second) {
  return [type, second](const Bytes& raw) {
    const auto values = values_of(raw, type);
    return second ? encode_orc_rle_v2(values, type.is_signed) : encode_orc_rle_v1(values, type.is_signed);
  };
}

// Bytes that follow each other as in `path`: what remains of a column of which only a piece is at hand.
Maker like(fs::path path, std::size_t size) {
  return [path = std::move(path), size]() -> std::optional<Bytes> {
    const auto sample = test::read_file(path);
    if (!sample || sample->size() < 2) return std::nullopt;
    std::array<std::vector<std::uint8_t>, 256> after;
    for (std::size_t i = 1; i < sample->size(); ++i) after[(*sample)[i - 1]].push_back((*sample)[i]);
    test::Random random(1);
    Bytes made{sample->front()};
    while (made.size() < size) {
      const auto& next = after[made.back()];
      made.push_back(next.empty() ? sample->front() : next[random.below(next.size())]);
    }
    return made;
  };
}

// 64-bit values of 37 bits in runs; the chance that a run ends after a value is one in `mean`.
Maker runs(std::uint64_t mean, std::size_t size) {
  return [mean, size]() -> std::optional<Bytes> {
    test::Random random(2);
    Bytes made(size);
    std::uint64_t value = 0;
    for (std::size_t at = 0; at < size; at += 8) {
      if (at == 0 || random.below(mean) == 0) value = random.next() >> 27;
      std::memcpy(made.data() + at, &value, 8);
    }
    return made;
  };
}

// Letters in runs, likewise.
Maker byte_runs(std::uint64_t mean, std::size_t size) {
  return [mean, size]() -> std::optional<Bytes> {
    test::Random random(4);
    Bytes made(size);
    std::uint8_t value = 0;
    for (std::uint8_t& byte : made) byte = random.below(mean) == 0 ? value = static_cast<std::uint8_t>(random.next() >> 56) : value;
    return made;
  };
}

// Bytes from 0 to `most`, all equally likely.
Maker small_values(std::uint64_t most, std::size_t size) {
  return [most, size]() -> std::optional<Bytes> {
    test::Random random(3);
    Bytes made(size);
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(random.below(most + 1));
    return made;
  };
}

struct Column {
  std::string name;
  Type type;
  Maker data;
};

const std::vector<std::string> kSchedules{"warp/shared", "warp/registers", "leader", "block", "block/prefetch", "warp/aligned", "speculate"};

// Adds cases to one table.
class Table {
 public:
  Table(std::vector<Case>& list, std::string group, std::vector<std::string> how)
      : list_(list), group_(std::move(group)), how_(std::move(how)) {}

  void add(std::string data, std::string codec, std::string set, std::size_t chunk, double wanted, Maker make,
           Encode encode, std::string label = "") {
    Case one;
    one.group = group_;
    one.name = data + " " + codec + (label.empty() ? "" : " " + label);
    one.data = std::move(data);
    one.codec = std::move(codec);
    one.set = std::move(set);
    one.chunk = chunk;
    one.wanted = wanted;
    one.schedules = how_;
    one.make = [make = std::move(make), encode = std::move(encode)](const Case& self) {
      return pack(make, self.chunk, encode);
    };
    list_.push_back(std::move(one));
  }

 private:
  std::vector<Case>& list_;
  std::string group_;
  std::vector<std::string> how_;
};

}  // namespace

std::vector<Case> cases(const fs::path& data, const fs::path& corpus) {
  const fs::path raw = data / "raw";
  const Type u8{"u8", 1, false}, i8{"i8", 1, true}, u32{"u32", 4, false}, u64{"u64", 8, false}, i64{"i64", 8, true};
  const std::vector<Column> columns{
      {"MC0", u64, file(raw / "columns/mortgage_like_loan_id.i64")},
      {"MC3", u32, file(raw / "columns/mortgage_like_rate.f32")},
      {"TPC", i8, file(raw / "columns/taxi_passenger_count_600k.i8")},
      {"TPT", u8, like(raw / "columns/taxi_payment_type.char", kMade)},
      {"CD2", u32, file(raw / "columns/criteo_like_dense.u32")},
      {"TC2", u64, file(raw / "columns/graph_wikivote_src_sorted.u64")},
      {"HRG", u8, file(raw / "genome/ecoli_k12_bases.txt")},
  };
  std::vector<Case> list;
  Table study(list, "CODAG's columns", kSchedules);
  for (const Column& column : columns)
    for (const bool second : {false, true})
      study.add(column.name, second ? "orc_rle_v2" : "orc_rle_v1", "T=" + std::string(column.type.name), kChunk, 0,
                column.data, orc(column.type, second));
  for (const Column& column : columns) study.add(column.name, "deflate", "", kChunk, 0, column.data, deflate_chunk);

  Table texts(list, "Text, binaries and made columns", kSchedules);
  texts.add("C++ text", "deflate", "", kChunk, 67, file(corpus / "cpp_text.bin"), deflate_chunk);
  texts.add("x86 binary", "deflate", "", kChunk, 37, file(corpus / "x86_binary.bin"), deflate_chunk);
  texts.add("bible", "deflate", "", kChunk, 0, file(raw / "text/bible.txt"), deflate_chunk);
  texts.add("log", "deflate", "", kChunk, 0, file(raw / "logs/apache_access.log"), deflate_chunk);
  texts.add("lineitem", "deflate", "", kChunk, 0, file(raw / "tpch/lineitem_first15000.tbl"), deflate_chunk);
  for (const bool second : {false, true}) {
    const std::string codec = second ? "orc_rle_v2" : "orc_rle_v1";
    texts.add("runs of 30", codec, "T=i64", kChunk, second ? 222 : 0, runs(30, kMade), orc(i64, second));
    texts.add("0..6 at random", codec, "T=i8", kChunk, second ? 30 : 0, small_values(6, kMade), orc(i8, second));
  }

  Table other(list, "ORC's bytes and decimals", {"warp/shared", "speculate"});
  const Encode bytes_of_orc = [](const Bytes& bytes) { return encode_orc_byte_rle(bytes); };
  for (const std::uint64_t mean : {4, 30, 300})
    other.add(fmt::format("runs of {}", mean), "orc_byte_rle", "", kChunk, 0, byte_runs(mean, kMade), bytes_of_orc);
  for (const auto& [name, path] : {std::pair{"TPC", "columns/taxi_passenger_count_600k.i8"}, std::pair{"HRG", "genome/ecoli_k12_bases.txt"},
                                   std::pair{"bible", "text/bible.txt"}})
    other.add(name, "orc_byte_rle", "", kChunk, 0, file(raw / path), bytes_of_orc);
  for (const auto& [name, path] : {std::pair{"MC0", "columns/mortgage_like_loan_id.i64"}, std::pair{"TC2", "columns/graph_wikivote_src_sorted.u64"}})
    other.add(name, "orc_decimal", "", kChunk, 0, file(raw / path),
              [i64](const Bytes& column) { return encode_orc_decimal(values_of(column, i64)); });

  // Chunks of 64 KiB by the formats' own libraries.
  Table lz(list, "LZ4 and Snappy, 64 KiB a chunk", {"warp/shared", "speculate"});
  for (const std::string codec : {"lz4_block", "snappy_raw"})
    for (const auto& [name, path] :
         {std::pair{"C++ text", corpus / "cpp_text.bin"}, std::pair{"x86 binary", corpus / "x86_binary.bin"},
          std::pair{"bible", raw / "text/bible.txt"}, std::pair{"lineitem", raw / "tpch/lineitem_first15000.tbl"},
          std::pair{"log", raw / "logs/apache_access.log"}, std::pair{"HRG", raw / "genome/ecoli_k12_bases.txt"},
          std::pair{"CD2", raw / "columns/criteo_like_dense.u32"}, std::pair{"MC0", raw / "columns/mortgage_like_loan_id.i64"}})
      lz.add(name, codec, "", 64 << 10, 0, file(path), by_library(codec));

  Table splits(list, "GSST, 32 splits a block", {"warp/shared", "leader", "block", "split"});
  const Maker comments = file(raw / "tpch/l_comment.txt");
  for (const std::string codec : {"gsst_splits", "gsst_codes", "gsst_interleaved", "gsst_blocks"})
    for (const std::size_t kib : {256, 1024}) {
      const std::size_t chunk = kib << 10;
      std::vector<std::pair<std::string, std::string>> set{{"block_size", std::to_string(chunk)}};
      if (codec != "gsst_blocks") set.emplace_back("splits", "32");
      splits.add("l_comment", codec, "", chunk, codec == "gsst_splits" ? 191 : 0, comments, own(codec, std::move(set)),
                 std::to_string(kib) + " KiB");
    }

  Table whole(list, "FSST, no splits", {"warp/shared", "lanes"});
  for (const std::string codec : {"gsst_blocks", "fsst", "gsst12_blocks", "fsst12"})
    for (const std::size_t kib : {256, 1024})
      whole.add("l_comment", codec, "", kib << 10, codec.find("12") == std::string::npos ? 700 : 400, comments, own(codec, {{"block_size", std::to_string(kib << 10)}}),
                std::to_string(kib) + " KiB");

  Table bytes(list, "Gompresso/Byte, 256 KiB a block",
              {"warp/shared", "warp/sequential", "warp/rounds", "warp/independent", "speculate", "leader", "block"});
  Table bits(list, "Gompresso/Bit, 256 KiB a block, sub-blocks of 32 sequences",
             {"warp/shared", "leader", "block", "split", "split/sequential", "split/rounds", "split/independent"});
  for (Table* table : {&bytes, &bits})
    for (const std::string independent : {"0", "1"})
      for (const auto& [name, path] :
           {std::pair{"bible", "text/bible.txt"}, std::pair{"lineitem", "tpch/lineitem_first15000.tbl"}}) {
        const std::string codec = table == &bytes ? "gompresso_byte" : "gompresso_bit";
        const std::size_t chunk = 256 << 10;
        table->add(name, codec, "", chunk, 0, file(raw / path),
                   own(codec, {{"block_size", std::to_string(chunk)}, {"independent", independent}}),
                   independent == "1" ? "no dependencies" : "as found");
      }

  // The paper's figures 9c and 10: copies that wait for each other.
  Table nested(list, "Gompresso, copies nested so deep within 32",
               {"warp/shared", "warp/sequential", "warp/rounds", "warp/independent", "speculate"});
  for (const unsigned depth : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const std::size_t chunk = 256 << 10;
    nested.add(fmt::format("nested {}", depth), "gompresso_byte", "", chunk, 0,
               [depth] { return test::nested_data(kMade, depth); },
               own("gompresso_byte", {{"block_size", std::to_string(chunk)}}));
  }
  return list;
}

}  // namespace sluice::bench
