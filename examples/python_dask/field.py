"""A field on a grid over time, as a Zarr array: made, read by Dask's workers, and checked against what it was made of.

A step of time is a chunk: a plane of 512 x 1024 numbers of 16 bits, 1 MiB. Blocks of Dask are many steps, so that reading one
hands the codec a list of chunks.
"""

import warnings
import zlib
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import zarr
from zarr.codecs import GzipCodec
from zarr.codecs.numcodecs import LZ4

# zarr says so at every opening of an array with LZ4; workers come by here, too.
warnings.filterwarnings("ignore", "Numcodecs codecs are not in the Zarr version 3 specification")

PLANE = (512, 1024)
STEP_BYTES = PLANE[0] * PLANE[1] * 2
PATCH = 8  # weather is the same in so many rows and columns
SEED = 13

COMPRESSORS = {"gzip": GzipCodec, "lz4": LZ4}  # with zarr's and numcodecs' own settings


def step(time: int) -> np.ndarray:
    """The plane of one step, in tenths of a degree: the season, patches of weather, and noise in one number of eight."""
    chance = np.random.default_rng([SEED, time])
    latitude = np.linspace(-np.pi / 2, np.pi / 2, PLANE[0])[:, None]
    mean = 300 * np.cos(latitude) + 80 * np.sin(latitude) * np.cos(2 * np.pi * time / 1460)
    weather = chance.integers(-60, 60, (PLANE[0] // PATCH, PLANE[1] // PATCH), dtype=np.int16)
    noise = chance.integers(0, 256, PLANE, dtype=np.uint8) < 32
    return mean.astype(np.int16) + weather.repeat(PATCH, 0).repeat(PATCH, 1) + noise


def make(directory: Path, codec: str, steps: int, block_steps: int) -> Path:
    """Writes the array with Dask's workers, unless it is there: DIRECTORY/CODEC-STEPS.zarr, and its planes' CRC-32s beside it."""
    path, sums = _paths(directory, codec, steps)
    if sums.exists():  # written last
        return path
    zarr.create_array(path, shape=(steps, *PLANE), chunks=(1, *PLANE), dtype="int16", compressors=COMPRESSORS[codec](), overwrite=True)
    parts = dask.compute(*(dask.delayed(_write)(str(path), first, min(first + block_steps, steps)) for first in range(0, steps, block_steps)))
    np.save(sums, np.concatenate(parts))
    return path


def _paths(directory: Path, codec: str, steps: int) -> tuple[Path, Path]:
    path = directory / f"{codec}-{steps}.zarr"
    return path, path.with_suffix(".crc32.npy")


def _write(path: str, first: int, end: int) -> np.ndarray:
    planes = np.stack([step(time) for time in range(first, end)])
    zarr.open_array(path, mode="r+")[first:end] = planes
    return _checksums(planes).ravel()


def stored_bytes(path: Path) -> int:
    """What the array takes on the disk."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def as_dask(path: Path, block_steps: int) -> da.Array:
    """The array, read by the workers in blocks of so many steps: opened there, with the codecs that are switched on there."""
    stored = zarr.open_array(path, mode="r")
    steps = stored.shape[0]
    chunks = ((block_steps,) * (steps // block_steps) + ((steps % block_steps,) if steps % block_steps else ()), *((n,) for n in PLANE))
    return da.map_blocks(_read, str(path), block_steps, chunks=chunks, dtype=stored.dtype, meta=np.empty((0, 0, 0), stored.dtype))


def _read(path: str, block_steps: int, block_id: tuple[int, int, int]):
    first = block_id[0] * block_steps
    return zarr.open_array(path, mode="r")[first:first + block_steps]


def lies_on_gpu(path: str) -> bool:
    """Whether what the process reads lies in a GPU's memory."""
    return hasattr(_read(path, 1, (0, 0, 0)), "__cuda_array_interface__")


def mean_and_max(field: da.Array) -> tuple[da.Array, da.Array]:
    """Over time. Each block is reduced where it lies, on a GPU there; what leaves a worker is two planes in host memory.

    Both at once: of two arrays that are made of the same blocks Dask's optimizer would have every block read twice.
    """
    parts = field.map_blocks(_sum_and_max, chunks=((1,) * field.numblocks[0], (2,), *field.chunks[1:]), new_axis=1, dtype="int64",
                             meta=np.empty((0, 0, 0, 0), "int64"))
    return parts[:, 0].sum(axis=0) / field.shape[0], parts[:, 1].max(axis=0).astype(field.dtype)


def _sum_and_max(block) -> np.ndarray:
    return np.stack([on_host(block.sum(axis=0, dtype="int64")), on_host(block.max(axis=0))]).astype("int64")[None]


def on_host(array) -> np.ndarray:
    """An array of CuPy as one of NumPy; NumPy's as it is."""
    return array.get() if hasattr(array, "get") else array


def wrong_steps(directory: Path, codec: str, field: da.Array) -> int:
    """How many steps' bytes, decoded by the workers, have another CRC-32 than the planes that were written."""
    _, sums = _paths(directory, codec, field.shape[0])
    found = field.map_blocks(_checksums, chunks=(field.chunks[0], (1,), (1,)), dtype="uint32", meta=np.empty((0, 0, 0), "uint32"))
    return int((found.compute().ravel() != np.load(sums)).sum())


def _checksums(planes) -> np.ndarray:
    return np.array([zlib.crc32(plane.tobytes()) for plane in on_host(planes)], np.uint32).reshape(-1, 1, 1)
