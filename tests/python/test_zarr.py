"""Zarr arrays, read by Sluice: what zarr and numcodecs themselves write, in Zarr 2 and 3, compared with what they read."""

import pickle
import warnings

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import ROOT

zarr = pytest.importorskip("zarr", minversion="3.1.3", reason="zarr is not installed: pip install 'sluice-codecs[zarr]'")
numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed: pip install 'sluice-codecs[zarr]'")
pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")

IDS = ["gzip", "lz4", "zlib", "bz2", "blosc", "zstd"]


def compressor(name: str, zarr_format: int = 3):
    """zarr's own codec of a name, as arrays have it."""
    if zarr_format == 2:
        return numcodecs.get_codec({"id": name})
    if name == "gzip":
        return zarr.codecs.GzipCodec(level=5)
    if name == "blosc":
        return zarr.codecs.BloscCodec(cname="lz4")
    if name == "zstd":
        return zarr.codecs.ZstdCodec()  # what new arrays of Zarr 3 have
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zarr.registry.get_codec_class("numcodecs." + name).from_dict({"name": "numcodecs." + name, "configuration": {}})


def values(shape=(1000, 40), dtype="i4", seed=1) -> np.ndarray:
    steps = np.random.default_rng(seed).integers(-3, 4, shape)
    return np.cumsum(steps, axis=0).astype(dtype)


def written(path, data, name="gzip", zarr_format=3, **options):
    options.setdefault("chunks", (130, 40))
    options.setdefault("compressors", compressor(name, zarr_format))
    array = zarr.create_array(path, shape=data.shape, dtype=options.pop("dtype", data.dtype), zarr_format=zarr_format, **options)
    array[...] = data
    return array


@pytest.fixture
def batches(monkeypatch):
    """The sizes of the batches that are decoded, and no pass that counts outputs."""
    sizes = []
    decode = sluice.Decoder.decode_batch

    def counted(self, chunks, *rest, **options):
        sizes.append(len(chunks))
        return decode(self, chunks, *rest, **options)

    def never(*_arguments, **_options):
        raise AssertionError("sizes are known: nothing need be counted")

    monkeypatch.setattr(sluice.Decoder, "decode_batch", counted)
    monkeypatch.setattr(sluice.Decoder, "decoded_sizes", never)
    return sizes


def check_selections(array, data):
    assert (array[:] == data).all()
    assert (array[5:700, 3:7] == data[5:700, 3:7]).all()
    assert (array[::7, ::3] == data[::7, ::3]).all()
    assert (array[17] == data[17]).all() and array[17, 3] == data[17, 3]
    assert (array.vindex[[5, 170, 999], [3, 4, 39]] == data[[5, 170, 999], [3, 4, 39]]).all()
    assert (array.oindex[[5, 17, 600], :] == data[[5, 17, 600], :]).all()
    assert (array.blocks[2] == data[260:390]).all()


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", IDS)
def test_what_zarr_writes(tmp_path, batches, name, zarr_format):
    data = values()
    written(tmp_path / "a", data, name, zarr_format)
    check_selections(zarr.open_array(tmp_path / "a", mode="r"), data)
    assert not batches
    with sluice.zarr.use():
        array = zarr.open_array(tmp_path / "a", mode="r")
        metadata = array.metadata.to_dict()
        assert (array[:] == data).all()
        assert batches == [8]
        check_selections(array, data)
    assert metadata == zarr.open_array(tmp_path / "a", mode="r").metadata.to_dict()


@pytest.mark.parametrize("chunks", [(130, 40), (130, 17), (1000, 40), (1, 40), (999, 39)])
@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i4", "f8", "c16", "bool"])
def test_shapes_and_types(tmp_path, batches, dtype, chunks):
    data = values((1000 if chunks[0] > 1 else 200, 40)).astype(dtype)  # a file for each chunk takes its time
    theirs = written(tmp_path / "a", data, "zlib", chunks=chunks)
    array = sluice.zarr.reopen(theirs)
    assert (array[:] == data).all() and array[:].dtype == theirs[:].dtype
    assert len(batches) == 2
    assert (sluice.zarr.reopen(zarr.open_array(tmp_path / "a"))[:] == data).all()
    columns = written(tmp_path / "b", data, "lz4", 2, chunks=chunks, order="F")
    assert (sluice.zarr.reopen(columns)[3:, 1:] == data[3:, 1:]).all()


