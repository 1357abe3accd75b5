"""A batch of gzip members, decoded on all cores with NumPy; and on a GPU with CuPy, where there is one.

    python examples/python_batch/main.py [MEMBERS]

The members of one file are independent chunks, as they are in BGZF files, in WARC archives, and in logs that were appended
to. Each is decoded by itself, all of them in one call: from a list of buffers, from one buffer with offsets, into memory of
the caller's. A member that is damaged is told, and the others are decoded all the same.
"""

import gzip
import sys
import time

import numpy as np

import sluice_codecs as sluice


def make(count: int) -> tuple[list[bytes], list[bytes]]:
    """Columns of numbers as text, and each of them as a gzip member."""
    chance = np.random.default_rng(7)
    texts = [b"".join(b"%d,%d\n" % pair for pair in zip(range(1000), chance.integers(0, 5000, 1000).tolist())) for _ in range(count)]
    return texts, [gzip.compress(text, mtime=0) for text in texts]


def timed(what: str, call, nbytes: int):
    start = time.perf_counter()
    result = call()
    print(f"  {what:34} {nbytes / (time.perf_counter() - start) / 1e6:8.0f} MB/s")
    return result


def on_the_cpu(texts: list[bytes], members: list[bytes]) -> None:
    nbytes = sum(map(len, texts))
    print(f"{len(members)} gzip members, {nbytes / 1e6:.1f} MB when decoded")
    gunzip = sluice.Decoder("gzip")
    assert timed("gzip.decompress, one by one", lambda: [gzip.decompress(member) for member in members], nbytes) == texts

    # A list of buffers: anything with the buffer protocol. Their sizes are counted first.
    arrays = timed("a list", lambda: gunzip.decode_batch(members), nbytes)
    assert [array.tobytes() for array in arrays] == texts

    # One buffer and offsets, into one array of ours: nothing is allocated. gzip says in its last four bytes how much it holds.
    archive = b"".join(members)
    offsets = np.cumsum([0] + [len(member) for member in members])
    sizes = [int.from_bytes(archive[end - 4 : end], "little") for end in offsets[1:]]
    out = np.empty(sum(sizes), np.uint8)
    timed("one buffer, into one array", lambda: gunzip.decode_batch(archive, out, sizes, offsets=offsets), nbytes)
    assert out.tobytes() == b"".join(texts)

    # A damaged member among good ones.
    broken = [*members[:3], members[3][:100], *members[4:]]
    arrays, statuses = gunzip.decode_batch(broken, errors="return")
    refused = [(chunk, status.error) for chunk, status in enumerate(statuses) if not status.ok]
    assert [chunk for chunk, _ in refused] == [3] and arrays[3] is None and arrays[4].tobytes() == texts[4]
    print(f"  member 3 cut to 100 bytes: {refused[0][1].reason} at bit {refused[0][1].bit}; the others are decoded")


def on_the_gpu(texts: list[bytes], members: list[bytes]) -> None:
    try:
        import cupy

        gunzip = sluice.Decoder("gzip").warm_up("cuda")
    except (ImportError, sluice.EngineError) as error:
        print(f"without a GPU: {str(error).splitlines()[0]}")
        return
    nbytes = sum(map(len, texts))
    archive = cupy.asarray(np.frombuffer(b"".join(members), np.uint8))
    offsets = cupy.asarray(np.cumsum([0] + [len(member) for member in members]))
    sizes = [len(text) for text in texts]
    out = cupy.empty(nbytes, cupy.uint8)

    def decode():
        # Queued on CuPy's current stream; nothing is copied and nothing waited for, until check() asks how it went.
        gunzip.decode_batch(archive, out, sizes, offsets=offsets).check()

    decode()
    timed("on the GPU, one buffer", decode, nbytes)
    assert out.get().tobytes() == b"".join(texts)


if __name__ == "__main__":
    made = make(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    on_the_cpu(*made)
    on_the_gpu(*made)
