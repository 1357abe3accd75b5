"""What Python adds to a decode, and how fast the whole is beside the libraries that people use. Prints; decides nothing.

    python tests/python/bench.py [small] [calls] [lists] [files] [--out PAGE]

small   one call on 100 bytes; the goal is 5 microseconds
calls   what a call costs by the kind of its buffer, and of calls for batches of one chunk
lists   a list of buffers; the goal is 3 microseconds a chunk beyond one buffer with offsets
files   the files of `./dev bench`, which its program names (`sluice_bench_peers --list`), or those of --file

Without words all four; without the program the files are left out, and that is said. Times are medians of rounds in which
everyone takes turns, in one process and one thread, on the same bytes, with the outputs compared in each round.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

import sluice_codecs as sluice
from conftest import ROOT, text_of
from contest import Table, machine, race
from peers import COMPRESS, DECOMPRESS, LEVEL, PEERS, versions

SMALL_GOAL, CHUNK_GOAL = 5.0, 3.0  # microseconds
LIST_CHUNKS, LIST_BYTES = 10_000, 100
CORPUS_PROGRAM = ROOT / "build/tests/bench/sluice_bench_peers"


def small(rounds: int) -> str:
    text = text_of(LIST_BYTES)
    lines = [f"## {LIST_BYTES} bytes of output, one call, microseconds (goal: {SMALL_GOAL:.0f})\n",
             "| codec | sluice.decode | Decoder.decode | out= | the library's | within the goal |", "|---|---:|---:|---:|---:|---|"]
    for codec, compress in COMPRESS.items():
        packed, decoder, out = compress(text), sluice.Decoder(codec), np.empty(LIST_BYTES, np.uint8)
        contestants = {"name": lambda: sluice.decode(codec, packed), "decoder": lambda: decoder.decode(packed),
                       "out": lambda: decoder.decode(packed, out)}
        if codec in DECOMPRESS:
            contestants["peer"] = lambda: DECOMPRESS[codec](packed)
        times = {name: 1e6 * took for name, took in race(contestants, text, rounds, 0.005).items()}
        theirs = f"{times['peer']:.2f} ({next(iter(PEERS[codec]))})" if "peer" in times else ""
        lines.append(f"| {codec:13} | {times['name']:5.2f} | {times['decoder']:5.2f} | {times['out']:5.2f} | {theirs:18} | "
                     f"{'yes' if times['name'] <= SMALL_GOAL else 'no'} |")
    return "\n".join(lines) + "\n"


def calls(rounds: int) -> str:
    text = text_of(LIST_BYTES)
    packed, decoder, out = COMPRESS["lz4_block"](text), sluice.Decoder("lz4_block"), np.empty(LIST_BYTES, np.uint8)
    buffers = {"bytes": packed, "bytearray": bytearray(packed), "memoryview": memoryview(packed), "NumPy": np.frombuffer(packed, np.uint8)}
    contestants = {f"decode({kind})": lambda buffer=buffer: decoder.decode(buffer) for kind, buffer in buffers.items()}
    contestants |= {
        "decode(bytes, NumPy)": lambda: decoder.decode(packed, out),
        "sluice.decode(name, bytes)": lambda: sluice.decode("lz4_block", packed),
        "decode_batch([bytes])": lambda: decoder.decode_batch([packed])[0],
        "decode_batch([bytes], sizes=100)": lambda: decoder.decode_batch([packed], sizes=LIST_BYTES)[0],
        'decode_batch([bytes], errors="return")': lambda: decoder.decode_batch([packed], errors="return")[0][0],
        "decoded_sizes([bytes])": lambda: text[:int(decoder.decoded_sizes([packed])[0])],
        "a Python function that returns its argument": lambda: text,
    }
    times = race(contestants, text, rounds, 0.005)
    lines = [f"## One call on {LIST_BYTES} bytes of output, LZ4 block, microseconds\n", "| call | time |", "|---|---:|"]
    lines += [f"| `{name}` | {1e6 * took:.2f} |" for name, took in times.items()]
    return "\n".join(lines) + "\n"


def lists(rounds: int) -> str:
    texts = [text_of(LIST_BYTES, seed) for seed in range(LIST_CHUNKS)]
    whole_text = b"".join(texts)
    lines = [f"## {LIST_CHUNKS} chunks of {LIST_BYTES} bytes, one thread, microseconds a chunk (goal: a list costs {CHUNK_GOAL:.0f} more "
             "than one buffer)\n",
             "| codec | a list | sizes known | one buffer, into one | a list costs | within the goal |", "|---|---:|---:|---:|---:|---|"]
    for codec in ("lz4_block", "snappy_raw", "deflate", "gzip"):
        packed, decoder = [COMPRESS[codec](text) for text in texts], sluice.Decoder(codec)
        joined, offsets = b"".join(packed), np.cumsum([0] + [len(one) for one in packed])
        out, sizes = np.empty(len(whole_text), np.uint8), np.full(LIST_CHUNKS, LIST_BYTES)
        calls = {"list": lambda: decoder.decode_batch(packed, threads=1),
                 "sizes": lambda: decoder.decode_batch(packed, sizes=sizes, threads=1),
                 "one": lambda: decoder.decode_batch(joined, out, sizes, offsets=offsets, threads=1)}
        contestants = {name: lambda call=call: call() and whole_text for name, call in calls.items()}
        for name, call in calls.items():
            if b"".join(array.tobytes() for array in call()) != whole_text:
                raise ValueError(f"{codec}, {name}: not the original")
        times = {name: 1e6 * took / LIST_CHUNKS for name, took in race(contestants, whole_text, rounds, 0.02).items()}
        more = times["list"] - times["one"]
        lines.append(f"| {codec:10} | {times['list']:.2f} | {times['sizes']:.2f} | {times['one']:.2f} | {more:.2f} | "
                     f"{'yes' if more <= CHUNK_GOAL else 'no'} |")
    return "\n".join(lines) + "\n"


def corpus(program: Path) -> tuple[list[Path], str]:
    """The files of `./dev bench`; none and why."""
    if not os.access(program, os.X_OK):
        return [], f"no program {program} to name them: ninja -C build sluice_bench_peers"
    named = subprocess.run([program, "--list"], capture_output=True, text=True)
    if named.returncode != 0:
        return [], named.stderr.strip()
    return [Path(line) for line in named.stdout.splitlines()], ""


def files(paths: list[Path], codecs: list[str], rounds: int, least_seconds: float) -> list[Table]:
    tables = []
    for codec in codecs:
        decoder = sluice.Decoder(codec)
        table = Table(f"{codec} ({decoder.engine})", ["sluice", "out=", *PEERS[codec]])
        for path in paths:
            raw = path.read_bytes()
            packed, out = COMPRESS[codec](raw), np.empty(len(raw), np.uint8)
            contestants = {"sluice": lambda: sluice.decode(codec, packed), "out=": lambda: sluice.decode(codec, packed, out)}
            contestants |= {name: lambda call=call: call(packed) for name, call in PEERS[codec].items()}
            times = race(contestants, raw, rounds, least_seconds)
            table.add(path.name, len(raw), len(packed), times)
            print(f"{codec} {path.name}: {len(raw) / times['sluice'] / 1e6:.0f} MB/s", file=sys.stderr)
        tables.append(table)
    return tables


def means(tables: list[Table]) -> str:
    lines = ["## Geometric means\n", "| codec | library | sluice.decode / library | files |", "|---|---|---:|---:|"]
    for table in tables:
        lines += [f"| `{table.title.split()[0]}` | {name} | {table.mean(name):.2f} | {len(table.rows)} |" for name in table.libraries[1:]]
    return "\n".join(lines) + "\n"


def head(words: list[str], note: str) -> str:
    return ("# From Python: sluice.decode beside the libraries people use\n\n"
            f"`python tests/python/bench.py{' '.join(['', *map(shlex.quote, words)])}`, {machine()}, "
            f"sluice_codecs {sluice.__version__}. One thread; outputs compared with the original in every round; medians of rounds in which "
            f"all take turns; each file one chunk; out= is ours into memory that is there, while everyone else makes new; MB = 10^6 bytes of output. gzip, zlib, Deflate and bzip2 compressed at level {LEVEL}, the "
            f"others by their libraries' defaults.{' ' + note if note else ''}\nPeers: {versions()}.\n")


PARTS = {"small": small, "calls": calls, "lists": lists}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}, files")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.02, help="least time of one measurement")
    parser.add_argument("--codec", default=",".join(PEERS), help="codecs to race on files, with commas between")
    parser.add_argument("--file", type=Path, action="append", help="in the place of the files of ./dev bench")
    parser.add_argument("--program", type=Path, default=CORPUS_PROGRAM, help="names the files of ./dev bench")
    parser.add_argument("--note", default="", help="a sentence for the page's head, about the machine say")
    parser.add_argument("--out", type=Path, help="write the page to this file, too")
    options = parser.parse_args()
    if unknown := set(options.parts) - {*PARTS, "files"}:
        parser.error(f"no part is called {min(unknown)}")
    parts = options.parts or [*PARTS, "files"]
    page = [head(sys.argv[1:], options.note)]
    if "files" in parts:
        paths, why = (options.file, "") if options.file else corpus(options.program)
        if paths:
            tables = files(paths, options.codec.split(","), options.rounds, options.seconds)
            page += [means(tables), *(table.markdown() for table in tables)]
        else:
            page.append(f"The files are left out: {why}.\n")
    page[1:1] = [part(options.rounds) for name, part in PARTS.items() if name in parts]
    text = "\n".join(page)
    print(text)
    if options.out:
        options.out.write_text(text)
    return 3 if options.parts and "files" in parts and not paths else 0


if __name__ == "__main__":
    sys.exit(main())
