"""What is wrong is said as exceptions that tell where."""

import copy
import gzip
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import sluice_codecs as sluice
from peers import COMPRESS, DECOMPRESS, raw_deflate

TINY = """format tiny
  input bytes
  output bytes
  trailing reject trailing_bytes
  kind: u8
  require kind == 7 else reject bad_kind
  literals u8[3]
"""


def refused(decoder, data):
    with pytest.raises(sluice.DecodeError) as caught:
        decoder.decode(data)
    return caught.value


@pytest.mark.parametrize("target", ["interp", "cpu"])
def test_parts_of_an_error(target):
    decoder = sluice.Decoder(text=TINY, name="tiny.sluice", target=target)
    assert decoder.decode(b"\x07abc").tobytes() == b"abc"
    error = refused(decoder, b"\x08abc")
    assert (error.rule, error.reason, error.file, error.line, error.chunk) == ("main", "bad_kind", "tiny.sluice", 6, 0)
    assert error.column >= 3 and error.produced == 0 and error.word != 0
    assert "tiny.sluice:6:" in str(error) and "bad_kind" in str(error)
    error = refused(decoder, b"\x07ab")
    assert (error.reason, error.line, error.bit) == ("end_of_input", 7, 24)
    error = refused(decoder, b"\x07abcd")
    assert error.reason == "trailing_bytes" and error.bit == 32
    assert isinstance(error, ValueError) and isinstance(error, sluice.SluiceError)


def test_artifacts_say_the_same_as_descriptions():
    """The wheel's code, the interpreter, and code that is compiled here: equal words and places for the same damage."""
    data = bytearray(gzip.compress(b"some text, some more text, and some text again" * 20, mtime=0))
    ready = sluice.Decoder("gzip")
    interpreter = sluice.Decoder("gzip", target="interp")
    seen = set()
    for at in range(len(data)):
        damaged = bytes(data[:at]) + bytes([data[at] ^ 0x55]) + bytes(data[at + 1:])
        ours, theirs = [], []
        for decoder, found in ((ready, ours), (interpreter, theirs)):
            arrays, (status,) = decoder.decode_batch([damaged], errors="return")
            error = status.error
            found.append((status.produced, status.consumed, error and (error.word, error.rule, error.reason, error.file,
                                                                        error.line, error.column, error.bit, str(error))))
        assert ours == theirs, at
        if ours[0][2]:
            seen.add(ours[0][2][2])
    assert {"bad_magic", "bad_checksum"} <= seen or len(seen) >= 4, seen


