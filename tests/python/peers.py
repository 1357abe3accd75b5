"""The same data by the libraries that people use: what they compress is what our codecs must decode, and what they take for
it is what we are measured by."""

import bz2
import gzip
import importlib.metadata
import platform
import zlib

import cramjam
import lz4.block
import lz4.frame

try:
    import zstandard
except ImportError:  # cramjam has zstd, too
    zstandard = None
try:
    from isal import igzip, isal_zlib
except ImportError:  # no wheel for every machine
    igzip = isal_zlib = None

# Of zlib and libbz2, as in `./dev bench`.
LEVEL = 6


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()


COMPRESS = {
    "gzip": lambda data: gzip.compress(data, LEVEL, mtime=0),
    "zlib": lambda data: zlib.compress(data, LEVEL),
    "deflate": raw_deflate,
    "bzip2": lambda data: bz2.compress(data, LEVEL),
    "lz4_block": lambda data: lz4.block.compress(data, store_size=False),
    "lz4_frame": lz4.frame.compress,
    "snappy_raw": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    # Of nothing cramjam makes nothing, where the format has a stream identifier.
    "snappy_framed": lambda data: bytes(cramjam.snappy.compress(data)) or b"\xff\x06\x00\x00sNaPpY",
    "zstd": lambda data: bytes(cramjam.zstd.compress(data)),
}

# What each library calls a decode, by codec; the first is what most programs use. cramjam makes a buffer of its own and not
# bytes: copying it would not be its time.
PEERS = {
    "gzip": {"gzip": gzip.decompress},
    "zlib": {"zlib": zlib.decompress},
    "deflate": {"zlib": lambda data: zlib.decompress(data, -15)},
    "bzip2": {"bz2": bz2.decompress},
    "lz4_frame": {"lz4.frame": lz4.frame.decompress, "cramjam": cramjam.lz4.decompress},
    "snappy_raw": {"cramjam": cramjam.snappy.decompress_raw},
    "snappy_framed": {"cramjam": cramjam.snappy.decompress},
    "zstd": {"cramjam": cramjam.zstd.decompress},
}
if zstandard is not None:
    PEERS["zstd"] = {"zstandard": zstandard.decompress} | PEERS["zstd"]
if igzip is not None:
    PEERS["gzip"]["isal.igzip"] = igzip.decompress
    PEERS["zlib"]["isal_zlib"] = isal_zlib.decompress
    PEERS["deflate"]["isal_zlib"] = lambda data: isal_zlib.decompress(data, -15)

DECOMPRESS = {codec: next(iter(libraries.values())) for codec, libraries in PEERS.items()}


def versions() -> str:
    """The libraries with their versions, for a table's head."""
    named = [f"Python {platform.python_version()} (zlib {zlib.ZLIB_RUNTIME_VERSION})"]
    for package in ("isal", "lz4", "cramjam", "zstandard", "numpy"):
        try:
            named.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            named.append(f"without {package}")
    return ", ".join(named)
