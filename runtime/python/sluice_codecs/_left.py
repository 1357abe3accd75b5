"""Chunks that a format leaves to the library whose codec Sluice has adopted: decoded by numcodecs, one by one and on the host."""

from __future__ import annotations

from typing import Any

import numpy

_MAGIC, _SKIPPABLE = 0xFD2FB528, range(0x184D2A50, 0x184D2A60)
_SIZE_FORMS, _ID_FORMS = (0, 2, 4, 8), (0, 1, 2, 4)  # bytes, by the two bits of a frame's descriptor
_LEAST_TOLD = {2: 256}  # of a size in two bytes
_HAS_CHECKSUM, _SINGLE_SEGMENT, _RUN = 4, 0x20, 1


def told_by_zstd(data: memoryview) -> int | None:
    """Bytes that frames of zstd say they decode to, all together; None where one does not say, or the data is no frames.

    Headers of frames and blocks are all that is looked at, as by what numcodecs asks first (``ZSTD_findFrameCompressedSize``).
    """
    total = at = 0
    while at < len(data):
        word = _number(data, at, 4)
        if word in _SKIPPABLE:
            at += 8 + _number(data, at + 4, 4)
            continue
        flags = _number(data, at + 4, 1)
        single = bool(flags & _SINGLE_SEGMENT)
        width = _SIZE_FORMS[flags >> 6] or int(single)
        if word != _MAGIC or width == 0:
            return None
        at += 5 + (not single) + _ID_FORMS[flags & 3]
        total += _number(data, at, width) + _LEAST_TOLD.get(width, 0)
        at += width
        last = False
        while not last:
            if at + 3 > len(data):
                return None
            block = _number(data, at, 3)
            last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
            at += 3 + (1 if kind == _RUN else size)
        at += 4 if flags & _HAS_CHECKSUM else 0
    return total


def _number(data: memoryview, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")


def decode_by(codec: Any, packed: Any, size: int | None, out: Any) -> Any:
    """What a codec of numcodecs makes of a chunk in the host's memory: ``out``, where that is given, else a new array of uint8.

    ``size`` is what it has to be, as far as anybody knows. Raises RuntimeError or ValueError, as numcodecs does.
    """
    room = numpy.empty(size, numpy.uint8) if out is None and size is not None else out
    made = codec.decode(packed, out=room)
    return numpy.frombuffer(made, numpy.uint8) if room is None else room
