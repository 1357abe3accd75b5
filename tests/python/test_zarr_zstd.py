"""zstd in Zarr and numcodecs: Zarr 3's own default. Frames of all kinds beside numcodecs, which decodes a chunk at once where
libzstd's streams are what the codec is checked against elsewhere; and damaged ones, which both must judge alike.
"""

import random
import struct
import warnings

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import ROOT, text_of
from zstd_chunks import BLOCK, MAGIC, SKIPPABLE, block, frame, run

zarr = pytest.importorskip("zarr", minversion="3.1.3", reason="zarr is not installed: pip install 'sluice-codecs[zarr]'")
numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed: pip install 'sluice-codecs[zarr]'")
pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")

from test_zarr import batches, check_selections, values, written  # noqa: F401
from test_zarr_hostile import chunk_file

ours, theirs = sluice.numcodecs.Zstd(), numcodecs.Zstd()
TEXT = text_of(300_000)
CHUNK_BYTES = 130 * 40 * 4  # of written()
MUTANTS = 1500


def zstd(zarr_format, level=0, checksum=False):
    return numcodecs.Zstd(level, checksum) if zarr_format == 2 else zarr.codecs.ZstdCodec(level=level, checksum=checksum)


def without_size(data: bytes, checksum: bool = False) -> bytes:
    """numcodecs' frame of the data, as a stream would be written: a window in the place of the size."""
    packed = numcodecs.Zstd(3, checksum).encode(data)
    flags = packed[4]
    width = (int(bool(flags & 0x20)), 2, 4, 8)[flags >> 6]
    behind = 5 + (not flags & 0x20) + width
    return struct.pack("<IBB", MAGIC, flags & 4, 13 << 3) + packed[behind:]


GOOD = {
    "sized": theirs.encode(TEXT),
    "unsized": without_size(TEXT),
    "sized, checksum": numcodecs.Zstd(5, True).encode(TEXT),
    "unsized, checksum": without_size(TEXT, True),
    "two": theirs.encode(TEXT[:1000]) + theirs.encode(TEXT[1000:]),
    "sized and unsized": theirs.encode(TEXT[:1000]) + without_size(TEXT[1000:], True),
    "unsized and sized": without_size(TEXT[:1000]) + numcodecs.Zstd(-1, True).encode(TEXT[1000:]),
    "one of nothing": theirs.encode(b"") + theirs.encode(TEXT),
    "skippable": SKIPPABLE + theirs.encode(TEXT[:1000]) + SKIPPABLE + SKIPPABLE + theirs.encode(TEXT[1000:]) + SKIPPABLE,
    "skippable, unsized": SKIPPABLE + without_size(TEXT) + SKIPPABLE,
    "raw": frame(TEXT),
    "raw, unsized": frame(TEXT, window_log=20, told=None),
}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_levels_checksums_and_types(tmp_path, batches, zarr_format):
    for number, (level, checksum, dtype) in enumerate([(0, False, "i4"), (1, True, "u1"), (9, False, "<i2"), (22, True, ">f4"), (-7, True, "f8")]):
        data = values().astype(dtype)
        path = tmp_path / str(number)
        written(path, data, zarr_format=zarr_format, compressors=zstd(zarr_format, level, checksum), chunks=((130, 17), (1000, 40), (17, 20))[number % 3])
        del batches[:]
        other = zarr.open_array(path, mode="r")
        array = sluice.zarr.reopen(other)
        assert (array[:] == data).all() and array[:].dtype == other[:].dtype, (level, dtype)
        assert (array[3:611, 5:] == data[3:611, 5:]).all() and len(batches) == 3
        assert array.metadata == other.metadata


def test_names_of_zarr_3(tmp_path, batches):
    data = values()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codec = zarr.registry.get_codec_class("numcodecs.zstd").from_dict({"name": "numcodecs.zstd", "configuration": {"level": 3}})
    written(tmp_path / "a", data, compressors=codec)
    check_selections(sluice.zarr.reopen(zarr.open_array(tmp_path / "a")), data)
    assert batches[0] == 8
    del batches[:]
    default = zarr.create_array(tmp_path / "b", shape=data.shape, chunks=(130, 40), dtype="i4")
    default[:] = data
    assert type(default.compressors[0]) is zarr.codecs.ZstdCodec
    assert (sluice.zarr.reopen(default)[:] == data).all() and batches == [8]
    del batches[:]
    assert sluice.zarr.zstd
    with zarr.config.set({"codecs.zstd": "sluice_codecs.zarr.zstd"}):
        array = zarr.create_array(tmp_path / "c", shape=data.shape, chunks=(100, 40), dtype="i4", compressors={"name": "zstd", "configuration": {"level": 7}})
        array[:] = data
        assert (array[:] == data).all() and batches
    assert (zarr.open_array(tmp_path / "c")[:] == data).all() and '"level": 7' in (tmp_path / "c/zarr.json").read_text()


