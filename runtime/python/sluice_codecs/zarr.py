"""Zarr 3 arrays, decoded by Sluice: on all cores, or on the GPU after ``zarr.config.enable_gpu()``.

    import sluice_codecs as sluice

    sluice.zarr.use()                                # every array that is opened from here on
    array = sluice.zarr.reopen(array)                # one array, whatever the configuration; it can be sent to workers
    ours = sluice.zarr.SluiceCodec("fsst")           # a codec of its own, for new arrays

How zarr reads, in versions 3.1 to 3.4: an array's selection becomes one call of its pipeline's ``read`` with all chunks.
`BatchedCodecPipeline` cuts that list into batches of ``codec_pipeline.batch_size`` chunks, which is 1 unless somebody sets
it, and runs ``async.concurrency`` (10) batches side by side. Of a batch it fetches all chunks, hands the list to
``Codec.decode(chunks_and_specs)`` of one codec after another, and copies the arrays to their places. The base class of
codecs takes that list apart again, a thread a chunk. `Pipeline` cuts by bytes (``codec_pipeline.batch_bytes``) instead, and
its codecs hand the list down as one batch. Where nothing of an array is Sluice's it does what zarr's does.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from typing import Any, Iterable, Sequence

import numpy
import zarr
from zarr.codecs import BytesCodec, ShardingCodec
from zarr.codecs._v2 import V2Codec
from zarr.core.codec_pipeline import BatchedCodecPipeline, fill_value_or_default
from zarr.core.common import concurrent_map
from zarr.core.config import config
from zarr.registry import register_codec, register_pipeline

from ._adopted import ADOPTED, Switch, chosen
from ._device import is_on_device as _is_on_device
from ._errors import DecodeError
from ._zarr_codecs import (
    PREFIX,
    AdoptedCodec,
    AdoptedV2,
    BatchedCodec,
    SluiceCodec,
    chunk_nbytes,
    decode_buffers,
    decode_present,
    framing_of,
    unzip,
)

CODECS = tuple(ADOPTED)
"""The codecs that Sluice decodes, by numcodecs' ids; zarr's own of the same names, and ``numcodecs.`` with them, among them."""

BATCH_BYTES = 1 << 30
"""Bytes that the chunks of a batch decode to, together, unless ``codec_pipeline.batch_bytes`` says otherwise."""


# ---- codecs in arrays ---------------------------------------------------------------------------------------------


def _selectable(name: str) -> type[AdoptedCodec] | None:
    """A class to be named in ``codecs.NAME`` of zarr's configuration; None where this zarr has no codec of the name."""
    path = config.get("codecs", {}).get(name)
    if path is None:
        return None

    def from_dict(cls: type, data: dict[str, Any]) -> Any:
        module, _, theirs = path.rpartition(".")
        return _adopt(getattr(sys.modules[module], theirs).from_dict(data), CODECS)

    return type(name.replace(".", "_"), (AdoptedCodec,), {"__module__": __name__, "__doc__": AdoptedCodec.__doc__,
                                                          "from_dict": classmethod(from_dict)})


class _Sharding(ShardingCodec):
    """zarr's codec of shards, with our codecs and pipeline inside: zarr's asks the configuration at every read."""

    @property
    def codec_pipeline(self) -> "Pipeline":
        return Pipeline.of(self.codecs)

    def __getstate__(self) -> dict[str, Any]:
        page = super().__getstate__()
        return page | {"configuration": page["configuration"] | {"codecs": self.codecs}}

    async def _decode_partial_single(self, byte_getter: Any, selection: Any, shard_spec: Any) -> Any:
        try:
            return await super()._decode_partial_single(byte_getter, selection, shard_spec)
        except DecodeError as error:
            raise _named(error, byte_getter) from error.__cause__


