"""The same data by the libraries that people use: what they compress is what our codecs must decode."""

import bz2
import gzip
import zlib

import cramjam
import lz4.block
import lz4.frame


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


COMPRESS = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zlib": zlib.compress,
    "deflate": raw_deflate,
    "bzip2": bz2.compress,
    "lz4_block": lambda data: lz4.block.compress(data, store_size=False),
    "lz4_frame": lz4.frame.compress,
    "snappy_raw": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    # Of nothing cramjam makes nothing, where the format has a stream identifier.
    "snappy_framed": lambda data: bytes(cramjam.snappy.compress(data)) or b"\xff\x06\x00\x00sNaPpY",
}

DECOMPRESS = {
    "gzip": gzip.decompress,
    "zlib": zlib.decompress,
    "deflate": lambda data: zlib.decompress(data, -15),
    "bzip2": bz2.decompress,
    "lz4_frame": lz4.frame.decompress,
    "snappy_raw": lambda data: bytes(cramjam.snappy.decompress_raw(data)),
    "snappy_framed": lambda data: bytes(cramjam.snappy.decompress(data)),
}