@pytest.mark.parametrize("packed", GOOD.values(), ids=GOOD.keys())
def test_frames_of_all_kinds(tmp_path, packed):
    assert bytes(theirs.decode(packed)) == TEXT
    made = ours.decode(packed)
    assert made.tobytes() == TEXT and made.flags.writeable
    out = np.empty(len(TEXT), np.uint8)
    assert ours.decode(packed, out=out) is out and out.tobytes() == TEXT
    for size in (0, len(TEXT) - 1, len(TEXT) + 1):
        with pytest.raises(sluice.DecodeError):
            ours.decode(packed, out=bytearray(size))
    for zarr_format in (2, 3):
        array = zarr.create_array(tmp_path / str(zarr_format), shape=(len(TEXT), ), chunks=(len(TEXT), ), dtype="u1", compressors=zstd(zarr_format),
                                  zarr_format=zarr_format)
        array[:] = 1
        (tmp_path / str(zarr_format) / ("0" if zarr_format == 2 else "c/0")).write_bytes(packed)
        assert array[:].tobytes() == sluice.zarr.reopen(array)[:].tobytes() == TEXT
        assert sluice.zarr.reopen(array)[1000:2000].tobytes() == TEXT[1000:2000]


def test_nothing(tmp_path):
    """No bytes are no frame for numcodecs, and none here. It does not decode what it makes of nothing, either; that we do."""
    for decode in (theirs.decode, ours.decode):
        with pytest.raises((RuntimeError, sluice.DecodeError)):
            decode(b"")
    assert ours.decode(theirs.encode(b"")).tobytes() == b"" == ours.decode(without_size(b"")).tobytes()
    words = zarr.create_array(tmp_path, shape=(6,), chunks=(3,), dtype=str, compressors=zstd(3))
    words[:] = np.array(["", "a", "bc", "word", "", "words"])
    array = sluice.zarr.reopen(words)
    assert array[:].tolist() == words[:].tolist()
    (tmp_path / "c/1").write_bytes(b"")  # of no size that anybody knows
    with pytest.raises(sluice.DecodeError, match="c/1: ") as caught:
        array[:]
    assert caught.value.reason == "wrong_size" and caught.value.chunk == 1


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_windows_that_streams_do_not_have(tmp_path, batches, zarr_format):
    """numcodecs decodes frames of known size at once, whatever their window; we leave those above 128 MiB to it."""
    data = values()
    other = written(tmp_path, data, zarr_format=zarr_format, compressors=zstd(zarr_format))
    array = sluice.zarr.reopen(other)
    for index, window_log in ((0, 28), (3, 31), (4, 27)):
        chunk_file(tmp_path, zarr_format, index).write_bytes(frame(data[130 * index : 130 * index + 130].tobytes(), window_log=window_log))
    assert (other[:] == data).all()
    check_selections(array, data)
    assert batches[0] == 8
    part = data[650:780].tobytes()
    two = frame(part[:9]) + SKIPPABLE + frame(part[9:], window_log=30)
    chunk_file(tmp_path, zarr_format, 5).write_bytes(two)
    assert (array[:] == data).all() and (other[:] == data).all()
    # Others' windows are refused, and so is a size that is not true.
    short, long = frame(part[:-4], window_log=30), frame(part + b"more", window_log=30)
    for packed, reason in ((frame(part, window_log=32), "numcodecs"), (short, "wrong_size"), (long, "wrong_size"),
                           (frame(part[:-4], window_log=30, told=CHUNK_BYTES), "numcodecs"),
                           (frame(part, window_log=30, told=2**62), "wrong_size"), (two + two, "wrong_size"),
                           (frame(part, window_log=30)[:-3], "numcodecs"), (frame(part[:-4], window_log=30, told=None), "numcodecs")):
        chunk_file(tmp_path, zarr_format, 5).write_bytes(packed)
        for selection in (slice(None), slice(700, 710)):
            with pytest.raises(sluice.DecodeError, match="/0: " if zarr_format == 3 else r"5\.0: ") as caught:
                array[selection]
            assert caught.value.reason == reason, (packed[:20], caught.value)
            assert caught.value.chunk == (5 if selection.start is None else 0)


def test_windows_of_chunks_of_unknown_size():
    assert ours.decode(frame(TEXT, window_log=31)).tobytes() == TEXT
    out = bytearray(len(TEXT))
    assert ours.decode(frame(TEXT, window_log=31, told=None), out=out) is out and out == TEXT
    for codec, error in ((theirs, RuntimeError), (ours, sluice.DecodeError)):  # a stream, for numcodecs
        with pytest.raises(error):
            codec.decode(frame(TEXT, window_log=28, told=None))
    # No memory for what the frame's bytes can't stand for: a block of 128 KiB takes four at least.
    with pytest.raises(sluice.DecodeError, match="can't stand for") as caught:
        ours.decode(frame(TEXT, window_log=28, told=2**45))
    assert caught.value.reason == "wrong_size"
    most = 300
    runs = b"".join(run(5, BLOCK, last=number == most - 1) for number in range(most))
    made = ours.decode(frame(b"", window_log=28, told=most * BLOCK, blocks=runs))
    assert made.nbytes == most * BLOCK and (made == 5).all()