def _adopt(codec: Any, names: Sequence[str]) -> Any:
    """The codec that takes a codec's place in a pipeline of ours; itself where Sluice does not decode it, or is not to."""
    if type(codec) is ShardingCodec:
        return _Sharding(chunk_shape=codec.chunk_shape, codecs=[_adopt(inner, names) for inner in codec.codecs],
                         index_codecs=codec.index_codecs, index_location=codec.index_location)
    if type(codec) is V2Codec and framing_of(codec.compressor, names) is not None:
        return AdoptedV2(filters=codec.filters, compressor=codec.compressor)
    if not isinstance(codec, BatchedCodec) and framing_of(codec, names) is not None:
        return AdoptedCodec(codec)
    return codec


# ---- the pipeline -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipeline(BatchedCodecPipeline):
    """zarr's pipeline, with Sluice in the place of the codecs that it decodes, and lists of chunks as one batch.

    `use` selects it, as does ``ZARR_CODEC_PIPELINE__PATH=sluice_codecs.zarr.Pipeline`` for processes that run no code of
    yours first; ``codec_pipeline.adopted`` of zarr's configuration may list the codecs that Sluice is to take, all unless it
    does. Writing is zarr's. Raises DecodeError for a chunk that is refused; the text names the chunk's key.
    """

    @classmethod
    def from_codecs(cls, codecs: Iterable[Any], *, batch_size: int | None = None) -> "Pipeline":
        names = chosen(config.get("codec_pipeline.adopted", None), CODECS)
        return cls.of([_adopt(codec, names) for codec in codecs], batch_size)

    @classmethod
    def of(cls, codecs: Iterable[Any], batch_size: int | None = None) -> "Pipeline":
        """Of codecs as they are: those that are ours already are Sluice's, and no others."""
        return super().from_codecs(codecs, batch_size=batch_size)

    @property
    def _ours(self) -> bool:
        return any(isinstance(codec, (BatchedCodec, AdoptedV2)) for codec in self)

    async def decode(self, chunk_bytes_and_specs: Iterable[tuple[Any, Any]]) -> Iterable[Any]:
        if not self._ours:
            return await super().decode(chunk_bytes_and_specs)
        return await self.decode_batch(chunk_bytes_and_specs)

    async def decode_batch(self, chunk_bytes_and_specs: Iterable[tuple[Any, Any]]) -> Iterable[Any]:
        """As zarr's, but that codecs are told what their chunks decode to, where the array's metadata say so."""
        chunks, specs = unzip(chunk_bytes_and_specs)
        stages: Any = self._codecs_with_resolved_metadata_batched(specs)
        array_codecs, (to_bytes, inner), bytes_codecs = stages
        batch: Iterable[Any] = chunks
        for index, (codec, codec_specs) in reversed(list(enumerate(bytes_codecs))):
            if isinstance(codec, BatchedCodec):
                sizes = self._sizes(index, codec_specs)
                batch = await decode_buffers(codec.framing, list(batch), codec_specs, sizes)
            else:
                batch = await codec.decode(zip(batch, codec_specs))
        batch = await to_bytes.decode(zip(batch, inner))
        for codec, codec_specs in reversed(array_codecs):
            batch = await codec.decode(zip(batch, codec_specs))
        return batch

    def _sizes(self, index: int, specs: Sequence[Any]) -> list[int] | None:
        """What chunks are before the codec of bytes of that index encodes them; None where only they can tell."""
        before: list[Any] = [self.array_bytes_codec, *self.bytes_bytes_codecs[:index]]
        if not all(getattr(codec, "is_fixed_size", False) for codec in before):
            return None
        sizes = []
        for spec in specs:
            size = chunk_nbytes(spec)
            for codec in before:
                size = codec.compute_encoded_size(size, spec)
            sizes.append(size)
        return sizes

    async def read(self, batch_info: Iterable[Any], out: Any, drop_axes: tuple[int, ...] = ()) -> Any:
        if not self._ours:
            return await super().read(batch_info, out, drop_axes)
        results = await concurrent_map([(batch, out, drop_axes) for batch in _batches(batch_info)], self.read_batch,
                                       config.get("async.concurrency"))
        return tuple(result for batch in results for result in batch)

    async def read_batch(self, batch_info: Iterable[Any], out: Any, drop_axes: tuple[int, ...] = ()) -> Any:
        if not self._ours:
            return await super().read_batch(batch_info, out, drop_axes)
        batch = list(batch_info)
        chunks = await concurrent_map([(getter, spec.prototype) for getter, spec, *_ in batch],
                                      lambda getter, prototype: getter.get(prototype), config.get("async.concurrency"))
        try:
            arrays = await self._decode_to(out, chunks, batch, drop_axes)
        except DecodeError as error:
            raise _named(error, batch[error.chunk][0]) from error.__cause__
        for array, (_, spec, chunk_selection, out_selection, _) in zip(arrays, batch):
            if array is _IN_PLACE:
                continue
            if array is None:
                out[out_selection] = fill_value_or_default(spec)
            else:
                part = array[chunk_selection]
                out[out_selection] = part.squeeze(axis=drop_axes) if drop_axes else part
        return tuple({"status": "missing" if chunk is None else "present"} for chunk in chunks)

    async def _decode_to(self, out: Any, chunks: list[Any], batch: list[Any], drop_axes: tuple[int, ...]) -> list[Any]:
        """The chunks' arrays; `_IN_PLACE` for those that were decoded to where they belong, which spares a copy."""
        whole = out.as_ndarray_like()
        if not self._may_be_in_place() or drop_axes:
            return list(await self.decode_batch((chunk, spec) for chunk, (_, spec, *_) in zip(chunks, batch)))
        present: list[int] = []
        rooms: list[Any] = []
        results: list[Any] = [None] * len(chunks)
        for index, (chunk, (_, spec, chunk_selection, out_selection, _)) in enumerate(zip(chunks, batch)):
            if chunk is None:
                continue
            room = _place(whole, spec, chunk_selection, out_selection)
            if room is None:
                room = _like(chunk.as_array_like()).empty(chunk_nbytes(spec), numpy.uint8)
                results[index] = room
            else:
                results[index] = _IN_PLACE
            present.append(index)
            rooms.append(room)
        codec: Any = self.bytes_bytes_codecs[0]
        await decode_present(codec.framing, present, [chunks[i].as_array_like() for i in present], None, rooms)
        elsewhere = [i for i in present if results[i] is not _IN_PLACE]
        buffers = [(batch[i][1].prototype.buffer.from_array_like(results[i]), batch[i][1]) for i in elsewhere]
        for index, array in zip(elsewhere, await self.array_bytes_codec.decode(buffers)):
            results[index] = array
        return results

    def _may_be_in_place(self) -> bool:
        """Whether what the one compressor decodes to are the array's elements, as this machine has them."""
        to_bytes = self.array_bytes_codec
        if self.array_array_codecs or type(to_bytes) is not BytesCodec or len(self.bytes_bytes_codecs) != 1:
            return False
        return getattr(to_bytes.endian, "value", to_bytes.endian) in (None, sys.byteorder)  # an enum until zarr 3.2