def test_a_large_read_is_few_batches(tmp_path, batches):
    data = values((4000, 64))
    written(tmp_path / "a", data, chunks=(10, 64))
    with sluice.zarr.use():
        assert (zarr.open_array(tmp_path / "a", mode="r")[:] == data).all()
    assert batches == [400]
    del batches[:]
    with sluice.zarr.use(batch_bytes=10 * 64 * 4 * 150):
        assert (zarr.open_array(tmp_path / "a", mode="r")[:] == data).all()
    assert sorted(batches) == [100, 150, 150]
    del batches[:]
    with sluice.zarr.use(batch_bytes=1):
        assert (zarr.open_array(tmp_path / "a", mode="r")[:50] == data[:50]).all()
    assert batches == [1] * 5
    with pytest.raises(ValueError):
        sluice.zarr.use(batch_bytes=0)


def test_use_can_be_undone(tmp_path, batches):
    data = values()
    array = written(tmp_path / "a", data)
    before = zarr.config.get("codec_pipeline")
    switch = sluice.zarr.use()
    inner = sluice.zarr.use(batch_bytes=1000)
    inner.undo()
    assert zarr.config.get("codec_pipeline.batch_bytes") == sluice.zarr.BATCH_BYTES
    held = zarr.open_array(tmp_path / "a", mode="r")
    switch.undo()
    switch.undo()
    assert zarr.config.get("codec_pipeline") == before
    assert (array[:] == data).all() and (zarr.open_array(tmp_path / "a")[:] == data).all() and not batches
    assert (held[:] == data).all() and batches == [8]  # what was opened meanwhile stays ours


def test_reopened_arrays_travel(tmp_path, batches):
    data = values()
    array = sluice.zarr.reopen(written(tmp_path / "a", data))
    again = pickle.loads(pickle.dumps(array))
    assert (again[:] == data).all() and batches == [8]
    twin = sluice.zarr.reopen(array._async_array)
    assert type(twin) is zarr.AsyncArray
    with pytest.raises(TypeError, match="Zarr array"):
        sluice.zarr.reopen(data)


def test_some_codecs_alone(tmp_path, batches):
    data = values()
    for name in ("gzip", "zstd"):
        for zarr_format in (2, 3):
            written(tmp_path / f"{name}{zarr_format}", data, name, zarr_format)
        written(tmp_path / f"{name}s", data, name, chunks=(50, 40), shards=(500, 40))
    before = zarr.config.get("codec_pipeline")
    for kind, decoded in (("2", [8]), ("3", [8]), ("s", [10, 10])):
        with sluice.zarr.use(codecs=["gzip", "blosc"]):
            ours, theirs = (zarr.open_array(tmp_path / (name + kind), mode="r") for name in ("gzip", "zstd"))
        for _ in range(2):
            assert (theirs[:] == data).all() and not batches
            assert (ours[:] == data).all() and batches == decoded
            ours, theirs = pickle.loads(pickle.dumps((ours, theirs)))  # what was chosen goes along
            del batches[:]
        left = sluice.zarr.reopen(ours, codecs=["zstd"])
        assert (left[:] == data).all() and (sluice.zarr.reopen(theirs, codecs=["zstd"])[:] == data).all() and batches
        del batches[:]
    assert zarr.config.get("codec_pipeline") == before
    chain = written(tmp_path / "chain", data, compressors=[compressor("lz4"), compressor("zstd")])
    assert (sluice.zarr.reopen(chain, codecs=["lz4"])[:] == data).all() and batches == [8]
    for bad, kind in ((["gzip", "lzma"], ValueError), ("gzip", TypeError)):
        with pytest.raises(kind, match="codecs: "):
            sluice.zarr.use(codecs=bad)
        with pytest.raises(kind, match="codecs: "):
            sluice.zarr.reopen(chain, codecs=bad)
    assert zarr.config.get("codec_pipeline") == before


