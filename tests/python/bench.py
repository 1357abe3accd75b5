"""What Python adds to a decode, and beside the libraries that people use. Prints; decides nothing: python bench.py [REPEATS]

Times are medians of rounds, in one process, on the same bytes, with the outputs compared first.
"""

import statistics
import sys
import time

import numpy as np

import sluice_codecs as sluice
from conftest import text_of
from peers import COMPRESS, DECOMPRESS


def seconds(call, rounds: int, repeats: int) -> float:
    """Of one call: the median over rounds of the mean over repeats."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        times.append((time.perf_counter() - start) / repeats)
    return statistics.median(times)


def small(rounds: int) -> None:
    text = text_of(100)
    print("\n100 bytes of output, one call, microseconds")
    print(f"  {'codec':14} {'sluice.decode':>14} {'Decoder.decode':>15} {'out=':>8} {'peer':>8}")
    for codec, compress in COMPRESS.items():
        packed, decoder, out = compress(text), sluice.Decoder(codec), np.empty(100, np.uint8)
        assert decoder.decode(packed).tobytes() == text == decoder.decode(packed, out).tobytes()
        times = [seconds(call, rounds, 2000) * 1e6
                 for call in (lambda: sluice.decode(codec, packed), lambda: decoder.decode(packed), lambda: decoder.decode(packed, out))]
        peer = DECOMPRESS.get(codec)
        theirs = f"{seconds(lambda: peer(packed), rounds, 2000) * 1e6:8.2f}" if peer else "       -"
        print(f"  {codec:14} {times[0]:14.2f} {times[1]:15.2f} {times[2]:8.2f} {theirs}")


def lists(rounds: int) -> None:
    print("\na list of 10,000 chunks of 100 bytes, microseconds a chunk, one thread")
    texts = [text_of(100, seed) for seed in range(10_000)]
    for codec in ("lz4_block", "snappy_raw", "deflate"):
        packed, decoder = [COMPRESS[codec](t) for t in texts], sluice.Decoder(codec)
        assert [a.tobytes() for a in decoder.decode_batch(packed)] == texts
        whole, offsets = b"".join(packed), np.cumsum([0] + [len(p) for p in packed])
        out, sizes = np.empty(1_000_000, np.uint8), np.full(10_000, 100)
        for name, call in {
            "a list": lambda: decoder.decode_batch(packed, threads=1),
            "a list, sizes known": lambda: decoder.decode_batch(packed, sizes=sizes, threads=1),
            "one buffer, into one": lambda: decoder.decode_batch(whole, out, sizes, offsets=offsets, threads=1),
        }.items():
            print(f"  {codec:14} {name:22} {seconds(call, rounds, 3) / 1e4 * 1e6:8.2f}")


def large(rounds: int) -> None:
    print("\n4 MB of text, one thread: time of ours / time of the peer")
    text = text_of(4_000_000)
    for codec, peer in DECOMPRESS.items():
        packed, decoder = COMPRESS[codec](text), sluice.Decoder(codec)
        assert decoder.decode(packed).tobytes() == text == peer(packed)
        ours, theirs = seconds(lambda: decoder.decode(packed), rounds, 2), seconds(lambda: peer(packed), rounds, 2)
        print(f"  {codec:14} {ours / theirs:6.2f}   ({4 / ours:6.0f} and {4 / theirs:6.0f} MB/s)")


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    small(rounds)
    lists(rounds)
    large(rounds)
