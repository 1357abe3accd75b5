"""Mean and maximum over time of a compressed Zarr array that is larger than memory, on one machine's processes or GPUs.

    python main.py DIRECTORY [--gigabytes 4] [--codec gzip|lz4] [--workers 4] [--gpus 1,2] [--repeats 3]

Makes the array in DIRECTORY when it is not there, of GIGABYTES of numbers, and reduces it with Dask's distributed scheduler:
on WORKERS processes on CPUs, then, with --gpus, on one and on two GPUs. In each cluster zarr's own codecs and Sluice take
turns; first of all both decode the whole array once, and every plane's CRC-32 is compared with what was written. Prints a
table: medians, GB/s of decoded numbers, all from files that the system has in memory where it can hold them.
"""

import argparse
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from distributed import Client

import dask
from clusters import ENGINES, Decoding, engine_in_use, on_cpus, on_gpus, why_no_dask_cuda
from field import COMPRESSORS, STEP_BYTES, as_dask, lies_on_gpu, make, mean_and_max, stored_bytes, wrong_steps


CPUS, GPUS = "CPU processes", "GPUs"
KINDS = {CPUS: "CPU process", GPUS: "GPU"}  # one of them


@dataclass
class Row:
    """A cluster and who decoded in it: seconds of a reduction, by repeat."""

    where: str
    workers: int
    engine: str
    seconds: list[float]

    @property
    def cluster(self) -> str:
        return f"{self.workers} {self.where if self.workers > 1 else KINDS[self.where]}"

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Disagreement(Exception):
    """Not what was asked for: other bytes than were written, another result than before, another decoder."""


def measure(cluster, where: str, workers: int, options, expected: list[np.ndarray]) -> list[Row]:
    """Rows for both engines in one cluster. ``expected`` holds the results of whoever came first."""
    rows = {engine: Row(where, workers, engine, []) for engine in ENGINES}
    field = as_dask(options.path, options.gpu_block if where == GPUS else options.block)
    reduction = mean_and_max(field)
    with cluster, Client(cluster) as client:
        client.wait_for_workers(workers, timeout=120)
        for repeat in range(options.repeats + 1):
            for engine, row in rows.items():
                client.register_plugin(Decoding(engine, where == GPUS))
                if set(client.run(engine_in_use).values()) != {engine}:
                    raise Disagreement(f"{where}, {engine}: a worker has not switched over")
                if set(client.run(lies_on_gpu, str(options.path)).values()) != {where == GPUS}:
                    raise Disagreement(f"{where}, {engine}: a worker reads to where it should not")
                if repeat == 0:  # not counted: files are read from the disk, decoders are made, and bytes are looked at
                    if wrong := wrong_steps(options.directory, options.codec, field):
                        raise Disagreement(f"{where}, {engine}: {wrong} of {field.shape[0]} planes are not what was written")
                    continue
                start = time.perf_counter()
                results = dask.compute(*reduction)
                row.seconds.append(time.perf_counter() - start)
                expected[:] = expected or results
                if not all(np.array_equal(a, b) for a, b in zip(results, expected)):
                    raise Disagreement(f"{where}, {engine}: another mean or maximum than before")
                print(f"{row.cluster}, {engine}: {row.seconds[-1]:.2f} s", file=sys.stderr)
    return list(rows.values())


def table(rows: list[Row], size: int) -> str:
    """Ratios are of speeds: to zarr's codecs in the same cluster, and to the smallest cluster of the kind with the same ones."""
    lines = ["| workers | decoded by | seconds | GB/s | of zarr's codecs | of the fewest workers |", "|---|---|---:|---:|---:|---:|"]
    for row in rows:
        theirs = next(one for one in rows if (one.where, one.workers, one.engine) == (row.where, row.workers, "zarr"))
        fewest = next(one for one in rows if (one.where, one.engine) == (row.where, row.engine))
        lines.append(f"| {row.cluster} | {row.engine} | {row.median:.2f} | {size / row.median / 1e9:.2f} | "
                     f"{theirs.median / row.median:.2f} | {fewest.median / row.median:.2f} |")
    return "\n".join(lines)


def numbers(text: str) -> list[int]:
    found = sorted({int(word) for word in text.split(",") if word})
    if any(number < 1 for number in found):
        raise ValueError
    return found


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--gigabytes", type=float, default=4, help="of numbers, 10^9 bytes each")
    parser.add_argument("--codec", choices=list(COMPRESSORS), default="gzip")
    parser.add_argument("--workers", type=numbers, default=[4], help="processes on CPUs; several counts with commas between")
    parser.add_argument("--gpus", type=numbers, default=[], help="counts of GPUs, with commas between; none unless given")
    parser.add_argument("--no-dask-cuda", action="store_true", help="a cluster of Dask's own for GPUs, also where dask-cuda is there")
    parser.add_argument("--block", type=int, default=64, help="steps (of 1 MiB) of a block that a worker on CPUs reads at once")
    parser.add_argument("--gpu-block", type=int, default=512, help="the same on a GPU")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args(words)


def main() -> int:
    options = parse(sys.argv[1:])
    steps, rows, expected = max(1, round(options.gigabytes * 1e9 / STEP_BYTES)), [], []
    options.directory.mkdir(parents=True, exist_ok=True)
    with on_cpus(max(options.workers)) as cluster, Client(cluster):
        options.path = make(options.directory, options.codec, steps, options.block)
    size, stored = steps * STEP_BYTES, stored_bytes(options.path)
    print(f"{options.path.name}: {steps} planes, {size / 1e9:.2f} GB of numbers, {stored / 1e9:.2f} GB on the disk (ratio {size / stored:.2f})")
    try:
        for workers in options.workers:
            rows += measure(on_cpus(workers), CPUS, workers, options, expected)
        for gpus in options.gpus:
            rows += measure(on_gpus(gpus, not options.no_dask_cuda), GPUS, gpus, options, expected)
    except Disagreement as wrong:
        print(f"wrong: {wrong}", file=sys.stderr)
        return 1
    mean, most = expected
    print(f"verified: every plane's CRC-32, by {' and by '.join(ENGINES)}; mean {mean.mean():.3f}, maximum {most.max()}")
    if options.gpus:
        why_not = "--no-dask-cuda" if options.no_dask_cuda else why_no_dask_cuda()
        print(f"GPUs: {f'a worker of Dask for each, without dask-cuda ({why_not})' if why_not else 'dask-cuda'}")
    print(f"medians of {options.repeats}, in turns\n\n{table(rows, size)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
