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

_LZ4_EXPANSION = 255  # bytes of output that one byte of an LZ4 block can stand for
_LZ4_LEAST = 64  # what a few bytes may make beyond that


@dataclass(frozen=True, slots=True)
class Framing:
    """What stands in a chunk.

    Attributes:
        format: name of a codec of Sluice, or the text of a description.
        parameters: of the format.
        size_bytes: bytes in front of the format's data that hold the size of the output, little-endian; 0 for none.
        only: a parameter of the other library's codec, and the values of it with which Sluice decodes what it writes; the
            others are left to that library. None for all.
    """

    format: str
    parameters: tuple[tuple[str, Any], ...] = ()
    size_bytes: int = 0
    only: tuple[str, tuple[Any, ...]] | None = None


# By numcodecs' ids. Zarr 3 has the same with "numcodecs." in front, and a few as they are. numcodecs' gzip is Python's, which
# refuses what is no member behind the last one. Blosc and zstd are left to zarr's own codecs; of a container that holds several
# formats `only` says which: ("cname", ("lz4", "blosclz")).
ADOPTED: dict[str, Framing] = {
    "gzip": Framing("gzip", (("ignore_garbage", False),)),
    "zlib": Framing("zlib"),
    "bz2": Framing("bzip2"),
    "lz4": Framing("lz4_block", size_bytes=4),
}


def adopted(codec_id: Any, configuration: dict[str, Any]) -> Framing | None:
    """What stands in chunks of another library's codec, by numcodecs' id; None where they are left to that library."""
    framing = ADOPTED.get(codec_id)
    if framing is not None and framing.only is not None and configuration.get(framing.only[0]) not in framing.only[1]:
        return None
    return framing


# Of our codecs, those that another library has an encoder for: numcodecs' id of that.
ENCODED_BY: dict[str, str] = {"gzip": "gzip", "zlib": "zlib", "bzip2": "bz2"}


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


def wrong_size(chunk: int, what: str) -> DecodeError:
    """A chunk that decodes, but not to the size that the array or its own header promises. `reason` is ``"wrong_size"``."""
    return DecodeError(f"chunk {chunk}: {what}", chunk, "", "wrong_size", "", 0, 0, 0, 0, 0)


