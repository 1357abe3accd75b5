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
MOST_ASKED = 100_000  # values of a page that Arrow is asked for


def written(array, encoding: str, **options) -> list[pages.Page]:
    """The pages of a column without nulls, as Arrow writes it with this encoding."""
    field = arrow.field("a", array.type, nullable=False)
    file = io.BytesIO()
    parquet.write_table(arrow.table([array], arrow.schema([field])), file, compression="none",
                        **{"use_dictionary": False, "column_encoding": {"a": encoding}} | options)
    return list(pages.pages_of(file.getvalue()))


def as_arrow_reads(kind: int, encoding: int, values: int, body: bytes, **options):
    """The column of a file with this page alone; None when Arrow refuses it."""
    try:
        file = pages.file_of(kind, encoding, values, body, **options)
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


# PLAIN

@pytest.fixture(scope="module")
def plain():
    names = ("parquet_plain", "parquet_plain_booleans", "parquet_plain_strings", "parquet_plain_lengths")
    return {name: [sluice.Decoder(name, target=target) for target in TARGETS] for name in names}


def strings_of(count: int, longest: int, seed: int) -> list[bytes]:
    chance = random.Random(seed)
    return [chance.randbytes(chance.randint(0, longest)) for _ in range(count)]


def column_of(made, count, chance):
    """Values of a NumPy type, or of so many bytes each, and the array that Arrow has of them."""
    if isinstance(made, int):
        values = np.frombuffer(chance.bytes(made * count), f"V{made}")
        return values, arrow.array([value.tobytes() for value in values], arrow.binary(made))
    values = (chance.random(count) * 1e4).astype(made)
    return values, arrow.array(values)


@pytest.mark.parametrize("made", ["float32", "float64", "int32", "int64", "float16", 3, 300])
def test_plain_values_that_arrow_writes(made, plain):
    chance = np.random.default_rng(2)
    for count in (1, 17, 1000, 70_000 if isinstance(made, str) else 9000):
        values, array = column_of(made, count, chance)
        found = written(array, "PLAIN")
        assert all(page.encoding == pages.PLAIN for page in found)
        for decoder in plain["parquet_plain"]:
            for told in ([{} for _ in found], [{"values": page.values} for page in found]):
                arguments = [{"size": values.itemsize} | more for more in told]
                parts = [decoder.decode(page.body, arguments=given).tobytes() for page, given in zip(found, arguments)]
                assert b"".join(parts) == values.tobytes(), (count, told)


def test_plain_int96_that_arrow_writes(plain):
    times = np.random.default_rng(3).integers(0, 1 << 60, 5000)
    found = written(arrow.array(times, arrow.timestamp("ns")), "PLAIN", use_deprecated_int96_timestamps=True)
    day = 86_400 * 10**9  # in nanoseconds; days are counted from noon of 4713 BC on
    for decoder in plain["parquet_plain"]:
        made = b"".join(decoder.decode(page.body, arguments={"size": 12, "values": page.values}).tobytes() for page in found)
        values = np.frombuffer(made, np.dtype([("within", "<u8"), ("days", "<u4")]))
        assert ((values["days"].astype("i8") - 2_440_588) * day + values["within"].astype("i8") == times).all()


def test_plain_booleans_that_arrow_writes(plain):
    for count in (1, 7, 8, 9, 5000):
        values = np.random.default_rng(count).integers(0, 2, count).astype(bool)
        found = written(arrow.array(values), "PLAIN")
        assert all(page.encoding == pages.PLAIN for page in found)
        for decoder in plain["parquet_plain_booleans"]:
            made = [decoder.decode(page.body, arguments={"values": page.values}) for page in found]
            assert (np.concatenate(made) == values).all(), count


