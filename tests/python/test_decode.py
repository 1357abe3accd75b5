"""One chunk: what the libraries compress comes back, from any kind of buffer and into any kind of array."""

import array
import gzip
import mmap
import zlib

import numpy as np
import pytest

import sluice_codecs as sluice
from peers import COMPRESS


@pytest.mark.parametrize("codec", COMPRESS)
def test_what_others_compress_comes_back(codec, corpus):
    for name, data in corpus.items():
        decoded = sluice.decode(codec, COMPRESS[codec](data))
        assert decoded.dtype == np.uint8 and decoded.ndim == 1, name
        assert decoded.tobytes() == data, name


@pytest.mark.parametrize("target", ["auto", "cpu", "interp"])
def test_targets_agree(target, corpus):
    data = corpus["text of 70000"]
    decoder = sluice.Decoder("gzip", target=target)
    assert decoder.target == {"auto": "cpu", "cpu": "cpu", "interp": "interp"}[target]
    assert decoder.decode(gzip.compress(data)).tobytes() == data


def buffers(data: bytes, tmp_path):
    yield "bytes", data
    yield "bytearray", bytearray(data)
    yield "memoryview", memoryview(data)
    yield "slice of a memoryview", memoryview(b"xx" + data + b"yyy")[2:-3]
    yield "array.array", array.array("B", data)
    yield "NumPy", np.frombuffer(data, np.uint8)
    yield "two dimensions", np.frombuffer(data + bytes(-len(data) % 4), np.uint8).reshape(-1, 4)
    (tmp_path / "file").write_bytes(data)
    with open(tmp_path / "file", "rb") as stream:
        yield "mmap", mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


def test_any_buffer(corpus, tmp_path):
    data = corpus["text of 4096"]
    for name, buffer in buffers(gzip.compress(data), tmp_path):
        assert sluice.decode("gzip", buffer).tobytes() == data, name


def test_elements_of_other_types_are_taken_as_their_bytes(corpus):
    data = corpus["text of 4096"]
    packed = gzip.compress(data)
    words = np.frombuffer(packed + bytes(-len(packed) % 8), np.int64)  # zeros behind the end are gzip's to ignore
    assert sluice.decode("gzip", words).tobytes() == data


@pytest.mark.parametrize("make", [np.empty, lambda n, t: bytearray(n), lambda n, t: memoryview(bytearray(n)),
                                  lambda n, t: mmap.mmap(-1, n), lambda n, t: array.array("B", bytes(n))])
def test_out(make, corpus):
    data = corpus["text of 4096"]
    out = make(5000, np.uint8)
    got = sluice.decode("gzip", gzip.compress(data), out)
    assert bytes(memoryview(out))[:4096] == data and got.tobytes() == data
    got[0] = 0xff  # it shares the caller's memory
    assert memoryview(out)[0] == 0xff
    del got


def test_out_has_to_have_room(corpus):
    with pytest.raises(sluice.OutputLimitError, match="4095 bytes of room") as caught:
        sluice.decode("gzip", gzip.compress(corpus["text of 4096"]), np.empty(4095, np.uint8))
    assert caught.value.reason == "no_room"


def test_what_behind_out_lies_is_left_alone(corpus):
    data = corpus["text of 100"]
    out = np.full(300, 0xaa, np.uint8)
    sluice.decode("gzip", gzip.compress(data), out[100:250])
    assert (out[:100] == 0xaa).all() and out[100:200].tobytes() == data and (out[250:] == 0xaa).all()


def orc_runs(values: list[int], width: int) -> bytes:
    """ORC's runs, version 1: literals of zigzag varints."""
    out = bytearray()
    for at in range(0, len(values), 128):
        part = values[at:at + 128]
        out.append(256 - len(part))
        for value in part:
            rest = (value << 1) ^ (value >> (width - 1))
            rest &= (1 << width) - 1
            while rest >= 0x80:
                out.append(rest & 0x7f | 0x80)
                rest >>= 7
            out.append(rest)
    return bytes(out)


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64"])
def test_elements_have_the_formats_type(name):
    info = np.iinfo(name)
    values = [0, 1, -1, info.max, info.min] * 40
    decoder = sluice.Decoder("orc_rle_v1", T=f"i{info.bits}")
    assert decoder.dtype == np.dtype(name)
    decoded = decoder.decode(orc_runs(values, info.bits))
    assert decoded.dtype == np.dtype(name) and decoded.tolist() == values
    out = np.empty(len(values), name)
    assert decoder.decode(orc_runs(values, info.bits), out).tolist() == values == out.tolist()


