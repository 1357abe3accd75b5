"""Batches: lists of buffers and one buffer in pieces, outputs of every kind, and what is refused."""

import gzip
import random
import zlib

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import text_of
from peers import COMPRESS, raw_deflate

# A run, and behind it another one whose length depends on a checksum of the first.
UNCOUNTABLE = """format uncountable
  input bytes
  output bytes
  trailing reject trailing_bytes
  size: u32le
  value: u8
  mark start
  run value, count size
  sum = crc32(output since start)
  when sum == 1
    run value, count 1
  else
    run value, count 0
"""

SIZES = [0, 1, 10, 500, 1000, 64_000, 3, 2_500_000, 700, 1_048_576, 90_000]


@pytest.fixture(scope="module")
def texts():
    return [text_of(size, seed) for seed, size in enumerate(SIZES)]


@pytest.fixture(scope="module")
def packed(texts):
    return [raw_deflate(data) for data in texts]


@pytest.fixture(scope="module")
def decoder():
    return sluice.Decoder("deflate")


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_a_list(decoder, texts, packed, threads):
    arrays = decoder.decode_batch(packed, threads=threads)
    assert [a.tobytes() for a in arrays] == texts
    assert all(a.dtype == np.uint8 for a in arrays)


@pytest.mark.parametrize("codec", COMPRESS)
def test_every_codec(codec, texts):
    arrays = sluice.decode_batch(codec, [COMPRESS[codec](data) for data in texts])
    assert [a.tobytes() for a in arrays] == texts


def test_many_small_ones_live_in_one_piece(decoder):
    texts = [text_of(random.Random(i).randint(0, 300), i) for i in range(5000)]
    arrays = decoder.decode_batch([raw_deflate(data) for data in texts])
    assert [a.tobytes() for a in arrays] == texts
    arrays[0][:1] = 0
    whole = next(a for a in arrays if a.size).base
    assert whole is not None and whole.size == sum(map(len, texts))


def test_highly_compressible_ones_are_counted(decoder):
    texts = [bytes([i]) * 3_000_000 for i in range(5)] + [b"short"]
    assert [a.tobytes() for a in decoder.decode_batch([raw_deflate(t) for t in texts])] == texts
    # Formats that can't be counted have their room grown instead.
    uncountable = sluice.Decoder(text=UNCOUNTABLE)
    assert not uncountable.countable
    sizes = [5, 3_000_000, 40_000_000, 0]
    packed = [size.to_bytes(4, "little") + b"x" for size in sizes]
    assert [a.tobytes() for a in uncountable.decode_batch(packed)] == [b"x" * size for size in sizes]
    assert uncountable.decode((200_000_000).to_bytes(4, "little") + b"x").size == 200_000_000
    arrays, statuses = uncountable.decode_batch(packed, max_output=1_000_000, errors="return")
    assert [s.ok for s in statuses] == [True, False, False, True]


def test_sizes(decoder, texts, packed):
    sizes = [len(data) for data in texts]
    assert decoder.decoded_sizes(packed).tolist() == sizes
    for given in (sizes, np.array(sizes), np.array(sizes, np.uint32), tuple(sizes)):
        assert [a.tobytes() for a in decoder.decode_batch(packed, sizes=given)] == texts
    assert [a.tobytes() for a in decoder.decode_batch(packed, sizes=max(sizes))] == texts


def test_one_buffer_in_pieces(decoder, texts, packed):
    whole = b"".join(packed)
    ends = np.cumsum([0] + [len(p) for p in packed])
    assert [a.tobytes() for a in decoder.decode_batch(whole, offsets=ends)] == texts
    lengths = [len(p) for p in packed]
    assert [a.tobytes() for a in decoder.decode_batch(whole, offsets=ends[:-1], lengths=lengths)] == texts
    order = np.argsort(-ends[:-1])
    arrays = decoder.decode_batch(whole, offsets=ends[:-1][order], lengths=np.array(lengths)[order])
    assert [a.tobytes() for a in arrays] == [texts[i] for i in order]
    assert decoder.decoded_sizes(whole, offsets=ends).tolist() == [len(data) for data in texts]
    for bad, kind in (([0, len(whole) + 1], IndexError), ([5, 2], ValueError), ([], ValueError), ([-1, 2], ValueError)):
        with pytest.raises(kind):
            decoder.decode_batch(whole, offsets=bad)
    with pytest.raises(IndexError):
        decoder.decode_batch(whole, offsets=[2**64 - 1], lengths=[2])
    with pytest.raises(ValueError):
        decoder.decode_batch(whole, offsets=[0, 1], lengths=[1, 2, 3])
    with pytest.raises(TypeError, match="offsets"):
        decoder.decode_batch(whole)


def test_out_list(decoder, texts, packed):
    outs = [np.empty(len(data) + 5, np.uint8) for data in texts]
    arrays = decoder.decode_batch(packed, outs)
    assert [a.tobytes() for a in arrays] == texts
    assert all(np.shares_memory(a, o) for a, o in zip(arrays, outs) if a.size)
    with pytest.raises(ValueError, match="one buffer for every chunk"):
        decoder.decode_batch(packed, outs[:-1])
    outs[3] = np.empty(499, np.uint8)
    with pytest.raises(sluice.OutputLimitError) as caught:
        decoder.decode_batch(packed, outs)
    assert caught.value.chunk == 3


