"""Parquet's encodings beside Arrow's C++ reader: pages that it wrote, and damaged ones, which both must judge alike."""

import io
import random

import numpy as np
import pytest

import parquet_file as pages
import sluice_codecs as sluice

arrow = pytest.importorskip("pyarrow", reason="pyarrow, whose pages are decoded here, is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

TARGETS = ("interp", "cpu")
MUTANTS = 1500


def written(array, encoding: str, **options) -> list[pages.Page]:
    """The pages of a column without nulls, as Arrow writes it with this encoding."""
    field = arrow.field("a", array.type, nullable=False)
    file = io.BytesIO()
    parquet.write_table(arrow.table([array], arrow.schema([field])), file, compression="none",
                        **{"use_dictionary": False, "column_encoding": {"a": encoding}} | options)
    return list(pages.pages_of(file.getvalue()))


def as_arrow_reads(kind: int, encoding: int, values: int, body: bytes, width: int = 0):
    """The column of a file with this page alone; None when Arrow refuses it."""
    try:
        file = pages.file_of(kind, encoding, values, body, width)
        return parquet.ParquetFile(io.BytesIO(file)).read()["a"].combine_chunks()
    except (OSError, arrow.ArrowException):
        return None


def mutants(body: bytes, chance: random.Random):
    """The page with some bits turned, most of them in front, or cut."""
    for _ in range(MUTANTS):
        mutant = bytearray(body)
        for _ in range(chance.randint(1, 3)):
            bit = chance.randrange(8 * min(len(body), chance.choice((12, 40, len(body)))))
            mutant[bit // 8] ^= 1 << bit % 8
        yield bytes(mutant[: chance.randrange(len(body))] if chance.random() < 0.2 else mutant)


def verdict(decoder, body: bytes, **options):
    try:
        return decoder.decode(body, max_output=1 << 20, **options)
    except sluice.DecodeError as error:
        return error.reason


# DELTA_BINARY_PACKED

def integers(bits: int, count: int, spread: int, seed: int) -> np.ndarray:
    chance = np.random.default_rng(seed)
    steps = chance.integers(-(1 << spread - 1), (1 << spread - 1) - 1, count, endpoint=True)
    return np.cumsum(steps).astype(f"i{bits // 8}")  # sums wrap


@pytest.fixture(scope="module")
def deltas():
    return {bits: [sluice.Decoder("parquet_delta", target=target, T=f"i{bits}") for target in TARGETS] for bits in (32, 64)}


@pytest.mark.parametrize("bits", [32, 64])
def test_deltas_that_arrow_writes(bits, deltas):
    for count in (1, 2, 32, 33, 128, 129, 5000, 70_000):
        for spread in {2, 7, 17, bits - 1, bits}:
            values = integers(bits, count, spread, count + spread)
            found = written(arrow.array(values), "DELTA_BINARY_PACKED")
            for decoder in deltas[bits]:
                assert (np.concatenate([decoder.decode(page.body) for page in found]) == values).all(), (count, spread)


@pytest.mark.parametrize("bits", [32, 64])
def test_damaged_deltas_are_judged_as_by_arrow(bits, deltas):
    kind = pages.INT32 if bits == 32 else pages.INT64
    chance = random.Random(bits)
    accepted = 0
    for count, spread in ((3, 2), (40, 9), (150, bits), (300, 3)):
        (page,) = written(arrow.array(integers(bits, count, spread, count)), "DELTA_BINARY_PACKED")
        for body in mutants(page.body, chance):
            ours = [verdict(decoder, body) for decoder in deltas[bits]]
            assert str(ours[0]) == str(ours[1]), body.hex()
            # How many values there are Arrow is told by the page's header: what we found, or as many as were written.
            right = as_arrow_reads(kind, pages.DELTA_BINARY_PACKED, count if isinstance(ours[0], str) else ours[0].size, body)
            if isinstance(ours[0], str):
                # Blocks of more miniblocks than we keep widths of, and outputs larger than we allow, are not asked about.
                assert right is None or ours[0] in ("too_many_miniblocks", "no_room") or _says_more(body, count), (ours[0], body.hex())
            else:
                accepted += 1
                assert right is not None and (ours[0] == right.to_numpy()).all(), body.hex()
    assert accepted > MUTANTS // 4


def _says_more(body: bytes, count: int) -> bool:
    """Whether a page of deltas says that it holds more values than Arrow was asked for: it does not look at the others."""
    at = 0
    for _ in range(3):
        total, at = pages.varint(body, at)
    return total > count
