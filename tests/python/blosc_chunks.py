"""Blosc chunks written by hand, byte by byte, and the vectors of codecs/blosc and codecs/blosclz.

python tests/python/blosc_chunks.py CODECS writes the vectors anew; the result is checked in.
"""

import struct
import sys
from pathlib import Path

BYTES, COPIED, BITS, RESERVED, WHOLE = 1, 2, 4, 8, 16  # flags; the compressor stands in the three bits above
BLOSCLZ, LZ4, SNAPPY, ZLIB, ZSTD = range(5)


def chunk(streams: list[list[bytes]], size: int, block: int, *, compressor=LZ4, flags=0, type_size=1, order=None,
          version=2, total=None, behind=b"") -> bytes:
    """A chunk of blocks, each a list of streams as they are stored; `order`: that of the blocks behind the table."""
    places, body = {}, b""
    for number in order or range(len(streams)):
        places[number] = 16 + 4 * len(streams) + len(body)
        body += b"".join(struct.pack("<i", len(stream)) + stream for stream in streams[number])
    table = b"".join(struct.pack("<i", places[n]) for n in range(len(streams)))
    length = 16 + len(table) + len(body)
    head = struct.pack("<BBBBIII", version, 1, flags | compressor << 5, type_size, size, block, total if total is not None else length)
    return head + table + body + behind


def literals(data: bytes) -> bytes:
    """An LZ4 block of at most 14 literals."""
    return bytes([len(data) << 4]) + data


LZ4_ABC = bytes([3 << 4 | 4]) + b"abc\x03\x00" + bytes([7 << 4]) + b"literal"  # "abc", eight bytes from 3 back, literals
ABC = b"abcabcabcabliteral"
SNAPPY_ABC = bytes([9, 2 << 2]) + b"abc" + bytes([2 << 2 | 1, 3])
BLOSCLZ_ABC = b"\x22abc\x60\x02\x00c"  # "abc", five bytes from 3 back, "c"
# So many of the above that the fast loops run, which stop some way before the end.
LONG = 100
LZ4_LONG = LZ4_ABC[:6] * LONG + LZ4_ABC[6:]
SNAPPY_LONG = bytes([9 * LONG & 127 | 128, 9 * LONG >> 7]) + SNAPPY_ABC[1:] * LONG
BLOSCLZ_LONG = BLOSCLZ_ABC[:6] + b"\x02abc\x60\x02" * (LONG - 1) + BLOSCLZ_ABC[6:]
ZLIB_A = bytes.fromhex("78da4b4c240e000036eb0f29")  # forty times "a", as zlib 1.2.13 has it
SHUFFLED = bytes(range(0, 16, 2)) + bytes(range(1, 16, 2))


def good() -> dict[str, tuple[bytes, bytes]]:
    noise = bytes((i * i * 7 + 3 * i) & 255 for i in range(256))
    streams = [noise[k::2] for k in range(2)]
    return {
        "empty": (chunk([], 0, 1, flags=COPIED), b""),
        "copied": (struct.pack("<BBBBIII", 2, 1, COPIED | BYTES | LZ4 << 5, 4, 5, 5, 21) + b"hello", b"hello"),
        "lz4": (chunk([[LZ4_ABC]], 18, 18), ABC),
        "snappy": (chunk([[SNAPPY_ABC]], 9, 9, compressor=SNAPPY), b"abcabcabc"),
        "blosclz": (chunk([[BLOSCLZ_ABC]], 9, 9, compressor=BLOSCLZ), b"abcabcabc"),
        "lz4_long": (chunk([[LZ4_LONG]], 11 * LONG + 7, 11 * LONG + 7), b"abcabcabcab" * LONG + b"literal"),
        "snappy_long": (chunk([[SNAPPY_LONG]], 9 * LONG, 9 * LONG, compressor=SNAPPY), b"abcabcabc" * LONG),
        "blosclz_long": (chunk([[BLOSCLZ_LONG]], 8 * LONG + 1, 8 * LONG + 1, compressor=BLOSCLZ), b"abcabcab" * LONG + b"c"),
        "zlib": (chunk([[ZLIB_A]], 40, 40, compressor=ZLIB), b"a" * 40),
        "zlib_shuffled": (chunk([[ZLIB_A], [b"xy"]], 42, 40, compressor=ZLIB, flags=BYTES, type_size=2), b"a" * 40 + b"xy"),
        "zlib_and_more": (chunk([[ZLIB_A + b"more"]], 40, 40, compressor=ZLIB), b"a" * 40),
        "stored": (chunk([[b"hello"]], 5, 5), b"hello"),
        "shuffled": (chunk([[SHUFFLED + b"x"]], 17, 17, flags=BYTES, type_size=2), bytes(range(16)) + b"x"),
        # Eight elements of one byte: 0x81, six zeros, 2.
        "bits": (chunk([[b"\x01\x80\0\0\0\0\0\x01"]], 8, 8, flags=BITS), b"\x81\0\0\0\0\0\0\x02"),
        "bits_of_seven": (chunk([[b"as it is"[:7]]], 7, 7, flags=BITS), b"as it is"[:7]),
        "two_blocks": (chunk([[LZ4_ABC], [b"xy"]], 20, 18), ABC + b"xy"),
        "blocks_out_of_order": (chunk([[literals(b"abcd")], [literals(b"efgh")], [b"ij"]], 10, 4, order=[2, 0, 1]), b"abcdefghij"),
        # 128 elements of two bytes are a stream for each byte; the last block, which is shorter, is one stream.
        "split": (chunk([streams, [b"ACEBDF"]], 262, 256, flags=BYTES, type_size=2), noise + b"ABCDEF"),
        "not_split": (chunk([[b"".join(streams)]], 256, 256, flags=BYTES | WHOLE, type_size=2), noise),
    }


