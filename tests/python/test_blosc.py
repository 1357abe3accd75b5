"""Blosc chunks as numcodecs writes them: all shuffles, compressors, levels and sizes, on the interpreter and as machine code."""

import random

import numpy as np
import pytest

import sluice_codecs as sluice
from blosc_chunks import LZ_BAD, LZ_GOOD, bad, good

blosc = pytest.importorskip("numcodecs.blosc", reason="numcodecs, whose chunks are decoded here, is not installed")

TYPE_SIZES = [1, 2, 3, 4, 7, 8, 12, 16, 17, 255]


def data_of(size: int, kind: str, seed: int) -> bytes:
    chance = np.random.default_rng(seed)
    if kind == "steps":
        return np.cumsum(chance.integers(0, 9, size // 4 + 1), dtype="<u4").tobytes()[:size]
    if kind == "few":
        return chance.choice(np.frombuffer(b"sluice", np.uint8), size).tobytes()
    return chance.bytes(size)


def chunks(threads: int, sizes: list[int]):
    """(chunk, what it holds), of everything that numcodecs can be told, but for what we refuse by name."""
    blosc.set_nthreads(threads)
    seed = 0
    for cname in ("lz4", "lz4hc", "blosclz", "zlib"):
        for level in (0, 1, 5, 9):
            for shuffle in (0, 1, 2):
                for size in sizes:
                    seed += 1
                    data = data_of(size, ("steps", "few", "noise")[seed % 3], seed)
                    type_size = TYPE_SIZES[seed % len(TYPE_SIZES)]
                    made = np.frombuffer(data[: size // type_size * type_size], f"V{type_size}")
                    yield blosc.compress(made, cname.encode(), level, shuffle, (0, 1000)[seed % 7 == 0]), made.tobytes()


@pytest.fixture(scope="module")
def decoders():
    return [sluice.Decoder("blosc", target=target) for target in ("interp", "cpu")]


@pytest.mark.parametrize("threads", [1, 4])
def test_what_numcodecs_writes(threads, decoders):
    for chunk, data in chunks(threads, [0, 1, 15, 128, 1000, 2049, 5000]):
        for decoder in decoders:
            assert decoder.decode(chunk).tobytes() == data, (decoder.target, chunk[:16].hex())


def test_large_chunks_of_many_threads(decoders):
    # Whether blocks stand in another order depends on the threads; a vector of the codec has such blocks for certain.
    for chunk, data in chunks(4, [700_001, 3_000_000]):
        assert decoders[1].decode(chunk).tobytes() == data, chunk[:16].hex()


def verdict(decoder, chunk: bytes):
    try:
        return decoder.decode(chunk, max_output=1 << 20).tobytes()
    except sluice.DecodeError as error:
        return error.reason, error.line, error.bit


def test_malformed_chunks_are_refused_alike(decoders):
    chance = random.Random(3)
    for chunk, _ in chunks(1, [300, 700]):
        for cut in range(0, min(len(chunk), 120), 7):
            assert len({verdict(decoder, chunk[:cut]) for decoder in decoders}) == 1, cut
        for _ in range(6):
            mutant = bytearray(chunk)
            bit = chance.randrange(8 * len(chunk) if chance.random() < 0.4 else 8 * 40) % (8 * len(chunk))
            mutant[bit // 8] ^= 1 << bit % 8
            assert len({verdict(decoder, bytes(mutant)) for decoder in decoders}) == 1, mutant[:40].hex()


def test_every_cut_of_small_chunks_is_refused(decoders):
    for name, (chunk, data) in good().items():
        for decoder in decoders:
            assert decoder.decode(chunk).tobytes() == data, name
            for cut in range(len(chunk)):
                assert isinstance(verdict(decoder, chunk[:cut]), tuple), (name, cut)


@pytest.mark.parametrize("codec,accepted,refused", [("blosc", good(), bad()), ("blosclz", LZ_GOOD, LZ_BAD)])
def test_vectors_are_those_of_this_folder(codec, accepted, refused, root):
    folder = root / "codecs" / codec / "vectors"
    assert {file.stem for file in folder.glob("*.in")} == accepted.keys() | refused.keys()
    for name, (data, out) in accepted.items():
        assert (folder / f"{name}.in").read_bytes() == data and (folder / f"{name}.out").read_bytes() == out, name
    for name, (data, error) in refused.items():
        assert (folder / f"{name}.in").read_bytes() == data and (folder / f"{name}.err").read_text() == error + "\n", name
