"""Columns of 64-bit integers and a plain writer of ORC's run-length encoding, version 2, for the example.

The writer makes what ORC's own writers make of such columns most of the time: runs of 3 to 10 equal values, runs with a fixed
step, differences of a sorted column, and bit-packed values, in blocks of at most 512. Patched runs it leaves out.
"""

from __future__ import annotations

import numpy

BLOCK = 512  # values of a run at most
_WIDTHS = [*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64]  # of packed values, by their code


def columns(values: int, seed: int = 1) -> dict[str, numpy.ndarray]:
    """Name to ``values`` numbers: keys, quantities, long runs, noise."""
    random = numpy.random.default_rng(seed)
    runs = random.integers(20, 400, values // 20 + 1)
    return {
        "row numbers": numpy.arange(values, dtype=numpy.int64) + 1_000_000,
        "sorted keys": numpy.cumsum(random.integers(1, 50, values)).astype(numpy.int64),
        "long runs": numpy.repeat(random.integers(-1000, 1000, len(runs)), runs)[:values].astype(numpy.int64),
        "small numbers": random.integers(0, 50, values, dtype=numpy.int64),
        "prices": random.integers(90_000, 10_500_000, values, dtype=numpy.int64),
        "noise": random.integers(-(1 << 62), 1 << 62, values, dtype=numpy.int64),
    }


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _zigzag(value: int) -> int:
    return (value << 1 ^ value >> 63) & (1 << 64) - 1


def _code_for(numbers: numpy.ndarray, least: int = 0) -> int:
    """The code of the narrowest width that holds all of them."""
    bits = int(numbers.max()).bit_length() if len(numbers) else 0
    return next(code for code in range(least, len(_WIDTHS)) if _WIDTHS[code] >= bits)


def _pack(numbers: numpy.ndarray, code: int) -> bytes:
    bits = numpy.unpackbits(numbers.astype(">u8").view(numpy.uint8).reshape(-1, 8), axis=1)[:, 64 - _WIDTHS[code]:]
    return numpy.packbits(bits).tobytes()


def _packed(block: numpy.ndarray) -> bytes:
    """Values, or where they only rise the differences, if those are narrower."""
    folded = ((block << 1) ^ (block >> 63)).astype(numpy.uint64)
    code, steps = _code_for(folded), numpy.diff(block)
    if len(steps) > 1 and steps.min() >= 0:
        narrow = _code_for(steps[1:], 1)  # code 0 says that all are the same
        if narrow < code:
            head = 3 << 14 | narrow << 9 | len(block) - 1
            return (head.to_bytes(2, "big") + _varint(_zigzag(int(block[0]))) + _varint(_zigzag(int(steps[0]))) +
                    _pack(steps[1:].astype(numpy.uint64), narrow))
    head = 1 << 14 | code << 9 | len(block) - 1
    return head.to_bytes(2, "big") + _pack(folded, code)


def _steady(first: int, step: int, count: int) -> bytes:
    """A run with a fixed step; the shortest form for few equal values."""
    if step == 0 and 3 <= count <= 10:
        folded = _zigzag(first)
        size = max(1, (folded.bit_length() + 7) // 8)
        return bytes([(size - 1) << 3 | count - 3]) + folded.to_bytes(size, "big")
    head = 3 << 14 | count - 1
    return head.to_bytes(2, "big") + _varint(_zigzag(first)) + _varint(_zigzag(step))


def encode(values: numpy.ndarray) -> bytes:
    """One ORC RLE v2 stream of signed 64-bit integers."""
    steps = numpy.diff(values)
    changes = numpy.flatnonzero(numpy.diff(steps)) + 1 if len(steps) > 1 else numpy.array([], int)
    starts = numpy.concatenate([[0], changes])
    ends = numpy.concatenate([changes, [len(steps)]])
    out, at = bytearray(), 0  # values before `at` are written

    def packed(until: int) -> None:
        nonlocal at
        while at < until:
            block = values[at:min(at + BLOCK, until)]
            out.extend(_packed(block))
            at += len(block)

    for start, end in zip(starts.tolist(), ends.tolist()):
        first = max(start, at)
        if end + 1 - first < 8:  # values with one step: too few to be worth a run of their own
            continue
        packed(first)
        step = int(steps[start])
        while end + 1 - at >= 3:
            count = min(BLOCK, end + 1 - at)
            out.extend(_steady(int(values[at]), step, count))
            at += count
    packed(len(values))
    return bytes(out)
