// orc_column: prints the rows of ORC files as JSON. Everything that is compressed or run-length coded in them is
// decoded by Sluice's codecs; their metadata is protobuf's.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "examples/orc_column/print.h"
#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

constexpr std::size_t kWriteAtOnce = 1 << 16;

Bytes read_whole(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Refused("no such file, or it can't be read");
  return Bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw Refused("the output can't be written");
  text.clear();
}

void print_file(const char* path, Decoders& decoders) {
  const Bytes content = read_whole(path);
  const File file(content, decoders);
  std::string text;
  for (int i = 0; i < file.footer().stripes_size(); ++i) {
    try {
      const Stripe stripe(file, file.footer().stripes(i));
      const Column rows = read_column(stripe, 0, stripe.rows());
      for (std::uint64_t row = 0; row < rows.rows; ++row) {
        print_row(text, file.footer(), rows, row);
        text += '\n';
        if (text.size() >= kWriteAtOnce) write(text);
      }
    } catch (const Refused& refused) {
      write(text);
      throw Refused("stripe " + std::to_string(i) + ": " + refused.what());
    }
  }
  write(text);
}

int usage() {
  std::fputs("usage: orc_column [--target auto|cpu|interp] FILE...\n", stderr);
  return 2;
}

}  // namespace
}  // namespace orc_column

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
      return orc_column::usage();
    }
    first = 3;
  }
  if (first >= count || words[first][0] == '-') return orc_column::usage();
  orc_column::Decoders decoders(target);
  int result = 0;
  for (int i = first; i < count; ++i) {
    try {
      orc_column::print_file(words[i], decoders);
    } catch (const orc_column::Refused& refused) {
      std::fprintf(stderr, "orc_column: %s: %s\n", words[i], refused.what());
      result = 1;
    }
  }
  return result;
}