def test_plain_strings_that_arrow_writes(plain):
    for count, longest in ((1, 5), (33, 0), (1000, 1), (3000, 30), (200, 5000)):
        values = strings_of(count, longest, count)
        found = written(arrow.array(values, arrow.binary()), "PLAIN")
        assert all(page.encoding == pages.PLAIN for page in found)
        for strings, lengths in zip(plain["parquet_plain_strings"], plain["parquet_plain_lengths"]):
            for told in ([{} for _ in found], [{"values": page.values} for page in found]):
                made = [strings.decode(page.body, arguments=more).tobytes() for page, more in zip(found, told)]
                assert b"".join(made) == b"".join(values), (count, longest)
                made = [lengths.decode(page.body, arguments=more) for page, more in zip(found, told)]
                assert np.concatenate(made).tolist() == [len(value) for value in values], (count, longest)


def test_strings_with_offsets_that_arrow_writes():
    decoders = [sluice.Decoder("parquet_strings", target=target) for target in TARGETS]
    for count, longest in ((1, 5), (33, 0), (1000, 1), (3000, 30), (200, 5000)):
        values = arrow.array(strings_of(count, longest, count), arrow.binary())
        (page,) = written(values, "PLAIN")
        for decoder in decoders:
            assert decoder.outputs == {"output": np.dtype("u1"), "offsets": np.dtype("i4")}
            for told in ({}, {"values": count}):
                made = decoder.decode(page.body, arguments=told)
                assert list(made) == ["output", "offsets"]
                buffers = [arrow.py_buffer(made["offsets"]), arrow.py_buffer(made["output"])]
                assert arrow.Array.from_buffers(arrow.binary(), count, [None, *buffers]) == values, (count, longest)
            sizes = decoder.decoded_sizes([page.body])
            assert sizes["output"][0] == len(made["output"]) and sizes["offsets"][0] == count + 1
            batch, statuses = decoder.decode_batch([page.body, page.body[:-1] if longest else b"1"], errors="return")
            assert (batch[0]["offsets"] == made["offsets"]).all() and batch[0]["output"].tobytes() == made["output"].tobytes()
            assert batch[1] is None and statuses[1].error.reason == "end_of_input"
            with pytest.raises(ValueError, match="several outputs"):
                decoder.decode(page.body, out=bytearray(10))
            with pytest.raises(sluice.OutputLimitError):
                decoder.decode(page.body, max_output=2)


@pytest.mark.parametrize("kind, width, codec", [("DOUBLE", 8, "parquet_plain"), ("INT32", 4, "parquet_plain"), ("INT96", 12, "parquet_plain"),
                                                ("FIXED_LEN_BYTE_ARRAY", 5, "parquet_plain"), ("BOOLEAN", 0, "parquet_plain_booleans")])
