// sluice_nested_data DEPTH BYTES OUT: writes data of that depth of nested copies.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "tests/support/nesting.h"

namespace {

// 0 for anything but a number.
std::uint64_t number(const char* word) {
  std::uint64_t value = 0;
  const char* const end = word + std::strlen(word);
  const auto result = std::from_chars(word, end, value);
  return result.ec == std::errc() && result.ptr == end ? value : 0;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t depth = count == 4 ? number(words[1]) : 0;
  if (depth == 0 || depth > 32 || 32 % depth != 0) {
    std::fprintf(stderr, "usage: sluice_nested_data DEPTH BYTES OUT; DEPTH is 1, 2, 4, 8, 16 or 32\n");
    return 2;
  }
  const auto data = sluice::test::nested_data(number(words[2]), static_cast<unsigned>(depth));
  std::ofstream out(words[3], std::ios::binary);
  out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (out.flush()) return 0;
  std::fprintf(stderr, "sluice_nested_data: cannot write %s\n", words[3]);
  return 3;
}
