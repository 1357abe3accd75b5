"""numcodecs' codecs by Sluice: its ids and framings, its way with buffers, and our own formats as codecs."""

import importlib.metadata
import os
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import ROOT, text_of
from sluice_codecs._adopted import adopted

numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed: pip install 'sluice-codecs[zarr]'")
assert sluice.numcodecs.Sluice  # in the build tree nothing registers it but loading it

CONFIGS = [{"id": "gzip", "level": 6}, {"id": "zlib", "level": 1}, {"id": "bz2", "level": 9}, {"id": "lz4", "acceleration": 5},
           *({"id": "zstd", "level": level, "checksum": checksum} for level, checksum in ((0, False), (1, True), (19, True), (-5, False))),
           *({"id": "blosc", "cname": cname, "clevel": 5, "shuffle": shuffle, "blocksize": 0}
             for cname, shuffle in (("lz4", 1), ("lz4hc", 2), ("blosclz", 0), ("lz4", -1), ("zlib", 1), ("zstd", 2)))]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: "-".join(map(str, config.values())))
def test_what_numcodecs_writes(config, corpus):
    theirs = numcodecs.get_codec(config)
    with sluice.numcodecs.use():
        ours = numcodecs.get_codec(config)
    assert isinstance(ours, sluice.numcodecs.Adopted) and type(numcodecs.get_codec(config)) is type(theirs)
    assert ours.get_config() == theirs.get_config() == config and ours == theirs and repr(ours) == repr(theirs)
    assert pickle.loads(pickle.dumps(ours)) == ours
    for name, data in corpus.items():
        packed = theirs.encode(data)
        if not data and adopted(config["id"], config) is None:
            continue  # left to numcodecs, whose Blosc does not decode what it makes of nothing; nor does its zstd
        assert bytes(ours.decode(packed)) == data, name
        assert not data or bytes(theirs.decode(ours.encode(data))) == data
        if data:
            out = np.empty(len(data), np.uint8)
            assert ours.decode(packed, out=out) is out and out.tobytes() == data
            assert bytes(ours.decode(np.frombuffer(packed, np.int8))) == data
    numbers = np.arange(1000, dtype="f4").reshape(10, 100)
    out = np.empty((10, 100), "f4")
    ours.decode(memoryview(theirs.encode(numbers)), out=out)
    assert (out == numbers).all()
    ours.decode(theirs.encode(numbers), out=bytearray(4000))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: "-".join(map(str, config.values())))
def test_buffers_that_won_t_do(config):
    codec = sluice.numcodecs.CODECS[config["id"]].from_config({})
    packed = codec.encode(b"text " * 1000)
    assert bytes(codec.decode(packed)) == b"text " * 1000
    for bad in (np.frombuffer(bytes(packed) * 2, np.uint8)[::2], "text", None, np.array([b"a", None], object)):
        with pytest.raises((ValueError, TypeError)):
            codec.decode(bad)
    wide = np.empty(10_000, np.uint8)
    for out in (wide[::2], np.empty(4999, np.uint8), np.empty(5001, np.uint8), np.empty(5000, object)):
        with pytest.raises((ValueError, TypeError)):
            codec.decode(packed, out=out)
    frozen = np.zeros(5000, np.uint8)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, TypeError, BufferError)):
        codec.decode(packed, out=frozen)
    assert not frozen.any()


def test_what_stands_behind_the_data():
    """As numcodecs has it where that is known to be damage: a gzip chunk ends with its last member."""
    gzip, bz2 = sluice.numcodecs.GZip(), sluice.numcodecs.BZ2()
    assert bytes(gzip.decode(gzip.encode(b"one") + gzip.encode(b"two"))) == b"onetwo"
    assert bytes(bz2.decode(bz2.encode(b"one") + b"garbage")) == b"one"
    for codec in (gzip, sluice.numcodecs.Zlib(), sluice.numcodecs.LZ4(), sluice.numcodecs.Zstd()):
        with pytest.raises(sluice.DecodeError):
            codec.decode(codec.encode(b"one") + b"garbage")


