"""Existing Zarr arrays, read by Sluice: zarr's own codecs write them, both read them, and a table tells what that took.

    pip install 'sluice-codecs[zarr]'
    python examples/python_zarr/main.py [MIB]

One line switches a process over (`sluice.zarr.use()`), one an array (`sluice.zarr.reopen(array)`). With a GPU and CuPy the
same arrays are read to its memory, and decoded there.
"""

import sys
import tempfile
import time
import warnings

import numpy as np

try:
    import zarr
    from zarr.codecs import GzipCodec, ZstdCodec
    from zarr.codecs.numcodecs import BZ2, LZ4, Zlib
except ImportError as error:
    print(f"skipped: {error}; pip install 'sluice-codecs[zarr]'")
    raise SystemExit(0)

import sluice_codecs as sluice

warnings.filterwarnings("ignore", message="Numcodecs codecs are not in the Zarr version 3 specification")
COLUMNS = 4096  # of float32: a row has 16 KiB, and a chunk of 64 rows 1 MiB


def temperatures(mib: int) -> np.ndarray:
    """A smooth field, in tenths of a degree as thermometers have it."""
    rows = mib * 64
    east, north = np.linspace(0, 20, COLUMNS), np.linspace(0, 7, rows)[:, None]
    noise = np.random.default_rng(3).normal(0, 0.05, (rows, COLUMNS))
    return np.round(15 + 8 * np.sin(east) * np.cos(north) + noise, 1).astype("f4")


def best(call, rounds: int = 3) -> float:
    """Seconds of the fastest of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main(mib: int) -> None:
    data = temperatures(mib)
    print(f"{mib} MiB of float32 in chunks of 1 MiB, in milliseconds\n  {'codec':6} {'zarr':>8} {'sluice':>8} {'MB/s':>8} {'GPU':>8}")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, codec in (("gzip", GzipCodec()), ("zlib", Zlib(level=5)), ("lz4", LZ4()), ("bz2", BZ2(level=5)),
                            ("zstd", ZstdCodec())):  # the last is what new arrays have
            path = f"{folder}/{name}"
            zarr.create_array(path, data=data, chunks=(64, COLUMNS), compressors=codec)
            theirs = zarr.open_array(path, mode="r")
            with sluice.zarr.use():  # every array opened in here; without `with`, from here on
                ours = zarr.open_array(path, mode="r")
            assert (ours[:] == data).all() and (ours[100:200, ::7] == theirs[100:200, ::7]).all()
            times = [best(lambda: theirs[:]), best(lambda: ours[:])]
            print(f"  {name:6} {times[0] * 1e3:8.1f} {times[1] * 1e3:8.1f} {data.nbytes / times[1] / 1e6:8.0f} {on_the_gpu(path, data)}")


def on_the_gpu(path: str, data: np.ndarray) -> str:
    """Milliseconds of a read to CuPy; "-" where there is no GPU."""
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except Exception:  # no CuPy, or no driver: CuPy has an exception of its own for each of its libraries
        return "       -"
    with zarr.config.enable_gpu():
        array = sluice.zarr.reopen(zarr.open_array(path, mode="r"))
        assert bool((array[:] == cupy.asarray(data)).all())
        return f"{best(lambda: (array[:], cupy.cuda.runtime.deviceSynchronize())) * 1e3:8.1f}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
