"""Sum and filter over an ORC column, decoded inside the kernel that adds up, against decoding first.

    python3 main.py [--sluice PROGRAM] [--gigabytes N] [--chunk VALUES]
    python3 main.py --write FOLDER            writes the columns as files for main.cpp, and needs no GPU

`sluice emit orc_rle_v2 --target cuda --device-function` prints a header, which CuPy compiles together with filter.cu. The other
way decodes into memory with the kernel that `sluice emit orc_rle_v2 --target cuda` prints, and reads the values from there. Both
are timed with events in one run, in turns, and compared with NumPy. GB/s are of decoded values, 8 bytes each.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import numpy

from columns import columns, encode

HERE = pathlib.Path(__file__).parent
DISTINCT = 64  # chunks that are encoded; they are repeated until there is enough to decode
ROUNDS = 9
SKIPPED = 77  # exit code
WARPS = 4  # of filter.cu's blocks


def chunks_of(values: numpy.ndarray, size: int) -> list[bytes]:
    """The column in streams of ``size`` values."""
    return [encode(values[at:at + size]) for at in range(0, len(values), size)]


def write(folder: pathlib.Path, size: int) -> None:
    """Each column as NAME.orc, chunk after chunk, and their sizes in bytes as NAME.orc.sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in columns(DISTINCT * size).items():
        streams = chunks_of(values, size)
        stem = folder / (name.replace(" ", "_") + ".orc")
        stem.write_bytes(b"".join(streams))
        stem.with_suffix(".orc.sizes").write_text("".join(f"{len(s)}\n" for s in streams))


class Column:
    """A column on the GPU: its streams, repeated, and what its sums must be."""

    def __init__(self, cupy, values: numpy.ndarray, size: int, gigabytes: float) -> None:
        streams = chunks_of(values, size)
        times = max(1, int(gigabytes * 1e9 / values.nbytes))
        lengths = numpy.array([len(s) for s in streams], numpy.uint64)
        self.count, self.size, self.values = len(streams) * times, size, len(values) * times
        self.ratio = values.nbytes / int(lengths.sum())
        self.lengths = numpy.tile(lengths, times)
        self.offsets = numpy.concatenate([[0], numpy.cumsum(self.lengths)[:-1]]).astype(numpy.uint64)
        self.input = cupy.asarray(numpy.frombuffer(b"".join(streams) * times, numpy.uint8))
        self.threshold = int(numpy.median(values))
        as_words = values.astype(numpy.uint64)
        self.sums = [int(part.sum(dtype=numpy.uint64)) * times % 2**64 for part in (as_words, as_words[values > self.threshold])]


