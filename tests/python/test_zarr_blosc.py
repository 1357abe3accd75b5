"""Blosc in Zarr and numcodecs: Zarr 2's own default, in all its shuffles, levels and sizes, and chunks that say otherwise than
the array's metadata do. Compared with what was written, and with what zarr reads of the same files.
"""

import itertools
import struct
import warnings

import numpy as np
import pytest

import sluice_codecs as sluice
from blosc_chunks import BYTES, WHOLE, chunk, good

zarr = pytest.importorskip("zarr", minversion="3.1.3", reason="zarr is not installed: pip install 'sluice-codecs[zarr]'")
numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed: pip install 'sluice-codecs[zarr]'")
pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")

from test_zarr import batches, check_selections, values, written  # noqa: F401
from test_zarr_hostile import chunk_file

OURS, LEFT = ["lz4", "lz4hc", "blosclz", "zlib"], ["zstd"]
SHUFFLES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}
CHUNK_BYTES = 130 * 40 * 4  # of written()


def blosc(zarr_format, cname="lz4", level=5, shuffle=1, **more):
    if zarr_format == 2:
        return numcodecs.Blosc(cname, level, shuffle, **more)
    return zarr.codecs.BloscCodec(cname=cname, clevel=level, shuffle=SHUFFLES[shuffle], **more)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("cname", OURS)
def test_shuffles_levels_and_types(tmp_path, batches, cname, zarr_format):
    """Chunks at the edge are whole in the file and cut by the array; 130 rows make blocks of odd numbers of elements."""
    dtypes = itertools.cycle(["u1", "<i2", ">f4", "f8", "c16", "bool", "S3", "S17", "V7"][: 9 if zarr_format == 2 else 6])
    for number, (level, shuffle) in enumerate(itertools.product((0, 1, 5, 9), SHUFFLES)):
        dtype = next(dtypes)
        data = values().astype(dtype) if dtype[0] != "V" else np.frombuffer(values().tobytes()[: 7 * 20_000], dtype).reshape(1000, 20)
        path = tmp_path / str(number)
        written(path, data, zarr_format=zarr_format, compressors=blosc(zarr_format, cname, level, shuffle),
                         chunks=((130, 17), (1000, 40), (17, 20))[number % 3])
        del batches[:]
        theirs = zarr.open_array(path, mode="r")
        ours = sluice.zarr.reopen(theirs)
        assert (ours[:] == data).all() and ours[:].dtype == theirs[:].dtype, (dtype, level, shuffle)
        assert (ours[3:611, 5:] == data[3:611, 5:]).all() and len(batches) == 3
        assert ours.metadata == theirs.metadata


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_large_chunks_in_many_blocks(tmp_path, batches, zarr_format):
    data = values((3000, 300), "f8")
    for number, shuffle in enumerate(SHUFFLES):
        written(tmp_path / str(number), data, zarr_format=zarr_format, compressors=blosc(zarr_format, "lz4", 9, shuffle), chunks=(1100, 300))
        with sluice.zarr.use():
            array = zarr.open_array(tmp_path / str(number), mode="r")
            assert (array[:] == data).all()
            assert (array[1099:2203:5, 7] == data[1099:2203:5, 7]).all()
    assert batches == [3, 2] * 3