@pytest.mark.parametrize("name", ["gzip", "lz4", "zstd"])
def test_shards(tmp_path, batches, name):
    data = values()
    written(tmp_path / "a", data, name, chunks=(50, 40), shards=(500, 40))
    array = sluice.zarr.reopen(zarr.open_array(tmp_path / "a", mode="r"))
    check_selections_of = [(slice(None),), (slice(5, 700), slice(3, 7)), (17,)]
    assert (array[:] == data).all() and sorted(batches) == [10, 10]
    for selection in check_selections_of:
        assert (array[selection] == data[selection]).all()


def test_missing_chunks_and_writing(tmp_path, batches):
    array = zarr.create_array(tmp_path / "a", shape=(1000, 40), chunks=(130, 40), dtype="f4", fill_value=7, compressors=compressor("lz4"))
    array = sluice.zarr.reopen(array)
    assert (array[:] == 7).all() and not batches
    array[100:300, 5] = 1.5
    expected = np.full((1000, 40), 7, "f4")
    expected[100:300, 5] = 1.5
    assert (array[:] == expected).all() and (zarr.open_array(tmp_path / "a")[:] == expected).all()
    array[260:400] = expected[260:400] = values((140, 40), "f4")
    assert (array[:] == expected).all()


def test_other_codecs_in_the_chain(tmp_path):
    """Filters, checksums, two compressors: where a chunk's size is not the array's, it is found out."""
    data = values(dtype="i4")
    chains = [
        {"compressors": [compressor("gzip"), zarr.codecs.Crc32cCodec()]},
        {"compressors": [zarr.codecs.Crc32cCodec(), compressor("zlib")]},
        {"compressors": [compressor("lz4"), compressor("gzip"), compressor("lz4")]},
        {"compressors": [compressor("bz2"), zarr.codecs.ZstdCodec(checksum=True)]},
        {"compressors": [zarr.codecs.ZstdCodec(level=-3), compressor("gzip")], "filters": [zarr.codecs.TransposeCodec(order=(1, 0))]},
        {"compressors": [compressor("gzip")], "filters": [zarr.codecs.TransposeCodec(order=(1, 0))]},
        {"compressors": [compressor("gzip")], "serializer": zarr.codecs.BytesCodec(endian="big")},
        {"compressors": zarr.codecs.ZstdCodec()},
        {"compressors": None},
        {"compressors": compressor("zlib", 2), "zarr_format": 2, "filters": [numcodecs.Delta("i4")]},
        {"compressors": numcodecs.Blosc(), "zarr_format": 2},
    ]
    for index, options in enumerate(chains):
        array = written(tmp_path / str(index), data, **options)
        assert (sluice.zarr.reopen(array)[:] == data).all(), options
        assert (sluice.zarr.reopen(array)[7:300:3] == data[7:300:3]).all(), options


def test_strings_and_objects(tmp_path):
    words = np.array([f"word {i} " * (i % 7) for i in range(300)])
    array = zarr.create_array(tmp_path / "a", shape=(300,), chunks=(40,), dtype=str, compressors=compressor("gzip"))
    array[:] = words
    assert (sluice.zarr.reopen(array)[:] == words).all()
    array = zarr.create_array(tmp_path / "b", shape=(300,), chunks=(40,), dtype=str, zarr_format=2, compressors=compressor("lz4", 2))
    array[:] = words
    assert (sluice.zarr.reopen(array)[:] == words).all()
    fixed = zarr.create_array(tmp_path / "c", shape=(300,), chunks=(40,), dtype="U12", compressors=compressor("gzip"))
    fixed[:] = words
    assert (sluice.zarr.reopen(fixed)[:] == fixed[:]).all()
    pairs = np.array([(i, i / 3) for i in range(300)], [("a", "i4"), ("b", "f8")])
    array = zarr.create_array(tmp_path / "d", shape=(300,), chunks=(40,), dtype=pairs.dtype, zarr_format=2, compressors=compressor("zlib", 2))
    array[:] = pairs
    assert (sluice.zarr.reopen(array)[:] == pairs).all()
    scalar = zarr.create_array(tmp_path / "e", shape=(), dtype="f8", compressors=compressor("gzip"))
    scalar[...] = 4.25
    assert sluice.zarr.reopen(scalar)[()] == 4.25


