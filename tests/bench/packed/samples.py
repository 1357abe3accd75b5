#!/usr/bin/env python3
"""Random numbers of 0 to 32 bits each, 65,536 a chunk, as packed_u32.sluice reads them: DIRECTORY/wN.bin and wN.bin.sizes.

    python3 tests/bench/packed/samples.py DIRECTORY
    sluice bench tests/bench/packed/packed_u32.sluice DIRECTORY/w*.bin --target cuda --gigabytes 1.5
"""
import random
import struct
import sys
from pathlib import Path

COUNT, CHUNKS = 65536, 4
WIDTHS = [*range(6, 18), 0, 1, 3, 24, 32]


def chunk(width: int, numbers: random.Random) -> bytes:
    bits = numbers.getrandbits(width * COUNT) if width else 0  # a field is `width` bits of it, the lowest first
    return struct.pack("<BI", width, COUNT) + bits.to_bytes(width * COUNT // 8, "little")


def main() -> None:
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(1)
    for width in WIDTHS:
        chunks = [chunk(width, numbers) for _ in range(CHUNKS)]
        (to / f"w{width}.bin").write_bytes(b"".join(chunks))
        (to / f"w{width}.bin.sizes").write_text("".join(f"{len(c)}\n" for c in chunks))


if __name__ == "__main__":
    main()