class Decoder:
    """The kernel that decodes into memory, as `sluice emit` prints it and `sluice explain` says that it is launched."""

    def __init__(self, cupy, program: str) -> None:
        page = json.loads(sluice(program, "explain", "orc_rle_v2", "--target", "cuda", "--json"))["cuda"]
        if page["temp_bytes_per_chunk"] or page["dynamic_shared_bytes"]:
            raise RuntimeError("this kernel would want more memory than launch() gives it")
        self.threads, self.chunks = page["threads_per_block"], page["chunks_per_block"]
        text = sluice(program, "emit", "orc_rle_v2", "--target", "cuda")
        self.kernel = cupy.RawModule(code=text, options=("--std=c++17",)).get_function("sluice_decode_kernel")

    def launch(self, inputs, sizes, outputs, rooms, produced, errors) -> None:
        """Queues it: device arrays with an entry a chunk, of addresses, bytes, addresses and elements; and of results."""
        batch = numpy.zeros(30, numpy.uint64)  # struct sluice_cuda_batch
        batch[:5] = [a.data.ptr for a in (inputs, sizes, outputs, rooms, produced)]
        batch[6] = errors.data.ptr
        batch[25] = len(sizes)
        self.kernel(((len(sizes) + self.chunks - 1) // self.chunks,), (self.threads,), (batch.view("V240"),))  # one element: by value


def sluice(program: str, *words: str) -> str:
    """What the program prints."""
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def measure(cupy, ways: dict, check) -> dict[str, float]:
    """Milliseconds of each, the median of rounds in turn. Every result of every round is checked."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(ROUNDS + 1):
        for name, way in ways.items():
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            result = way()
            end.record()
            end.synchronize()
            check(name, result)
            if turn > 0:  # the first one compiles
                took[name].append(cupy.cuda.get_elapsed_time(start, end))
    return {name: statistics.median(times) for name, times in took.items()}


def run(cupy, program: str, gigabytes: float, size: int) -> int:
    """Prints the table. 1: a sum was wrong."""
    header = sluice(program, "emit", "orc_rle_v2", "--target", "cuda", "--device-function")
    module = cupy.RawModule(code=header + (HERE / "filter.cu").read_text(), options=("--std=c++17",))
    names = ("sum", "sum_above")
    fused = {name: module.get_function("fused_" + name) for name in names}
    plain = {name: module.get_function("plain_" + name) for name in names}
    decoder = Decoder(cupy, program)
    blocks = 8 * cupy.cuda.Device().attributes["MultiProcessorCount"]
    print(f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}, chunks of {size} values, {gigabytes} GB of values")
    print(f"{'column':<16}{'ratio':>8}  {'what':<10}{'fused':>10}{'decode, then':>14}{'decode alone':>14}{'add alone':>11}   GB/s")
    wrong = 0
    for title, values in columns(DISTINCT * size).items():
        c = Column(cupy, values, size, gigabytes)
        offsets, lengths = cupy.asarray(c.offsets), cupy.asarray(c.lengths)
        decoded = cupy.empty(c.values, numpy.int64)
        errors, produced = cupy.empty(c.count, numpy.uint64), cupy.empty(c.count, numpy.uint64)
        inputs = offsets + numpy.uint64(c.input.data.ptr)
        rooms = cupy.full(c.count, c.size, numpy.uint64)
        outputs = cupy.arange(c.count, dtype=numpy.uint64) * numpy.uint64(8 * c.size) + numpy.uint64(decoded.data.ptr)
        answer = cupy.zeros(1, numpy.uint64)

        def decode():
            decoder.launch(inputs, lengths, outputs, rooms, produced, errors)

        def fuse(name):
            answer.fill(0)
            fused[name](((c.count + WARPS - 1) // WARPS,), (32 * WARPS,),
                        (c.input, offsets, lengths, numpy.uint64(c.count), numpy.uint64(c.size), numpy.int64(c.threshold), answer, errors))
            return answer

        def add(name):
            answer.fill(0)
            plain[name]((blocks,), (256,), (decoded, numpy.uint64(c.values), numpy.int64(c.threshold), answer))
            return answer

        def then(name):
            decode()
            return add(name)

        for name, right in zip(names, c.sums):
            def check(way, result, name=name, right=right):
                nonlocal wrong
                sum_is, worst = right if result is None else int(result[0]), int(errors.max())
                if sum_is != right or worst != 0:
                    print(f"WRONG: {title}, {name}, {way}: {sum_is}, not {right}; errors up to {worst:#x}")
                    wrong = 1
            took = measure(cupy, {"then": lambda: then(name), "fused": lambda: fuse(name), "decode": decode, "add": lambda: add(name)}, check)
            speed = {way: 8 * c.values / ms / 1e6 for way, ms in took.items()}
            print(f"{title:<16}{c.ratio:>8.1f}  {name.replace('_', ' '):<10}{speed['fused']:>10.0f}{speed['then']:>14.0f}"
                  f"{speed['decode']:>14.0f}{speed['add']:>11.0f}   {speed['fused'] / speed['then']:.2f} times")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sluice", default="sluice", help="the program")
    parser.add_argument("--gigabytes", type=float, default=2.0, help="of decoded values")
    parser.add_argument("--chunk", type=int, default=16384, help="values of a chunk")
    parser.add_argument("--write", type=pathlib.Path, help="write columns into this folder, and end")
    options = parser.parse_args()
    if options.write:
        write(options.write, options.chunk)
        return 0
    try:
        import cupy
        cupy.cuda.Device().compute_capability
    except Exception as missing:  # ImportError, or CuPy's error of a machine without a GPU
        print(f"skipped: a GPU and CuPy are needed: {missing}")
        return SKIPPED
    return run(cupy, options.sluice, options.gigabytes, options.chunk)


if __name__ == "__main__":
    sys.exit(main())
