// What `sluice bench --target cuda` found: as a table, as JSON, as a bar chart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/cli/cuda_bench.h"
#include "runtime/cli/print.h"

namespace sluice::cli {
namespace {

double mib(double bytes) { return bytes / (1 << 20); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

// The next of 1, 2, 5, 10, ... at or above a quarter of `most`: the distance of the chart's lines.
double grid_step(double most) {
  const double quarter = std::max(most, 1e-9) / 4;
  const double power = std::pow(10, std::floor(std::log10(quarter)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (power * factor >= quarter) return power * factor;
  return power * 10;
}

}  // namespace

void print_table(const std::vector<CudaBenchRow>& rows, const runtime::CudaDevice& device) {
  std::size_t codec = 5, file = 4;
  for (const CudaBenchRow& row : rows) {
    codec = std::max(codec, row.codec.size());
    file = std::max(file, row.file.size());
  }
  print_out(
      "{:<{}}  {:<{}}  {:>8}  {:>9}  {:>8}  {:>6}  {:>8}  {:>16}  {:>8}  {:>8}  {:>4}  {:>6}  {:>6}  {:>4}  {:>9}  "
      "{}\n",
      "codec", codec, "file", file, "chunks", "KiB/chunk", "out MiB", "ratio", "GB/s", "min..max", "GB/s in", "ms",
      "regs", "shared", "local", "occ", "compile", "schedule");
  for (const CudaBenchRow& row : rows) {
    const double out = static_cast<double>(row.run.out_bytes);
    print_out(
        "{:<{}}  {:<{}}  {:>8}  {:>9.1f}  {:>8.0f}  {:>6.2f}  {:>8.2f}  {:>16}  {:>8.2f}  {:>8.3f}  {:>4}  {:>6}  "
        "{:>6}  "
        "{:>3.0f}%  {:>6.0f} ms  {}\n",
        row.codec, codec, row.file, file, row.run.chunks, out / static_cast<double>(row.run.chunks) / 1024, mib(out),
        row.ratio(), row.rate() / 1e9,
        fmt::format("{:.2f}..{:.2f}", out / row.run.seconds.back() / 1e9, out / row.run.seconds.front() / 1e9),
        static_cast<double>(row.run.in_bytes) / row.run.median() / 1e9, row.run.median() * 1e3, row.kernel.registers,
        row.kernel.shared_bytes, row.kernel.local_bytes, row.kernel.occupancy * 100, row.timings.jit, row.schedule);
  }
  print_out(
      "{}: GB/s of output, kernel only, median of {} runs by events (min..max beside it); every byte equals the "
      "CPU's\n",
      device.name, rows.front().run.seconds.size());
}

void print_json(const std::vector<CudaBenchRow>& rows, const runtime::CudaDevice& device) {
  auto list = nlohmann::json::array();
  for (const CudaBenchRow& row : rows)
    list.push_back({{"codec", row.codec},
                    {"file", row.file},
                    {"schedule", row.schedule},
                    {"arch", row.arch},
                    {"chunks", row.run.chunks},
                    {"distinct_chunks", row.distinct},
                    {"input_bytes", row.run.in_bytes},
                    {"output_bytes", row.run.out_bytes},
                    {"ratio", row.ratio()},
                    {"temp_bytes", row.run.temp_bytes},
                    {"output_bytes_per_second", row.rate()},
                    {"seconds", row.run.seconds},
                    {"registers", row.kernel.registers},
                    {"shared_bytes", row.kernel.shared_bytes},
                    {"local_bytes", row.kernel.local_bytes},
                    {"threads_per_block", row.kernel.threads_per_block},
                    {"chunks_per_block", row.kernel.chunks_per_block},
                    {"blocks_per_sm", row.kernel.blocks_per_sm},
                    {"occupancy", row.kernel.occupancy},
                    {"compile_ms", row.timings.jit},
                    {"compile_cached", row.timings.cached}});
  print_out("{}\n", nlohmann::json{{"device", device.name},
                                    {"driver", device.driver->version},
                                    {"multiprocessors", device.sm_count},
                                    {"measurements", list}}
                         .dump(2));
}

std::string plot_svg(const std::vector<CudaBenchRow>& rows, const runtime::CudaDevice& device) {
  constexpr double kLabels = 420, kBars = 480, kRow = 24, kTop = 48;
  double most = 0;
  for (const CudaBenchRow& row : rows) most = std::max(most, row.rate() / 1e9);
  const double step = grid_step(most);
  const double scale = kBars / (step * std::ceil(std::max(most, 1e-9) / step));
  const double height = kTop + kRow * static_cast<double>(rows.size()) + 32;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"12\" y=\"22\" font-size=\"15\">Decoding on {2}: GB/s of output, kernel only</text>\n",
      kLabels + kBars + 80, height, escaped(device.name));
  for (double at = 0; at * scale <= kBars + 0.5; at += step)
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\" fill=\"#666\">{4:g}</text>\n",
        kLabels + at * scale, kTop - 8, height - 28, height - 12, at);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CudaBenchRow& row = rows[i];
    const double y = kTop + kRow * static_cast<double>(i);
    svg += fmt::format(
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} {} ({:.1f}:1) {}</text>\n"
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#4477aa\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{:.1f}</text>\n",
        kLabels - 8, y + 14, escaped(row.codec), escaped(row.file), row.ratio(), escaped(row.schedule), kLabels, y + 2,
        row.rate() / 1e9 * scale, kRow - 6, kLabels + row.rate() / 1e9 * scale + 6, y + 14, row.rate() / 1e9);
  }
  return svg + "</svg>\n";
}

}  // namespace sluice::cli
