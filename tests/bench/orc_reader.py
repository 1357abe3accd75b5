#!/usr/bin/env python3
"""ORC RLE v2 against the ORC C++ reader, on the same column.

usage: orc_reader.py SLUICE COLUMN...        COLUMN: little-endian int64 (or .i32) values; `pip install pyarrow`

pyarrow, which holds Apache ORC's C++ library, writes each column to an uncompressed ORC file of one column. Its reader is
timed on that file, mapped into memory, one thread: footer, stripes, run lengths, and the Arrow array it makes; the fastest
of many rounds counts. Ours is timed by `sluice bench orc_rle_v2` on the DATA streams of the same file; the median counts.
What the reader does beside decoding (footer, null test, a copy to the Arrow array) counts for it, so the ratio is an upper
bound of what the decoders differ by.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import pyarrow
from pyarrow import orc

ROUNDS = 100
LEAST_VALUES = 1_000_000  # shorter columns are repeated, so that opening the file weighs little
KIND_DATA = 1  # orc_proto.proto, Stream.Kind
COLUMN = 1     # column 0 is the struct around it


def fields(message):
    """Field number and value of each field: ints, or bytes of nested ones."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, message[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {key & 7}")


def data_streams(file):
    """The DATA streams of the column, one a stripe. The file is not compressed."""
    tail_size = file[-1]
    tail = dict(fields(file[-1 - tail_size:-1]))
    footer = file[-1 - tail_size - tail[1]:-1 - tail_size]
    for number, message in fields(footer):
        if number != 3:
            continue
        stripe = dict(fields(message))
        start = stripe.get(1, 0)
        end = start + stripe.get(2, 0) + stripe[3]
        at = start
        for kind, stream in fields(file[end:end + stripe[4]]):
            if kind != 1:
                continue
            stream = dict(fields(stream))
            if stream.get(1, 0) == KIND_DATA and stream.get(2, 0) == COLUMN:
                yield file[at:at + stream[3]]
            at += stream[3]


def reader_seconds(path):
    times = []
    for _ in range(ROUNDS):
        with pyarrow.memory_map(str(path)) as source:
            start = time.perf_counter()
            orc.ORCFile(source).read()
            times.append(time.perf_counter() - start)
    return min(times)


def our_seconds(sluice, streams, folder, type_name):
    paths = []
    for number, stream in enumerate(streams):
        paths.append(folder / f"{number}.rle2")
        paths[-1].write_bytes(stream)
    answer = subprocess.run([sluice, "bench", "orc_rle_v2", *map(str, paths), "--set", f"T={type_name}", "--json"],
                            check=True, capture_output=True, text=True)
    return sum(row["output_bytes"] / row["cpu_bytes_per_second"] for row in json.loads(answer.stdout)["measurements"])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    print("| column | values | bytes a value | ours MB/s | ORC C++ reader MB/s | ours/reader |\n|---|---:|---:|---:|---:|---:|")
    for name in sys.argv[2:]:
        type_name = "i32" if name.endswith(".i32") else "i64"
        width = int(type_name[1:]) // 8
        raw = pathlib.Path(name).read_bytes()
        raw *= -(-LEAST_VALUES // (len(raw) // width))
        array = pyarrow.Array.from_buffers(pyarrow.int32() if width == 4 else pyarrow.int64(), len(raw) // width,
                                           [None, pyarrow.py_buffer(raw)])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            path = folder / "column.orc"
            orc.write_table(pyarrow.table({"c": array}), str(path), compression="uncompressed", stripe_size=1 << 30)
            streams = list(data_streams(path.read_bytes()))
            theirs = reader_seconds(path)
            ours = our_seconds(sys.argv[1], streams, folder, type_name)
        size = len(raw) / 1e6
        print(f"| {pathlib.Path(name).name} | {len(array)} | {sum(map(len, streams)) / len(array):.2f} | {size / ours:.0f} "
              f"| {size / theirs:.0f} | {theirs / ours:.2f} |")


if __name__ == "__main__":
    main()
