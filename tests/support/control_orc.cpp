// ORC's compression chunks over the libraries that ORC itself uses: the framing here, the chunks by zlib, libsnappy,
// liblz4 or libzstd. Each chunk is a stream of its own, and may hold nothing else.
#include <algorithm>

#include "tests/support/control.h"

namespace sluice::test {
namespace {

constexpr std::size_t kHeader = 3;
constexpr std::size_t kBlock = 262144;  // ORC's default, and that of our codecs

ControlResult refused(std::string message) { return {Verdict::Refused, {}, std::move(message)}; }

ControlResult chunk_control(std::string_view codec, const ControlRequest& request) {
  if (codec == "orc_zlib") return zlib_control("deflate", request);
  if (codec == "orc_snappy") return snappy_raw_control(request);
  if (codec == "orc_zstd") return zstd_control(request);
  ControlResult result = lz4_block_control(request);
  if (result.verdict == Verdict::Refused && !lz4_keeps_end_rules(request.in)) result.message = "the end rules are broken";
  return result;
}

}  // namespace

ControlResult orc_chunks_control(std::string_view codec, const ControlRequest& request) {
  ControlResult result{Verdict::Accepted, {}, {}};
  for (std::span<const std::uint8_t> rest = request.in; !rest.empty();) {
    if (rest.size() < kHeader) return refused("a header is cut");
    const std::size_t header = rest[0] | std::size_t{rest[1]} << 8 | std::size_t{rest[2]} << 16;
    const std::size_t size = header / 2;
    rest = rest.subspan(kHeader);
    if (size > kBlock) return refused("a chunk is larger than a block");
    const std::size_t room = request.capacity - result.out.size();
    ControlResult chunk{Verdict::Accepted, {}, {}};
    if (header % 2 == 1) {
      // A reader that goes byte by byte meets the end of its room first.
      if (size > room && rest.size() > room) return {Verdict::TooLarge, {}, {}};
      if (size > rest.size()) return refused("a chunk is cut");
      chunk.out.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    } else {
      if (size > rest.size()) return refused("a chunk is cut");
      chunk = chunk_control(codec, {rest.first(size), std::min(room, kBlock), {}, true});
    }
    if (chunk.verdict == Verdict::TooLarge && room >= kBlock) return refused("a chunk decodes to more than a block");
    if (chunk.verdict != Verdict::Accepted) return {chunk.verdict, {}, chunk.message};
    result.out.insert(result.out.end(), chunk.out.begin(), chunk.out.end());
    rest = rest.subspan(size);
  }
  return result;
}

}  // namespace sluice::test
