"""Memory that is taken away, changed or shared while it is decoded from or into, and objects that lie or interfere when they
are asked for it. Bytes may come out wrong where a program asked for that; nothing outside of buffers is touched."""

import array
import ctypes
import gc
import gzip
import mmap
import random
import sys
import threading
import weakref
import zlib

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import text_of
from peers import COMPRESS

TEXT = text_of(3_000_000)
PACKED = gzip.compress(TEXT)


class Interferes:
    """A number that does something when it is asked for its value."""

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __index__(self):
        self.act()
        return self.value


# ---- memory that is given back ----------------------------------------------------------------------------------------


def refused_meanwhile(data, take_away, out=None):
    """Whether ``take_away`` is refused while a decode has the buffer, called from ``progress``."""
    refused = []

    def progress(done, all):
        try:
            take_away()
        except BufferError:
            refused.append(True)

    arrays = sluice.decode_batch("gzip", [data], None if out is None else [out], progress=progress)
    assert arrays[0].tobytes() == TEXT
    return bool(refused)


def test_an_input_can_not_be_taken_away():
    growing = bytearray(PACKED)
    assert refused_meanwhile(growing, lambda: growing.extend(b"more"))
    assert refused_meanwhile(growing, growing.clear)
    values = array.array("B", PACKED)
    assert refused_meanwhile(values, lambda: values.append(1))
    mapped = mmap.mmap(-1, len(PACKED))
    mapped[:] = PACKED
    assert refused_meanwhile(mapped, mapped.close)
    assert refused_meanwhile(mapped, lambda: mapped.resize(10))
    view = memoryview(bytearray(PACKED))
    assert refused_meanwhile(view, view.release)
    # Afterwards all of them can.
    growing.clear(), values.append(1), mapped.close(), view.release()


def test_an_output_can_not_be_taken_away():
    growing = bytearray(len(TEXT))
    assert refused_meanwhile(PACKED, growing.clear, growing)
    mapped = mmap.mmap(-1, len(TEXT))
    assert refused_meanwhile(PACKED, mapped.close, mapped)
    view = memoryview(bytearray(len(TEXT)))
    assert refused_meanwhile(PACKED, view.release, view)


def test_a_result_keeps_the_callers_memory():
    out = bytearray(len(TEXT) + 10)
    result = sluice.decode("gzip", PACKED, out)
    with pytest.raises(BufferError):
        out.extend(b"more")
    mapped = mmap.mmap(-1, len(TEXT))
    other = sluice.decode("gzip", PACKED, mapped)
    with pytest.raises(BufferError):
        mapped.close()
    alone = sluice.decode("gzip", PACKED, np.empty(len(TEXT), np.uint8))  # nobody else has that array
    gc.collect()
    assert result.tobytes() == other.tobytes() == alone.tobytes() == TEXT
    del result, other
    out.extend(b"more"), mapped.close()


def test_a_failed_call_keeps_nothing():
    for data, options in ((PACKED[:-9], {}), (PACKED, {"out": bytearray(5)}), (PACKED, {"max_output": 7}), (PACKED, {"dictionary": b"x"}),
                          (PACKED, {"arguments": {"none": 1}}), (PACKED, {"arguments": {5: 1}}), (PACKED, {"arguments": "none"})):
        buffer = bytearray(data)
        for call in (sluice.decode, lambda codec, data, out=None, **more: sluice.decode_batch(codec, [b"", data], out and [out, out], **more)):
            with pytest.raises((sluice.DecodeError, ValueError, TypeError)):
                call("gzip", buffer, **options)
            buffer.append(0)
            if "out" in options:
                options["out"].append(0), options["out"].pop()


def test_a_decoder_is_let_go_of_meanwhile():
    decoder = sluice.Decoder(text="format own\n  input bytes\n  output bytes\n  repeat until end of input\n    one: u8\n    emit one\n", target="interp")
    gone = weakref.ref(decoder)
    decode, calls = decoder.decode_batch, []

    def progress(done, all):
        nonlocal decoder, decode
        decoder = decode = None
        gc.collect()
        calls.append(done)

    arrays = decoder.decode_batch([TEXT[:400_000]] * 4, progress=progress)
    assert calls and all(a.tobytes() == TEXT[:400_000] for a in arrays)
    gc.collect()
    assert gone() is None


