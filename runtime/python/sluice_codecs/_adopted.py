"""Other libraries' codecs that Sluice decodes: their names, what their encoders really write, and one way to decode it.

`ADOPTED` is where a codec joins: a line there, and numcodecs, Zarr 2 and Zarr 3 arrays of that name are read by Sluice.
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Sequence

import numpy

from . import _core, _specs
from ._decoder import Decoder
from ._device import is_on_device as _is_on_device
from ._errors import DecodeError
from ._left import decode_by, told_by_zstd

# Bytes of output that one byte can stand for in LZ4 and BloscLZ, whose lengths go on by 255 a byte, and in Deflate, where 258 bytes
# may take two bits; Snappy has fewer. In zstd a block of one byte, repeated, is a header of three and that one.
_LZ4_EXPANSION, _DEFLATE_EXPANSION, _ZSTD_EXPANSION = 255, 1032, (128 << 10) // 4
_LEAST = 64  # what a few bytes may make beyond that
_SIZE_BYTES = 4  # of a size that a format's own header holds


@dataclass(frozen=True, slots=True)
class Framing:
    """What stands in a chunk.

    Attributes:
        format: name of a codec of Sluice, or the text of a description.
        parameters: of the format.
        size_bytes: bytes in front of the format's data that hold the size of the output, little-endian; 0 for none.
        size_at: where in the format's own header four bytes hold the size of the output, little-endian; None where none do.
        expansion: bytes of output that one byte can stand for, at most: of formats with a size, by which no header is believed more.
        only: a parameter of the other library's codec, and the values of it with which Sluice decodes what it writes; the
            others are left to that library. None for all.
        left: reasons of refusal that say no more than that the format's description lacks something. Chunks say for
            themselves how they are to be read, whatever stands in an array's metadata: those are left to that library, too.
        may_be_empty: whether no bytes at all are data; where the other library says no, they are refused here, too.
    """

    format: str
    parameters: tuple[tuple[str, Any], ...] = ()
    size_bytes: int = 0
    size_at: int | None = None
    expansion: int = _LZ4_EXPANSION
    only: tuple[str, tuple[Any, ...]] | None = None
    left: tuple[str, ...] = ()
    may_be_empty: bool = True


# By numcodecs' ids. Zarr 3 has the same with "numcodecs." in front, and a few as they are. numcodecs' gzip is Python's, which
# refuses what is no member behind the last one. Its zstd decodes frames of known size at once, which takes no window: one that is
# larger than a stream's may be is no reason to refuse a frame, whatever our description and libzstd's streams say. Blosc with zstd
# inside is left to it: a compressor that the codec `blosc` learns goes from `left` to `only`.
ADOPTED: dict[str, Framing] = {
    "gzip": Framing("gzip", (("ignore_garbage", False),)),
    "zlib": Framing("zlib"),
    "bz2": Framing("bzip2"),
    "lz4": Framing("lz4_block", size_bytes=4),
    "blosc": Framing("blosc", size_at=4, expansion=_DEFLATE_EXPANSION, only=("cname", ("lz4", "lz4hc", "blosclz", "snappy", "zlib")),
                     left=("zstd_not_supported", "block_too_large")),
    "zstd": Framing("zstd", left=("window_too_large",), may_be_empty=False),
}


def adopted(codec_id: Any, configuration: dict[str, Any]) -> Framing | None:
    """What stands in chunks of another library's codec, by numcodecs' id; None where they are left to that library."""
    framing = ADOPTED.get(codec_id)
    if framing is not None and framing.only is not None and configuration.get(framing.only[0]) not in framing.only[1]:
        return None
    return framing


def chosen(codecs: Iterable[str] | None, known: Iterable[str]) -> tuple[str, ...]:
    """The names of codecs that a caller wants of those there are: all for None. ValueError for one that is none of them."""
    names = tuple(known)
    if codecs is None:
        return names
    if isinstance(codecs, str):
        raise TypeError(f"codecs: a list of names is needed, such as [{codecs!r}]")
    wanted = tuple(codecs)
    for name in wanted:
        if name not in names:
            raise ValueError(f"codecs: Sluice takes {', '.join(names)} here, not {name!r}")
    return wanted


# Of our codecs, those that another library has an encoder for: numcodecs' id of that.
ENCODED_BY: dict[str, str] = {"gzip": "gzip", "zlib": "zlib", "bzip2": "bz2", "blosc": "blosc", "zstd": "zstd"}


def spec_of(spec: Any) -> str:
    """The name of a codec or the text of a description: what may stand in an array's metadata.

    A path (`os.PathLike`) is read, so that the metadata describe the format wherever the array goes. A string with line
    ends is a description; any other has to be the name of a codec. Names of files are not taken from strings: metadata
    come with data, and an artifact is machine code.
    """
    if isinstance(spec, os.PathLike):
        with open(spec, encoding="utf-8") as stream:
            return stream.read()
    if not isinstance(spec, str):
        raise TypeError(f"spec: the name of a codec, a description's text or a path is needed, not {type(spec).__name__}")
    if "\n" not in spec and spec not in {codec.name for codec in _specs.list_codecs()}:
        raise ValueError(f"spec: there is no codec {spec!r}; a description of your own is given as pathlib.Path or as its text")
    return spec


@functools.lru_cache(maxsize=256)
def decoder_of(framing: Framing, device: int | None = None) -> Decoder:
    """The decoder of a framing's format, for a GPU one of its own; kept, and shared by all threads."""
    if "\n" in framing.format:
        return Decoder(text=framing.format, device=device, **dict(framing.parameters))
    return Decoder(framing.format, device=device, **dict(framing.parameters))


