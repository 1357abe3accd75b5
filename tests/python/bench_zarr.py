"""Reading Zarr arrays: Sluice beside zarr's own codecs, in one process, on the same files. Prints a table, and decides nothing.

    python tests/python/bench_zarr.py [--mib 256] [--chunk-mib 1] [--rounds 7] [--codec zstd,gzip] [--gpu] [--markdown FILE]

The array is made here, of steps as of a weather field, and written by zarr. All readers read it whole, in turns; what they
read is compared with what was written. Times are the best of the rounds, since other work on the machine only ever adds; CPU
times are those of all threads, and suffer less from it.
With --gpu arrays are read to CuPy, as after zarr.config.enable_gpu(): by Sluice, by zarr's own codecs, which decode on the
host and copy, and the chunks by NVIDIA's nvCOMP (pip install nvidia-nvcomp-cu13) where that can be imported.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
import warnings

import numpy as np
import numcodecs
import zarr

import sluice_codecs as sluice

warnings.filterwarnings("ignore", message="Numcodecs codecs are not in the Zarr version 3 specification")
MIB = 1 << 20


def field(mib: int) -> np.ndarray:
    """Rows of 64 KiB of float32: a smooth field, rounded as instruments do."""
    rows, columns = mib * 16, 16384
    chance = np.random.default_rng(1)
    along = np.cumsum(chance.normal(0, 0.05, columns)).astype("f4")
    down = np.cumsum(chance.normal(0, 0.2, rows)).astype("f4")
    noise = chance.normal(0, 0.02, (64, columns)).astype("f4")
    out = np.empty((rows, columns), "f4")
    for row in range(rows):
        out[row] = np.round(280 + along + down[row] + noise[row % 64], 1)
    return out


# What arrays are written with, by the names of the table's rows.
CODECS = {"gzip": {"name": "gzip", "configuration": {"level": 5}},
          "zlib": {"name": "numcodecs.zlib", "configuration": {"level": 5}},
          "lz4": {"name": "numcodecs.lz4", "configuration": {"acceleration": 1}},
          "bz2": {"name": "numcodecs.bz2", "configuration": {"level": 5}},
          "blosc": {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4}},
          "zstd": {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
          "zstd 19": {"name": "zstd", "configuration": {"level": 19, "checksum": False}}}


def write(folder: str, data: np.ndarray, chunk_mib: int, names: list[str]) -> dict[str, str]:
    """An array for each codec; (name, path)."""
    paths = {}
    for name in names:
        codec = CODECS[name]
        paths[name] = os.path.join(folder, name)
        array = zarr.create_array(paths[name], shape=data.shape, chunks=(chunk_mib * 16, data.shape[1]), dtype=data.dtype,
                                  compressors=zarr.registry.get_codec_class(codec["name"]).from_dict(codec))
        array[:] = data
    return paths


def readers(path: str, gpu: bool) -> dict:
    """Calls that read the whole array, by who reads."""
    theirs = zarr.open_array(path, mode="r")
    ours = sluice.zarr.reopen(theirs)
    calls = {"zarr": lambda: theirs[:], "sluice": lambda: ours[:]}
    if gpu:
        peer = nvcomp_reader(path)
        if peer is not None:
            calls["nvCOMP"] = peer
    return calls


# What nvCOMP calls a codec, and the bytes of a chunk that stand before what it takes: zlib's header, numcodecs' size.
NVCOMP = {"gzip": ("Gzip", 0), "zlib": ("Deflate", 2), "lz4": ("LZ4", 4), "zstd": ("Zstd", 0), "zstd 19": ("Zstd", 0)}


def nvcomp_reader(path: str):
    """NVIDIA's nvCOMP on the same chunks, by its own Python package, without zarr around it; None where it has no such codec.

    KvikIO, whose zarr support had codecs once, has stores alone since it is for zarr 3.
    """
    if os.path.basename(path) not in NVCOMP:
        return None
    algorithm, head = NVCOMP[os.path.basename(path)]
    try:
        from nvidia import nvcomp
    except ImportError as error:
        print(f"{os.path.basename(path)}: without nvCOMP: {error}")
        return None
    shape, files = zarr.open_array(path, mode="r").shape, chunk_files(path)

    def read():
        import cupy

        codec = nvcomp.Codec(algorithm=algorithm, bitstream_kind=nvcomp.BitstreamKind.RAW)
        packed = [cupy.asarray(np.fromfile(file, "u1")[head:]) for file in files]
        arrays = codec.decode(nvcomp.as_arrays(packed), "|u1")
        return cupy.concatenate([cupy.asarray(arrays[i]).reshape(-1).view("f4") for i in range(len(packed))]).reshape(shape)

    return read


def chunk_files(path: str) -> list[str]:
    """The files of an array cut along its first axis, in order."""
    folder = os.path.join(path, "c")
    return [os.path.join(folder, name, "0") for name in sorted(os.listdir(folder), key=int)]


def measure(path: str, data, rounds: int, gpu: bool) -> dict[str, tuple[float, float]]:
    """Seconds of the best round, by the clock and of the CPU, by who reads."""
    calls = readers(path, gpu)
    wait = (lambda: None) if not gpu else sys.modules["cupy"].cuda.runtime.deviceSynchronize
    for who, call in list(calls.items()):
        try:
            same = call()
        except Exception as error:  # a peer that does not run here is no reason to measure nothing
            if who in ("zarr", "sluice"):
                raise
            print(f"{os.path.basename(path)}: without {who}: {type(error).__name__}: {str(error)[:200]}")
            del calls[who]
            continue
        assert bool((same == data).all()), who
    times: dict[str, list[tuple[float, float]]] = {who: [] for who in calls}
    for _ in range(rounds):
        for who, call in calls.items():
            wait()
            start, cpu = time.perf_counter(), time.process_time()
            call()
            wait()
            times[who].append((time.perf_counter() - start, time.process_time() - cpu))
    return {who: (min(clock for clock, _ in taken), min(cpu for _, cpu in taken)) for who, taken in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    for option, initial in (("--mib", 256), ("--chunk-mib", 1), ("--rounds", 7)):
        parser.add_argument(option, type=int, default=initial)
    parser.add_argument("--codec", default=",".join(CODECS), help="the codecs, with commas between")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--markdown", help="a file that the table is written to")
    options = parser.parse_args()
    data = field(options.mib)
    where = f"{os.cpu_count()} cores"
    if options.gpu:
        import cupy

        zarr.config.enable_gpu()
        where = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    lines = [f"{options.mib} MiB of float32 in chunks of {options.chunk_mib} MiB, files in the page cache, {where}; Python "
             f"{platform.python_version()}, zarr {zarr.__version__}, numcodecs {numcodecs.__version__}, sluice {sluice.__version__}; "
             f"best of {options.rounds} interleaved rounds.", "",
             "| codec | ratio | zarr's own ms | sluice ms | sluice MB/s | times as fast | CPU ms, zarr's own | CPU ms, sluice | times as fast | nvCOMP ms |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        if options.gpu:
            with zarr.config.set({"buffer": "zarr.buffer.cpu.Buffer", "ndbuffer": "zarr.buffer.cpu.NDBuffer"}):
                paths = write(folder, data, options.chunk_mib, options.codec.split(","))
            data = sys.modules["cupy"].asarray(data)
        else:
            paths = write(folder, data, options.chunk_mib, options.codec.split(","))
        for name, path in paths.items():
            stored = sum(os.path.getsize(file) for file in chunk_files(path))
            best = measure(path, data, options.rounds, options.gpu)
            (theirs, their_cpu), (ours, our_cpu) = best["zarr"], best["sluice"]
            peer = f"{best['nvCOMP'][0] * 1e3:.1f}" if "nvCOMP" in best else "-"
            lines.append(f"| {name} | {data.nbytes / stored:.2f} | {theirs * 1e3:.1f} | {ours * 1e3:.1f} | {data.nbytes / ours / 1e6:.0f} | "
                         f"{theirs / ours:.2f} | {their_cpu * 1e3:.0f} | {our_cpu * 1e3:.0f} | {their_cpu / our_cpu:.2f} | {peer} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as stream:
            stream.write(text)


if __name__ == "__main__":
    main()
