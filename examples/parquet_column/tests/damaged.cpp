// damaged FILE...: reads every truncation of a file, the file with every bit flipped, and the file with each stretch of
// its pages missing in the middle. Each is printed or refused; a refusal says where: in the footer, or in which column,
// row group and page. Run under the sanitizers, too.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "examples/parquet_column/refused.h"
#include "examples/parquet_column/table.h"

namespace parquet_column {
namespace {

// "PAR1" in front; the footer, its size and "PAR1" behind.
constexpr std::size_t kMagic = 4, kTail = 8;

class Test {
 public:
  explicit Test(Decoders& decoders) : decoders_(decoders) {}

  void whole(const Bytes& content) {
    if (const auto why = refusal(content)) fail("the whole file is refused", 0, *why);
  }

  // No part of a file from its start on is a file: it lacks the footer.
  void truncations(const Bytes& content) {
    for (std::size_t size = 0; size < content.size(); ++size) {
      const auto why = refusal({content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)});
      if (!why)
        fail("a truncated file is not refused, of bytes", size, "");
      else
        check("truncated", size, *why);
    }
  }

  void flips(const Bytes& content) {
    for (std::size_t bit = 0; bit < 8 * content.size(); ++bit) {
      Bytes flipped = content;
      flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ 1U << bit % 8);
      if (const auto why = refusal(flipped))
        check("flipped bit", bit, *why);
      else
        ++printed_;
    }
  }

  // From each byte of the pages on `size` bytes are cut out, and the rest moves up: headers and bodies end too early.
  // The footer moves, too; it is found from the file's end.
  void gaps(const Bytes& content) {
    std::uint32_t footer = 0;
    std::memcpy(&footer, content.data() + content.size() - kTail, sizeof(footer));
    const std::size_t end = content.size() - kTail - footer;
    for (std::size_t at = kMagic; at < end; ++at) {
      Bytes cut = content;
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(at), cut.begin() + static_cast<std::ptrdiff_t>(end));
      cut.insert(cut.begin() + static_cast<std::ptrdiff_t>(at), end - at, 0);
      if (const auto why = refusal(cut))
        check("zeros from byte", at, *why);
      else
        ++printed_;
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(at), cut.begin() + static_cast<std::ptrdiff_t>(end));
      if (const auto why = refusal(cut))
        check("cut from byte", at, *why);
      else
        ++printed_;
    }
  }

  bool report() const {
    for (const auto& [what, times] : refused_)
      std::printf("%7llu refused: %s\n", static_cast<unsigned long long>(times), what.c_str());
    std::printf("%7llu printed, for the damage shows in values at most\n%7llu failures\n",
                static_cast<unsigned long long>(printed_), static_cast<unsigned long long>(failures_));
    // Damage in pages that decoders see has to be among all this, with the place in the decoder's description.
    return failures_ == 0 && refused_.contains("by a decoder, with the line of its spec");
  }

 private:
  std::optional<std::string> refusal(const Bytes& content) {
    try {
      print_columns(content, {}, decoders_, [](std::string_view) {});
    } catch (const Refused& refused) {
      return refused.what();
    }
    return std::nullopt;
  }

  void check(const char* damage, std::size_t place, const std::string& why) {
    const bool whole = why.starts_with("footer: ") && why.size() > std::strlen("footer: ");
    const bool column = why.starts_with("column ") && why.find(", row group ") != std::string::npos;
    if (!whole && !column) return fail(damage, place, why);
    const bool decoder = why.find(".sluice:") != std::string::npos;
    const bool page = why.find(": page ") != std::string::npos;
    if (decoder && !page) return fail(damage, place, why);
    ++refused_[decoder  ? "by a decoder, with the line of its spec"
               : page   ? "in a page"
               : column ? "in a column chunk"
                        : "in the footer"];
  }

  void fail(const char* damage, std::size_t place, const std::string& why) {
    ++failures_;
    std::printf("FAILED: %s %zu: %s\n", damage, place, why.c_str());
  }

  Decoders& decoders_;
  std::map<std::string, std::uint64_t> refused_;
  std::uint64_t printed_ = 0, failures_ = 0;
};

}  // namespace
}  // namespace parquet_column

int main(int count, char** paths) {
  parquet_column::Decoders decoders(sluice::Target::Auto);
  parquet_column::Test test(decoders);
  for (int i = 1; i < count; ++i) {
    std::ifstream file(paths[i], std::ios::binary);
    const parquet_column::Bytes content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    test.whole(content);
    test.truncations(content);
    test.flips(content);
    test.gaps(content);
  }
  return test.report() ? 0 : 1;
}
