// Sum and filter over ORC columns, decoded inside the kernel that adds up, against decoding first: what main.py does, from C++.
//
//   example_fused_filter HEADER FILTER FILE...
//
// HEADER is what `sluice emit orc_rle_v2 --target cuda --device-function` printed, FILTER this folder's filter.cu; NVRTC compiles
// the two together. A FILE is a column of signed 64-bit integers, chunk after chunk, with the chunks' sizes in FILE.sizes, a line
// each, or it is one chunk. Sums are compared with those of what the CPU decodes. Exit code 77 without a GPU: there the chunks
// are decoded and added up by the CPU alone.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "examples/fused_filter/gpu.h"
#include "runtime/api/sluice.hpp"
#include "runtime/api/sluice_cuda.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
using Word = std::uint64_t;
using example::Failure;
using example::Gpu;
using example::value_of;

constexpr int kSkipped = 77;
constexpr int kRounds = 9;
constexpr unsigned kWarps = 4;          // of filter.cu's blocks
constexpr unsigned kPlainThreads = 256;  // of a block that adds up values in memory
constexpr Word kOutput = 1'000'000'000;  // bytes of values that a column is repeated for

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(path + " can't be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// A column: its chunks one after the other, and what they hold, by the CPU.
struct Column {
  Bytes in;
  std::vector<Word> offsets, sizes, counts;
  std::vector<std::int64_t> values;
};

Column load(const sluice::Decoder& decoder, const std::string& path) {
  Column column;
  const std::string text = read(path);
  column.in.assign(text.begin(), text.end());
  if (std::ifstream list(path + ".sizes"); list) column.sizes.assign(std::istream_iterator<Word>(list), {});
  else column.sizes = {column.in.size()};
  Word at = 0;
  std::vector<std::span<const std::uint8_t>> inputs;
  for (const Word size : column.sizes) {
    if (size > column.in.size() - at) throw Failure(path + ".sizes does not fit " + path);
    column.offsets.push_back(at);
    inputs.push_back(std::span(column.in).subspan(at, size));
    at += size;
  }
  std::vector<sluice::Status> statuses(inputs.size());
  if (const std::string wrong = decoder.decoded_sizes(inputs, statuses); !wrong.empty()) throw Failure(wrong);
  Word total = 0;
  for (const sluice::Status& s : statuses) total += column.counts.emplace_back(s.produced);
  column.values.resize(total);
  std::vector<sluice::Chunk> chunks;
  std::uint8_t* out = reinterpret_cast<std::uint8_t*>(column.values.data());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    chunks.push_back({inputs[i], {out, column.counts[i] * sizeof(std::int64_t)}});
    out += column.counts[i] * sizeof(std::int64_t);
  }
  if (const std::string wrong = decoder.decode_batch(chunks, statuses); !wrong.empty()) throw Failure(wrong);
  for (std::size_t i = 0; i < statuses.size(); ++i)
    if (statuses[i].error != 0) throw Failure(path + ": " + decoder.describe(statuses[i].error, i));
  return column;
}