def refusal(chunk: int, reason: str, what: str) -> DecodeError:
    """A chunk that is refused by nothing in the format's description. `reason` is ``"wrong_size"`` where a chunk decodes, but
    not to the size that the array or its own header promises."""
    return DecodeError(f"chunk {chunk}: {what}", chunk, "", reason, "", 0, 0, 0, 0, 0)


def decode_chunks(framing: Framing, chunks: Sequence[Any], sizes: Sequence[int] | None = None,
                  out: Sequence[Any] | None = None) -> list[Any]:
    """Decodes chunks as one batch: on all cores, or on the GPU that they lie on.

    Args:
        framing: what stands in them.
        chunks: contiguous buffers of the host, or arrays on a GPU.
        sizes: bytes that each has to decode to, where that is known: no memory beyond it is taken.
        out: a contiguous, writable array of uint8 for each, of that size, on the same side.

    Returns an array of uint8 a chunk: of NumPy; on a GPU of CuPy where the chunks are, else a `DeviceArray`. Chunks that
    ``framing.left`` leaves to numcodecs are decoded by it behind the batch, one by one and on the host.

    Raises DecodeError, with the index of the chunk; also where a chunk makes fewer or more bytes than ``sizes`` says.
    May be called from any thread. On a GPU it returns when the batch is done.
    """
    if not len(chunks):
        return []
    if out is not None:
        sizes = [one.nbytes for one in out]
    on_device = _is_on_device(chunks[0])
    decoder = decoder_of(framing, _device_of(chunks[0]) if on_device else None)
    if not framing.may_be_empty:
        for chunk, length in enumerate(map(_length, chunks)):
            if length == 0:
                raise refusal(chunk, "wrong_size", "there are no bytes of it")
    bodies = chunks
    if framing.size_bytes:
        bodies, sizes = _without_sizes(framing, chunks, sizes, on_device)
    width = decoder.dtype.itemsize
    if sizes is not None:
        for chunk, size in enumerate(sizes):
            if size % width:
                raise refusal(chunk, "wrong_size", f"{size} bytes are needed, and the format makes elements of {width}")
    given = _rooms_inside(framing, chunks, on_device) if sizes is None else sizes
    rooms = None if given is None else [size // width for size in given]
    outs = out if out is None or decoder.dtype == numpy.uint8 else [one.view(decoder.dtype) for one in out]
    if on_device:
        arrays, errors = _decode_on_device(framing, decoder, bodies, rooms, outs)
    else:
        arrays, errors = _decode_on_host(framing, decoder, bodies, rooms, outs)
    for chunk, error in errors:
        if error.reason not in framing.left:
            raise error
        arrays[chunk] = _leave_to_numcodecs(framing, error, chunks[chunk], None if sizes is None else sizes[chunk],
                                            None if out is None else out[chunk])
    for chunk, array in enumerate(arrays):
        if sizes is not None and array.nbytes != sizes[chunk]:
            raise refusal(chunk, "wrong_size", f"it decodes to {array.nbytes} bytes, and {sizes[chunk]} are promised")
    if decoder.dtype == numpy.uint8:
        return arrays
    return [array.view(numpy.uint8) if hasattr(array, "view") else array for array in arrays]


def _without_sizes(framing: Framing, chunks: Sequence[Any], sizes: Sequence[int] | None,
                   on_device: bool) -> tuple[list[Any], list[int]]:
    """The chunks behind their sizes, and those: an error where they differ from what is promised, or can't be true."""
    width = framing.size_bytes
    lengths = _lengths(chunks, on_device)
    for chunk, length in enumerate(lengths):
        if length < width:
            raise refusal(chunk, "wrong_size", f"{length} bytes, and the size of the output alone takes {width}")
    told = _numbers_in(chunks, 0, width, on_device)
    for chunk, size in enumerate(told):
        if sizes is not None and size != sizes[chunk]:
            raise refusal(chunk, "wrong_size", f"its header says {size} bytes, and {sizes[chunk]} are promised")
        if size > _most_of(framing, lengths[chunk]):
            raise refusal(chunk, "wrong_size", f"its header says {size} bytes, which {lengths[chunk]} bytes can't stand for")
    return [(chunk if on_device else memoryview(chunk).cast("B"))[width:] for chunk in chunks], told


def _rooms_inside(framing: Framing, chunks: Sequence[Any], on_device: bool) -> list[int] | None:
    """Bytes that outputs of unknown size are given: what the chunks' own headers say, as far as that can be true. None where there
    are no such headers, or they can't be read: of a library that is not CuPy.

    Sluice's codecs never need more, so that with less than a header says a chunk is refused for what is wrong with it, or as
    one that is left to others.
    """
    at = framing.size_at
    if at is None or (on_device and _device_of(chunks[0]) is None):
        return None
    lengths = _lengths(chunks, on_device)
    some = [chunk for chunk, length in enumerate(lengths) if length >= at + _SIZE_BYTES]
    rooms = [0] * len(chunks)
    for chunk, told in zip(some, _numbers_in([chunks[chunk] for chunk in some], at, _SIZE_BYTES, on_device)):
        rooms[chunk] = min(told, _most_of(framing, lengths[chunk]))
    return rooms


def _lengths(chunks: Sequence[Any], on_device: bool) -> list[int]:
    """Bytes of each. TypeError for arrays on a GPU that nobody here can cut."""
    if on_device:
        _library_of(chunks[0])
    return [_length(chunk) for chunk in chunks]


def _length(chunk: Any) -> int:
    """Bytes of one, on either side."""
    return chunk.nbytes if hasattr(chunk, "nbytes") else len(chunk)


def _most_of(framing: Framing, length: int) -> int:
    """The most that so many bytes can stand for."""
    return framing.expansion * length + _LEAST


def _numbers_in(chunks: Sequence[Any], at: int, width: int, on_device: bool) -> list[int]:
    """A little-endian number of each chunk. From a GPU it is the one thing that is read back, in one copy for all of them."""
    if not chunks or not on_device:
        return [int.from_bytes(memoryview(chunk).cast("B")[at : at + width], "little") for chunk in chunks]
    words = _library_of(chunks[0]).concatenate([chunk[at : at + width] for chunk in chunks]).tobytes()
    return [int.from_bytes(words[i : i + width], "little") for i in range(0, len(words), width)]


def _library_of(array: Any) -> Any:
    """CuPy, where an array on a GPU is one of its arrays: it makes and cuts arrays as NumPy does."""
    library = type(array).__module__.partition(".")[0]
    if library != "cupy":
        raise TypeError(f"arrays of CuPy are needed, not of {library}")
    return sys.modules["cupy"]


def _device_of(array: Any) -> int | None:
    """The ordinal of the GPU that an array of CuPy lies on; None, the current one, for others' arrays."""
    return getattr(getattr(array, "device", None), "id", None)


def _decode_on_host(framing: Framing, decoder: Decoder, chunks: Sequence[Any], rooms: list[int] | None,
                    outs: Sequence[Any] | None) -> tuple[list[Any], list[tuple[int, DecodeError]]]:
    """The batch on the host's cores: arrays, and the refused chunks in order; a raised error where none is left to others."""
    if not framing.left:
        return decoder.decode_batch(chunks, outs, rooms), []
    arrays, statuses = decoder.decode_batch(chunks, outs, rooms, errors="return")
    return arrays, [(chunk, status.error) for chunk, status in enumerate(statuses) if status.error is not None]


def _decode_on_device(framing: Framing, decoder: Decoder, chunks: Sequence[Any], rooms: list[int] | None,
                      outs: Sequence[Any] | None) -> tuple[list[Any], list[tuple[int, DecodeError]]]:
    """The same on the chunks' own GPU, on its current stream. Output is CuPy's memory where the chunks are CuPy's; of others'
    the first refused one raises."""
    if _device_of(chunks[0]) is None:
        return list(decoder.decode_batch(chunks, outs, rooms).check()), []
    cupy = _library_of(chunks[0])
    with chunks[0].device:
        if outs is None:
            if rooms is None:
                rooms = _counted(framing, decoder, chunks)
            whole = cupy.empty(sum(rooms), decoder.dtype)
            outs = [whole[end - room : end] for end, room in zip(numpy.cumsum(rooms).tolist(), rooms)]
        statuses = decoder.decode_batch(chunks, outs).statuses()
    arrays = [array[: status.produced] for array, status in zip(outs, statuses)]
    return arrays, [(chunk, status.error) for chunk, status in enumerate(statuses) if status.error is not None]


def _counted(framing: Framing, decoder: Decoder, chunks: Sequence[Any]) -> list[int]:
    """Elements that chunks on a GPU decode to; 0 for those that are left to numcodecs, which counting refuses one by one."""
    rooms = [0] * len(chunks)
    which = list(range(len(chunks)))
    while which:
        try:
            counted = decoder.decoded_sizes([chunks[chunk] for chunk in which]).copy_to_host().tolist()
        except DecodeError as error:
            error.chunk = which.pop(error.chunk)
            if error.reason not in framing.left:
                raise
        else:
            for chunk, room in zip(which, counted):
                rooms[chunk] = room
            break
    return rooms


def _leave_to_numcodecs(framing: Framing, error: DecodeError, chunk: Any, size: int | None, out: Any) -> Any:
    """A chunk that the format refused with ``error`` and leaves to numcodecs: an array on its side, ``out`` where that is given.

    What the chunk says of its size is looked at first, since numcodecs takes memory for that.
    """
    from .numcodecs import CODECS

    name = ENCODED_BY[framing.format]
    packed = _library_of(chunk).asnumpy(chunk) if _is_on_device(chunk) else chunk
    told = _told_by(framing, packed)
    if told is not None and size not in (None, told):
        raise refusal(error.chunk, "wrong_size", f"its header says {told} bytes, and {size} are promised") from error
    if told is not None and told > _ZSTD_EXPANSION * len(packed) + _LEAST:  # of Blosc what is left may hold zstd, too
        raise refusal(error.chunk, "wrong_size", f"its header says {told} bytes, which {len(packed)} bytes can't stand for") from error
    on_host = None if out is None or _is_on_device(chunk) else out
    try:
        made = decode_by(CODECS[name].library(), packed, size if told is None else told, on_host)
    except (RuntimeError, ValueError) as fault:
        raise refusal(error.chunk, "numcodecs", f"numcodecs' {name}, to which {error.reason} is left: {fault}") from error
    if not _is_on_device(chunk):
        return made
    with chunk.device:
        made = _library_of(chunk).asarray(made)
        if out is None:
            return made
        out[...] = made
        return out


def _told_by(framing: Framing, packed: Any) -> int | None:
    """Bytes that a chunk in the host's memory says it decodes to; None where it does not say."""
    if framing.format == "zstd":
        return told_by_zstd(memoryview(packed).cast("B"))
    assert framing.size_at is not None, framing
    return _numbers_in([packed], framing.size_at, _SIZE_BYTES, False)[0]


def encode_as(framing: Framing, data: Any) -> bytes:
    """Encodes with the project's own encoder of a format, or with numcodecs' where that has one.

    Raises NotImplementedError for formats that nobody here encodes.
    """
    if framing.format in _core.encoders():
        return _specs.encode(framing.format, data)
    if framing.format in ENCODED_BY:
        from .numcodecs import CODECS

        return bytes(CODECS[ENCODED_BY[framing.format]].library().encode(data))
    name = "a description of one's own" if "\n" in framing.format else framing.format
    raise NotImplementedError(f"there is no encoder for {name}: arrays of it can be read, not written")


class Switch:
    """What a ``use()`` has switched over, until `undo`, or the end of the ``with`` block that it opens."""

    def __init__(self, undo: Iterable[Callable[[], Any]]) -> None:
        self._undo = list(undo)

    def undo(self) -> None:
        """Puts back what was there before, the last first. A second call does nothing."""
        while self._undo:
            self._undo.pop()()

    def __enter__(self) -> "Switch":
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.undo()


__all__ = ["ADOPTED", "Framing", "Switch", "adopted", "chosen", "decode_chunks", "decoder_of", "encode_as", "refusal", "spec_of"]
