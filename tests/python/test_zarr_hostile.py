"""Zarr arrays that are damaged, or lie about themselves: an error that names the chunk, and never more memory than told."""

import bz2
import gzip
import threading
import zlib

import pytest

import sluice_codecs as sluice

zarr = pytest.importorskip("zarr", minversion="3.1.3", reason="zarr is not installed: pip install 'sluice-codecs[zarr]'")
numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed: pip install 'sluice-codecs[zarr]'")
pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")

from test_zarr import IDS, values, written

PACK = {"gzip": gzip.compress, "zlib": zlib.compress, "bz2": bz2.compress, "lz4": lambda data: numcodecs.LZ4().encode(data),
        "blosc": lambda data: numcodecs.Blosc().encode(data), "zstd": lambda data: numcodecs.Zstd().encode(data)}


def chunk_file(path, zarr_format, index):
    return path / "c" / str(index) / "0" if zarr_format == 3 else path / f"{index}.0"


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", IDS)
def test_a_corrupt_chunk_is_named(tmp_path, name, zarr_format):
    data = values()
    written(tmp_path, data, name, zarr_format)
    file = chunk_file(tmp_path, zarr_format, 5)
    good = file.read_bytes()
    array = sluice.zarr.reopen(zarr.open_array(tmp_path, mode="r"))
    for bad in (good[: len(good) // 2], b"", good[:5], b"\xff" * len(good), bytes(200), good[:-1]):
        file.write_bytes(bad)
        with pytest.raises(sluice.DecodeError) as caught:
            array[:]
        error = caught.value
        key = "c/5/0" if zarr_format == 3 else "5.0"
        assert error.chunk == 5 and f"{key}: " in str(error) and error.reason, error
        assert isinstance(error, ValueError)
        assert (array[:500] == data[:500]).all()  # the others are all right
        assert (error.line > 0 and ".sluice" in error.file) or error.reason == "wrong_size"
    file.write_bytes(good)
    assert (array[:] == data).all()


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", IDS)
def test_a_chunk_whose_decoded_size_lies(tmp_path, name, zarr_format):
    data = values()
    written(tmp_path, data, name, zarr_format)
    file = chunk_file(tmp_path, zarr_format, 2)
    nbytes = 130 * 40 * 4
    array = sluice.zarr.reopen(zarr.open_array(tmp_path, mode="r"))
    for size in (0, 1, nbytes - 1, nbytes + 1, 20_000_000):
        file.write_bytes(PACK[name](bytes(size)))
        for selection in (slice(None), slice(270, 300)):  # decoded to where it belongs, and elsewhere
            with pytest.raises(sluice.DecodeError) as caught:
                array[selection]
            assert isinstance(caught.value, sluice.OutputLimitError) or caught.value.reason == "wrong_size"


def test_headers_of_lz4_that_lie(tmp_path):
    data = values()
    written(tmp_path, data, "lz4")
    file = chunk_file(tmp_path, 3, 0)
    block = file.read_bytes()[4:]
    array = sluice.zarr.reopen(zarr.open_array(tmp_path, mode="r"))
    for told in (0, 100, 130 * 40 * 4 - 1, 2**31, 2**32 - 1):
        file.write_bytes(told.to_bytes(4, "little") + block)
        with pytest.raises(sluice.DecodeError, match="its header says"):
            array[:]
    # Where nobody knows better than the header, it can't promise more than LZ4 can pack into so many bytes.
    codec = sluice.numcodecs.LZ4()
    for told in (2**31, 2**32 - 1):
        with pytest.raises(sluice.DecodeError, match="can't stand for"):
            codec.decode(told.to_bytes(4, "little") + block)
    with pytest.raises(sluice.DecodeError):
        codec.decode((len(data) * 3).to_bytes(4, "little") + block)
    for short in (b"", b"\1", b"\1\0\0"):
        with pytest.raises(sluice.DecodeError, match="alone takes 4"):
            codec.decode(short)


def test_in_a_chain_and_in_a_shard(tmp_path):
    from test_zarr import compressor

    data = values()
    written(tmp_path / "a", data, compressors=[compressor("lz4"), compressor("gzip")])
    chunk_file(tmp_path / "a", 3, 3).write_bytes(gzip.compress(b"\1\0\0\0nothing"))
    with pytest.raises(sluice.DecodeError, match="c/3/0: ") as caught:
        sluice.zarr.reopen(zarr.open_array(tmp_path / "a", mode="r"))[:]
    assert caught.value.chunk == 3
    written(tmp_path / "b", data, "gzip", chunks=(50, 40), shards=(500, 40))
    shard = tmp_path / "b/c/1/0"
    broken = bytearray(shard.read_bytes())
    broken[10:40] = bytes(30)
    shard.write_bytes(broken)
    array = sluice.zarr.reopen(zarr.open_array(tmp_path / "b", mode="r"))
    assert (array[:500] == data[:500]).all()
    with pytest.raises(sluice.DecodeError, match=r"c/1/0: inner chunk \(\d+, 0\): "):
        array[500:]


def test_checksums_are_verified(tmp_path):
    data = values()
    written(tmp_path, data, "gzip")
    file = chunk_file(tmp_path, 3, 1)
    broken = bytearray(file.read_bytes())
    broken[-6] ^= 1
    file.write_bytes(broken)
    with pytest.raises(sluice.DecodeError) as caught:
        sluice.zarr.reopen(zarr.open_array(tmp_path, mode="r"))[:]
    assert caught.value.reason == "bad_crc32"


def test_many_threads_and_arrays(tmp_path):
    data = values((3000, 40))
    for name in IDS:
        written(tmp_path / name, data, name, chunks=(17, 40))
    faults = []

    def work(number):
        try:
            array = sluice.zarr.reopen(zarr.open_array(tmp_path / IDS[number % len(IDS)], mode="r"))
            for i in range(6):
                start = (number * 313 + i * 97) % 2500
                if not (array[start : start + 450] == data[start : start + 450]).all():
                    faults.append((number, i))
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_refused_read_leaves_others_alone(tmp_path):
    """An output that the caller gave, read into by chunks: a later good read fills all of it."""
    data = values()
    written(tmp_path, data, "zlib")
    file = chunk_file(tmp_path, 3, 4)
    good = file.read_bytes()
    out = zarr.core.buffer.cpu.NDBuffer.create(shape=data.shape, dtype="i4")
    array = sluice.zarr.reopen(zarr.open_array(tmp_path, mode="r"))
    file.write_bytes(good[:-9])
    with pytest.raises(sluice.DecodeError):
        array.get_basic_selection(slice(None), out=out)
    file.write_bytes(good)
    array.get_basic_selection(slice(None), out=out)
    assert (out.as_numpy_array() == data).all()