def test_our_formats_as_codecs():
    text = text_of(100_000)
    for spec in ("fsst", "gompresso_bit", "gzip", "bzip2", "zstd"):
        codec = numcodecs.get_codec({"id": "sluice", "spec": spec})
        assert numcodecs.get_codec(codec.get_config()) == codec
        packed = codec.encode(text)
        assert len(packed) < len(text) and bytes(codec.decode(packed)) == text
    column = numcodecs.get_codec({"id": "sluice", "spec": "orc_rle_v2", "parameters": {"T": "i32"}})
    assert column.decode(bytes([0x0A, 0x27, 0x10])).view("i4").tolist() == [5000] * 5
    with pytest.raises(NotImplementedError, match="no encoder for orc_rle_v2"):
        column.encode(b"1234")
    own = sluice.numcodecs.Sluice(ROOT / "examples/tinyrle/tinyrle.sluice")
    assert own.get_config()["spec"].startswith("# tinyrle")
    assert bytes(numcodecs.get_codec(own.get_config()).decode((ROOT / "examples/tinyrle/gate.trle").read_bytes())) == \
        (ROOT / "examples/tinyrle/gate.txt").read_bytes()
    for bad, kind in (("no_such_codec", ValueError), ("dir/x.sluicea", ValueError), (5, TypeError), (Path("/no/such"), OSError)):
        with pytest.raises(kind):
            sluice.numcodecs.Sluice(bad)


def test_some_of_them():
    """`use` of a few leaves the others where they were."""
    with sluice.numcodecs.use(codecs=["gzip", "lz4"]):
        for name in sluice.numcodecs.CODECS:
            assert isinstance(numcodecs.get_codec({"id": name}), sluice.numcodecs.Adopted) == (name in ("gzip", "lz4"))
    with sluice.numcodecs.use(codecs=set(sluice.numcodecs.CODECS) - {"zstd"}):
        assert type(numcodecs.get_codec({"id": "zstd"})) is numcodecs.Zstd
    assert type(numcodecs.get_codec({"id": "gzip"})) is numcodecs.GZip
    for bad, kind in ((["gzip", "lzma"], ValueError), ("gzip", TypeError), ([5], ValueError)):
        with pytest.raises(kind, match="codecs: "):
            sluice.numcodecs.use(codecs=bad)
    assert type(numcodecs.get_codec({"id": "gzip"})) is numcodecs.GZip


def entry_points() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]


def test_entry_points(tmp_path):
    """As an installed wheel has them: nobody else's name changes hands, and ours are found without an import of ours."""
    try:
        importlib.metadata.distribution("sluice-codecs")
        search = []
    except importlib.metadata.PackageNotFoundError:  # the build tree: what a wheel's metadata would be
        info = tmp_path / "sluice_codecs-0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sluice-codecs\nVersion: 0\n")
        lines = []
        for group, entries in entry_points().items():
            lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        search = [str(tmp_path)]
    script = """
import sys, numcodecs
codec = numcodecs.get_codec({"id": "sluice", "spec": "gzip"})
assert type(codec).__module__ == "sluice_codecs.numcodecs"
for name in ("gzip", "zlib", "bz2", "lz4", "zstd"):
    assert type(numcodecs.get_codec({"id": name})).__module__.startswith("numcodecs."), name
try:
    import zarr
except ImportError:
    print("no zarr")
    raise SystemExit
from zarr.registry import get_codec_class, get_pipeline_class
assert get_codec_class("sluice").__module__.startswith("sluice_codecs.")
for name in ("gzip", "numcodecs.lz4", "numcodecs.zlib", "numcodecs.bz2", "zstd", "blosc"):
    assert get_codec_class(name).__module__.startswith("zarr."), name
assert get_pipeline_class().__module__.startswith("zarr.")
for name in ("gzip", "blosc", "zstd"):
    with zarr.config.set({f"codecs.{name}": f"sluice_codecs.zarr.{name}", "codec_pipeline.path": "sluice_codecs.zarr.Pipeline"}):
        assert get_codec_class(name).__module__ == get_pipeline_class().__module__ == "sluice_codecs.zarr"
print("with zarr")
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*search, *filter(None, [os.environ.get("PYTHONPATH")])]))
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout in ("with zarr\n", "no zarr\n"), done.stdout + done.stderr


def test_by_environment_alone(tmp_path):
    """A process that runs no code of ours: workers of Dask are switched so."""
    pytest.importorskip("zarr", minversion="3.1.3", reason="zarr is not installed: pip install 'sluice-codecs[zarr]'")
    script = "import sluice_codecs as s; s.zarr; import zarr; z = zarr.create_array({}, shape=(4,), dtype='i4', compressors=zarr.codecs.GzipCodec());" \
        "z[:] = [1, 2, 3, 4]; print(type(z._async_array.codec_pipeline).__module__," \
        "[type(c).__name__ for c in z._async_array.codec_pipeline][1:], z[:].tolist())"
    for more, codec in (({}, "AdoptedCodec"), ({"ZARR_CODEC_PIPELINE__ADOPTED": "['lz4', 'zstd']"}, "GzipCodec")):
        environment = dict(os.environ, ZARR_CODEC_PIPELINE__PATH="sluice_codecs.zarr.Pipeline", **more)
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert done.stdout == f"sluice_codecs.zarr ['{codec}'] [1, 2, 3, 4]\n", done.stdout + done.stderr
