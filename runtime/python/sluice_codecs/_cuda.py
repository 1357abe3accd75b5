"""Decoding on a GPU: arrays of any library by ``__cuda_array_interface__`` or DLPack, in and out, without copies."""

from __future__ import annotations

import sys
from typing import Any, Sequence

import numpy

from . import _core, _engines
from ._errors import ChunkStatus

_WORD = 8  # bytes of a pointer, a size, an error word
_ALIGN = 16  # of outputs in one piece of memory: stores of a warp need no less to be whole


class DeviceArray:
    """Elements in a GPU's memory, one dimension: what CuPy, PyTorch, JAX and Numba take without a copy.

    ``cupy.asarray(a)``, ``torch.as_tensor(a, device="cuda")``, ``torch.from_dlpack(a)``. It holds its memory; what was
    made of it does so, too. Work that fills it may still be under way on ``stream``.
    """

    __slots__ = ("address", "size", "dtype", "device", "stream", "_owner")

    def __init__(self, address: int, size: int, dtype: Any, device: int, stream: int, owner: Any) -> None:
        self.address, self.size, self.dtype = address, size, numpy.dtype(dtype)
        self.device, self.stream, self._owner = device, stream, owner

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def shape(self) -> tuple[int]:
        """As NumPy has it."""
        return (self.size,)

    def __len__(self) -> int:
        return self.size

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        # 1 stands for the default stream, which must not be said as 0.
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address if self.size else 0, False),
                "version": 3, "strides": None, "stream": self.stream or 1}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.device)

    def __dlpack__(self, *, stream: int | None = None, **_options: Any) -> Any:
        if stream not in (None, -1, self.stream or 1, self.stream):
            self._owner.decoder.wait(self.stream)
        return _core.to_dlpack(self.address, self.size, self.dtype.itemsize, self.dtype.kind == "i", self.device, self)

    def copy_to_host(self) -> numpy.ndarray:
        """The elements as an array of NumPy, after the work on ``stream``."""
        return numpy.frombuffer(self._owner.decoder.copy_to_host(self.address, self.nbytes, self.stream), self.dtype)

    def __repr__(self) -> str:
        return f"<DeviceArray of {self.size} {self.dtype} on device {self.device}>"


_LEAST_BLOCK = 256  # bytes
_LARGEST_BLOCK = 64 << 20  # what is larger is given back at once
_BLOCKS = 8  # of a size that wait for the next batch


class _Pool:
    """Memory for batches, on the device and page-locked on the host, which the driver takes hundreds of microseconds to give.

    Sizes are powers of two. What comes back is not in use any more: `_Kept` has waited. Thread-safe, since lists of Python are.
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self._free: dict[tuple[bool, int], list] = {}

    @staticmethod
    def _size(nbytes: int) -> int:
        return max(_LEAST_BLOCK, 1 << (nbytes - 1).bit_length()) if nbytes <= _LARGEST_BLOCK else nbytes

    def take(self, nbytes: int, pinned: bool = False) -> Any:
        """A block of at least so many bytes."""
        size = self._size(nbytes)
        try:
            return self._free[pinned, size].pop()
        except (KeyError, IndexError):
            return self._core.pinned(bytes(size)) if pinned else self._core.allocate(size)

    def give_back(self, block: Any, pinned: bool = False) -> None:
        """For whoever comes next; the driver's again where enough of that size wait."""
        if block.nbytes > _LARGEST_BLOCK:
            return
        waiting = self._free.setdefault((pinned, block.nbytes), [])
        if len(waiting) < _BLOCKS:
            waiting.append(block)


class _Kept:
    """What a batch needs until its kernel is done: memory of ours, the caller's arrays, and the stream itself.

    Whoever lets go of it earlier waits: copies and kernels that are queued must not find their memory given back.
    """

    def __init__(self, decoder: Any, pool: _Pool, stream: Any, *things: Any) -> None:
        self.decoder, self.pool, self.stream, self.things = decoder, pool, stream, list(things)
        self.blocks: list[tuple[Any, bool]] = []

    def take(self, nbytes: int, pinned: bool = False) -> Any:
        """Memory that is the batch's until it is done."""
        block = self.pool.take(nbytes, pinned)
        self.blocks.append((block, pinned))
        return block

    def __del__(self) -> None:
        try:
            self.decoder.wait(int(self.stream))
        except Exception:  # a context that failed has nothing queued any more; in a child process nothing is ours
            return
        for block, pinned in self.blocks:
            self.pool.give_back(block, pinned)