# ---- objects that interfere -------------------------------------------------------------------------------------------


def test_numbers_that_take_lists_apart():
    small = [zlib.compress(b"abc" * n) for n in range(1, 9)]

    def fresh():
        chunks = [bytearray(one) for one in small]
        outs = [bytearray(100) for _ in small]
        sizes, offsets = [24] * 8, []

        def act():
            for one in (chunks, outs, sizes, offsets):
                one.clear()
            gc.collect()

        sizes[3] = Interferes(24, act)
        offsets += [0, Interferes(len(small[0]), act)]
        return chunks, outs, sizes, offsets

    for _ in range(5):
        for call in (lambda c, o, s, f: sluice.decode_batch("zlib", c, sizes=s),
                     lambda c, o, s, f: sluice.decode_batch("zlib", c, o, sizes=s),
                     lambda c, o, s, f: sluice.decode_batch("zlib", small[0], offsets=f),
                     lambda c, o, s, f: sluice.decode_batch("zlib", bytearray(small[0]), offsets=f[:1], lengths=f[1:], sizes=s[3:4]),
                     lambda c, o, s, f: sluice.decode("zlib", c[0], o[0], max_output=s[3])):
            try:
                got = call(*fresh())
            except (ValueError, TypeError, IndexError, sluice.DecodeError):
                continue
            assert (got if isinstance(got, list) else [got])[0].tobytes() == b"abc"


def test_arguments_that_take_their_dict_apart():
    own = sluice.Decoder(text="""format own
  input bytes
  output bytes
  argument more: u32 = 0
  argument less: i8 = -1
  trailing accept rest
  value: u8
  run value, count more
""", target="interp")
    assert own.arguments == {"more": 0, "less": -1}
    assert own.decode(b"x", arguments={"more": 3, "less": -128}).tobytes() == b"xxx"
    arguments = {}

    def act():
        arguments.clear()
        arguments.update({str(n): [] for n in range(1000)})
        gc.collect()

    arguments |= {"more": Interferes(5, act), "less": Interferes(7, act)}
    assert own.decode(b"x", arguments=arguments).tobytes() == b"xxxxx"
    for bad in ({"more": -1}, {"more": 2**32}, {"less": 128}, {"less": -129}, {"more": 2**70}, {"more": "3"}, {"more": None}, {"none": 1}, {3: 1}, [], "more"):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            own.decode(b"x", arguments=bad)


def test_arguments_that_are_nearly_those_of_the_call_before():
    own = sluice.Decoder(text="""format own
  input bytes
  output bytes
  argument more: u64 = 2
  argument less: i8 = -1
  trailing accept rest
  value: u8
  run value, count more
  run value, count select(less < 0, 0, 1)
""", target="interp")

    def made(arguments):
        return len(own.decode(b"x", arguments=arguments))

    again = {"more": 3, "less": 1}
    for _ in range(3):
        assert made(again) == 4
    again["more"] = 5
    assert made(again) == 6
    again["less"] = -1
    assert made(again) == 5
    del again["less"]
    assert made(again) == 5
    assert made({"less": 1}) == 3
    assert made({"less": 1, "more": 4}) == made({"more": 4, "less": 1}) == 5
    assert made({"".join(["mo", "re"]): 7, "less": 1}) == 8  # another str of the same text
    assert made({"more": True, "less": 1}) == 2
    assert made({"more": np.uint8(9), "less": 1}) == 10
    assert made({}) == made(None) == 2
    for bad in ({"more": 2**64, "less": 1}, {"more": -1, "less": 1}, {"more": 9, "less": 2**70}, {"more": 9, "lesser": 1}):
        assert made({"more": 9, "less": 1}) == 10
        with pytest.raises((ValueError, OverflowError)):
            made(bad)
    with pytest.raises(sluice.OutputLimitError):
        own.decode(b"x", max_output=100, arguments={"more": 2**63, "less": 1})
    with pytest.raises(sluice.OutputLimitError):
        own.decode(b"x", max_output=100, arguments={"more": 2**63, "less": 1})
    assert made({"more": 0, "less": 1}) == 1

    class Name(str):
        def __del__(self):
            made({"more": 1, "less": 1})

    for n in range(3):
        assert made({Name("more"): n, "less": 1}) == n + 1
        assert made({"less": 1, Name("more"): n}) == n + 1