def test_out_in_one(decoder, texts, packed):
    out = np.full(sum(map(len, texts)) + 3, 7, np.uint8)
    arrays = decoder.decode_batch(packed, out)
    assert out[:-3].tobytes() == b"".join(texts) and (out[-3:] == 7).all()
    assert [a.tobytes() for a in arrays] == texts
    arrays = decoder.decode_batch(packed, out, [len(data) for data in texts])
    assert [a.tobytes() for a in arrays] == texts
    with pytest.raises(ValueError, match="do not fit"):
        decoder.decode_batch(packed, out[:-4])


def test_errors_are_returned_and_the_others_decoded(decoder, texts, packed):
    broken = list(packed)
    broken[2] = b"\x07" + broken[2][1:]  # a block of the reserved kind
    broken[5] = broken[5][: len(broken[5]) // 2]
    for options in ({}, {"sizes": [len(t) for t in texts]}, {"out": np.empty(sum(map(len, texts)), np.uint8)},
                    {"out": [np.empty(len(t), np.uint8) for t in texts]}):
        arrays, statuses = decoder.decode_batch(broken, errors="return", **options)
        assert [s.ok for s in statuses] == [i not in (2, 5) for i in range(len(texts))]
        assert all(a is None if i in (2, 5) else a.tobytes() == texts[i] for i, a in enumerate(arrays))
        assert statuses[5].error.reason == "end_of_input" and statuses[5].error.chunk == 5
        assert statuses[5].produced == statuses[5].error.produced
        assert statuses[0].error is None and statuses[3].consumed == len(packed[3]) and statuses[3].produced == 500
    with pytest.raises(sluice.DecodeError) as caught:
        decoder.decode_batch(broken)
    assert caught.value.chunk == 2
    with pytest.raises(ValueError, match="raise or return"):
        decoder.decode_batch(broken, errors="ignore")


def test_max_output_is_of_each_chunk(decoder, texts, packed):
    arrays, statuses = decoder.decode_batch(packed, errors="return", max_output=1000)
    for data, array, status in zip(texts, arrays, statuses):
        assert status.ok == (len(data) <= 1000)
        if not status.ok:
            assert array is None and isinstance(status.error, sluice.OutputLimitError) and "max_output" in str(status.error)


def test_progress(decoder):
    told = []
    packed = [zlib.compress(text_of(2_000_000))] * 30
    sluice.decode_batch("zlib", packed, progress=lambda done, all: told.append((done, all)))
    assert told == sorted(told) and told[-1] == (30, 30)

    class Enough(Exception):
        pass

    def stop(done, all):
        raise Enough

    with pytest.raises(Enough):
        sluice.decode_batch("zlib", packed, progress=stop, threads=1)


def test_nothing(decoder):
    assert decoder.decode_batch([]) == []
    assert decoder.decode_batch([], errors="return") == ([], [])
    assert decoder.decoded_sizes([]).tolist() == []
    assert decoder.decode_batch(b"", offsets=[0]) == []
    assert decoder.decode_batch(iter([gzip.compress(b"")[10:-8]]))[0].size == 0


def test_little_input_may_count_far():
    """Counting little input begins with a bound of 64 MiB; beyond it the bound is what memory is free, as ever."""
    long = sluice.Decoder(text="format long\n  input bytes\n  output i16[]\n  trailing reject trailing_bytes\n\n  n: u32le\n  value: u8\n  run value as i16, count n\n")
    assert long.countable
    sizes = [5, (32 << 20) - 1, 32 << 20, (32 << 20) + 1, 100_000_000, 0]
    packed = [size.to_bytes(4, "little") + b"x" for size in sizes]
    assert long.decoded_sizes(packed).tolist() == sizes
    assert [long.decoded_sizes([one])[0] for one in packed] == sizes
    assert long.decoded_sizes(packed[:2], max_output=64 << 20).tolist() == sizes[:2]
    for limit in (9, 1000, 70 << 20):
        with pytest.raises(sluice.OutputLimitError) as caught:
            long.decoded_sizes([packed[0], packed[4]], max_output=limit)
        assert caught.value.chunk == (0 if limit == 9 else 1)
    with pytest.raises(sluice.OutputLimitError, match="free in memory"):
        sluice.Decoder(text="format endless\n  input bytes\n  output bytes\n  trailing reject trailing_bytes\n\n  n: u64le\n  run 1, count n\n").decoded_sizes([b"\xff" * 7 + b"\x3f"])
    with pytest.raises(sluice.DecodeError) as caught:
        long.decoded_sizes([packed[4], packed[0][:3]])
    assert caught.value.chunk == 1 and caught.value.reason == "end_of_input"


def test_not_countable():
    with pytest.raises(sluice.NotCountableError):
        sluice.Decoder(text=UNCOUNTABLE, target="interp").decoded_sizes([b"\x01\x00\x00\x00x"])