Word sum_of(std::span<const std::int64_t> values, bool filter, std::int64_t threshold) {
  Word sum = 0;
  for (const std::int64_t v : values)
    if (!filter || v > threshold) sum += static_cast<Word>(v);
  return sum;
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// The column on the GPU, `times` over, and both ways to its sums. False: a sum was wrong.
bool compare(Gpu& gpu, const sluice::cuda::Decoder& decoder, const std::string& name, const Column& column) {
  const Word times = std::max<Word>(1, kOutput / std::max<Word>(8, 8 * column.values.size()));
  const std::uint64_t in = gpu.upload<std::uint8_t>(column.in);
  std::uint64_t decoded = gpu.allocate(std::max<Word>(8, 8 * times * column.values.size()));
  std::vector<Word> offsets, sizes, inputs, outputs, rooms;
  Word most = 0, place = decoded;
  for (Word t = 0; t < times; ++t)
    for (std::size_t i = 0; i < column.sizes.size(); ++i) {
      offsets.push_back(column.offsets[i]);
      sizes.push_back(column.sizes[i]);
      inputs.push_back(in + column.offsets[i]);
      outputs.push_back(place);
      rooms.push_back(column.counts[i]);
      place += 8 * column.counts[i];
      most = std::max(most, column.counts[i]);
    }
  Word chunks = sizes.size(), all = times * column.values.size();
  std::uint64_t on_offsets = gpu.upload<Word>(offsets), on_sizes = gpu.upload<Word>(sizes), errors = gpu.allocate(8 * chunks);
  std::uint64_t answer = gpu.allocate(8), input = in;
  const auto pointer = [](std::uint64_t at) { return reinterpret_cast<void*>(at); };
  const sluice::cuda::DeviceBatch batch{.in = static_cast<const void* const*>(pointer(gpu.upload<Word>(inputs))),
                                        .in_bytes = static_cast<const std::uint64_t*>(pointer(on_sizes)),
                                        .out = static_cast<void* const*>(pointer(gpu.upload<Word>(outputs))),
                                        .out_capacity = static_cast<const std::uint64_t*>(pointer(gpu.upload<Word>(rooms))),
                                        .produced = static_cast<std::uint64_t*>(pointer(gpu.allocate(8 * chunks))),
                                        .errors = static_cast<std::uint64_t*>(pointer(errors)),
                                        .chunks = chunks,
                                        .largest_output = 8 * most,
                                        .total_output = 8 * all,
                                        .total_input = times * column.in.size()};
  std::int64_t threshold = median(column.values);
  bool right = true;
  for (const bool filter : {false, true}) {
    const Word wanted = times * sum_of(column.values, filter, threshold);
    const auto fused = [&] {
      gpu.clear(answer, 8);
      gpu.launch(filter ? "fused_sum_above" : "fused_sum", static_cast<unsigned>((chunks + kWarps - 1) / kWarps), 32 * kWarps,
                 {&input, &on_offsets, &on_sizes, &chunks, &most, &threshold, &answer, &errors});
    };
    const auto then = [&] {
      if (const std::string wrong = decoder.decode_async(batch, gpu.stream()); !wrong.empty()) throw Failure(wrong);
      gpu.clear(answer, 8);
      gpu.launch(filter ? "plain_sum_above" : "plain_sum", 8 * gpu.device().sm_count, kPlainThreads, {&decoded, &all, &threshold, &answer});
    };
    std::vector<double> took[2];
    for (int round = 0; round <= kRounds; ++round)
      for (const int way : {0, 1}) {
        const double ms = way == 0 ? gpu.time(fused) : gpu.time(then);
        if (round > 0) took[way].push_back(ms);
        const Word sum = gpu.download<Word>(answer, 1)[0];
        const std::vector<Word> words = gpu.download<Word>(errors, chunks);
        const auto bad = std::ranges::find_if(words, [](Word w) { return w != 0; });
        if (bad != words.end()) std::cout << "WRONG: " << decoder.describe(*bad, static_cast<Word>(bad - words.begin())) << "\n";
        if (sum != wanted) std::cout << "WRONG: " << name << (way == 0 ? ", fused: " : ", decoded: ") << sum << ", not " << wanted << "\n";
        right = right && bad == words.end() && sum == wanted;
      }
    for (std::vector<double>& all_rounds : took) std::ranges::nth_element(all_rounds, all_rounds.begin() + kRounds / 2);
    const double bytes = 8e-6 * static_cast<double>(all), one = bytes / took[0][kRounds / 2], two = bytes / took[1][kRounds / 2];
    std::printf("%-24s %-10s %8.0f %14.0f   %.2f times\n", name.c_str(), filter ? "sum above" : "sum", one, two, one / two);
  }
  return right;
}

int run(std::span<char* const> words) {
  const auto cpu = value_of(sluice::Decoder::from_name("orc_rle_v2"));
  std::vector<Column> columns;
  for (char* const path : words.subspan(3)) columns.push_back(load(cpu, path));
  std::optional<Gpu> gpu;
  try {
    gpu.emplace();
  } catch (const Failure& none) {
    for (const Column& c : columns) std::cout << c.values.size() << " values, sum " << sum_of(c.values, false, 0) << "\n";
    std::cout << "skipped: " << none.what() << "\n";
    return kSkipped;
  }
  gpu->compile(read(words[1]) + read(words[2]));
  const auto decoder = value_of(sluice::cuda::Decoder::from_name("orc_rle_v2"));
  std::printf("%s, GB/s of decoded values\n%-24s %-10s %8s %14s\n", gpu->device().name.c_str(), "column", "what", "fused", "decode, then");
  bool right = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string path = words[i + 3];
    right = compare(*gpu, decoder, path.substr(path.rfind('/') + 1), columns[i]) && right;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  if (count < 4) {
    std::cerr << "usage: example_fused_filter HEADER FILTER FILE...\n";
    return 2;
  }
  return run({words, static_cast<std::size_t>(count)});
} catch (const Failure& failure) {
  std::cerr << failure.what() << "\n";
  return 3;
}