def test_unsigned_elements():
    decoder = sluice.Decoder("orc_rle_v1", T="u16")
    assert decoder.dtype == np.uint16
    assert decoder.decode(bytes([253, 5, 0, 0xff, 0xff, 3])).tolist() == [5, 0, 65535]
    assert sluice.Decoder("orc_rle_v1").dtype == np.int64


def test_dictionary(corpus):
    words = b"the dictionary that both sides know: apples, oranges, pears"
    stream = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_DEFAULT_STRATEGY, words)
    packed = stream.compress(b"apples, oranges, pears") + stream.flush()
    decoder = sluice.Decoder("zlib")
    assert decoder.takes_dictionary
    assert decoder.decode(packed, dictionary=words).tobytes() == b"apples, oranges, pears"
    with pytest.raises(sluice.DecodeError):
        decoder.decode(packed)
    with pytest.raises(ValueError, match="takes no dictionary"):
        sluice.Decoder("gzip").decode(gzip.compress(b""), dictionary=words)


def test_max_output_guards_against_bombs():
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    decoder = sluice.Decoder("gzip")
    for limit in (0, 1, 1000, 100_000, 49_999_999):
        with pytest.raises(sluice.OutputLimitError, match=f"{limit} bytes that max_output allows"):
            decoder.decode(bomb, max_output=limit)
    assert decoder.decode(bomb, max_output=50_000_000).size == 50_000_000
    small = gzip.compress(bytes(2000))
    with pytest.raises(sluice.OutputLimitError, match="1999 bytes that max_output allows"):
        decoder.decode(small, max_output=1999)
    assert decoder.decode(small, max_output=2000).size == 2000


@pytest.mark.parametrize("size", [80_000_000])  # the first room is 64 MiB
def test_outputs_larger_than_the_first_room(size):
    packed = gzip.compress(bytes(size), 1)
    decoded = sluice.decode("gzip", packed)
    assert decoded.size == size and not decoded.any()
    # A format whose size only decoding can find grows its room instead.
    packed = COMPRESS["bzip2"](bytes(size))
    assert sluice.decode("bzip2", packed).size == size


def test_a_description_of_ones_own(tmp_path, root):
    spec = root / "examples/tinyrle/tinyrle.sluice"
    data = (root / "examples/tinyrle/gate.trle").read_bytes()
    by_path = sluice.Decoder(spec, target="interp").decode(data)
    by_text = sluice.Decoder(text=spec.read_text(), target="interp").decode(data)
    assert by_path.tobytes() == by_text.tobytes() and by_path.size == 460
    assert sluice.decode(str(spec), data, target="interp").tobytes() == by_path.tobytes()


def test_what_finds_sizes_is_compiled_when_they_are_asked_for(root, tmp_path, monkeypatch):
    monkeypatch.setenv("SLUICE_CACHE_DIR", str(tmp_path))
    text = (root / "examples/tinyrle/tinyrle.sluice").read_text()
    data = (root / "examples/tinyrle/gate.trle").read_bytes()
    for ask in (lambda decoder: decoder.decoded_sizes([data]), lambda decoder: decoder.warm_up()):
        try:
            decoder = sluice.Decoder(text=text, target="cpu")
        except sluice.EngineError as error:
            pytest.skip(str(error))
        assert decoder.decode(data).size == 460
        assert len(list(tmp_path.iterdir())) == 1
        ask(decoder)
        kept = sorted(tmp_path.iterdir())
        assert len(kept) == 2
        assert decoder.decoded_sizes([data]).tolist() == [460] and sorted(tmp_path.iterdir()) == kept
        for file in kept:
            file.unlink()


def test_properties():
    decoder = sluice.Decoder("gzip")
    assert decoder.name == "gzip" and decoder.dtype == np.uint8
    assert decoder.countable and not decoder.takes_dictionary and decoder.arguments == {}
    assert decoder.warm_up() is decoder
    assert "gzip" in repr(decoder) and decoder.why and decoder.warnings == ""
    assert set(decoder.timings) == {"front", "emit", "jit", "cached"}
    with pytest.raises(AttributeError):
        decoder.name = "other"