_IN_PLACE = object()


def _batches(batch_info: Iterable[Any]) -> list[list[Any]]:
    """Cut where the chunks would decode to more than ``codec_pipeline.batch_bytes``; a chunk at least."""
    limit = config.get("codec_pipeline.batch_bytes", BATCH_BYTES)
    batches: list[list[Any]] = []
    room = 0
    for chunk in batch_info:
        nbytes = chunk_nbytes(chunk[1])
        if nbytes > room or not batches:
            batches.append([])
            room = limit
        batches[-1].append(chunk)
        room -= nbytes
    return batches


def _like(array: Any) -> Any:
    """The library of an array: NumPy or CuPy."""
    return sys.modules["cupy"] if _is_on_device(array) else numpy


def _place(whole: Any, spec: Any, chunk_selection: Any, out_selection: Any) -> Any:
    """The bytes in the output that a chunk is to become, where it lands there whole and in one piece; else None."""
    if not (isinstance(chunk_selection, tuple) and isinstance(out_selection, tuple) and out_selection):
        return None
    if not all(isinstance(part, slice) for part in chunk_selection + out_selection):
        return None
    if any(part.indices(length) != (0, length, 1) for part, length in zip(chunk_selection, spec.shape)):
        return None
    view = whole[out_selection]
    native = spec.dtype.to_native_dtype()
    if view.shape != spec.shape or view.dtype != native or not native.isnative or native.hasobject or not view.flags.c_contiguous:
        return None
    return view.reshape(-1).view(numpy.uint8)