def decode_chunks(framing: Framing, chunks: Sequence[Any], sizes: Sequence[int] | None = None,
                  out: Sequence[Any] | None = None) -> list[Any]:
    """Decodes chunks as one batch: on all cores, or on the GPU that they lie on.

    Args:
        framing: what stands in them.
        chunks: contiguous buffers of the host, or arrays on a GPU.
        sizes: bytes that each has to decode to, where that is known: no memory beyond it is taken.
        out: a contiguous, writable array of uint8 for each, of that size, on the same side.

    Returns an array of uint8 a chunk: of NumPy; on a GPU of CuPy where the chunks are, else a `DeviceArray`.

    Raises DecodeError, with the index of the chunk; also where a chunk makes fewer or more bytes than ``sizes`` says.
    May be called from any thread. On a GPU it returns when the batch is done.
    """
    if not len(chunks):
        return []
    if out is not None:
        sizes = [one.nbytes for one in out]
    on_device = _is_on_device(chunks[0])
    decoder = decoder_of(framing, _device_of(chunks[0]) if on_device else None)
    if framing.size_bytes:
        chunks, sizes = _without_sizes(framing, chunks, sizes, on_device)
    width = decoder.dtype.itemsize
    if sizes is not None:
        for chunk, size in enumerate(sizes):
            if size % width:
                raise wrong_size(chunk, f"{size} bytes are needed, and the format makes elements of {width}")
    rooms = None if sizes is None else [size // width for size in sizes]
    outs = out if out is None or decoder.dtype == numpy.uint8 else [one.view(decoder.dtype) for one in out]
    if on_device:
        arrays = _decode_on_device(decoder, chunks, rooms, outs)
    else:
        arrays = decoder.decode_batch(chunks, outs, rooms)
    for chunk, array in enumerate(arrays):
        if sizes is not None and array.nbytes != sizes[chunk]:
            raise wrong_size(chunk, f"it decodes to {array.nbytes} bytes, and {sizes[chunk]} are promised")
    if decoder.dtype == numpy.uint8:
        return list(arrays)
    return [array.view(numpy.uint8) if hasattr(array, "view") else array for array in arrays]


def _without_sizes(framing: Framing, chunks: Sequence[Any], sizes: Sequence[int] | None,
                   on_device: bool) -> tuple[list[Any], list[int]]:
    """The chunks behind their sizes, and those: an error where they differ from what is promised, or can't be true."""
    width = framing.size_bytes
    library = _library_of(chunks[0]) if on_device else None
    lengths = [chunk.nbytes if hasattr(chunk, "nbytes") else len(chunk) for chunk in chunks]
    for chunk, length in enumerate(lengths):
        if length < width:
            raise wrong_size(chunk, f"{length} bytes, and the size of the output alone takes {width}")
    if library is not None:
        # The one thing that is read back: four bytes a chunk, in one copy.
        heads = library.concatenate([chunk[:width] for chunk in chunks]).tobytes()
        told = [int.from_bytes(heads[at : at + width], "little") for at in range(0, len(heads), width)]
        bodies = [chunk[width:] for chunk in chunks]
    else:
        views = [memoryview(chunk).cast("B") for chunk in chunks]
        told = [int.from_bytes(view[:width], "little") for view in views]
        bodies = [view[width:] for view in views]
    for chunk, size in enumerate(told):
        if sizes is not None and size != sizes[chunk]:
            raise wrong_size(chunk, f"its header says {size} bytes, and {sizes[chunk]} are promised")
        if size > _LZ4_EXPANSION * lengths[chunk] + _LZ4_LEAST:
            raise wrong_size(chunk, f"its header says {size} bytes, which {lengths[chunk]} bytes can't stand for")
    return bodies, told


def _library_of(array: Any) -> Any:
    """CuPy, where an array on a GPU is one of its arrays: it makes and cuts arrays as NumPy does."""
    library = type(array).__module__.partition(".")[0]
    if library != "cupy":
        raise TypeError(f"arrays of CuPy are needed, not of {library}")
    return sys.modules["cupy"]


def _device_of(array: Any) -> int | None:
    """The ordinal of the GPU that an array of CuPy lies on; None, the current one, for others' arrays."""
    return getattr(getattr(array, "device", None), "id", None)


def _decode_on_device(decoder: Decoder, chunks: Sequence[Any], rooms: list[int] | None, outs: Sequence[Any] | None) -> list[Any]:
    """The batch on the chunks' own GPU, on its current stream. Output is CuPy's memory where the chunks are CuPy's."""
    if _device_of(chunks[0]) is None:
        return list(decoder.decode_batch(chunks, outs, rooms).check())
    cupy = _library_of(chunks[0])
    with chunks[0].device:
        if outs is None:
            if rooms is None:
                rooms = decoder.decoded_sizes(chunks).copy_to_host().tolist()
            whole = cupy.empty(sum(rooms), decoder.dtype)
            outs = [whole[end - room : end] for end, room in zip(numpy.cumsum(rooms).tolist(), rooms)]
        statuses = decoder.decode_batch(chunks, outs).statuses()
    for status in statuses:
        if status.error is not None:
            raise status.error
    return [array[: status.produced] for array, status in zip(outs, statuses)]


def encode_as(framing: Framing, data: Any) -> bytes:
    """Encodes with the project's own encoder of a format, or with numcodecs' where that has one.

    Raises NotImplementedError for formats that nobody here encodes.
    """
    if framing.format in _core.encoders():
        return _specs.encode(framing.format, data)
    if framing.format in ENCODED_BY:
        import numcodecs

        return bytes(numcodecs.get_codec({"id": ENCODED_BY[framing.format]}).encode(data))
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


__all__ = ["ADOPTED", "Framing", "Switch", "adopted", "decode_chunks", "decoder_of", "encode_as", "spec_of", "wrong_size"]
