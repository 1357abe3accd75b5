// parquet_column: prints columns of a Parquet file, a value a line, as pyarrow prints them. Everything that is
// compressed or encoded in its pages is decoded by Sluice; the footer and page headers are in Thrift's compact
// protocol.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "examples/parquet_column/refused.h"
#include "examples/parquet_column/table.h"

namespace parquet_column {
namespace {

Bytes read_whole(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Refused("no such file, or it can't be read");
  return Bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw Refused("the output can't be written");
}

int usage() {
  std::fputs("usage: parquet_column [--target auto|cpu|interp] FILE [COLUMN...]\n", stderr);
  return 2;
}

}  // namespace
}  // namespace parquet_column

int main(int count, char** words) {
  sluice::Target target = sluice::Target::Auto;
  int first = 1;
  if (count > 2 && std::strcmp(words[1], "--target") == 0) {
    const std::string name = words[2];
    if (name == "cpu") {
      target = sluice::Target::Cpu;
    } else if (name == "interp") {
      target = sluice::Target::Interp;
    } else if (name != "auto") {
      return parquet_column::usage();
    }
    first = 3;
  }
  if (first >= count || words[first][0] == '-') return parquet_column::usage();
  parquet_column::Decoders decoders(target);
  const std::vector<std::string> columns(words + first + 1, words + count);
  try {
    parquet_column::print_columns(parquet_column::read_whole(words[first]), columns, decoders, parquet_column::write);
  } catch (const parquet_column::Refused& refused) {
    std::fprintf(stderr, "parquet_column: %s: %s\n", words[first], refused.what());
    return 1;
  } catch (const std::bad_alloc&) {  // a few bytes can stand for more values than there is memory
    std::fprintf(stderr, "parquet_column: %s: there is not enough memory for its values\n", words[first]);
    return 1;
  }
  return 0;
}
