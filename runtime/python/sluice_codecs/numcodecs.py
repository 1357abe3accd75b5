"""Codecs for numcodecs, and for Zarr 2 and whatever else takes its codecs by their ids.

    import sluice_codecs as sluice

    with sluice.numcodecs.use():                     # gzip, zlib, bz2, lz4, blosc, zstd: by Sluice from here on
        array = numcodecs.get_codec({"id": "lz4"}).decode(chunk)
    numcodecs.get_codec({"id": "sluice", "spec": "orc_rle_v2", "parameters": {"T": "i32"}})

Encoding is numcodecs' own: Sluice has encoders for its own formats alone. The id ``sluice`` is an entry point of the
package; the others' ids are theirs until `use`. All of this may be called from any thread.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Iterable

import numcodecs
import numpy
from numcodecs.abc import Codec
from numcodecs.compat import ensure_contiguous_ndarray

from ._adopted import ADOPTED, Framing, Switch, adopted, chosen, decode_chunks, encode_as, spec_of
from ._device import is_on_device as _is_on_device


def _decode(framing: Framing, buf: Any, out: Any) -> Any:
    """One chunk, as numcodecs has it: ``out`` is any writable contiguous buffer of exactly the right size."""
    on_device = _is_on_device(buf)
    chunk = buf if on_device else ensure_contiguous_ndarray(buf).reshape(-1).view(numpy.uint8)
    if out is None:
        return decode_chunks(framing, [chunk])[0]
    room = out.reshape(-1) if on_device else ensure_contiguous_ndarray(out).reshape(-1)
    decode_chunks(framing, [chunk], out=[room.view(numpy.uint8)])
    return out


class Adopted(Codec):
    """A codec of numcodecs, decoded by Sluice.

    Id, parameters, ``get_config`` and ``encode`` are those of numcodecs' codec of the same id. ``decode`` returns an array
    of uint8 and raises `DecodeError`, a ValueError, for data that is refused. Arrays of CuPy are decoded on their GPU, to
    arrays of CuPy. Blosc with a ``cname`` of zstd stays numcodecs' own; with another one, a chunk that holds that all the same is
    decoded by numcodecs, on the host, as is one of zstd with a window of more than 128 MiB.
    """

    library: type[Codec]
    """numcodecs' own class."""

    def __init__(self, *args: Any, **parameters: Any) -> None:
        self._theirs = self.library(*args, **parameters)

    def encode(self, buf: Any) -> Any:
        """As numcodecs encodes it."""
        return self._theirs.encode(buf)

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Decodes a chunk, into ``out`` if that is given: its size has to be right."""
        framing = adopted(self.codec_id, self.get_config())
        return self._theirs.decode(buf, out) if framing is None else _decode(framing, buf, out)

    def get_config(self) -> dict[str, Any]:
        """As numcodecs writes it."""
        return self._theirs.get_config()

    def __repr__(self) -> str:
        return repr(self._theirs)


def _adopt(codec_id: str) -> type[Adopted] | None:
    """The class that stands in for numcodecs' codec of an id; None where this numcodecs has none."""
    theirs = numcodecs.registry.codec_registry.get(codec_id)
    if theirs is None:
        return None
    return type(theirs.__name__, (Adopted,), {"codec_id": codec_id, "library": theirs, "__module__": __name__,
                                              "__doc__": f"numcodecs' {theirs.__name__}, decoded by Sluice. See `Adopted`."})


CODECS: dict[str, type[Adopted]] = {codec_id: made for codec_id in ADOPTED if (made := _adopt(codec_id)) is not None}
globals().update({made.__name__: made for made in CODECS.values()})  # by name, so that they can be pickled


class Sluice(Codec):
    """Any format of Sluice as a codec of numcodecs: ``{"id": "sluice", "spec": ..., "parameters": {...}}``.

    Args:
        spec: the name of a codec (see ``sluice.list``); a description's text; or a `pathlib.Path`, whose text is taken
            then, so that the array's metadata say how it is read wherever it goes.
        parameters: of the format, such as ``{"T": "i32"}``.

    ``decode`` returns bytes as an array of uint8, whatever the format's elements. ``encode`` takes the project's own
    encoder (``sluice.encoders``), else numcodecs' for gzip, zlib, bzip2, blosc and zstd, else it raises
    NotImplementedError.
    """

    codec_id = "sluice"

    def __init__(self, spec: Any, parameters: dict[str, Any] | None = None) -> None:
        self.spec = spec_of(spec)
        self.parameters = dict(parameters or {})

    @property
    def _framing(self) -> Framing:
        return Framing(self.spec, tuple(sorted(self.parameters.items())))

    def encode(self, buf: Any) -> bytes:
        """Encodes where there is an encoder."""
        return encode_as(self._framing, ensure_contiguous_ndarray(buf).reshape(-1).view(numpy.uint8))

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Decodes a chunk, into ``out`` if that is given: its size has to be right."""
        return _decode(self._framing, buf, out)


def use(*, codecs: Iterable[str] | None = None) -> Switch:
    """Has gzip, zlib, bz2, lz4, blosc and zstd decoded by Sluice wherever numcodecs' registry is asked for them from now on.

    Args:
        codecs: the ids, of `CODECS`, of those that are to be; None for all.

    Returns a `Switch`: ``undo()`` it, or use it in a ``with`` statement. Codecs that somebody holds already stay theirs.
    Zarr 3 is switched by ``sluice.zarr.use``, which decodes whole lists of chunks at once.
    """
    registry = numcodecs.registry.codec_registry
    ids = chosen(codecs, CODECS)
    before = {codec_id: registry[codec_id] for codec_id in ids}
    for codec_id in ids:
        numcodecs.register_codec(CODECS[codec_id], codec_id)
    return Switch(partial(numcodecs.register_codec, theirs, codec_id) for codec_id, theirs in before.items())


numcodecs.register_codec(Sluice)

__all__ = ["CODECS", "Adopted", "Sluice", "use"]