def test_sequences_that_lie():
    class Longer(list):
        def __len__(self):
            return 1000

    class Endless:
        def __getitem__(self, index):
            if index > 20:
                raise OSError("no more of it")
            return PACKED[:40]

    class Shrinks(list):
        def __iter__(self):
            while self:
                yield self.pop()

    assert len(sluice.decode_batch("gzip", Longer([PACKED]))) in (1, 1000)
    with pytest.raises((OSError, TypeError, sluice.DecodeError)):
        sluice.decode_batch("gzip", Endless())
    arrays = sluice.decode_batch("gzip", Shrinks([PACKED, PACKED]))
    assert all(a.tobytes() == TEXT for a in arrays)

    class Raises:
        @property
        def __cuda_array_interface__(self):
            raise OSError("not now")

        def __dlpack_device__(self):
            raise OSError("nor this")

    for bad in (Raises(), [Raises()]):
        with pytest.raises((OSError, TypeError)):
            sluice.decode_batch("gzip", bad) if isinstance(bad, list) else sluice.decode("gzip", bad)


def test_progress_that_decodes():
    decoder, inner = sluice.Decoder("gzip"), []

    def progress(done, all):
        inner.append(decoder.decode_batch([PACKED] * 2)[1].size)
        if len(inner) == 3:
            decoder.decode(PACKED[:-1])

    with pytest.raises(sluice.DecodeError):
        while len(inner) < 3:
            assert decoder.decode_batch([PACKED] * 4, progress=progress)[3].tobytes() == TEXT
    assert inner[:3] == [len(TEXT)] * 3


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python have no buffer protocol before 3.12")
def test_buffers_of_python_classes():
    class Buffer:
        def __init__(self, get, release=None):
            self.get, self.release, self.held = get, release, 0

        def __buffer__(self, flags):
            self.held += 1
            return self.get()

        def __release_buffer__(self, view):
            self.held -= 1
            if self.release:
                self.release(view)

    def fail(*_):
        raise OSError("not now")

    plain = Buffer(lambda: memoryview(PACKED))
    assert sluice.decode("gzip", plain).tobytes() == TEXT and sluice.decode_batch("gzip", [plain] * 3)[2].tobytes() == TEXT
    with pytest.raises(sluice.DecodeError):
        sluice.decode("gzip", Buffer(lambda: memoryview(PACKED)[:-1]))
    assert plain.held == 0
    out = Buffer(lambda: memoryview(bytearray(len(TEXT))))  # another one each time it is asked
    assert sluice.decode("gzip", PACKED, out).size == len(TEXT)
    gc.collect()
    assert out.held == 0
    for bad in (Buffer(fail), Buffer(lambda: 5), Buffer(lambda: memoryview(PACKED)[::2]), Buffer(lambda: None)):
        for call in (lambda: sluice.decode("gzip", bad), lambda: sluice.decode_batch("gzip", [PACKED, bad]), lambda: sluice.decode("gzip", PACKED, bad)):
            with pytest.raises((OSError, TypeError, ValueError)):
                call()
    released = memoryview(PACKED)
    released.release()
    with pytest.raises(ValueError):
        sluice.decode("gzip", Buffer(lambda: released))