@pytest.mark.parametrize("codec", DECOMPRESS)
def test_what_others_refuse_when_cut_short_is_refused(codec):
    packed = COMPRESS[codec](b"a text of which the end is going to be missing " * 30)
    for cut in (1, len(packed) // 2, len(packed) - 5):
        with pytest.raises(Exception):
            if len(DECOMPRESS[codec](packed[:cut])) != 47 * 30:  # some libraries return what they have
                raise EOFError
        with pytest.raises(sluice.DecodeError) as caught:
            sluice.decode(codec, packed[:cut])
        assert caught.value.reason


def test_errors_travel():
    error = refused(sluice.Decoder("deflate"), b"\x07")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is sluice.DecodeError and twin.__dict__ == error.__dict__ and str(twin) == str(error)


def test_specs_with_errors():
    with pytest.raises(sluice.SpecError, match="no_such_name") as caught:
        sluice.Decoder(text="format x\n  input bytes\n  output bytes\n  emit no_such_name\n", name="x.sluice")
    (first, *_) = caught.value.diagnostics
    assert first.severity == "error" and first.code.startswith("SL") and first.place.line >= 1
    assert isinstance(caught.value, ValueError) and "x.sluice" in str(caught.value)


def test_wrong_parameters(tmp_path):
    with pytest.raises(ValueError, match="no codec"):
        sluice.Decoder("no_such_codec")
    with pytest.raises(sluice.SluiceError):
        sluice.Decoder(tmp_path / "missing.sluice")
    with pytest.raises(ValueError):
        sluice.Decoder("gzip", T="i64")
    with pytest.raises(ValueError):
        sluice.Decoder("orc_rle_v2", T="f64")
    with pytest.raises(ValueError, match="target takes"):
        sluice.Decoder("gzip", target="tpu")
    with pytest.raises(TypeError):
        sluice.Decoder()
    with pytest.raises(TypeError):
        sluice.Decoder("gzip", text=TINY)
    with pytest.raises(sluice.SluiceError, match="artifact"):
        path = tmp_path / "damaged.sluicea"
        path.write_bytes(b"\x89SLA\r\n\x1a\n" + bytes(100))
        sluice.Decoder(path)


@pytest.mark.parametrize("bad", [None, 5, "text", [1, 2], object()])
def test_no_buffer(bad):
    with pytest.raises(TypeError, match="bytes-like|buffer"):
        sluice.decode("gzip", bad)
    with pytest.raises(TypeError):
        sluice.decode_batch("gzip", [bad])


def test_buffers_with_gaps():
    data = np.frombuffer(gzip.compress(b"abc" * 50) * 2, np.uint8)
    for gaps in (data[::2], data[::-1], memoryview(data)[::2], data.reshape(2, -1)[:, :5], np.asfortranarray(data.reshape(2, -1))):
        with pytest.raises(ValueError, match="contiguous"):
            sluice.decode("gzip", gaps)
        with pytest.raises(ValueError, match="contiguous"):
            sluice.decode_batch("gzip", [gaps])


def test_outs_that_won_t_do():
    packed = gzip.compress(b"abcdefgh")
    frozen = np.empty(100, np.uint8)
    frozen.flags.writeable = False
    cases = [
        (b"x" * 100, ValueError, "must not be written"),
        (frozen, ValueError, "must not be written"),
        (memoryview(b"x" * 100), ValueError, "must not be written"),
        (np.empty(100, np.int8), TypeError, "makes uint8"),
        (np.empty(100, np.uint16), TypeError, "makes uint8"),
        (np.empty(100, np.float64), TypeError, "makes uint8"),
        (np.empty(100, object), TypeError, "makes uint8"),
        (np.empty(100, "S1"), TypeError, "makes uint8"),
        (np.empty(100, [("a", "u1")]), TypeError, "makes uint8"),
        (np.empty(200, np.uint8)[::2], ValueError, "contiguous"),
        (np.empty((10, 10), np.uint8).T, ValueError, "contiguous"),
        (5, TypeError, "writable buffer"),
        ("text", TypeError, "writable buffer"),
    ]
    for out, kind, text in cases:
        if out is not None and getattr(out, "ndim", 1) == 2 and out.flags.c_contiguous:
            continue
        for call in (lambda: sluice.decode("gzip", packed, out), lambda: sluice.decode_batch("gzip", [packed], [out])):
            with pytest.raises(kind, match=text):
                call()
    wide = sluice.Decoder("orc_rle_v1", T="i32")
    for out in (np.empty(10, np.uint32), np.empty(10, ">i4"), np.empty(40, np.uint8), np.empty(10, np.float32)):
        with pytest.raises(TypeError, match="makes int32"):
            wide.decode(b"", out)
    assert wide.decode(b"", np.empty(10, "<i4")).size == 0


def test_overlaps():
    data = b"abcdefgh" * 100
    packed = gzip.compress(data)
    memory = np.zeros(5000, np.uint8)
    memory[1000:1000 + len(packed)] = np.frombuffer(packed, np.uint8)
    inside = memory[1000:1000 + len(packed)]
    decoder = sluice.Decoder("gzip")
    for out in (memory, memory[200:1001], memory[1000 + len(packed) - 1:], memory[1001:3000], bytearray(0) or memory[500:4000]):
        with pytest.raises(ValueError, match="overlaps an input"):
            decoder.decode(inside, out)
        with pytest.raises(ValueError, match="overlaps an input"):
            decoder.decode_batch([packed, inside], [np.empty(900, np.uint8), out])
    assert decoder.decode(inside, memory[:1000]).tobytes() == data
    assert decoder.decode(inside, memory[1000 + len(packed):]).tobytes() == data
    with pytest.raises(ValueError, match="two outputs overlap"):
        decoder.decode_batch([packed, packed], [memory[:900], memory[899:1800]])
    # The same input twice is no overlap, and neither are empty ones.
    assert len(decoder.decode_batch([packed, packed], [memory[:900], memory[900:1800]])) == 2
    empty = gzip.compress(b"")
    assert decoder.decode(empty, memory[:0]).size == 0


def test_released_and_closed_buffers():
    view = memoryview(bytearray(gzip.compress(b"abc")))
    view.release()
    with pytest.raises(ValueError):
        sluice.decode("gzip", view)
    import mmap

    closed = mmap.mmap(-1, 4096)
    closed.close()
    with pytest.raises(ValueError):
        sluice.decode("gzip", closed)
    with pytest.raises(ValueError):
        sluice.decode("gzip", gzip.compress(b"abc"), closed)


def test_results_outlive_all_else():
    arrays = sluice.Decoder("deflate").decode_batch([raw_deflate(b"x" * n) for n in (10, 3_000_000, 50)])
    first, last = arrays[0], arrays[2]
    del arrays
    import gc

    gc.collect()
    assert first.tobytes() == b"x" * 10 and last.tobytes() == b"x" * 50


def test_sizes_that_no_memory_holds():
    packed = raw_deflate(b"abc")
    for sizes in ([2**62], [2**63], [2**64 - 1], [2**40] * 2**10):
        with pytest.raises((MemoryError, ValueError)):
            sluice.decode_batch("deflate", [packed] * len(sizes), sizes=sizes)
    for sizes in ([-1], [1.5], ["a"], [2**64], np.array([1.0]), np.array([[1]]), [1, 2]):
        with pytest.raises((ValueError, TypeError)):
            sluice.decode_batch("deflate", [packed], sizes=sizes)
    with pytest.raises(ValueError):
        sluice.decode("deflate", packed, max_output=-1)
    with pytest.raises(TypeError):
        sluice.decode("deflate", packed, max_output="many")


ONE_WARNING = """
import warnings, sluice_codecs as sluice
text = {text!r}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = sluice.Decoder(text=text)
    second = sluice.Decoder(text=text.replace("tiny", "other"))
    sluice.Decoder(text=text, target="interp")
assert first.target == second.target == "interp", first
assert first.decode(b"\\x07abc").tobytes() == b"abc"
(warning,) = caught
assert warning.category is sluice.EngineWarning, warning
assert warning.filename == "<string>", warning.filename
for word in ("interpreter", "g++", "SLUICE_CXX", "interp"):
    assert word in str(warning.message), word
assert sluice.Decoder("gzip").engine == "aot"
try:
    sluice.Decoder(text=text, target="cpu")
except sluice.EngineError as error:
    assert "no engine" in str(error)
else:
    raise AssertionError
print("as it should be")
"""


def test_one_warning_without_a_compiler(tmp_path):
    environment = dict(os.environ, PATH=str(tmp_path), SLUICE_CACHE_DIR=str(tmp_path), SLUICE_PLUGIN_DIR=str(tmp_path))
    for name in ("SLUICE_CXX", "SLUICE_JIT", "SLUICE_CODECS"):
        environment.pop(name, None)
    run = subprocess.run([sys.executable, "-c", ONE_WARNING.format(text=TINY)], env=environment, capture_output=True, text=True)
    assert run.stdout == "as it should be\n", run.stderr