def test_sizes_of_plain_pages_are_judged_as_by_arrow(kind, width, codec, plain):
    accepted = 0
    for size in range(40):
        body = bytes(range(1, size + 1))
        for values in {1, max(size // (width or 1), 1), size // (width or 1) + 1, 8 * size, 8 * size + 1} - {0}:
            arguments = {"values": values} | ({"size": width} if width else {})
            ours = [verdict(decoder, body, arguments=arguments) for decoder in plain[codec]]
            fixed = {"width": width} if kind == "FIXED_LEN_BYTE_ARRAY" else {}
            right = as_arrow_reads(getattr(pages, kind), pages.PLAIN, values, body, **fixed)
            assert all(isinstance(made, str) == (right is None) for made in ours), (size, values)
            if right is None:
                continue
            accepted += 1
            assert ours[0].tobytes() == ours[1].tobytes(), (size, values)
            if kind == "BOOLEAN":
                assert (ours[0] == right.to_numpy(zero_copy_only=False)).all(), (size, values)
            elif kind != "INT96":  # of which Arrow makes times
                assert ours[0].tobytes() == right.buffers()[1].to_pybytes()[:width * values], (size, values)
    assert accepted > 40


def test_damaged_plain_strings_are_judged_as_by_arrow(plain):
    chance = random.Random(12)
    accepted = 0
    for count, longest in ((3, 9), (40, 20), (150, 3), (60, 0)):
        (page,) = written(arrow.array(strings_of(count, longest, 8), arrow.binary()), "PLAIN")
        for body in mutants(page.body, chance):
            values = count if chance.random() < 0.5 else chance.randint(1, count)
            ours = [verdict(decoder, body, arguments={"values": values}) for decoder in plain["parquet_plain_strings"]]
            sizes = [verdict(decoder, body, arguments={"values": values}) for decoder in plain["parquet_plain_lengths"]]
            assert str(ours[0]) == str(ours[1]) and str(sizes[0]) == str(sizes[1]), body.hex()
            right = as_arrow_reads(pages.BYTE_ARRAY, pages.PLAIN, values, body)
            assert isinstance(ours[0], str) == isinstance(sizes[0], str) == (right is None), (values, body.hex())
            if right is not None:
                accepted += 1
                assert ours[0].tobytes() == b"".join(right.to_pylist()), (values, body.hex())
                assert sizes[0].tolist() == [len(value) for value in right.to_pylist()], (values, body.hex())
                both = sluice.decode("parquet_strings", body, arguments={"values": values})
                assert both["output"].tobytes() == ours[0].tobytes(), (values, body.hex())
                assert both["offsets"].tolist() == np.cumsum([0, *sizes[0].tolist()]).tolist(), (values, body.hex())
            else:
                with pytest.raises(sluice.DecodeError):
                    sluice.decode("parquet_strings", body, arguments={"values": values})
    assert accepted > MUTANTS // 4


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
            total = total_of(body, count)
            if not 0 < total < MOST_ASKED:
                continue
            right = as_arrow_reads(kind, pages.DELTA_BINARY_PACKED, total, body)
            if isinstance(ours[0], str):
                assert right is None or ours[0] == "too_many_miniblocks", (ours[0], body.hex())  # Arrow keeps any number of widths
            else:
                accepted += 1
                assert right is not None and (ours[0] == right.to_numpy()).all(), body.hex()
    assert accepted > MUTANTS // 4


def total_of(body: bytes, known: int) -> int:
    """How many values a page of deltas says it has, which Arrow is told by the page's header; `known`, where that is cut."""
    at = total = 0
    for _ in range(3):
        if not any(byte < 128 for byte in body[at:]):
            return known
        total, at = pages.varint(body, at)
    return total


# Runs and bit-packed numbers: indices of dictionaries, booleans

DICTIONARY = np.arange(3000, dtype="<i4") * 7


def indices_of(count: int, entries: int, mean_run: int, seed: int) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return np.repeat(chance.integers(0, entries, count), chance.geometric(1 / mean_run, count))[:count]


def mutants_of_runs():
    """Bodies of runs and groups of any kind, as (width, values, body)."""
    chance = random.Random(4)
    for _ in range(MUTANTS):
        width, body, values = chance.choice((0, 1, 3, 8, 9, 11)), b"", 0
        for _ in range(chance.randint(1, 4)):
            count = chance.choice((0, 1, 2, 3, 5, 70))
            if chance.random() < 0.5:
                body += pages.put_varint(count << 1) + chance.randbytes((width + 7) // 8)
                values += count
            else:
                body += pages.put_varint(count << 1 | 1) + chance.randbytes(count * width)
                values += 8 * count
        yield width, max(values - chance.randint(-2, 12), 1), body[: len(body) - chance.choice((0, 0, 0, 1, 2, 5))]


@pytest.fixture(scope="module")
def hybrids():
    return {name: [sluice.Decoder(name, target=target) for target in TARGETS] for name in ("parquet_rle", "parquet_levels")}


def test_indices_that_arrow_writes(hybrids):
    for entries in (1, 2, 50, 3000):
        for mean_run in (1, 3, 30):
            values = DICTIONARY[indices_of(50_000, entries, mean_run, entries + mean_run)]
            found = written(arrow.array(values), "PLAIN", use_dictionary=True, column_encoding=None)
            dictionary = np.frombuffer(found[0].body, "<i4")
            for page in found[1:]:
                assert page.encoding in (pages.RLE_DICTIONARY, pages.PLAIN_DICTIONARY)
            for decoder in hybrids["parquet_rle"]:
                made = [decoder.decode(page.body, arguments={"values": page.values}) for page in found[1:]]
                assert (dictionary[np.concatenate(made)] == values).all(), (entries, mean_run)


def test_damaged_indices_are_judged_as_by_arrow(hybrids):
    accepted = 0
    for width, values, body in mutants_of_runs():
        page = bytes([width]) + body
        ours = [verdict(decoder, page, arguments={"values": values}) for decoder in hybrids["parquet_rle"]]
        assert str(ours[0]) == str(ours[1]), page.hex()
        right = as_arrow_reads(pages.INT32, pages.RLE_DICTIONARY, values, page, dictionary=DICTIONARY.tobytes())
        if not isinstance(ours[0], str) and (ours[0] < len(DICTIONARY)).all():
            accepted += 1
            assert right is not None and (DICTIONARY[ours[0]] == right.to_numpy()).all(), (values, page.hex())
        else:  # or an index that the dictionary does not have
            assert right is None, (ours[0], values, page.hex())
    assert accepted > MUTANTS // 8


def test_booleans_that_arrow_writes(hybrids):
    for count in (1, 9, 5000):
        values = indices_of(count, 2, 5, count).astype(bool)
        (page,) = written(arrow.array(values), "RLE", data_page_version="2.0")
        assert page.encoding == pages.RLE
        for decoder in hybrids["parquet_levels"]:
            assert (decoder.decode(page.body[page.levels:], arguments={"values": page.values}) == values).all(), count


def test_damaged_booleans_are_judged_as_by_arrow(hybrids):
    for width, values, body in mutants_of_runs():
        if width != 1:
            continue
        page = len(body).to_bytes(4, "little") + body
        ours = [verdict(decoder, page, arguments={"values": values}) for decoder in hybrids["parquet_levels"]]
        assert str(ours[0]) == str(ours[1]), page.hex()
        right = as_arrow_reads(pages.BOOLEAN, pages.RLE, values, page)
        if right is None:
            assert isinstance(ours[0], str), (values, page.hex())
        else:  # Arrow takes the lowest bit of a run's value
            assert not isinstance(ours[0], str) and (ours[0] % 2 == right.to_numpy(zero_copy_only=False)).all(), (ours[0], values, page.hex())


def test_levels_that_arrow_writes(hybrids):
    present = indices_of(4000, 2, 6, 2).astype(bool)
    file = io.BytesIO()
    parquet.write_table(arrow.table({"a": arrow.array(np.arange(4000), mask=~present)}), file, compression="none", use_dictionary=False)
    (page,) = pages.pages_of(file.getvalue())
    for decoder in hybrids["parquet_levels"]:
        assert (decoder.decode(page.body, arguments={"values": page.values}) == present).all()


# BYTE_STREAM_SPLIT

@pytest.fixture(scope="module")
def splits():
    return [sluice.Decoder("parquet_byte_stream_split", target=target) for target in TARGETS]


@pytest.mark.parametrize("made", ["float32", "float64", "int32", "int64", "float16", 3, 16])
def test_bytes_apart_that_arrow_writes(made, splits):
    chance = np.random.default_rng(1)
    for count in (1, 17, 1000, 70_000):
        values, array = column_of(made, count, chance)
        found = written(array, "BYTE_STREAM_SPLIT")
        assert all(page.encoding == pages.BYTE_STREAM_SPLIT for page in found)
        for decoder in splits:
            parts = [decoder.decode(page.body, arguments={"size": values.itemsize}).tobytes() for page in found]
            assert b"".join(parts) == values.tobytes(), count


def test_sizes_of_bytes_apart_are_judged_as_by_arrow(splits):
    for size in range(1, 40):
        body = bytes(range(size))
        ours = [verdict(decoder, body, arguments={"size": 8}) for decoder in splits]
        right = as_arrow_reads(pages.DOUBLE, pages.BYTE_STREAM_SPLIT, max(size // 8, 1), body)
        assert all(isinstance(made, str) == (right is None) for made in ours), size
        assert right is None or ours[0].tobytes() == ours[1].tobytes() == right.to_numpy().tobytes()


# DELTA_LENGTH_BYTE_ARRAY

@pytest.fixture(scope="module")
def strings():
    return [sluice.Decoder("parquet_delta_length", target=target) for target in TARGETS]


def test_strings_that_arrow_writes(strings, deltas):
    for count, longest in ((1, 5), (33, 0), (1000, 1), (3000, 30), (200, 5000)):
        values = strings_of(count, longest, count)
        found = written(arrow.array(values, arrow.binary()), "DELTA_LENGTH_BYTE_ARRAY")
        for decoder, lengths in zip(strings, deltas[32]):
            assert b"".join(decoder.decode(page.body).tobytes() for page in found) == b"".join(values), (count, longest)
            assert np.concatenate([lengths.decode(page.body) for page in found]).tolist() == [len(value) for value in values]


# DELTA_BYTE_ARRAY

@pytest.fixture(scope="module")
def prefixed():
    return [sluice.Decoder("parquet_delta_strings", target=target) for target in TARGETS]


def sorted_strings(count: int, longest: int, seed: int) -> list[bytes]:
    chance = random.Random(seed)
    return sorted(bytes(chance.choices(b"ab", k=chance.randint(0, longest))) for _ in range(count))


def test_prefixed_strings_that_arrow_writes(prefixed, deltas):
    for count, longest in ((1, 5), (33, 0), (1000, 4), (3000, 30), (200, 5000)):
        values = sorted_strings(count, longest, count)
        found = written(arrow.array(values, arrow.binary()), "DELTA_BYTE_ARRAY")
        for decoder in prefixed:
            assert b"".join(decoder.decode(page.body).tobytes() for page in found) == b"".join(values), (count, longest)


# Damaged strings of both kinds

def rests_beyond(body: bytes, strings: int, lengths: sluice.Decoder) -> bool:
    """Whether a page of prefixed strings has more rests than strings; `lengths` decodes the prefixes' lengths in front."""
    _, (prefixes,) = lengths.decode_batch([body], errors="return")
    return prefixes.ok and total_of(body[prefixes.consumed:], 0) > strings


@pytest.mark.parametrize("encoding, seed", [("DELTA_LENGTH_BYTE_ARRAY", 9), ("DELTA_BYTE_ARRAY", 11)])
def test_damaged_strings_are_judged_as_by_arrow(encoding, seed, strings, prefixed, deltas):
    decoders, values_of = (strings, strings_of) if encoding == "DELTA_LENGTH_BYTE_ARRAY" else (prefixed, sorted_strings)
    chance = random.Random(seed)
    accepted, left = 0, set()
    for count, longest in ((3, 9), (40, 20), (150, 3), (60, 0)):
        (page,) = written(arrow.array(values_of(count, longest, 8), arrow.binary()), encoding)
        for body in mutants(page.body, chance):
            ours = [verdict(decoder, body) for decoder in decoders]
            assert str(ours[0]) == str(ours[1]), body.hex()
            total = total_of(body, count)
            if not 0 < total < MOST_ASKED:
                continue
            right = as_arrow_reads(pages.BYTE_ARRAY, getattr(pages, encoding), total, body)
            if not isinstance(ours[0], str):
                accepted += 1
                assert right is not None and ours[0].tobytes() == b"".join(right.to_pylist()), body.hex()
            elif right is not None:
                # Arrow does not look at lengths of rests that no string has: where there are more, they may be anything.
                assert decoders is prefixed and ours[0] in ("negative_length", "bad_width"), (ours[0], body.hex())
                assert rests_beyond(body, total, deltas[32][1]), (ours[0], body.hex())
                left.add(ours[0])
    assert accepted > MUTANTS // 4
    assert ("negative_length" in left) == (decoders is prefixed)