def _named(error: DecodeError, getter: Any) -> DecodeError:
    """The error with the chunk's key in front of its text; in a shard that of the inner chunk."""
    where = getattr(getter, "chunk_coords", None)
    name = f"inner chunk {where}" if where is not None else str(getter)
    kind, arguments = error.__reduce__()
    return kind(f"{name}: {arguments[0]}", *arguments[1:])


# ---- switching over -----------------------------------------------------------------------------------------------


def use(*, codecs: Iterable[str] | None = None, batch_bytes: int | None = None) -> Switch:
    """Has every Zarr array that is opened from now on, in this process, decoded by Sluice where it knows the codec.

    Of Zarr 2 and 3, with numcodecs' ids in either: gzip, zlib, bz2, lz4, zstd, and blosc where its ``cname`` is lz4, lz4hc,
    blosclz, snappy or zlib. Other codecs of the same array stay zarr's. Chunks of Blosc say themselves what they are: one that
    holds zstd or a shuffled block of more than 4 MiB, whatever the metadata say, is decoded by numcodecs, behind the others and
    on the host; and so is one of zstd with a window of more than 128 MiB.

    Sets ``codec_pipeline.path``, ``codec_pipeline.adopted`` and ``codec_pipeline.batch_bytes`` in zarr's configuration. Metadata
    stay as they are, and writing is zarr's. Reading takes memory for all compressed chunks of a batch.

    Args:
        codecs: those of `CODECS` that Sluice is to take; None for all.
        batch_bytes: what the chunks of a batch may decode to, together; None for `BATCH_BYTES`.

    Returns a `Switch`: ``undo()`` it, or use it in a ``with`` statement. Arrays keep the pipeline they were opened with.
    """
    if batch_bytes is not None and batch_bytes < 1:
        raise ValueError("batch_bytes: at least 1 is needed")
    changed = config.set({"codec_pipeline.path": f"{__name__}.Pipeline",
                          "codec_pipeline.adopted": list(chosen(codecs, CODECS)),
                          "codec_pipeline.batch_bytes": batch_bytes or BATCH_BYTES})
    return Switch([lambda: changed.__exit__(None, None, None)])


def reopen(array: Any, *, codecs: Iterable[str] | None = None) -> Any:
    """The same array, decoded by Sluice whatever the configuration; also after it was sent to another process.

    Takes and returns a `zarr.Array` or `zarr.AsyncArray`. What one makes of it (``resize``, ``with_config``) is zarr's again.
    ``codecs`` are those of `CODECS` that Sluice is to take, of an array that has several; None for all.
    """
    names = chosen(codecs, CODECS)
    if isinstance(array, zarr.Array):
        return type(array)(reopen(array._async_array, codecs=names))
    if not isinstance(array, zarr.AsyncArray):
        raise TypeError(f"a Zarr array is needed, not {type(array).__name__}")
    twin, theirs = copy.copy(array), iter(array.codec_pipeline)  # type: ignore[call-overload]
    object.__setattr__(twin, "codec_pipeline", Pipeline.of([_adopt(codec, names) for codec in theirs]))
    return twin


register_pipeline(Pipeline)
register_codec("sluice", SluiceCodec)
# Under zarr's names only where its configuration says which class a name is: elsewhere zarr would take the last that came.
for _name in [name for adopted in ADOPTED for name in (adopted, PREFIX + adopted)]:
    if (_made := _selectable(_name)) is not None:
        globals()[_made.__name__] = _made
        register_codec(_name, _made)

__all__ = ["BATCH_BYTES", "CODECS", "AdoptedCodec", "Pipeline", "SluiceCodec", "reopen", "use"]
