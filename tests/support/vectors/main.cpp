// sluice_make_vectors CODECS_DIRECTORY: writes every vector anew. The result is checked in.
#include <cstdio>

#include "tests/support/vectors/writer.h"

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: sluice_make_vectors CODECS_DIRECTORY\n");
    return 2;
  }
  namespace vectors = sluice::test::vectors;
  vectors::Writer writer(words[1]);
  vectors::make_deflate(writer);
  vectors::make_gzip(writer);
  vectors::make_zlib(writer);
  vectors::make_lz4_block(writer);
  vectors::make_lz4_frame(writer);
  vectors::make_snappy(writer);
  vectors::make_orc(writer);
  vectors::make_orc_streams(writer);
  vectors::make_orc_chunks(writer);
  vectors::make_parquet(writer);
  vectors::make_fsst(writer);
  vectors::make_bzip2(writer);
  vectors::make_gompresso_byte(writer);
  vectors::make_gompresso_bit(writer);
  vectors::make_patel(writer);
  vectors::make_zstd(writer);
  vectors::make_fse(writer);
  vectors::make_huff0(writer);
  std::printf("%u vectors\n", writer.count());
  if (!writer.ok()) std::fprintf(stderr, "sluice_make_vectors: some files could not be written\n");
  return writer.ok() ? 0 : 3;
}