class _Stream(int):
    """A stream's handle, which keeps its owner: a stream of CuPy ends with its object."""

    owner: Any = None

    @staticmethod
    def of(handle: Any, owner: Any) -> "_Stream":
        """The handle of a stream that somebody else's object stands for."""
        stream = _Stream(int(getattr(handle, "value", handle) or 0))
        stream.owner = owner
        return stream


class DeviceBatch(Sequence):
    """A batch under way on a GPU: a sequence of `DeviceArray`, one a chunk, of the sizes that were told or found.

    Nothing has been waited for. ``produced`` and ``errors`` are arrays in device memory, for kernels that come later on
    the stream; ``check`` and ``statuses`` wait for the batch.
    """

    def __init__(self, decoder: Any, arrays: list[DeviceArray], rooms: list[int], produced: DeviceArray, errors: DeviceArray,
                 consumed: DeviceArray) -> None:
        self._decoder, self._arrays, self._rooms = decoder, arrays, rooms
        self.produced, self.errors, self.consumed = produced, errors, consumed

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, index: Any) -> Any:
        return self._arrays[index]

    def statuses(self) -> list[ChunkStatus]:
        """One status a chunk, after the batch is done."""
        produced, consumed, errors = (a.copy_to_host().tolist() for a in (self.produced, self.consumed, self.errors))
        return [ChunkStatus(made, read, self._decoder.error_of(word, chunk, made, room) if word else None)
                for chunk, (made, read, word, room) in enumerate(zip(produced, consumed, errors, self._rooms))]

    def check(self) -> "DeviceBatch":
        """Waits for the batch and raises the `DecodeError` of its first refused chunk. Returns the batch."""
        for status in self.statuses():
            if status.error is not None:
                raise status.error
        return self


class _Span:
    """Contiguous bytes on a device, of whatever array says where they are."""

    __slots__ = ("address", "nbytes", "kept")

    def __init__(self, array: Any, stream: int, what: str, decoder: Any, writable: str | None = None) -> None:
        page = getattr(array, "__cuda_array_interface__", None)
        if page is None:
            if not hasattr(array, "__dlpack__"):
                raise TypeError(f"{what}: an array on a GPU is needed, not {type(array).__name__}")
            self.address, self.nbytes, _device, self.kept = _core.from_dlpack(array.__dlpack__(stream=stream or 1))
            if writable is not None and getattr(array, "dtype", None) is not None and numpy.dtype(str(array.dtype).split(".")[-1]) != writable:
                raise TypeError(f"{what}: the format makes {writable}, the array's elements are {array.dtype}")
            return
        dtype = numpy.dtype(page["typestr"])
        count = 1
        for length in page["shape"]:
            count *= length
        strides = page.get("strides")
        if strides is not None and count > 1 and tuple(strides) != _contiguous(page["shape"], dtype.itemsize):
            raise ValueError(f"{what}: the array is not contiguous")
        if page.get("mask") is not None:
            raise ValueError(f"{what}: masked arrays are not taken")
        if writable is not None:
            if page["data"][1]:
                raise ValueError(f"{what}: the array must not be written to")
            if dtype != numpy.dtype(writable):
                raise TypeError(f"{what}: the format makes {writable}, the array's elements are {dtype}")
        theirs = page.get("stream")
        if theirs is not None and theirs != (stream or 1):
            decoder.wait(0 if theirs == 1 else theirs)
        self.address, self.nbytes, self.kept = page["data"][0] or 0, count * dtype.itemsize, array


