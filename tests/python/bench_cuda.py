"""What a call costs beyond its work, with arrays on a GPU: python tests/python/bench_cuda.py

Nothing is waited for inside a measured call; before and after it, the device is. The C call is the extension module's own
launch with everything made ready, which is sluice_cuda_decode_offsets_async and the crossing into C++.
"""

import statistics
import time
import zlib

import cupy
import numpy

import sluice_codecs as sluice

REPEATS = 300


def microseconds(call) -> float:
    """Median of what one call takes until it returns."""
    taken = []
    for _ in range(REPEATS):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        kept = call()
        taken.append(time.perf_counter() - begin)
        cupy.cuda.Device().synchronize()
        del kept
    return statistics.median(taken[REPEATS // 10:]) * 1e6


def back_to_back(call) -> float:
    """Mean of many calls in a row, each result let go of at the next: what a loop pays when the device keeps up."""
    call()
    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    for _ in range(REPEATS):
        kept = call()
    taken = time.perf_counter() - begin
    cupy.cuda.Device().synchronize()
    del kept
    return taken / REPEATS * 1e6


def main() -> None:
    decoder = sluice.Decoder("zlib")
    text = bytes(range(64)) * 4
    packed = [zlib.compress(text + str(i % 10).encode()) for i in range(1000)]
    size = len(text) + 1
    offsets = numpy.cumsum([0, *map(len, packed)])
    whole = cupy.asarray(numpy.frombuffer(b"".join(packed), numpy.uint8))
    at = cupy.asarray(offsets)
    starts, lengths = at[:-1].copy(), cupy.asarray(numpy.diff(offsets))
    out = cupy.empty(size * len(packed), cupy.uint8)
    chunks = [cupy.asarray(numpy.frombuffer(p, numpy.uint8)) for p in packed]
    outs = [cupy.empty(size, cupy.uint8) for _ in packed]

    batch = decoder.decode_batch(whole, out, size, offsets=at).check()
    assert out.get().tobytes() == b"".join(zlib.decompress(p) for p in packed)
    assert [cupy.asnumpy(cupy.asarray(a)).tobytes() for a in decoder.decode_batch(chunks, sizes=size).check()] == \
        [zlib.decompress(p) for p in packed]
    gpu = decoder._gpu()
    room = cupy.full(len(packed), size, cupy.uint64)
    places = cupy.arange(len(packed), dtype=cupy.int64) * size
    produced, words = cupy.empty(len(packed), cupy.uint64), cupy.empty(len(packed), cupy.uint64)

    def launch():
        gpu._core.launch(False, at.data.ptr, 0, places.data.ptr, room.data.ptr, produced.data.ptr, words.data.ptr, 0, len(packed), 0, 0,
                         size, size * len(packed), whole.nbytes, 0, 0, None, 0, whole.data.ptr, out.data.ptr)

    bare = microseconds(launch)
    rows = [("the C call", 1000, launch),
            ("base and offsets on the device, out given", 1000, lambda: decoder.decode_batch(whole, out, size, offsets=at)),
            ("base, offsets and lengths on the device, out given", 1000,
             lambda: decoder.decode_batch(whole, out, size, offsets=starts, lengths=lengths)),
            ("base and offsets on the device", 1000, lambda: decoder.decode_batch(whole, sizes=size, offsets=at)),
            ("base and offsets of the host", 1000, lambda: decoder.decode_batch(whole, sizes=size, offsets=offsets)),
            ("list of arrays", 1000, lambda: decoder.decode_batch(chunks, sizes=size)),
            ("list of arrays into list of arrays", 1000, lambda: decoder.decode_batch(chunks, outs)),
            ("list of one array", 1, lambda: decoder.decode_batch(chunks[:1], sizes=size)),
            ("decode: one array, waited for", 1, lambda: decoder.decode(chunks[0], outs[0]))]
    print(f"{gpu.device_name}: microseconds until the call returns, median of {REPEATS}; in a loop, mean\n")
    print("| call | chunks | us | beyond the C call | a chunk | in a loop |\n|---|---|---|---|---|---|")
    for name, count, call in rows:
        taken = microseconds(call)
        print(f"| {name} | {count} | {taken:.1f} | {taken - bare:.1f} | {(taken - bare) / count:.3f} | {back_to_back(call):.1f} |")
    batch.check()


if __name__ == "__main__":
    main()
