"""Codecs of Zarr 3 that are decoded by Sluice: a list of chunks is one batch. `sluice_codecs.zarr` puts them into arrays."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from math import prod
from typing import Any, Iterable, Sequence

from zarr.abc.codec import BytesBytesCodec
from zarr.codecs._v2 import V2Codec
from zarr.core.common import parse_named_configuration

from ._adopted import ADOPTED, Framing, adopted, decode_chunks, encode_as, spec_of
from ._device import is_on_device as _is_on_device
from ._errors import DecodeError

PREFIX = "numcodecs."  # of numcodecs' ids in Zarr 3


class BatchedCodec:
    """What codecs of bytes share here: ``decode`` of a list is one batch."""

    framing: Framing

    async def decode(self, chunks_and_specs: Iterable[tuple[Any, Any]]) -> list[Any]:
        """A batch of chunks, None for missing ones. What they decode to is found out: a pipeline of zarr's own asks."""
        chunks, specs = unzip(chunks_and_specs)
        return await decode_buffers(self.framing, chunks, specs, None)


async def decode_buffers(framing: Framing, chunks: Sequence[Any], specs: Sequence[Any], sizes: Sequence[int] | None) -> list[Any]:
    """Decodes buffers of zarr as one batch, to buffers of their specs' prototypes. ``sizes`` as for `decode_chunks`.

    Raises DecodeError; its ``chunk`` is an index of ``chunks``, missing ones counted.
    """
    present = [index for index, chunk in enumerate(chunks) if chunk is not None]
    arrays = await decode_present(framing, present, [chunks[i].as_array_like() for i in present],
                                  None if sizes is None else [sizes[i] for i in present], None)
    decoded: list[Any] = [None] * len(chunks)
    for index, array in zip(present, arrays):
        decoded[index] = specs[index].prototype.buffer.from_array_like(array)
    return decoded


async def decode_present(framing: Framing, present: list[int], chunks: list[Any], sizes: Any, out: Any) -> list[Any]:
    """`decode_chunks` off the event loop; on a GPU in it, since CuPy's current stream and device belong to the thread."""
    try:
        if chunks and _is_on_device(chunks[0]):
            return decode_chunks(framing, chunks, sizes, out)
        return await asyncio.to_thread(decode_chunks, framing, chunks, sizes, out)
    except DecodeError as error:
        error.chunk = present[error.chunk]
        raise


@dataclass(frozen=True)
class AdoptedCodec(BatchedCodec, BytesBytesCodec):
    """A codec of zarr's, decoded by Sluice. Name, configuration and encoding are those of ``theirs``.

    By name for zarr's own pipelines, too: ``zarr.config.set({"codecs.gzip": "sluice_codecs.zarr.gzip"})``.
    """

    is_fixed_size = False

    theirs: BytesBytesCodec

    @property
    def framing(self) -> Framing:  # type: ignore[override]
        framing = framing_of(self.theirs)
        assert framing is not None, self.theirs
        return framing

    def to_dict(self) -> dict[str, Any]:
        return self.theirs.to_dict()

    def evolve_from_array_spec(self, array_spec: Any) -> "AdoptedCodec":
        return AdoptedCodec(self.theirs.evolve_from_array_spec(array_spec))

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        return self.theirs.compute_encoded_size(input_byte_length, chunk_spec)

    async def encode(self, chunks_and_specs: Iterable[tuple[Any, Any]]) -> Iterable[Any]:
        return await self.theirs.encode(chunks_and_specs)


def framing_of(codec: Any, names: Iterable[str] = ADOPTED) -> Framing | None:
    """What stands in the chunks of a codec of zarr's, of numcodecs or None; None where Sluice does not decode it, or where it is
    none of those of ``names``."""
    if hasattr(codec, "get_config"):
        name, configuration = codec.codec_id, codec.get_config()
    else:
        page: Any = codec.to_dict() if isinstance(codec, BytesBytesCodec) else {"name": ""}
        name, configuration = page["name"].removeprefix(PREFIX), page.get("configuration", {})
    return adopted(name, configuration) if name in names else None


@dataclass(frozen=True)
class SluiceCodec(BatchedCodec, BytesBytesCodec):
    """Any format of Sluice as a codec of Zarr 3: ``{"name": "sluice", "configuration": {"spec": ..., "parameters": {...}}}``.

    Arguments as of `sluice_codecs.numcodecs.Sluice`, encoding likewise.
    """

    is_fixed_size = False

    spec: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", spec_of(self.spec))

    @property
    def framing(self) -> Framing:  # type: ignore[override]
        return Framing(self.spec, tuple(sorted(self.parameters.items())))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SluiceCodec":
        _, configuration = parse_named_configuration(data, "sluice")
        return cls(**dict[str, Any](configuration))

    def to_dict(self) -> dict[str, Any]:
        configuration = {"spec": self.spec} | ({"parameters": self.parameters} if self.parameters else {})
        return {"name": "sluice", "configuration": configuration}

    def compute_encoded_size(self, _input_byte_length: int, _chunk_spec: Any) -> int:
        raise NotImplementedError

    async def _encode_single(self, chunk: Any, chunk_spec: Any) -> Any:
        encoded = await asyncio.to_thread(encode_as, self.framing, chunk.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(encoded)


@dataclass(frozen=True)
class AdoptedV2(V2Codec):
    """What is between the bytes and the array in Zarr 2: filters, and a compressor, which is undone for the whole batch."""

    @property
    def framing(self) -> Framing:
        framing = framing_of(self.compressor)
        assert framing is not None, self.compressor
        return framing

    async def decode(self, chunks_and_specs: Iterable[tuple[Any, Any]]) -> Iterable[Any]:
        chunks, specs = unzip(chunks_and_specs)
        sizes = None if self.filters else [chunk_nbytes(spec) for spec in specs]
        decoded = await decode_buffers(self.framing, chunks, specs, sizes)
        return await V2Codec(filters=self.filters, compressor=None).decode(zip(decoded, specs))


def unzip(pairs: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Chunks and their specs, apart."""
    firsts, seconds = [], []
    for first, second in pairs:
        firsts.append(first)
        seconds.append(second)
    return firsts, seconds


def chunk_nbytes(spec: Any) -> int:
    """Bytes of a chunk's elements."""
    return prod(spec.shape) * spec.dtype.to_native_dtype().itemsize