def test_names_of_zarr_3(tmp_path, batches):
    data = values()
    theirs = zarr.registry.get_codec_class("numcodecs.blosc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codec = theirs.from_dict({"name": "numcodecs.blosc", "configuration": {"cname": "blosclz", "shuffle": 2}})
    written(tmp_path / "a", data, compressors=codec)
    check_selections(sluice.zarr.reopen(zarr.open_array(tmp_path / "a")), data)
    assert batches[0] == 8
    del batches[:]
    written(tmp_path / "b", data, compressors=blosc(3), chunks=(50, 40), shards=(500, 40))
    assert (sluice.zarr.reopen(zarr.open_array(tmp_path / "b"))[:] == data).all() and sorted(batches) == [10, 10]
    del batches[:]
    assert sluice.zarr.blosc
    with zarr.config.set({"codecs.blosc": "sluice_codecs.zarr.blosc"}):
        ours = zarr.create_array(tmp_path / "c", shape=data.shape, chunks=(100, 40), dtype="i4",
                                 compressors={"name": "blosc", "configuration": {"cname": "lz4"}})
        ours[:] = data  # its element's size comes from the array
        assert (ours[:] == data).all() and batches
        left = zarr.create_array(tmp_path / "d", shape=data.shape, chunks=(100, 40), dtype="i4",
                                 compressors={"name": "blosc", "configuration": {"cname": "zstd"}})
        left[:] = data
        assert (left[:] == data).all()
    assert '"typesize": 4' in (tmp_path / "c/zarr.json").read_text() and '"typesize": 4' in (tmp_path / "d/zarr.json").read_text()
    assert (zarr.open_array(tmp_path / "c")[:] == data).all()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_missing_and_empty_chunks(tmp_path, batches, zarr_format):
    array = zarr.create_array(tmp_path / "a", shape=(1000, 40), chunks=(130, 40), dtype="f4", fill_value=7, compressors=blosc(zarr_format),
                              zarr_format=zarr_format)
    array = sluice.zarr.reopen(array)
    assert (array[:] == 7).all() and not batches
    array[100:300, 5] = 1.5
    expected = np.full((1000, 40), 7, "f4")
    expected[100:300, 5] = 1.5
    assert (array[:] == expected).all() and batches == [3]
    with zarr.config.set({"array.write_empty_chunks": True}):
        full = written(tmp_path / "b", np.zeros((1000, 40), "i8"), zarr_format=zarr_format, compressors=blosc(zarr_format))
    assert not sluice.zarr.reopen(full)[:].any() and batches[-1] == 8
    for number, shape in enumerate([(0,), (0, 5), ()]):
        nothing = zarr.create_array(tmp_path / f"c{number}", shape=shape, dtype="f8", compressors=blosc(zarr_format), zarr_format=zarr_format)
        nothing[...] = 3.0
        assert (sluice.zarr.reopen(nothing)[...] == nothing[...]).all() and sluice.zarr.reopen(nothing)[...].shape == shape
    words = np.array([f"word {i} " * (i % 7) for i in range(300)])
    array = zarr.create_array(tmp_path / "d", shape=(300,), chunks=(40,), dtype=str, zarr_format=zarr_format, compressors=blosc(zarr_format))
    array[:] = words  # of no fixed size: that comes from the chunks
    assert (sluice.zarr.reopen(array)[:] == words).all()


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("cname", LEFT)
def test_other_compressors_are_left_to_zarr(tmp_path, batches, cname, zarr_format):
    data = values()
    array = written(tmp_path, data, zarr_format=zarr_format, compressors=blosc(zarr_format, cname))
    assert (sluice.zarr.reopen(array)[:] == data).all() and not batches
    # What stands in the chunks is asked of nobody then: zarr's own codec decodes whatever they are.
    file = chunk_file(tmp_path, zarr_format, 1)
    file.write_bytes(numcodecs.Blosc("lz4").encode(data[130:260]))
    assert (sluice.zarr.reopen(array)[:] == data).all() and not batches
    with sluice.numcodecs.use():
        codec = numcodecs.Blosc(cname)
        assert bytes(numcodecs.get_codec(codec.get_config()).decode(codec.encode(b"text" * 100))) == b"text" * 100
    assert not batches


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_chunks_that_say_otherwise(tmp_path, batches, zarr_format):
    """Metadata say LZ4; some chunks were written with other settings, as by a program that changed its mind."""
    data = values()
    array = sluice.zarr.reopen(written(tmp_path, data, zarr_format=zarr_format, compressors=blosc(zarr_format)))
    other = [numcodecs.Blosc("zstd", 5, 1), numcodecs.Blosc("zlib", 1, 0), numcodecs.Blosc("zstd", 9, 2), numcodecs.Blosc("blosclz", 9, 2)]
    for index, codec in zip((0, 3, 4, 6), other):
        chunk_file(tmp_path, zarr_format, index).write_bytes(codec.encode(data[130 * index : 130 * index + 130]))
    assert (zarr.open_array(tmp_path, mode="r")[:] == data).all()  # zarr's own
    check_selections(array, data)
    assert batches[0] == 8
    # One that is neither ours nor any good is named, as are those whose size lies.
    bad = bytearray(other[0].encode(data[:130]))
    bad[60:] = bytes(len(bad) - 60)
    for packed, reason in ((bytes(bad), "numcodecs"), (numcodecs.Blosc("zstd").encode(bytes(CHUNK_BYTES + 4)), "wrong_size"),
                           (numcodecs.Blosc("zlib").encode(bytes(CHUNK_BYTES - 4)), "wrong_size"),
                           (numcodecs.Blosc("zstd").encode(data[:130])[:-3], "end_of_input")):
        chunk_file(tmp_path, zarr_format, 5).write_bytes(packed)
        for selection in (slice(None), slice(700, 710)):
            with pytest.raises(sluice.DecodeError, match="/0: " if zarr_format == 3 else r"5\.0: ") as caught:
                array[selection]
            assert caught.value.reason == reason, caught.value


def test_blocks_larger_than_ours(tmp_path, batches):
    """A shuffled block takes memory; one of more than 4 MiB, which numcodecs does not write, is left to it."""
    data = values((3000, 400), "f8")
    array = written(tmp_path, data, zarr_format=2, compressors=numcodecs.Blosc(), chunks=(3000, 400))
    by_place = np.ascontiguousarray(data.view("u1").reshape(-1, 8).T).tobytes()
    chunk_file(tmp_path, 2, 0).write_bytes(chunk([[by_place]], data.nbytes, data.nbytes, flags=BYTES | WHOLE, type_size=8))
    with pytest.raises(sluice.DecodeError, match="block_too_large"):
        sluice.decode("blosc", chunk_file(tmp_path, 2, 0).read_bytes())
    assert (array[:] == data).all() and (sluice.zarr.reopen(array)[:] == data).all() and batches == [1]


def test_chunks_of_unknown_size(tmp_path):
    """Behind another compressor, and in numcodecs, outputs are given what the chunks' headers say."""
    data = values()
    for number, cname in enumerate(["lz4", "blosclz"]):
        array = written(tmp_path / str(number), data, compressors=[blosc(3, cname), zarr.codecs.Crc32cCodec(), zarr.codecs.GzipCodec()])
        assert (sluice.zarr.reopen(array)[:] == data).all()
        array = written(tmp_path / f"f{number}", data, compressors=blosc(2, cname), zarr_format=2, filters=[numcodecs.Delta("i4")])
        assert (sluice.zarr.reopen(array)[3:] == data[3:]).all()
    ours = sluice.numcodecs.Blosc("lz4")
    for codec in (numcodecs.Blosc(cname, 5, shuffle) for cname in OURS + LEFT for shuffle in SHUFFLES):
        for text in (b"x", b"text " * 1000, bytes(3_000_000)):
            made = ours.decode(codec.encode(text))
            assert made.tobytes() == text and made.flags.writeable
            out = bytearray(len(text))
            assert ours.decode(codec.encode(text), out=out) is out and out == text
            with pytest.raises(sluice.DecodeError):
                ours.decode(codec.encode(text), out=bytearray(len(text) + 1))
    assert ours.decode(good()["snappy"][0]).tobytes() == b"abcabcabc"  # which numcodecs itself was built without
    assert sluice.numcodecs.Blosc("snappy").decode(good()["snappy"][0]).tobytes() == b"abcabcabc"


def test_headers_that_lie(monkeypatch):
    """What nobody knows better than the header costs no memory that the chunk can't fill."""
    ours, rooms = sluice.numcodecs.Blosc("lz4"), []
    decode = sluice.Decoder.decode_batch

    def watched(self, chunks, out, sizes, **options):
        rooms.extend(sizes)
        return decode(self, chunks, out, sizes, **options)

    monkeypatch.setattr(sluice.Decoder, "decode_batch", watched)
    plain = ours.encode(b"text " * 1000)
    for told in (1, 4999, 5001, 2**31 - 1, 2**32 - 1):
        for packed in (plain, numcodecs.Blosc("zstd").encode(b"text " * 1000)):
            with pytest.raises(sluice.DecodeError) as caught:
                ours.decode(packed[:4] + struct.pack("<I", told) + packed[8:])
            assert caught.value.reason, told
    assert max(rooms) <= 1032 * len(plain) + 64
    for length in range(16):
        with pytest.raises(sluice.DecodeError) as caught:
            ours.decode(plain[:length])
        assert caught.value.reason == "end_of_input"
    with pytest.raises(sluice.DecodeError) as caught:
        ours.decode(plain + b"!")
    assert caught.value.reason == "trailing_bytes"


def test_as_a_format_of_sluice(tmp_path):
    """By Sluice's own name nothing is left to others."""
    codec = sluice.numcodecs.Sluice("blosc")
    assert codec.decode(codec.encode(b"text " * 1000)).tobytes() == b"text " * 1000
    with pytest.raises(sluice.DecodeError) as caught:
        codec.decode(numcodecs.Blosc("zstd").encode(b"text " * 1000))
    assert caught.value.reason == "zstd_not_supported"
