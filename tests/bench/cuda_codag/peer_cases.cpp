#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "tests/bench/cuda_codag/cases.h"

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;
using Against = Goal::Against;

constexpr std::size_t kKiB = 1 << 10, kMiB = 1 << 20;
constexpr std::size_t kMixed = 24 * kMiB;  // of distinct output of the mix of sizes

struct File {
  std::string name;
  Maker data;
};

struct Format {
  std::string title, codec;
  Encode encode;
};

// Adds the cases of one table.
class Table {
 public:
  Table(std::vector<Case>& list, std::string group, std::vector<std::string> schedules)
      : list_(list), group_(std::move(group)), schedules_(std::move(schedules)) {}

  Case& add(const std::string& data, const std::string& codec, std::size_t chunk, Goal goal,
            std::function<Material(const Case&)> make) {
    Case& one = list_.emplace_back();
    one.group = group_;
    one.name = fmt::format("{} {} {}", data, codec, label(chunk));
    one.data = data;
    one.codec = codec;
    one.chunk = chunk;
    one.schedules = schedules_;
    one.goal = std::move(goal);
    one.make = std::move(make);
    return one;
  }
  // `launch`: chunks of a launch; 0: as many as the study's options say.
  Case& add(const File& data, const Format& format, std::size_t chunk, Goal goal, std::uint64_t launch = 0) {
    Case& one = add(data.name, format.codec, chunk, std::move(goal),
                    [data, format](const Case& self) { return pack(data.data, self.chunk, format.encode); });
    one.launch = launch;
    if (launch != 0) one.name += fmt::format(", {} of them", launch);
    return one;
  }

 private:
  static std::string label(std::size_t chunk) {
    return chunk % kMiB == 0 ? fmt::format("{} MiB", chunk / kMiB) : fmt::format("{} KiB", chunk / kKiB);
  }
  std::vector<Case>& list_;
  std::string group_;
  std::vector<std::string> schedules_;
};

// GB/s of Deflate in chunks of 128 KiB, floor and aim.
struct DeflateGoal {
  std::string_view data;
  double floor, aim;
};
constexpr std::array<DeflateGoal, 5> kDeflateGoals{
    {{"C++ text", 230, 350}, {"x86 code", 90, 140}, {"bible", 145, 230}, {"lineitem", 140, 220}, {"ecoli", 120, 190}}};

Goal deflate_goal(const std::string& data) {
  for (const DeflateGoal& goal : kDeflateGoals)
    if (goal.data == data) return {"Deflate, 128 KiB: " + data, Against::Rate, goal.floor, goal.aim};
  return {};
}

const Goal kMortgage{"mortgage column", Against::Peer, 1.0, 1.5};
constexpr std::string_view kMortgageName = "mortgage";

}  // namespace

