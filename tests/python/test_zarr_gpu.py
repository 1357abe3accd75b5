"""Zarr arrays and numcodecs' codecs in a GPU's memory: on a real GPU with CuPy, by `python -m pytest tests/python/test_zarr_gpu.py -rs`
there; elsewhere the first tests run the others on the driver's stand-in with that of CuPy, a format at a time.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import ROOT
from sluice_codecs._adopted import ADOPTED, decode_chunks
from test_cuda import real, run, stand_in

zarr = pytest.importorskip("zarr", minversion="3.1.3", reason="zarr is not installed: pip install 'sluice-codecs[zarr]'")
numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed: pip install 'sluice-codecs[zarr]'")
pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")

from test_zarr import IDS, compressor, values, written


def test_other_libraries_arrays():
    """Arrays of no library that can make new ones: the output is memory of Sluice's."""
    run("""
z = sluice.Decoder("zlib")
codec = sluice.numcodecs.Zlib(3)
for text in texts:
    whole = codec.decode(on_device(z, codec.encode(text)))
    assert isinstance(whole, DeviceArray) and whole.copy_to_host().tobytes() == text
broken = codec.encode(texts[9])[:-3]
error = refused(sluice.DecodeError, lambda: codec.decode(on_device(z, broken)))
assert error.reason == "end_of_input" and error.chunk == 0
refused(TypeError, lambda: sluice.numcodecs.LZ4().decode(on_device(z, b"1234")), "of CuPy")
""", spec="zlib")


LARGEST_INDEX = 200  # bytes: of a shard of ten chunks, which zarr's own crc32c checks on the host

# Of the tests below, those that need one format alone: the stand-in's kernels are of one.
ON_STAND_INS = {name: [f"test_arrays_of_cupy[{name}-2]", f"test_arrays_of_cupy[{name}-3]"] for name in IDS}
ON_STAND_INS["gzip"].append("test_chains_and_shards[shards]")
ON_STAND_INS["lz4"].append("test_damage_is_named")
ON_STAND_INS["blosc"].append("test_chunks_that_are_left_to_numcodecs")
ON_STAND_INS["zstd"].append("test_frames_that_are_left_to_numcodecs")


@pytest.mark.parametrize("name", IDS)
def test_on_the_stand_ins(name):
    library = stand_in()
    environment = dict(os.environ, SLUICE_CUDA_DRIVER=library, SLUICE_NVRTC=library, SLUICE_CUDA_JIT="nvrtc")
    environment["SLUICE_FAKE_SPEC"] = sluice.numcodecs.ADOPTED[name].format
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent / "stand_in"), environment.get("PYTHONPATH", "")])
    # Without zarr's plugin, which asks CuPy for more.
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:zarr", "-o", "cache_dir=unused",
                           *(f"{__file__}::{test}" for test in ON_STAND_INS[name])],
                          env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and f"{len(ON_STAND_INS[name])} passed" in done.stdout, done.stdout + done.stderr


@pytest.fixture
def on_gpu(monkeypatch):
    """zarr with its buffers on the GPU, and nothing that may copy a chunk to the host: an index of a shard is no chunk."""
    cupy = real("cupy")
    from zarr.core.buffer import gpu

    copied = gpu.Buffer.as_numpy_array, gpu.NDBuffer.as_numpy_array

    def guarded(copy):
        def as_numpy_array(buffer):
            assert buffer._data.nbytes <= LARGEST_INDEX, "copied to the host"
            return copy(buffer)

        return as_numpy_array

    with zarr.config.enable_gpu():
        monkeypatch.setattr(gpu.Buffer, "as_numpy_array", guarded(copied[0]))
        monkeypatch.setattr(gpu.NDBuffer, "as_numpy_array", guarded(copied[1]))
        yield cupy


def stored(path, data, *arguments, **options):
    """Written with buffers of the host, as whoever made the array had them."""
    with zarr.config.set({"buffer": "zarr.buffer.cpu.Buffer", "ndbuffer": "zarr.buffer.cpu.NDBuffer"}):
        written(path, data, *arguments, **options)
    return sluice.zarr.reopen(zarr.open_array(path, mode="r"))


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", IDS)
def test_arrays_of_cupy(tmp_path, on_gpu, name, zarr_format):
    data = values((3000, 40))
    array = stored(tmp_path, data, name, zarr_format)
    whole = array[:]
    assert isinstance(whole, on_gpu.ndarray) and (on_gpu.asnumpy(whole) == data).all()
    assert (on_gpu.asnumpy(array[5:700, 3:7]) == data[5:700, 3:7]).all()


@pytest.mark.parametrize("what", ["chain", "shards"])
def test_chains_and_shards(tmp_path, on_gpu, what):
    data = values((3000, 40))
    options = {"chunks": (50, 40), "shards": (500, 40)} if what == "shards" else {"compressors": [compressor("lz4"), compressor("gzip")]}
    array = stored(tmp_path, data, **options)
    assert (on_gpu.asnumpy(array[:]) == data).all()