def _contiguous(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides, step = [], itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def stream_handle(stream: Any, data: Any) -> int:
    """The handle of a named stream, or of the caller's current one: that of the library that ``data`` comes from."""
    if stream is None:
        library = type(data).__module__.partition(".")[0]
        if library == "torch":
            current = sys.modules["torch"].cuda.current_stream(data.device)
            return _Stream.of(current.cuda_stream, current)
        if library == "cupy":
            current = sys.modules["cupy"].cuda.get_current_stream()
            return _Stream.of(current.ptr, current)
        return data.stream if isinstance(data, DeviceArray) else 0
    if hasattr(stream, "__cuda_stream__"):
        return _Stream.of(stream.__cuda_stream__()[1], stream)
    for attribute in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        value = getattr(stream, attribute, None)
        if value is not None:
            return _Stream.of(value, stream)
    return int(stream)


class CudaDecoder:
    """What a `Decoder` has for a GPU. Data in host memory is copied there and back."""

    def __init__(self, source: str, is_text: bool, name: str, schedule: str | None, device: int | None,
                 settings: list, search: list, cache: bool) -> None:
        _engines.find_nvrtc()
        self._core = _core.make_cuda_decoder(source, is_text, name, schedule or "", -1 if device is None else device, settings,
                                             search, cache)
        self._pool = _Pool(self._core)
        self.engine = "nvrtc"
        self.timings: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def warm_up(self) -> None:
        """Compiles the kernel of decoded sizes, the only one that is not there yet: a batch of no chunks does that."""
        if self._core.countable:
            self._launch(True, 0, 0, 0, 0, 0, 0, 0, 0, None, 0)

    def decode(self, data: Any, out: Any, max_output: Any, dictionary: Any, arguments: Any, stream: Any) -> Any:
        if not _on_device(data):
            return self._core.decode(data, out, max_output, dictionary, arguments)
        batch = self.decode_batch([data], None if out is None else [out], None, None, None, "raise", max_output, dictionary,
                                  arguments, stream).check()
        whole = batch[0]
        return DeviceArray(whole.address, int(batch.produced.copy_to_host()[0]), whole.dtype, whole.device, whole.stream, whole._owner)

    def decoded_sizes(self, chunks: Any, offsets: Any, lengths: Any, max_output: Any, dictionary: Any, arguments: Any, stream: Any) -> Any:
        first = chunks if offsets is not None else next(iter(chunks), None)
        if not _on_device(first):
            return self._core.decoded_sizes(chunks, offsets, lengths, max_output, 0, dictionary, arguments)
        at = stream_handle(stream, first)
        inputs = self._inputs(chunks, offsets, lengths, at)
        produced, errors = self._count(inputs, max_output, dictionary, arguments, at)
        self._raise_first(errors, produced)
        return produced

    def decode_batch(self, chunks: Any, out: Any, sizes: Any, offsets: Any, lengths: Any, errors: str, max_output: Any,
                     dictionary: Any, arguments: Any, stream: Any) -> Any:
        first = chunks if offsets is not None else next(iter(chunks), None)
        if not _on_device(first):
            return self._core.decode_batch(chunks, out, sizes, offsets, lengths, errors == "return", max_output, 0, dictionary,
                                           arguments, None)
        at = stream_handle(stream, first)
        inputs = self._inputs(chunks, offsets, lengths, at)
        width, count = numpy.dtype(self._core.dtype).itemsize, inputs.count
        kept = self._keep(at, inputs)
        if isinstance(out, (list, tuple)):
            if len(out) != count:
                raise ValueError("out: one array for every chunk is needed")
            spans = [_Span(one, at, "out", self._core, self._core.dtype) for one in out]
            addresses, rooms = [s.address for s in spans], [s.nbytes // width for s in spans]
            kept.things.append(spans)
            if sizes is not None:
                rooms = [min(room, size) for room, size in zip(rooms, _numbers(sizes, count, "sizes", at, self._core), strict=True)]
        else:
            if sizes is None:
                counted, words = self._count(inputs, max_output, dictionary, arguments, at)
                if errors == "raise":
                    self._raise_first(words, counted)
                sizes = counted
            rooms = _numbers(sizes, count, "sizes", at, self._core)
            if out is None:
                starts, total = [], 0
                for room in rooms:
                    starts.append(total)
                    total += -(-room * width // _ALIGN) * _ALIGN
                base = kept.take(total).address
            else:
                span = _Span(out, at, "out", self._core, self._core.dtype)
                starts = [0, *numpy.cumsum([room * width for room in rooms]).tolist()][:count]
                if sum(rooms) * width > span.nbytes:
                    raise ValueError("out: the chunks' outputs do not fit into it")
                base = span.address
                kept.things.append(span)
            addresses = [base + start for start in starts]
        if max_output is not None:
            rooms = [min(room, max_output // width) for room in rooms]
        self._apart(inputs, addresses, rooms, width)
        tables = self._upload(numpy.array([addresses, rooms], numpy.uint64), at, kept)
        results = kept.take(3 * _WORD * max(count, 1))
        produced, words, consumed = (DeviceArray(results.address + i * _WORD * count, count, "u8", self._core.device_id, at, kept)
                                     for i in range(3))
        self._launch(False, inputs.addresses, inputs.sizes, tables, tables + _WORD * count, produced.address, words.address,
                     consumed.address, count, arguments, at, kept, dictionary, max(rooms, default=0) * width, sum(rooms) * width,
                     inputs.total)
        arrays = [DeviceArray(address, room, self._core.dtype, self._core.device_id, at, kept)
                  for address, room in zip(addresses, rooms)]
        return DeviceBatch(self._core, arrays, [room * width for room in rooms], produced, words, consumed)

    # ---- parts of a batch -------------------------------------------------------------------------------------

    def _launch(self, count, inputs, input_bytes, outputs, capacities, produced, errors, consumed, chunks, arguments, stream,
                kept=None, dictionary=None, largest=0, total=0, total_input=0) -> None:
        temp_bytes = self._core.temp_bytes(chunks) if chunks else 0
        temp = kept.take(temp_bytes) if temp_bytes else None
        span = _Span(dictionary, stream, "dictionary", self._core) if dictionary is not None else None
        if kept is not None:
            kept.things.append(span)
        self._core.launch(count, inputs, input_bytes, outputs, capacities, produced, errors, consumed, chunks,
                          temp.address if temp else 0, temp_bytes, largest, total, total_input, span.address if span else 0,
                          span.nbytes if span else 0, arguments, stream)

    def _upload(self, table: numpy.ndarray, stream: int, kept: _Kept) -> int:
        """The address of a copy on the device. From pinned memory, so that nobody waits."""
        memory = kept.take(table.nbytes)
        if table.nbytes:
            staged = kept.take(table.nbytes, pinned=True)
            staged.fill(table)
            self._core.copy_to_device(memory.address, staged, table.nbytes, stream)
        return memory.address

    def _keep(self, stream: int, *things: Any) -> _Kept:
        return _Kept(self._core, self._pool, stream, *things)

    def _inputs(self, chunks: Any, offsets: Any, lengths: Any, stream: int) -> "_Inputs":
        return _Inputs(self, chunks, offsets, lengths, stream)

    def _count(self, inputs: "_Inputs", max_output: Any, dictionary: Any, arguments: Any, stream: int) -> tuple[DeviceArray, DeviceArray]:
        count, kept = inputs.count, self._keep(stream, inputs)
        results = kept.take(2 * _WORD * max(count, 1))
        produced, errors = (DeviceArray(results.address + i * _WORD * count, count, "u8", self._core.device_id, stream, kept) for i in range(2))
        limits = 0
        if max_output is not None:
            width = numpy.dtype(self._core.dtype).itemsize
            limits = self._upload(numpy.full(count, max_output // width, numpy.uint64), stream, kept)
        self._launch(True, inputs.addresses, inputs.sizes, 0, limits, produced.address, errors.address, 0, count, arguments, stream,
                     kept, dictionary)
        return produced, errors

    def _raise_first(self, errors: DeviceArray, produced: DeviceArray) -> None:
        words = errors.copy_to_host()
        for chunk in numpy.flatnonzero(words)[:1].tolist():
            made = int(produced.copy_to_host()[chunk])
            raise self._core.error_of(int(words[chunk]), chunk, made, made * numpy.dtype(self._core.dtype).itemsize)

    @staticmethod
    def _apart(inputs: "_Inputs", addresses: list[int], rooms: list[int], width: int) -> None:
        """ValueError where an output shares bytes with an input, as far as it is known where inputs lie, or another output."""
        ranges = [(start, start + size, 0) for start, size in inputs.ranges if size]
        ranges += [(start, start + room * width, 1) for start, room in zip(addresses, rooms) if room]
        ends = [0, 0]
        for start, end, written in sorted(ranges):
            if start < ends[1]:
                raise ValueError("out: two outputs overlap" if written else "out: it overlaps an input")
            if written and start < ends[0]:
                raise ValueError("out: it overlaps an input")
            ends[written] = max(ends[written], end)


class _Inputs:
    """Arrays of input addresses and sizes on the device, and what is known of them here."""

    def __init__(self, decoder: CudaDecoder, chunks: Any, offsets: Any, lengths: Any, stream: int) -> None:
        self.kept = decoder._keep(stream)
        if offsets is not None:
            base = _Span(chunks, stream, "chunks", decoder._core)
            self.kept.things.append(base)
            self.total = base.nbytes
            self.ranges = [(base.address, base.nbytes)]
            if _on_device(offsets):
                self._on_device(base, offsets, lengths)
                return
            starts = _numbers(offsets, 0, "offsets", stream, decoder._core)
            if lengths is None:
                sizes = [after - start for start, after in zip(starts, starts[1:])]
                starts = starts[:-1]
            else:
                sizes = _numbers(lengths, len(starts), "lengths", stream, decoder._core)
            if len(sizes) != len(starts):
                raise ValueError(f"{len(starts)} offsets, but {len(sizes)} lengths")
            for chunk, (start, size) in enumerate(zip(starts, sizes)):
                if size < 0 or start + size > base.nbytes:
                    raise IndexError(f"chunk {chunk} is {size} bytes from offset {start}, and the array has {base.nbytes}")
            addresses = [base.address + start for start in starts]
        else:
            spans = [_Span(chunk, stream, "a chunk", decoder._core) for chunk in chunks]
            self.kept.things.append(spans)
            addresses, sizes = [s.address for s in spans], [s.nbytes for s in spans]
            self.ranges = list(zip(addresses, sizes))
            self.total = sum(sizes)
        self.count = len(addresses)
        self.addresses = decoder._upload(numpy.array([addresses, sizes], numpy.uint64), stream, self.kept)
        self.sizes = self.addresses + _WORD * self.count

    def _on_device(self, base: _Span, offsets: Any, lengths: Any) -> None:
        """Offsets stay on the device: their own library adds the address. They are the caller's promise: nobody checks them."""
        if lengths is None:
            offsets, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
        addresses = offsets + base.address
        spans = [_Span(array, 0, what, None) for array, what in ((addresses, "offsets"), (lengths, "lengths"))]
        if any(numpy.dtype(array.__cuda_array_interface__["typestr"]).itemsize != _WORD for array in (addresses, lengths)):
            raise TypeError("offsets and lengths in device memory have to be of 64 bits")
        if spans[0].nbytes != spans[1].nbytes:
            raise ValueError("as many lengths as offsets are needed")
        self.kept.things += [addresses, lengths, spans]
        self.count = spans[0].nbytes // _WORD
        self.addresses, self.sizes = spans[0].address, spans[1].address


def _on_device(data: Any) -> bool:
    from ._decoder import _is_on_device

    return data is not None and type(data) is not bytes and _is_on_device(data)


def _numbers(values: Any, count: int, what: str, stream: int, decoder: Any) -> list[int]:
    """Integers of the host, from an array on the device after the work on the stream, or one of them for all chunks."""
    if isinstance(values, DeviceArray):
        numbers = values.copy_to_host().tolist()
    elif _on_device(values):
        span = _Span(values, stream, what, decoder)
        dtype = numpy.dtype(values.__cuda_array_interface__["typestr"])
        numbers = numpy.frombuffer(decoder.copy_to_host(span.address, span.nbytes, stream), dtype).tolist()
    elif hasattr(values, "__index__") and not hasattr(values, "__len__"):
        numbers = [values.__index__()] * count
    else:
        numbers = [int(value) for value in values]
    if any(number < 0 for number in numbers):
        raise ValueError(f"{what}: none may be below 0")
    if count and len(numbers) != count:
        raise ValueError(f"{what}: one for every chunk is needed")
    return numbers


__all__ = ["DeviceArray", "DeviceBatch"]
