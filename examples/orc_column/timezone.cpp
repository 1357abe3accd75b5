#include "examples/orc_column/timezone.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

// Big-endian numbers from a file that may be cut.
class Cursor {
 public:
  explicit Cursor(std::span<const char> bytes) : bytes_(bytes) {}
  std::int64_t number(unsigned size) {
    need(size);
    // The first byte carries the sign.
    std::int64_t value = static_cast<signed char>(bytes_[0]);
    for (unsigned i = 1; i < size; ++i)
      value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 8 | static_cast<unsigned char>(bytes_[i]));
    bytes_ = bytes_.subspan(size);
    return value;
  }
  void skip(std::uint64_t size) {
    need(size);
    bytes_ = bytes_.subspan(size);
  }
  // The text between this newline and the next.
  std::string_view line() {
    need(1);
    const std::string_view rest(bytes_.data() + 1, bytes_.size() - 1);
    if (bytes_[0] != '\n' || rest.find('\n') == std::string_view::npos) throw Refused("a time zone file has no last line");
    return rest.substr(0, rest.find('\n'));
  }

 private:
  void need(std::uint64_t size) const {
    if (size > bytes_.size()) throw Refused("a time zone file is cut");
  }
  std::span<const char> bytes_;
};

// The counts of a TZif header (RFC 8536, 3.1), in the file's order.
struct Header {
  std::uint64_t utc_marks, standard_marks, leaps, changes, types, characters;
};

Header read_header(Cursor& at) {
  constexpr std::int64_t kMagic = 0x545a6966;  // "TZif"
  constexpr unsigned kVersionAndReserved = 16;
  if (at.number(4) != kMagic) throw Refused("a time zone file does not start with TZif");
  at.skip(kVersionAndReserved);
  const auto count = [&] { return static_cast<std::uint64_t>(at.number(4)) & 0xffffffff; };
  Header header{};
  header.utc_marks = count();
  header.standard_marks = count();
  header.leaps = count();
  header.changes = count();
  header.types = count();
  header.characters = count();
  return header;
}

constexpr unsigned kTypeBytes = 6;  // offset, daylight flag, name

// The first data block has 32-bit times and is there for old programs.
void skip_first_block(Cursor& at, const Header& header) {
  at.skip(header.changes * (4 + 1) + header.types * kTypeBytes + header.characters + header.leaps * (4 + 4) +
          header.standard_marks + header.utc_marks);
}

std::string file_of(const std::string& name) {
  if (name.front() == '/' || name.find("..") != std::string::npos) throw Refused("no time zone: " + name);
  const char* directory = std::getenv("TZDIR");
  return std::string(directory != nullptr ? directory : "/usr/share/zoneinfo") + "/" + name;
}

}  // namespace

Timezone Timezone::named(const std::string& name) {
  if (name.empty() || name == "UTC" || name == "GMT" || name == "Etc/UTC" || name == "Z") return {};
  std::ifstream file(file_of(name), std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || bytes.empty()) throw Refused("no time zone file for " + name + " (package tzdata)");

  Cursor at(bytes);
  skip_first_block(at, read_header(at));
  const Header header = read_header(at);
  Timezone zone;
  if (header.changes > bytes.size() || header.types > bytes.size()) throw Refused("a time zone file is cut");
  std::vector<std::size_t> types;
  for (std::uint64_t i = 0; i < header.changes; ++i) zone.changes_.push_back(at.number(8));
  for (std::uint64_t i = 0; i < header.changes; ++i) types.push_back(static_cast<std::size_t>(at.number(1)) & 0xff);
  std::vector<std::int64_t> offsets;
  std::vector<bool> daylight;
  for (std::uint64_t i = 0; i < header.types; ++i) {
    offsets.push_back(at.number(4));
    daylight.push_back(at.number(1) != 0);
    at.skip(1);
  }
  if (offsets.empty() || !std::is_sorted(zone.changes_.begin(), zone.changes_.end()))
    throw Refused("a time zone file is damaged");
  for (const std::size_t type : types) {
    if (type >= offsets.size()) throw Refused("a time zone file is damaged");
    zone.offsets_.push_back(offsets[type]);
  }
  const auto oldest = std::find_if(types.begin(), types.end(), [&](std::size_t type) { return !daylight[type]; });
  zone.first_ = offsets[oldest != types.end() ? *oldest : 0];
  at.skip(header.characters + header.leaps * (8 + 4) + header.standard_marks + header.utc_marks);
  if (const std::string_view rule = at.line(); !rule.empty()) zone.later_.emplace(rule);
  return zone;
}

std::int64_t Timezone::offset_at(std::int64_t utc) const {
  if (later_ && (changes_.empty() || utc > changes_.back())) return later_->offset_at(utc);
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), utc);
  if (after == changes_.begin()) return first_;
  return offsets_[static_cast<std::size_t>(after - changes_.begin()) - 1];
}

std::int64_t Timezone::offset_at_wall_clock(std::int64_t local) const {
  // Twice: the first guess is off by the offset itself, the second at most where a clock change is near.
  return offset_at(local - offset_at(local));
}

}  // namespace orc_column