def bad() -> dict[str, tuple[bytes, str]]:
    """Refused, and where: the reason and the bit."""
    far = bytearray(chunk([[b"hello"]], 5, 5))
    struct.pack_into("<i", far, 16, 22)
    negative = bytearray(chunk([[b"hello"]], 5, 5))
    struct.pack_into("<i", negative, 20, -1)
    # Eight blocks whose table names the first one each time: together they read more than there is.
    again = bytearray(chunk([[b"abcdefghijklmnopqrstuvwxyz"]] + [[b""]] * 7, 208, 26))
    for n in range(1, 8):
        again[16 + 4 * n : 20 + 4 * n] = again[16:20]
    large = struct.pack("<BBBBIII", 2, 1, BYTES, 2, 4194306, 4194306, 24) + bytes(8)
    plain = chunk([[b"hello"]], 5, 5)
    return {
        "no_input": (b"", "end_of_input 0"),
        "header_cut": (plain[:14], "end_of_input 96"),
        "table_cut": (plain[:18], "end_of_input 128"),
        "stream_cut": (plain[:-1], "end_of_input 128"),
        "version_1": (chunk([[b"hello"]], 5, 5, version=1), "unknown_version 8"),
        "reserved_flag": (chunk([[b"hello"]], 5, 5, flags=RESERVED), "reserved_flag 24"),
        "no_type_size": (chunk([[b"hello"]], 5, 5, type_size=0), "bad_type_size 32"),
        "two_filters": (chunk([[b"hello"]], 5, 5, flags=BYTES | BITS), "two_filters 128"),
        "chunk_smaller_than_its_header": (chunk([[b"hello"]], 5, 5, total=15), "bad_chunk_size 128"),
        "copied_too_little": (struct.pack("<BBBBIII", 2, 1, COPIED, 1, 5, 5, 20) + b"hell", "bad_chunk_size 128"),
        "block_of_nothing": (chunk([[b"hello"]], 5, 0), "bad_block_size 128"),
        "block_larger_than_all": (chunk([[b"hello"]], 5, 6), "bad_block_size 128"),
        "more_blocks_than_table": (chunk([[b"hello"]], 500, 1), "bad_block_count 128"),
        "block_too_large": (large, "block_too_large 160"),
        "streams_of_uneven_size": (chunk([[b"x"]], 257, 257, type_size=2, flags=BYTES), "uneven_streams 160"),
        "no_zlib": (chunk([[b"hell"]], 5, 5, compressor=ZLIB), "bad_header_check 208"),
        "zlib_cut": (chunk([[ZLIB_A[:-1]]], 40, 40, compressor=ZLIB), "end_of_input 256"),
        "zlib_sum": (chunk([[ZLIB_A[:-1] + b"!"]], 40, 40, compressor=ZLIB), "bad_adler32 288"),
        "zlib_sum_shuffled": (chunk([[ZLIB_A[:-1] + b"!"]], 40, 40, compressor=ZLIB, flags=BYTES, type_size=2), "bad_adler32 288"),
        "zlib_too_little": (chunk([[ZLIB_A]], 41, 41, compressor=ZLIB), "output_short 160"),
        "zlib_too_much": (chunk([[ZLIB_A]], 39, 39, compressor=ZLIB), "output_full 242"),
        "zstd": (chunk([[b"hell"]], 5, 5, compressor=ZSTD), "zstd_not_supported 192"),
        "compressor_7": (chunk([[b"hell"]], 5, 5, compressor=7), "unknown_compressor 192"),
        "block_behind_the_end": (bytes(far), "end_of_input 160"),
        "negative_stream": (bytes(negative), "end_of_input 160"),
        "copy_into_stream_before": (chunk([[literals(b"abcd")], [bytes([1 << 4]) + b"x\x03\x00\x00"]], 9, 5), "bad_distance 328"),
        "read_again": (bytes(again), "end_of_input 288"),
        "trailing": (chunk([[b"hello"]], 5, 5, behind=b"!"), "trailing_bytes 232"),
    }


LZ_GOOD = {
    "literals": (b"\x24hello", b"hello"),
    "first_byte_s_high_bits": (b"\xe4hello", b"hello"),
    "copy": (BLOSCLZ_ABC, b"abcabcab" + b"c"),
    "run": (b"\x20a\x20\x00\x00b", b"aaaab"),
    "long": (b"\x20a\xe0\xff\x01\x00\x00b", b"a" * (1 + 9 + 256) + b"b"),
}
LZ_BAD = {
    "no_input": (b"", "end_of_input 0"),
    "literals_cut": (b"\x24hell", "end_of_input 40"),
    "copy_cut": (b"\x20a\x20", "end_of_input 24"),
    "ends_in_copy": (b"\x20a\x20\x00", "ends_in_copy 32"),
    "before_start": (b"\x20a\x20\x01\x00b", "bad_distance 32"),
    "far_before_start": (b"\x20a\x3f\xff\x00\x00\x00b", "bad_distance 48"),
}

README = """Made by tests/python/blosc_chunks.py, byte by byte. NAME.in is the input. NAME.out is the expected output, or NAME.err the
expected refusal: reason and bit position.
"""


def write(folder: Path, accepted, refused) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.txt").write_text(README)
    for name, (data, out) in accepted.items():
        (folder / f"{name}.in").write_bytes(data)
        (folder / f"{name}.out").write_bytes(out)
    for name, (data, error) in refused.items():
        (folder / f"{name}.in").write_bytes(data)
        (folder / f"{name}.err").write_text(error + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) / "blosc" / "vectors", good(), bad())
    write(Path(sys.argv[1]) / "blosclz" / "vectors", LZ_GOOD, LZ_BAD)