std::vector<Case> peer_cases(const fs::path& data, const fs::path& corpus) {
  const fs::path raw = data / "raw";
  const File cpp{"C++ text", file(corpus / "cpp_text.bin")}, x86{"x86 code", file(corpus / "x86_code.bin")},
      bible{"bible", file(raw / "text/bible.txt")}, lineitem{"lineitem", file(raw / "tpch/lineitem_first15000.tbl")};
  const std::vector<File> files{cpp,
                                x86,
                                bible,
                                lineitem,
                                {"log", file(raw / "logs/apache_access.log")},
                                {"weather", file(raw / "csv/nycflights13_weather.csv")},
                                {"ecoli", file(raw / "genome/ecoli_k12.fna")},
                                {"criteo", file(raw / "columns/criteo_like_dense.u32")},
                                {std::string(kMortgageName), file(raw / "columns/mortgage_like_loan_id.i64")}};
  const Format lz4{"LZ4", "lz4_block", by_library("lz4_block")},
      snappy{"Snappy", "snappy_raw", by_library("snappy_raw")}, deflate{"Deflate", "deflate", deflate_chunk},
      gzip{"gzip", "gzip", gzip_chunk}, zlib{"zlib", "zlib", zlib_chunk},
      lz4_frame{"LZ4 frame", "lz4_frame", by_library("lz4_frame")},
      snappy_framed{"framed Snappy", "snappy_framed", snappy_framed_chunk}, zstd{"zstd", "zstd", by_library("zstd")};
  const std::vector<std::string> ours{"default", "speculate"};
  std::vector<Case> list;

  for (const auto& [format, floor, aim] : {std::tuple{lz4, 2.0, 2.5}, std::tuple{snappy, 1.3, 1.6}}) {
    const std::string row = format.title + ", 64 KiB";
    Table table(list, row, ours);
    for (const File& one : files)
      table.add(one, format, 64 * kKiB, one.name == kMortgageName ? kMortgage : Goal{row, Against::Peer, floor, aim});
  }
  Table bits(list, "Deflate, 128 KiB, level 9", ours);
  for (const File& one : files)
    bits.add(one, deflate, 128 * kKiB, one.name == kMortgageName ? kMortgage : deflate_goal(one.name));

  Table frames(list, "zstd, 64 KiB, level 3", {"default"});
  for (const File& one : files) frames.add(one, zstd, 64 * kKiB, {"zstd, 64 KiB", Against::Peer, 0.7, 1.3});

  Table wrapped(list, "gzip and zlib around the same Deflate streams", ours);
  for (const Format& format : {gzip, zlib})
    for (const File& one : {cpp, x86, bible})
      wrapped.add(one, format, 128 * kKiB, {"gzip, zlib / deflate", Against::Bare, 0.93, 0.97, "deflate"});
  Table framed(list, "LZ4 frames and framed Snappy, checksums in them", ours);
  for (const Format& format : {lz4_frame, snappy_framed})
    for (const File& one : {cpp, bible})
      framed.add(one, format, 64 * kKiB,
                 {"frames / bare LZ4, Snappy", Against::Bare, 0.93, 0.97,
                  format.title == "LZ4 frame" ? "lz4_block" : "snappy_raw"});

  Table large(list, "1,500 chunks of 1 MiB", ours), few(list, "100 chunks of 1 MiB", ours), small(list, "4 KiB", ours),
      mixed(list, "Chunks from 1 byte to 4 MiB in one launch", ours);
  for (const Format& format : {lz4, snappy, deflate})
    for (const File& one : {cpp, x86, bible})
      large.add(one, format, kMiB, {"1,500 chunks of 1 MiB", Against::Peer, 1.5, 2.5}, 1500);
  for (const Format& format : {lz4, snappy, deflate})
    for (const File& one : {cpp, bible}) small.add(one, format, 4 * kKiB, {"4 KiB", Against::Peer, 1.0, 2.0});
  for (const Format& format : {lz4, snappy, deflate})
    few.add(cpp, format, kMiB, {"100 chunks of 1 MiB", Against::Peer, 1.0, 2.0}, 100);
  for (const Format& format : {lz4, snappy, deflate})
    mixed
        .add("C++ text", format.codec, 4 * kMiB, {"mix of sizes", Against::Peer, 1.0, 2.0},
             [cpp, format](const Case& self) { return pack_mixed(cpp.data, self.chunk, kMixed, format.encode); })
        .name = fmt::format("C++ text {} 1 byte to 4 MiB", format.codec);

  Table bytes(list, "Gompresso/Byte, 256 KiB", ours);
  Table splits(list, "Gompresso/Bit, 256 KiB", {"default", "speculate", "split/rounds"});
  for (Table* table : {&bytes, &splits})
    for (const File& one : {bible, lineitem}) {
      const bool byte = table == &bytes;
      const std::string codec = byte ? "gompresso_byte" : "gompresso_bit";
      const Format format{"Gompresso", codec, own(codec, {{"block_size", std::to_string(256 * kKiB)}})};
      table->add(
          one, format, 256 * kKiB,
          byte ? Goal{"Gompresso/Byte", Against::Rate, 150, 400} : Goal{"Gompresso/Bit", Against::Rate, 120, 250});
    }

  Table sizes(list, "Decoded sizes", ours);
  for (const Format& format : {lz4, snappy, deflate, gzip})
    for (const File& one : {cpp, bible})
      sizes
          .add(one, format, (format.codec == "lz4_block" || format.codec == "snappy_raw" ? 64 : 128) * kKiB,
               {"decoded sizes / decoding", Against::Decoding, 1.5, 2.5})
          .sizes = true;

  Table never(list, "Streams that never come into step", {"warp/shared", "default", "speculate"});
  for (const Format& format : {lz4, snappy})
    never.add("never in step", format.codec, 64 * kKiB, {"never in step, against warp", Against::Warp, 0.5, 1.0},
              [format](const Case& self) { return never_in_step(format.codec, self.chunk, 8); });
  return list;
}

}  // namespace sluice::bench
