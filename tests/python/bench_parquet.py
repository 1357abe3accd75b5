"""Parquet's encodings: Sluice beside Arrow C++, in one process and one thread. Prints a table, and decides nothing.

    python tests/python/bench_parquet.py FOLDER [--rounds 7] [--seconds 0.02] [--note SENTENCE] [--out PAGE]

FOLDER holds columns as in the shared test data (raw/columns, raw/tpch, raw/dbtext): little-endian numbers in files that are called
by their type, and text. Arrow's own encoders make a page of each, of 1 MiB at most, as its writer would; then Arrow's decoders of
that encoding, called from C (arrow_peer.cpp, compiled here against pyarrow's wheel), and Sluice's take turns to decode it into
memory that is there. Outputs are compared with the column in every round.

Arrow's decoders say where each string lies; the strings are copied one behind the other then, which is what ours do.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow

import sluice_codecs as sluice
from contest import Table, machine, race

PAGE_BYTES = 1 << 20
KINDS = ["delta i32", "delta i64", "indices", "levels", "split f32", "split f64", "delta lengths", "delta strings"]
TYPES = {".i32": "i4", ".u32": "u4", ".i64": "i8", ".u64": "u8", ".f32": "f4", ".i8": "i1", ".char": "i1"}
MOST_INDICES = 1 << 16  # values of a dictionary; with more, Arrow's writer would not make one


def arrow_library(folder: str) -> ctypes.CDLL:
    """arrow_peer.cpp, compiled with $CXX or g++."""
    pyarrow.create_library_symlinks()
    source, library = Path(__file__).with_name("arrow_peer.cpp"), os.path.join(folder, "arrow_peer.so")
    directories = pyarrow.get_library_dirs()
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-shared", "-fPIC", source, "-o", library,
                    "-isystem", pyarrow.get_include(), *(f"-L{one}" for one in directories), "-lparquet", "-larrow",
                    *(f"-Wl,-rpath,{one}" for one in directories)], check=True)
    peer = ctypes.CDLL(library)
    peer.arrow_encode.restype = peer.arrow_decode.restype = ctypes.c_int64
    peer.arrow_encode.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int64]
    peer.arrow_decode.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    return peer


def pages(path: Path):
    """What a page of this file can hold: (kind, elements or bytes of strings, lengths of strings or None)."""
    if path.suffix == ".txt":
        lines = path.read_bytes()[:PAGE_BYTES].split(b"\n")[:-1]
        lengths = np.array([len(line) for line in lines], "i4")
        for kind in ("delta lengths", "delta strings") if lines else ():
            yield kind, np.frombuffer(b"".join(lines), "u1"), lengths
        return
    values = np.fromfile(path, TYPES[path.suffix])
    values = values[: PAGE_BYTES // max(values.itemsize, 4)]
    if values.itemsize == 8:
        yield "delta i64", values.view("i8"), None
    elif values.dtype.kind != "f":
        yield "delta i32", values.astype("i4"), None
    # Doubles are where a column of eight bytes is read as such: what they mean makes no difference to the encoding.
    yield ("split f64" if values.itemsize == 8 else "split f32"), values if values.itemsize >= 4 else values.astype("i4"), None
    distinct, indices = np.unique(values, return_inverse=True)
    if len(distinct) <= MOST_INDICES:
        # Arrow numbers values as they come.
        first = np.full(len(distinct), len(indices))
        np.minimum.at(first, indices, np.arange(len(indices)))
        yield "indices", np.argsort(np.argsort(first))[indices].astype("i4"), None
    yield "levels", (values != values[0]).astype("i2"), None


def decoder_of(kind: str, count: int, size: int, page: np.ndarray, out: np.ndarray):
    """A call of ours, as whoever decodes many pages would make it: what is the same in each is at hand. No `partial`, which puts
    keywords into a new dict at each call."""
    if kind == "levels":  # 16 bits, as Arrow's; their size stands in front, which is left out
        page = page[4:]
    name, parameters, element, arguments = {
        "delta i32": ("parquet_delta", {"T": "i32"}, "i4", None),
        "delta i64": ("parquet_delta", {"T": "i64"}, "i8", None),
        "indices": ("parquet_rle", {"T": "u32"}, "u4", {"values": count}),
        "levels": ("parquet_rle", {"T": "u16"}, "u2", {"width": 1, "values": count}),
        "delta lengths": ("parquet_delta_length", {}, "u1", None),
        "delta strings": ("parquet_delta_strings", {}, "u1", None),
    }.get(kind, ("parquet_byte_stream_split", {}, "u1", {"size": size}))
    decode, out = sluice.Decoder(name, **parameters).decode, out.view(element)
    return lambda: decode(page, out, arguments=arguments)


def compare(peer: ctypes.CDLL, path: Path, rounds: int, seconds: float, tables: dict[str, Table]) -> None:
    for kind, values, lengths in pages(path):
        number, count = KINDS.index(kind), len(values) if lengths is None else len(lengths)
        page = np.empty(2 * values.nbytes + 8 * count + 4096, "u1")
        size = peer.arrow_encode(number, values.ctypes.data, None if lengths is None else lengths.ctypes.data, count, page.ctypes.data,
                                 page.nbytes)
        if size < 0:
            raise RuntimeError(f"{path.name}: Arrow does not encode it ({kind})")
        page = page[:size].copy()
        ours, theirs = np.zeros_like(values), np.zeros_like(values)
        decode = decoder_of(kind, count, values.itemsize, page, ours)
        # An array is asked for its address once: that takes a microsecond.
        arrow_decode = partial(peer.arrow_decode, number, page.ctypes.data, size, count, theirs.ctypes.data)

        def sluice_decodes():
            decode()
            return ours

        def arrow_decodes():
            if arrow_decode() != count:
                raise RuntimeError(f"{path.name}: Arrow does not decode it ({kind})")
            return theirs

        times = race({"sluice": sluice_decodes, "Arrow C++": arrow_decodes}, values.tobytes(), rounds, seconds)
        tables.setdefault(kind, Table(kind, ["sluice", "Arrow C++"])).add(path.name, values.nbytes, size, times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.02, help="least time of one measurement")
    parser.add_argument("--note", default="", help="a sentence for the page's head, about the machine say")
    parser.add_argument("--out", type=Path, help="write the page to this file, too")
    options = parser.parse_args()
    tables: dict[str, Table] = {}
    with tempfile.TemporaryDirectory() as folder:
        peer = arrow_library(folder)
        for path in sorted(options.folder.rglob("*")):
            if path.suffix in {*TYPES, ".txt"} and path.stat().st_size >= 1 << 16:
                compare(peer, path, options.rounds, options.seconds, tables)
                print(path.name, file=sys.stderr)
    if not tables:
        parser.error(f"{options.folder}: no columns")
    means = ["| encoding | Sluice / Arrow C++ | least | columns |", "|---|---:|---:|---:|"]
    for kind in (kind for kind in KINDS if kind in tables):
        rows = tables[kind].rows
        least = min(times["Arrow C++"] / times["sluice"] for _, _, _, times in rows)
        means.append(f"| {kind} | {tables[kind].mean('Arrow C++'):.2f} | {least:.2f} | {len(rows)} |")
    text = "\n".join([
        "# Parquet's encodings on a CPU: Sluice beside Arrow C++\n",
        f"`python tests/python/bench_parquet.py`, {machine()}, Arrow {pyarrow.cpp_version}. One thread; pages of at most 1 MiB by Arrow's "
        "encoders; both decode into memory that is there, through a call from Python; outputs compared; medians of rounds in turns; "
        f"MB = 10^6 bytes of output.{' ' + options.note if options.note else ''}\n",
        *means, "", *(tables[kind].markdown() for kind in KINDS if kind in tables)])
    print(text)
    if options.out:
        options.out.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
