"""Compressed files of fsspec through Sluice: files on disk and in memory, texts, seeking, and damage."""

import bz2
import gzip
import io
import threading
import zlib

import cramjam
import lz4.frame
import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import text_of

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'sluice-codecs[zarr]'")
FILES = {
    "gzip": ("gz", lambda data: gzip.compress(data[:1000]) + gzip.compress(data[1000:])),
    "zlib": ("zz", zlib.compress),
    "bz2": ("bz2", lambda data: bz2.compress(data[:1000]) + bz2.compress(data[1000:])),
    "lz4": ("lz4", lz4.frame.compress),
    "snappy": ("sz", lambda data: bytes(cramjam.snappy.compress(data))),
    "zstd": ("zst", lambda data: bytes(cramjam.zstd.compress(data[:1000])) + bytes(cramjam.zstd.compress(data[1000:]))),
}
TEXT = text_of(3_000_000, 5).replace(b" a", b"\n")


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    """(compression, path of a file of it with TEXT)"""
    extension, compress = FILES[request.param]
    path = tmp_path / f"file.{extension}"
    path.write_bytes(compress(TEXT))
    return request.param, path


def test_by_name(file):
    name, path = file
    assert sluice.fsspec.FORMATS.keys() == FILES.keys()
    with fsspec.open(str(path), compression=f"sluice-{name}") as stream:
        assert stream.readable() and stream.seekable() and not stream.writable() and stream.tell() == 0
        assert stream.read(10) == TEXT[:10] and stream.tell() == 10
        assert stream.read() == TEXT[10:] and stream.read() == b"" and stream.read(5) == b""
        assert stream.seek(-7, io.SEEK_END) == len(TEXT) - 7 and stream.read() == TEXT[-7:]
        assert stream.seek(100) == 100 and stream.seek(11, io.SEEK_CUR) == 111 and stream.read(3) == TEXT[111:114]
        out = np.zeros(5000, "u2")
        stream.seek(2_000_000)
        assert stream.readinto(out) == 10_000 and out.tobytes() == TEXT[2_000_000:2_010_000]
        stream.seek(len(TEXT) + 50)
        assert stream.read() == b"" and stream.readinto(bytearray(5)) == 0
        with pytest.raises(ValueError):
            stream.seek(-1)
    assert stream.closed
    with pytest.raises(ValueError):
        stream.read()


def test_by_extension_after_use(file):
    name, path = file
    before = fsspec.compression.compr.get(name)
    with sluice.fsspec.use():
        with fsspec.open(str(path), "rt", compression="infer", encoding="ascii") as stream:
            assert [line.rstrip("\n") for line in stream] == TEXT.decode().split("\n")
        with fsspec.open(str(path), compression=name) as stream:
            assert type(stream.raw) is sluice.fsspec.DecodedFile
            assert list(stream) == TEXT.splitlines(keepends=True)
    assert fsspec.compression.compr.get(name) is before


def test_some_of_them():
    others = {name: opener for name, opener in fsspec.compression.compr.items() if name != "gzip"}
    with sluice.fsspec.use(codecs=["gzip"]):
        assert fsspec.compression.compr["gzip"].__name__ == "open_gzip"
        assert {name: opener for name, opener in fsspec.compression.compr.items() if name != "gzip"} == others
    for bad, kind in ((["gzip", "xz"], ValueError), ("gzip", TypeError)):
        with pytest.raises(kind, match="codecs: "):
            sluice.fsspec.use(codecs=bad)


def test_undone(tmp_path):
    names, extensions = dict(fsspec.compression.compr), dict(fsspec.utils.compressions)
    switch = sluice.fsspec.use()
    assert fsspec.utils.compressions["zz"] == "zlib"
    switch.undo()
    assert fsspec.compression.compr == names and fsspec.utils.compressions == extensions


def test_files_that_are_no_files_of_the_system(file):
    name, path = file
    memory = fsspec.filesystem("memory")
    memory.pipe("/sluice/file", b"head" + path.read_bytes())
    with memory.open("/sluice/file") as stream:
        stream.read(4)
        assert sluice.fsspec.open_decoded(stream, name).read() == TEXT


def test_writing_is_the_others(tmp_path):
    with sluice.fsspec.use():
        with fsspec.open(str(tmp_path / "x.gz"), "wb", compression="infer") as stream:
            stream.write(TEXT)
        with fsspec.open(str(tmp_path / "x.gz"), compression="infer") as stream:
            assert stream.read() == TEXT
        with pytest.raises(NotImplementedError, match="no encoder"):
            fsspec.open(str(tmp_path / "x.zz"), "wb", compression="zlib").open()
    assert gzip.decompress((tmp_path / "x.gz").read_bytes()) == TEXT


def test_damage(file):
    name, path = file
    good = path.read_bytes()
    for bad in (good[: len(good) // 2], b"\0" * 100, *([b""] if name not in ("lz4", "zstd") else [])):  # of no frames are files of these
        path.write_bytes(bad)
        with fsspec.open(str(path), compression=f"sluice-{name}") as stream:
            with pytest.raises(sluice.DecodeError):
                stream.read()
            assert stream.tell() == 0
    path.write_bytes(good)
    with pytest.raises(sluice.OutputLimitError):
        sluice.fsspec.open_decoded(open(path, "rb"), name, max_output=1_000_000).read()
    assert sluice.fsspec.open_decoded(open(path, "rb"), name, max_output=len(TEXT)).read() == TEXT


def test_a_thread_a_file(file):
    name, path = file
    faults = []

    def work():
        with fsspec.open(str(path), compression=f"sluice-{name}") as stream:
            if stream.read() != TEXT:
                faults.append(name)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
