"""Compressed shards to tensors, with torch.utils.data: loaders read compressed bytes, Sluice decodes a batch at a time.

    python examples/python_torch/main.py [SHARDS]

A shard is a file of zlib chunks, each a sample, and an index of where they begin. Workers of the `DataLoader` hand out
compressed samples, which are small; they are decoded where they are needed, a batch as one call: on the CPU into a tensor's
memory, on a GPU after the compressed bytes were copied there, so that the bus carries those alone. Without PyTorch it says
so and shows the same with NumPy.
"""

import json
import pathlib
import sys
import tempfile
import time
import zlib

import numpy as np

import sluice_codecs as sluice

try:
    import torch
    from torch.utils.data import DataLoader, Dataset
except ImportError as error:
    torch, Dataset = None, object
    REASON = str(error)

SAMPLE = 64 * 64  # bytes: a small picture
SAMPLES = 256  # of a shard


def write_shards(folder: pathlib.Path, count: int) -> np.ndarray:
    """Writes shards of noisy gradients. Returns all pictures, for comparison."""
    chance = np.random.default_rng(5)
    rows = np.arange(64)
    pictures = (rows[:, None] * 2 + rows + chance.integers(0, 100, (count * SAMPLES, 1, 1)) + chance.integers(0, 3, (count * SAMPLES, 64, 64))).astype(np.uint8)
    for shard in range(count):
        packed = [zlib.compress(picture.tobytes()) for picture in pictures[shard * SAMPLES : (shard + 1) * SAMPLES]]
        (folder / f"{shard}.bin").write_bytes(b"".join(packed))
        (folder / f"{shard}.json").write_text(json.dumps([0, *np.cumsum([len(one) for one in packed]).tolist()]))
    return pictures


class Shards(Dataset):
    """Compressed samples, by number. Files are mapped, and opened in the worker that reads them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.files = sorted(folder.glob("*.bin"), key=lambda path: int(path.stem))
        self.index = [json.loads(path.with_suffix(".json").read_text()) for path in self.files]
        self.maps: dict[int, np.ndarray] = {}

    def __len__(self) -> int:
        return sum(len(offsets) - 1 for offsets in self.index)

    def __getitem__(self, number: int) -> np.ndarray:
        shard, sample = divmod(number, SAMPLES)
        if shard not in self.maps:
            self.maps[shard] = np.memmap(self.files[shard], np.uint8, "r")
        start, end = self.index[shard][sample : sample + 2]
        return self.maps[shard][start:end]


def collate(samples: list) -> tuple:
    """The compressed samples of a batch, one after the other, and where each begins."""
    whole = np.concatenate(samples)
    offsets = np.cumsum([0] + [len(sample) for sample in samples])
    return (whole, offsets) if torch is None else (torch.from_numpy(whole), torch.from_numpy(offsets))


class ToTensors:
    """Decodes a collated batch to uint8[batch, 64, 64] on a device. Made once; kept by the process that trains."""

    def __init__(self, device: str) -> None:
        self.device, self.decoder = device, sluice.Decoder("zlib")

    def __call__(self, whole, offsets):
        count = len(offsets) - 1
        shape = (count, 64, 64)
        if torch is None or self.device == "cpu":
            out = np.empty(count * SAMPLE, np.uint8)
            self.decoder.decode_batch(np.asarray(whole), out, [SAMPLE] * count, offsets=np.asarray(offsets))
            return out.reshape(shape) if torch is None else torch.from_numpy(out).view(shape)
        whole, offsets = whole.to(self.device, non_blocking=True), offsets.to(self.device, non_blocking=True)
        out = torch.empty(count * SAMPLE, dtype=torch.uint8, device=self.device)
        self.decoder.decode_batch(whole, out, [SAMPLE] * count, offsets=offsets).check()  # on PyTorch's current stream
        return out.view(shape)


def batches(shards: Shards, size: int):
    """Collated batches in order: a DataLoader's; without PyTorch what it would hand out."""
    if torch is not None:
        return DataLoader(shards, batch_size=size, num_workers=2, collate_fn=collate, pin_memory=torch.cuda.is_available())
    return (collate([shards[i] for i in range(start, min(start + size, len(shards)))]) for start in range(0, len(shards), size))


def main(count: int) -> None:
    device = "cuda" if torch is not None and torch.cuda.is_available() else "cpu"
    if torch is None:
        print(f"without PyTorch: {REASON}; the same with NumPy:")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures = write_shards(folder, count)
        decode, seen = ToTensors(device), 0
        start = time.perf_counter()
        for whole, offsets in batches(Shards(folder), 128):
            tensors = decode(whole, offsets)
            expected = pictures[seen : seen + len(tensors)]
            assert (np.asarray(tensors if torch is None else tensors.cpu()) == expected).all()
            seen += len(tensors)
        assert seen == len(pictures)
        print(f"{seen} samples from {count} shards on {device}, {seen * SAMPLE / (time.perf_counter() - start) / 1e6:.0f} MB/s with reading and comparing")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