def test_damage_is_named(tmp_path, on_gpu):
    data = values()
    array = stored(tmp_path, data, "lz4")
    file = tmp_path / "c/5/0"
    good = file.read_bytes()
    for bad in (good[: len(good) // 2], good[:2], b"\xff" * len(good), (5).to_bytes(4, "little") + good[4:]):
        file.write_bytes(bad)
        with pytest.raises(sluice.DecodeError, match="c/5/0: ") as caught:
            array[:]
        assert caught.value.chunk == 5
    file.write_bytes(good)
    assert (on_gpu.asnumpy(array[:]) == data).all()


def test_chunks_that_are_left_to_numcodecs(tmp_path, on_gpu):
    """Blosc's chunks say themselves what they are: those that Sluice has no codec for take the way that zarr's own codec takes."""
    data = values()
    array = stored(tmp_path, data, "blosc", 2)
    files = [tmp_path / f"{index}.0" for index in (2, 5)]
    for file, start, cname in zip(files, (260, 650), ("zstd", "zlib")):
        file.write_bytes(numcodecs.Blosc(cname).encode(data[start : start + 130]))
    whole = array[:]
    assert isinstance(whole, on_gpu.ndarray) and (on_gpu.asnumpy(whole) == data).all()
    assert (on_gpu.asnumpy(array[300:, 3:]) == data[300:, 3:]).all()
    text, ours = b"text " * 40_000, sluice.numcodecs.Blosc("lz4")
    for cname in ("lz4", "blosclz", "zstd", "zlib"):
        packed = on_gpu.asarray(np.frombuffer(numcodecs.Blosc(cname).encode(text), "u1"))
        made = ours.decode(packed)  # of no promised size: four bytes come back for that
        assert isinstance(made, on_gpu.ndarray) and on_gpu.asnumpy(made).tobytes() == text
        out = on_gpu.empty(len(text), "u1")
        assert ours.decode(packed, out=out) is out and on_gpu.asnumpy(out).tobytes() == text
    files[1].write_bytes(numcodecs.Blosc("zstd").encode(data[:9]))
    with pytest.raises(sluice.DecodeError, match="5.0: ") as caught:
        array[:]
    assert caught.value.reason == "wrong_size" and caught.value.chunk == 5


def test_frames_that_are_left_to_numcodecs(tmp_path, on_gpu):
    """Frames of zstd with windows that streams are not decoded with: by numcodecs, on the host, and back."""
    from zstd_chunks import frame

    data = values()
    array = stored(tmp_path, data, "zstd")
    (tmp_path / "c/5/0").write_bytes(frame(data[650:780].tobytes(), window_log=28))
    whole = array[:]
    assert isinstance(whole, on_gpu.ndarray) and (on_gpu.asnumpy(whole) == data).all()
    ours, packed = sluice.numcodecs.Zstd(), on_gpu.asarray(np.frombuffer(frame(b"text", window_log=31), "u1"))
    assert on_gpu.asnumpy(ours.decode(packed)).tobytes() == b"text"
    out = on_gpu.empty(4, "u1")
    assert ours.decode(packed, out=out) is out and on_gpu.asnumpy(out).tobytes() == b"text"
    words = np.array([f"word {i} " * (i % 7) for i in range(300)])  # of sizes that are counted first
    parts = [numcodecs.VLenUTF8().encode(words[at : at + 40].astype(object)) for at in range(0, 300, 40)]
    chunks = [numcodecs.Zstd().encode(part) if index not in (0, 5) else frame(part, window_log=28) for index, part in enumerate(parts)]
    made = decode_chunks(ADOPTED["zstd"], [on_gpu.asarray(np.frombuffer(chunk, "u1")) for chunk in chunks])
    assert [on_gpu.asnumpy(one).tobytes() for one in made] == [bytes(part) for part in parts]
    with pytest.raises(sluice.DecodeError) as caught:
        decode_chunks(ADOPTED["zstd"], [on_gpu.asarray(np.frombuffer(chunk, "u1")) for chunk in [*chunks, chunks[1][:-1]]])
    assert caught.value.reason == "end_of_input" and caught.value.chunk == 8
    (tmp_path / "c/5/0").write_bytes(frame(data[650:780].tobytes(), window_log=28, told=2**40))
    with pytest.raises(sluice.DecodeError, match="c/5/0: ") as caught:
        array[:]
    assert caught.value.reason == "wrong_size" and caught.value.chunk == 5


def test_codecs_of_numcodecs(on_gpu):
    data = b"some text and more of it, " * 5000
    for name in IDS:
        codec = sluice.numcodecs.CODECS[name].from_config({})
        packed = on_gpu.asarray(bytearray(codec.encode(data)), on_gpu.uint8)
        assert on_gpu.asnumpy(codec.decode(packed)).tobytes() == data
        out = on_gpu.empty(len(data), on_gpu.uint8)
        assert codec.decode(packed, out=out) is out and on_gpu.asnumpy(out).tobytes() == data
    tiny = sluice.numcodecs.Sluice(ROOT / "examples/tinyrle/tinyrle.sluice")
    gate = on_gpu.asarray(bytearray((ROOT / "examples/tinyrle/gate.trle").read_bytes()), on_gpu.uint8)
    assert on_gpu.asnumpy(tiny.decode(gate)).tobytes() == (ROOT / "examples/tinyrle/gate.txt").read_bytes()
