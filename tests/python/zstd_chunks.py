"""Frames of zstd that no encoder at hand writes: by hand, of blocks that are raw or one byte repeated."""

import struct

MAGIC = 0xFD2FB528
BLOCK = 128 << 10
SKIPPABLE = struct.pack("<II", 0x184D2A53, 3) + b"abc"


def frame(data: bytes, *, window_log: int | None = None, told: int | None = -1, blocks: bytes | None = None) -> bytes:
    """A frame of raw blocks, or of ``blocks``. ``told`` is the size in its header, None for none; the true one unless given. Without
    ``window_log`` it is a single segment, whose window is that size."""
    told = len(data) if told == -1 else told
    size = b"" if told is None else struct.pack("<Q", told)
    flags = (0xC0 if size else 0) | (0x20 if window_log is None else 0)
    window = b"" if window_log is None else bytes([window_log - 10 << 3])
    if blocks is None:
        parts = [data[at : at + BLOCK] for at in range(0, len(data), BLOCK)] or [b""]
        blocks = b"".join(block(part, last=number == len(parts) - 1) for number, part in enumerate(parts))
    return struct.pack("<IB", MAGIC, flags) + window + size + blocks


def block(data: bytes, *, last: bool) -> bytes:
    """Bytes as they are."""
    return struct.pack("<I", len(data) << 3 | last)[:3] + data


def run(value: int, count: int, *, last: bool) -> bytes:
    """One byte, ``count`` times."""
    return struct.pack("<I", count << 3 | 1 << 1 | last)[:3] + bytes([value])
