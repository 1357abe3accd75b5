// A stand-in for nvCOMP's C API beside the stand-in driver, whose device memory is the heap: liblz4 and libsnappy
// decode. What the study calls is here, with nvCOMP 6's arguments; nothing else is. Variables of the environment spoil
// it:
//   SLUICE_STAND_IN_NVCOMP_VERSION=5100   another version        SLUICE_STAND_IN_NVCOMP_FAULT=byte|size|status   wrong
//   results
#include <lz4.h>
#include <snappy.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Status = int;
constexpr Status kCannotDecompress = 12;

struct Properties {
  std::uint32_t version, cuda_runtime;
};
struct Alignments {
  std::size_t input, output, temp;
};
struct Options {
  std::int32_t words[16];
};

bool fault(const char* which) {
  const char* asked = std::getenv("SLUICE_STAND_IN_NVCOMP_FAULT");
  return asked != nullptr && std::strcmp(asked, which) == 0;
}

bool lz4(const char* in, std::size_t bytes, char* out, std::size_t capacity, std::size_t& made) {
  const int size = LZ4_decompress_safe(in, out, static_cast<int>(bytes), static_cast<int>(capacity));
  made = size < 0 ? 0 : static_cast<std::size_t>(size);
  return size >= 0;
}
bool lz4_size(const char* in, std::size_t bytes, std::size_t& made) {
  std::string out(std::size_t{64} << 20, '\0');
  return lz4(in, bytes, out.data(), out.size(), made);
}
bool snappy_size(const char* in, std::size_t bytes, std::size_t& made) {
  return snappy::GetUncompressedLength(in, bytes, &made);
}
bool snappy_raw(const char* in, std::size_t bytes, char* out, std::size_t capacity, std::size_t& made) {
  return snappy_size(in, bytes, made) && made <= capacity && snappy::RawUncompress(in, bytes, out);
}
// Formats that this stand-in has no decoder for.
bool none(const char*, std::size_t, char*, std::size_t, std::size_t&) { return false; }
bool no_size(const char*, std::size_t, std::size_t&) { return false; }

Status aligned(Alignments* alignments) {
  *alignments = {4, 4, 8};
  return 0;
}
Status temp(std::size_t* bytes) {
  *bytes = 1000;
  return 0;
}

template <class Size>
Status sizes(const Size& size, const void* const* in, const std::size_t* in_bytes, std::size_t* out_bytes,
             std::size_t chunks) {
  for (std::size_t i = 0; i < chunks; ++i)
    if (!size(static_cast<const char*>(in[i]), in_bytes[i], out_bytes[i])) out_bytes[i] = 0;
  if (fault("size")) ++out_bytes[chunks - 1];
  return 0;
}

template <class Decode>
Status decode(const Decode& one, const void* const* in, const std::size_t* in_bytes, const std::size_t* capacity,
              std::size_t* produced, std::size_t chunks, void* const* out, Status* statuses) {
  for (std::size_t i = 0; i < chunks; ++i)
    statuses[i] =
        one(static_cast<const char*>(in[i]), in_bytes[i], static_cast<char*>(out[i]), capacity[i], produced[i])
            ? 0
            : kCannotDecompress;
  if (fault("byte")) static_cast<char*>(out[chunks - 1])[capacity[chunks - 1] - 1] ^= 1;
  if (fault("status")) statuses[chunks - 1] = kCannotDecompress;
  return 0;
}

}  // namespace

extern "C" {

Status nvcompGetProperties(Properties* properties) {
  const char* asked = std::getenv("SLUICE_STAND_IN_NVCOMP_VERSION");
  *properties = {asked == nullptr ? 6000u : static_cast<std::uint32_t>(std::strtoul(asked, nullptr, 10)), 13000u};
  return 0;
}
const char* nvcompGetStatusString(Status) { return "the stand-in refuses"; }

#define FORMAT(Name, decoder, sizer)                                                                          \
  Status nvcompBatched##Name##DecompressGetRequiredAlignments(Options, Alignments* alignments) {              \
    return aligned(alignments);                                                                               \
  }                                                                                                           \
  Status nvcompBatched##Name##DecompressGetTempSize(std::size_t, std::size_t, Options, std::size_t* bytes,    \
                                                    std::size_t, void*) {                                     \
    return temp(bytes);                                                                                       \
  }                                                                                                           \
  Status nvcompBatched##Name##GetDecompressSizeAsync(const void* const* in, const std::size_t* in_bytes,      \
                                                     std::size_t* out_bytes, std::size_t chunks, void*) {     \
    return sizes(sizer, in, in_bytes, out_bytes, chunks);                                                     \
  }                                                                                                           \
  Status nvcompBatched##Name##DecompressAsync(                                                                \
      const void* const* in, const std::size_t* in_bytes, const std::size_t* capacity, std::size_t* produced, \
      std::size_t chunks, void*, std::size_t, void* const* out, Options, Status* statuses, void*) {           \
    return decode(decoder, in, in_bytes, capacity, produced, chunks, out, statuses);                          \
  }
FORMAT(LZ4, lz4, lz4_size)
FORMAT(Snappy, snappy_raw, snappy_size)
FORMAT(Deflate, none, no_size)
FORMAT(Gzip, none, no_size)
FORMAT(Zstd, none, no_size)
#undef FORMAT
}
