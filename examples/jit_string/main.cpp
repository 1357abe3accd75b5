// A format that exists only while this program runs: its description is a string, compiled when it is needed, to
// machine code of this CPU or, with the argument `cuda`, to a kernel for this GPU.
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <sluice/sluice.hpp>
#include <sluice/cuda.hpp>

namespace {

// Lists of numbers as gaps and stretches: "5, then 3 in a row; up to 100, then 2 in a row; down to 4, one".
std::string description(const std::string& name_of_start) {
  return "format gaps\n"
         "  input bytes\n"
         "  output u16[]\n"
         "\n"
         "  repeat until end of input\n"
         "    start: u16le\n"
         "    count: u8\n"
         "    require count > 0 else reject empty_gap\n"
         "    run " +
         name_of_start + ", count count, step 1\n";
}

using Chunks = std::span<const sluice::Chunk>;
using Statuses = std::span<sluice::Status>;

// Decodes two chunks, one of them wrong, with either kind of decoder.
template <class Decoder>
int show(const Decoder& decoder, const std::string& where) {
  const std::vector<std::uint8_t> good{5, 0, 3, 100, 0, 2, 4, 0, 1}, bad{9, 0, 0};
  std::vector<std::uint16_t> numbers(16);
  const auto room = std::span(reinterpret_cast<std::uint8_t*>(numbers.data()), numbers.size() * sizeof numbers[0]);
  sluice::Status status;
  for (const auto& bytes : {good, bad}) {
    const sluice::Chunk chunk{bytes, room};
    if (const std::string wrong = decoder.decode_batch(Chunks(&chunk, 1), Statuses(&status, 1)); !wrong.empty()) {
      std::cerr << wrong << "\n";
      return 3;
    }
    if (status.error != 0) {
      std::cout << "refused: " << decoder.describe(status.error, 0) << "\n";
      continue;
    }
    std::cout << "gaps on " << where << ":";
    for (std::uint64_t i = 0; i < status.produced; ++i) std::cout << " " << numbers[i];
    std::cout << "\n";
  }
  return 0;
}

constexpr int kSkipped = 77;  // what test programs return for "can't be tried here"

}  // namespace

int main(int argc, char** argv) {
  // A mistake in a description is reported as the compiler would: with its place, and what could be meant.
  const auto wrong = sluice::Decoder::from_text(description("strat"), "gaps");
  if (wrong) return 1;
  std::cout << wrong.error().text << "\n";

  const std::string text = description("start");
  if (argc > 1 && std::string(argv[1]) == "cuda") {
    const auto decoder = sluice::cuda::Decoder::from_text(text, "gaps");
    if (!decoder) {
      std::cerr << decoder.error().text << "\n";
      return decoder.error().kind == sluice::Error::Kind::Environment ? kSkipped : 1;
    }
    return show(*decoder, decoder->device());
  }
  const auto decoder = sluice::Decoder::from_text(text, "gaps");
  if (!decoder) {
    std::cerr << decoder.error().text;
    return 1;
  }
  return show(*decoder, decoder->engine());
}