def test_headers_that_lie(monkeypatch):
    """What a frame says of its size is believed by nobody: rooms are what the input may well need."""
    rooms = []
    decode = sluice.Decoder.decode_batch

    def watched(self, chunks, out, sizes, **options):
        rooms.append(sizes)
        return decode(self, chunks, out, sizes, **options)

    monkeypatch.setattr(sluice.Decoder, "decode_batch", watched)
    for told in (0, 1, 4999, 5001, 2**31, 2**40, 2**63, 2**64 - 3):  # 2**64 - 1 means "unknown" to libzstd, whose number for that it is
        packed = frame(b"text " * 1000, window_log=20, told=told)
        for codec, errors in ((theirs, (RuntimeError, MemoryError, SystemError)), (ours, sluice.DecodeError)):
            with pytest.raises(errors):
                codec.decode(packed)
    assert rooms == [None] * 8
    with pytest.raises(sluice.DecodeError) as caught:
        ours.decode(frame(b"text", told=2**40))  # a single segment, whose window that is
    assert caught.value.reason == "wrong_size"


# Where the description goes by RFC 8878 and libzstd does not look: the reasons of the policies by which we refuse.
POLICIES = [line.split("\t") for line in (ROOT / "codecs/zstd/policies.tsv").read_text().splitlines() if not line.startswith("#")]
REFUSED_BY_US = {evidence for _, library, _, who, evidence, _ in POLICIES if (library, who) == ("libzstd", "we_refuse")}
LONGER_CODES = "bad_weights"  # of 12 bits, which libzstd reads and RFC 8878 does not have


def both(packed: bytes, size: int | None = None):
    """(what we make of a chunk, or our reason of refusal; the same of numcodecs, or None)"""
    out = None if size is None else np.empty(size, np.uint8)
    try:
        made = ours.decode(packed, out=out).tobytes()
    except sluice.DecodeError as error:
        made = error.reason
    try:
        right = bytes(theirs.decode(packed))
    except (RuntimeError, MemoryError, SystemError):
        right = None
    return made, right


def check_judged_alike(packed: bytes, what: str) -> bool:
    """Whether it is accepted."""
    made, right = both(packed)
    if isinstance(made, str):
        assert right is None or made in REFUSED_BY_US | {LONGER_CODES}, (what, made, packed.hex())
        return False
    assert right == made or (right is None and made == b""), (what, packed.hex())  # of nothing numcodecs makes an error
    return True


def test_vectors_are_judged_as_by_numcodecs():
    accepted = 0
    for path in sorted((ROOT / "codecs/zstd/vectors").glob("*.in")):
        accepted += check_judged_alike(path.read_bytes(), path.name)
    assert accepted > 20


@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("sized", [True, False])
def test_damaged_frames_are_judged_as_by_numcodecs(sized, checksum):
    chance = random.Random(2 * sized + checksum)
    accepted = refused = 0
    numbers = values((200, 5)).tobytes()
    for data, level in ((TEXT[:900], 3), (TEXT[:6000], 1), (TEXT[:3000] * 3, 19), (numbers, 3), (bytes(5000), 3), (chance.randbytes(300), 3)):
        packed = numcodecs.Zstd(level, checksum).encode(data) if sized else without_size(data, checksum)
        assert bytes(theirs.decode(packed)) == data
        for mutant in mutants(packed, chance):
            if check_judged_alike(mutant, f"level {level}"):
                accepted += 1
            else:
                refused += 1
    assert refused > MUTANTS
    assert accepted > 100 or checksum


def mutants(packed: bytes, chance: random.Random):
    """The frame with some bits turned, most of them in front; or cut; or with bytes behind it."""
    for _ in range(MUTANTS // 3):
        mutant = bytearray(packed)
        for _ in range(chance.randint(1, 2)):
            bit = chance.randrange(8 * min(len(packed), chance.choice((8, 40, 150, len(packed)))))
            mutant[bit // 8] ^= 1 << bit % 8
        if chance.random() < 0.1:
            mutant = mutant[: chance.randrange(len(packed))]
        elif chance.random() < 0.1:
            mutant += chance.choice((b"\0", b"abcd", SKIPPABLE, SKIPPABLE[:-1], packed, packed[:-1]))
        yield bytes(mutant)


def test_blocks_by_hand():
    end = block(b"end", last=True)
    for blocks, made in ((run(1, BLOCK, last=True), b"\1" * BLOCK), (run(1, BLOCK, last=False) + end, b"\1" * BLOCK + b"end"),
                         (block(b"", last=False) + end, b"end"), (run(1, 0, last=False) + end, b"end")):
        for told in (None, len(made)):
            assert both(frame(b"", window_log=20, told=told, blocks=blocks)) == (made, made)
    bad = {"too large": run(1, BLOCK + 1, last=True), "no last": block(b"end", last=False), "reserved": b"\x07\0\0",
           "nothing compressed": b"\x05\0\0", "more": end + b"more"}
    for name, blocks in bad.items():
        for told in (None, 3):
            made, right = both(frame(b"", window_log=20, told=told, blocks=blocks))
            assert isinstance(made, str), name
            assert right is None or name == "nothing compressed", name  # which libzstd takes for an empty block