# ---- memory that others change ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", COMPRESS)
def test_an_input_changes_under_the_decoder(codec):
    """Another thread writes to it all the while: a decoder that trusts a byte which it reads twice would leave its buffers."""
    decoder, ends = sluice.Decoder(codec), threading.Event()
    packed = bytearray(COMPRESS[codec](TEXT[:300_000]))
    sound = bytes(packed)

    def scribble():
        chance = random.Random(codec)
        while not ends.is_set():
            for _ in range(200):
                packed[chance.randrange(min(len(packed), 2000)) if chance.random() < 0.5 else chance.randrange(len(packed))] = chance.randrange(256)
            packed[:] = sound

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        guarded = np.full(400_000, 0xaa, np.uint8)
        for _ in range(40):
            arrays, statuses = decoder.decode_batch([packed] * 4, errors="return", max_output=1_000_000)
            assert all((a is None) != s.ok for a, s in zip(arrays, statuses))
            try:
                decoder.decode(packed, guarded[:350_000])
            except sluice.DecodeError as error:
                assert error.reason
            assert (guarded[350_000:] == 0xaa).all()
    finally:
        ends.set()
        thread.join()


def test_one_output_for_16_threads():
    """Which bytes are there in the end is anyone's guess, and so is whether their checksum is right when it is looked at."""
    out, decoder, said = np.empty(len(TEXT) + 1, np.uint8), sluice.Decoder("gzip"), []

    def work():
        for _ in range(4):
            try:
                said.append(decoder.decode(PACKED, out).size)
            except sluice.DecodeError as error:
                said.append(error.reason)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 64 and set(said) <= {len(TEXT), "bad_crc32"}
    assert decoder.decode(PACKED, out).tobytes() == TEXT


# ---- memory of other kinds --------------------------------------------------------------------------------------------


def test_elements_that_are_no_numbers():
    class Pair(ctypes.Structure):
        _fields_ = [("first", ctypes.c_uint8), ("second", ctypes.c_uint8)]

    for out in (np.empty(100, "M8[s]"), np.empty(100, "m8[D]"), np.empty(100, "U1"), np.empty(100, bool), np.empty(100, "V1"), np.empty(100, complex),
                np.empty(100, np.float16), array.array("u", "x" * 100), array.array("d", [0] * 9), (Pair * 50)(), (ctypes.c_int8 * 100)(),
                (ctypes.c_void_p * 10)(), memoryview(bytearray(96)).cast("d"), memoryview(bytearray(96)).cast("?"), memoryview(bytearray(96)).cast("b"),
                np.empty((), object), np.empty(3, np.dtype([("a", "u1"), ("b", object)]))):
        with pytest.raises((TypeError, ValueError)):
            sluice.decode("gzip", gzip.compress(b"abcdefgh"), out)
        with pytest.raises((TypeError, ValueError)):
            sluice.decode_batch("gzip", [gzip.compress(b"abcdefgh")], out)
    # Pointers are no data, whoever calls them bytes.
    for data in (np.array([object(), b"abc"]), np.empty(2, np.dtype([("a", object)]))):
        with pytest.raises((TypeError, ValueError, sluice.DecodeError)):
            sluice.decode("gzip", data)


def test_shapes():
    flat, packed = b"abcdefgh", gzip.compress(b"abcdefgh")
    assert sluice.decode("gzip", packed, (ctypes.c_uint8 * 8)()).tobytes() == flat
    assert sluice.decode("gzip", packed, np.empty((2, 2, 2), np.uint8)).tobytes() == flat
    assert sluice.decode("gzip", gzip.compress(b"a"), np.empty((), np.uint8)).tobytes() == b"a"
    for out in (np.broadcast_to(np.empty(1, np.uint8), 100), np.lib.stride_tricks.as_strided(np.empty(8, np.uint8), (8, 8), (0, 1)),
                np.empty((3, 0, 5), np.uint8), np.empty((8, 8), np.uint8)[:, ::-1], memoryview(bytearray(100))[::-1],
                memoryview(bytearray(100)).toreadonly()):
        with pytest.raises((ValueError, sluice.OutputLimitError)):
            sluice.decode("gzip", packed, out)