def test_codecs_by_zarrs_own_configuration(tmp_path, batches):
    data = values()
    written(tmp_path / "a", data)
    assert sluice.zarr.gzip  # loaded, and so registered
    with zarr.config.set({"codecs.gzip": "sluice_codecs.zarr.gzip", "codec_pipeline.batch_size": 5}):
        array = zarr.open_array(tmp_path / "a", mode="r")
        assert (array[:] == data).all()
    assert sum(batches) == 8 and array.metadata.to_dict() == zarr.open_array(tmp_path / "a").metadata.to_dict()
    with zarr.config.set({"codecs": zarr.config.get("codecs") | {"numcodecs.lz4": "sluice_codecs.zarr.numcodecs_lz4"}}):
        ours = zarr.create_array(tmp_path / "b", shape=data.shape, chunks=(100, 40), dtype="i4",
                                 compressors={"name": "numcodecs.lz4", "configuration": {"acceleration": 3}})
        ours[:] = data
        assert (ours[:] == data).all()
    assert (zarr.open_array(tmp_path / "b")[:] == data).all()


def test_formats_of_ones_own(tmp_path):
    data = np.frombuffer(b"what a column of words may look like, with repetitions, " * 4000, np.uint8)
    for name in ("fsst", "gompresso_byte", "zlib", "bzip2", "zstd"):
        array = zarr.create_array(tmp_path / name, shape=data.shape, chunks=(20_000,), dtype="u1", compressors=sluice.zarr.SluiceCodec(name))
        array[:] = data
        assert (zarr.open_array(tmp_path / name)[:] == data).all() and array.nbytes_stored() < data.size / 2
        assert (sluice.zarr.reopen(array)[:] == data).all()
    codec = sluice.zarr.SluiceCodec(ROOT / "examples/tinyrle/tinyrle.sluice")
    array = zarr.create_array(tmp_path / "own", shape=(920,), chunks=(460,), dtype="u1", compressors=codec)
    for chunk in "01":
        (tmp_path / "own/c").mkdir(exist_ok=True)
        (tmp_path / "own/c" / chunk).write_bytes((ROOT / "examples/tinyrle/gate.trle").read_bytes())
    gate = (ROOT / "examples/tinyrle/gate.txt").read_bytes()
    assert zarr.open_array(tmp_path / "own", mode="r")[:].tobytes() == gate * 2
    assert "format tinyrle" in (tmp_path / "own/zarr.json").read_text()
    with pytest.raises(NotImplementedError, match="no encoder"):
        array[:] = 1
    column = sluice.zarr.SluiceCodec("orc_rle_v2", {"T": "i32"})
    array = zarr.create_array(tmp_path / "column", shape=(10,), chunks=(5,), dtype="i4", compressors=column)
    (tmp_path / "column/c").mkdir()
    for chunk in "01":  # a short repeat of five: 10000, as ORC's specification has it
        (tmp_path / "column/c" / chunk).write_bytes(bytes([0x0A, 0x27, 0x10]))
    assert sluice.zarr.reopen(array)[:].tolist() == array[:].tolist() == [5000] * 10
    for bad in ("no_such_codec", "dir/x.sluicea", "evil.sluice"):
        with pytest.raises(ValueError, match="there is no codec"):
            sluice.zarr.SluiceCodec(bad)
    array = zarr.create_array(tmp_path / "bad", shape=(5,), dtype="u1", compressors=sluice.zarr.SluiceCodec("format x\n  input\n"))
    (tmp_path / "bad/c").mkdir()
    (tmp_path / "bad/c/0").write_bytes(b"12345")
    with pytest.raises(sluice.SpecError):
        array[:]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_what_is_left_to_the_library(tmp_path, batches, monkeypatch, zarr_format):
    """A codec that Sluice decodes with some of its parameters alone, as containers of several formats are."""
    from sluice_codecs._adopted import ADOPTED, Framing

    monkeypatch.setitem(ADOPTED, "gzip", Framing("gzip", only=("level", (7, 8))))
    data = values()
    for level in (1, 7):
        codec = zarr.codecs.GzipCodec(level=level) if zarr_format == 3 else numcodecs.GZip(level)
        array = written(tmp_path / str(level), data, zarr_format=zarr_format, compressors=codec)
        assert (sluice.zarr.reopen(array)[:] == data).all()
        ours = sluice.numcodecs.GZip(level)
        assert bytes(ours.decode(ours.encode(b"text"))) == b"text"
    assert batches == [8, 1]
