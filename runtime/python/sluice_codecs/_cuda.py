"""Decoding on a GPU: arrays of any library by ``__cuda_array_interface__`` or DLPack, in and out, without copies."""

from __future__ import annotations

from typing import Any, Sequence

import numpy

from . import _core, _engines
from ._device import DeviceArray, DeviceBatch, Kept, Pool, is_on_device, stream_handle

_WORD = 8  # bytes of an address, a size, an error word
_ALIGN = 16  # of outputs in one piece of memory: stores of a warp need no less to be whole


class CudaDecoder:
    """What a `Decoder` has for a GPU. Data in host memory is copied there and back."""

    def __init__(self, source: str, is_text: bool, name: str, schedule: str | None, device: int | None,
                 settings: list, search: list, cache: bool) -> None:
        _engines.find_nvrtc()
        self._core = _core.make_cuda_decoder(source, is_text, name, schedule or "", -1 if device is None else device, settings,
                                             search, cache)
        self._pool = Pool(self._core)
        self._dtype = numpy.dtype(self._core.dtype)
        self._width = self._dtype.itemsize
        self._places: Any = None  # of the last batch of equal outputs
        self.engine = "nvrtc"
        self.timings: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def warm_up(self) -> None:
        """Waits for the kernel itself, which other code stands in for at first, and compiles that of decoded sizes: a batch of no
        chunks does that."""
        self._core.finish_compiling()
        if self._core.countable:
            self._core.launch(True, *[0] * 15, None, 0, 0, 0)

    def _refuse_several(self) -> None:
        if len(self._core.outputs) > 1:
            raise TypeError(f"{self._core.name} has several outputs: data on a GPU is decoded by the C and C++ interfaces alone, "
                            "data in host memory here, too")

    def decode(self, data: Any, out: Any, max_output: Any, dictionary: Any, arguments: Any, stream: Any) -> Any:
        if not is_on_device(data):
            return self._core.decode(data, out, max_output, dictionary, arguments)
        self._refuse_several()
        batch = self.decode_batch([data], None if out is None else [out], None, None, None, "raise", max_output, dictionary,
                                  arguments, stream).check()
        whole = batch[0]
        return DeviceArray(whole.address, int(batch.produced.copy_to_host()[0]), whole.dtype, whole.device, whole.stream, whole._owner)

    def decoded_sizes(self, chunks: Any, offsets: Any, lengths: Any, max_output: Any, dictionary: Any, arguments: Any, stream: Any) -> Any:
        first = chunks if offsets is not None else next(iter(chunks), None)
        if not is_on_device(first):
            return self._core.decoded_sizes(chunks, offsets, lengths, max_output, 0, dictionary, arguments)
        self._refuse_several()
        kept = Kept(self._pool, stream_handle(stream, first))
        produced, errors = self._count(_Inputs(self, chunks, offsets, lengths, kept), max_output, dictionary, arguments, kept)
        self._raise_first(errors, produced)
        return produced

    def decode_batch(self, chunks: Any, out: Any, sizes: Any, offsets: Any, lengths: Any, errors: str, max_output: Any,
                     dictionary: Any, arguments: Any, stream: Any) -> Any:
        first = chunks if offsets is not None else next(iter(chunks), None)
        if not is_on_device(first):
            return self._core.decode_batch(chunks, out, sizes, offsets, lengths, errors == "return", max_output, 0, dictionary,
                                           arguments, None)
        self._refuse_several()
        kept = Kept(self._pool, stream_handle(stream, first))
        inputs = _Inputs(self, chunks, offsets, lengths, kept)
        count, most = inputs.count, None if max_output is None else max_output // self._width
        if isinstance(out, (list, tuple)):
            base, starts, rooms, tables = self._own_outputs(out, sizes, most, inputs, kept)
            largest, total = int(rooms.max(initial=0)), int(rooms.sum())
        else:
            if sizes is None:
                counted, words = self._count(inputs, max_output, dictionary, arguments, kept)
                if errors == "raise":
                    self._raise_first(words, counted)
                sizes = counted
            align = _ALIGN if out is None else 1
            if _is_number(sizes):
                starts, rooms, used, tables = self._equal_outputs(count, sizes.__index__(), most, align, kept)
                largest, total = rooms, rooms * count
            else:
                rooms = self._numbers(sizes, count, "sizes", kept)
                steps = -(-rooms * self._width // align) * align
                ends = numpy.cumsum(steps)
                starts, used = ends - steps, int(ends[-1]) if count else 0
                rooms = rooms if most is None else numpy.minimum(rooms, most)
                largest, total = int(rooms.max(initial=0)), int(rooms.sum())
                tables = self._upload(numpy.stack([starts, rooms]), kept)
            base = kept.take(used).address if out is None else self._own_output(out, used, inputs, kept)
        results = kept.take(3 * _WORD * max(count, 1)).address
        self._launch(False, inputs, tables, tables + _WORD * count, results, results + _WORD * count, results + 2 * _WORD * count, arguments,
                     kept, dictionary, largest * self._width, total * self._width, base)
        kept.queued()
        return DeviceBatch(kept, base, starts, rooms, self._dtype, results)

    # ---- outputs ----------------------------------------------------------------------------------------------

    def _own_outputs(self, out: Sequence, sizes: Any, most: int | None, inputs: "_Inputs", kept: Kept) -> tuple:
        """The caller's arrays, one a chunk: base, addresses less it, elements, and a table of these two on the device."""
        count = inputs.count
        if len(out) != count:
            raise ValueError("out: one array for every chunk is needed")
        table = _spans(out, "out", self._core.dtype, self._core, kept)
        table[count:] //= self._width
        if sizes is not None:
            table[count:] = numpy.minimum(table[count:], self._numbers(sizes, count, "sizes", kept).astype(table.dtype))
        if most is not None:
            table[count:] = numpy.minimum(table[count:], most)
        _check_apart(inputs, table[:count], table[count:] * self._width)
        return 0, table[:count], table[count:], self._upload(table, kept)

    def _own_output(self, out: Any, used: int, inputs: "_Inputs", kept: Kept) -> int:
        """The caller's one array, in which the outputs follow one another: where it begins."""
        address, nbytes, _typestr = _span(out, "out", self._core.dtype, self._core, kept)
        if used > nbytes:
            raise ValueError("out: the chunks' outputs do not fit into it")
        if used and inputs.meet(address, address + used):
            raise ValueError("out: it overlaps an input")
        return address

    def _equal_outputs(self, count: int, size: int, most: int | None, align: int, kept: Kept) -> tuple:
        """Outputs of one size: offsets, elements, bytes in all, and a table on the device. A loop over batches of the same
        shape has it made once."""
        if size < 0:
            raise ValueError("sizes: none may be below 0")
        step = -(-size * self._width // align) * align
        room = size if most is None else min(size, most)
        last = self._places
        if last is None or last[0] != (count, step, room):
            mine = Kept(self._pool, kept.stream)
            starts = numpy.arange(count, dtype=numpy.int64) * step
            tables = self._upload(numpy.stack([starts, numpy.full(count, room)]), mine)
            mine.queued()
            last = self._places = ((count, step, room), starts, tables, mine)
        mine = last[3]
        mine.launched.before(kept.stream)
        kept.things.append(mine)
        return last[1], room, count * step, last[2]

    # ---- parts of a batch -------------------------------------------------------------------------------------

    def _launch(self, count: bool, inputs: "_Inputs", outputs: int, capacities: int, produced: int, errors: int, consumed: int,
                arguments: Any, kept: Kept, dictionary: Any, largest: int = 0, total: int = 0, base: int = 0) -> None:
        temp, temp_bytes = 0, self._core.temp_bytes(inputs.count) if inputs.count else 0
        if temp_bytes:
            temp = kept.take(temp_bytes).address
        at, nbytes = 0, 0
        if dictionary is not None:
            at, nbytes, _typestr = _span(dictionary, "dictionary", "", self._core, kept)
        self._core.launch(count, inputs.addresses, inputs.sizes, outputs, capacities, produced, errors, consumed, inputs.count, temp,
                          temp_bytes, largest, total, inputs.total, at, nbytes, arguments, kept.stream, inputs.base, base)

    def _upload(self, table: numpy.ndarray, kept: Kept) -> int:
        """The address of a copy on the device. From pinned memory, so that nobody waits."""
        memory = kept.take(table.nbytes)
        if table.nbytes:
            staged = kept.take(table.nbytes, pinned=True)
            staged.fill(table)
            self._core.copy_to_device(memory.address, staged, table.nbytes, kept.stream)
        return memory.address

    def _count(self, inputs: "_Inputs", max_output: Any, dictionary: Any, arguments: Any, kept: Kept) -> tuple[DeviceArray, DeviceArray]:
        count = inputs.count
        results = kept.take(2 * _WORD * max(count, 1)).address
        produced, errors = (DeviceArray(results + i * _WORD * count, count, "u8", self._core.device_id, kept.stream, kept) for i in range(2))
        limits = 0
        if max_output is not None:
            limits = self._upload(numpy.full(count, max_output // self._width, numpy.uint64), kept)
        self._launch(True, inputs, 0, limits, produced.address, errors.address, 0, arguments, kept, dictionary)
        return produced, errors

    def _raise_first(self, errors: DeviceArray, produced: DeviceArray) -> None:
        words = errors.copy_to_host()
        for chunk in numpy.flatnonzero(words)[:1].tolist():
            made = int(produced.copy_to_host()[chunk])
            raise self._core.error_of(int(words[chunk]), chunk, made, made * self._width)

    def _numbers(self, values: Any, count: int | None, what: str, kept: Kept) -> numpy.ndarray:
        """Integers of the host, from an array on the device after the work on the stream, or one of them for all chunks."""
        if isinstance(values, DeviceArray):
            values = values.copy_to_host()
        elif is_on_device(values):
            address, nbytes, typestr = _span(values, what, "", self._core, kept)
            dtype = numpy.dtype(typestr)
            if dtype.kind not in "iu":
                raise TypeError(f"{what}: integers are needed")
            values = self._pool.copy_to_host(address, nbytes // dtype.itemsize, dtype, kept.stream)
        elif _is_number(values) and count is not None:
            values = numpy.full(count, values.__index__())
        numbers = numpy.asarray(values)
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError(f"{what}: integers are needed")
        numbers = numbers.astype(numpy.int64)
        if (numbers < 0).any():
            raise ValueError(f"{what}: none may be below 0")
        if numbers.ndim != 1 or (count is not None and len(numbers) != count):
            raise ValueError(f"{what}: one for every chunk is needed")
        return numbers


class _Inputs:
    """Where a batch's inputs lie: arrays of addresses and sizes on the device, and what is known of them here."""

    _table: Any = None  # all addresses, then all sizes, of a list

    def __init__(self, decoder: CudaDecoder, chunks: Any, offsets: Any, lengths: Any, kept: Kept) -> None:
        if offsets is None:
            table = _spans(chunks, "a chunk", "", decoder._core, kept)
            self.base, self.count, self._table = 0, len(table) // 2, table
            self.total = int(table[self.count:].sum())
            self.addresses = decoder._upload(table, kept)
            self.sizes = self.addresses + _WORD * self.count
            return
        self.base, self.total, _typestr = _span(chunks, "chunks", "", decoder._core, kept)
        if is_on_device(offsets):
            self._take_device_offsets(decoder, offsets, lengths, kept)
            return
        starts = decoder._numbers(offsets, None, "offsets", kept)
        if lengths is None:
            sizes, starts = numpy.diff(starts), starts[:-1]
        else:
            sizes = decoder._numbers(lengths, len(starts) if _is_number(lengths) else None, "lengths", kept)
        if len(sizes) != len(starts):
            raise ValueError(f"{len(starts)} offsets, but {len(sizes)} lengths")
        for chunk in numpy.flatnonzero((sizes < 0) | (starts > self.total - sizes))[:1].tolist():
            raise IndexError(f"chunk {chunk} is {sizes[chunk]} bytes from offset {starts[chunk]}, and the array has {self.total}")
        self.count = len(starts)
        self.addresses = decoder._upload(numpy.stack([starts, sizes]), kept)
        self.sizes = self.addresses + _WORD * self.count

    def pieces(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Addresses and bytes of what the inputs lie in, as far as that is known here."""
        if self._table is None:
            return numpy.array([self.base], numpy.uint64), numpy.array([self.total], numpy.uint64)
        return self._table[:self.count], self._table[self.count:]

    def meet(self, begin: int, end: int) -> bool:
        """Whether an input may share bytes with these addresses."""
        if self._table is None:
            return self.total > 0 and self.base < end and self.base + self.total > begin
        starts, lengths = self.pieces()
        return bool(((starts < end) & (starts + lengths > begin) & (lengths > 0)).any())

    def _take_device_offsets(self, decoder: CudaDecoder, offsets: Any, lengths: Any, kept: Kept) -> None:
        """Offsets stay on the device, and so do lengths: they are the caller's promise, and nobody checks them."""
        self.addresses, nbytes, typestr = _span(offsets, "offsets", "", decoder._core, kept)
        self.count, self.sizes = nbytes // _WORD, 0
        types = [typestr]
        if lengths is None:
            if not self.count:
                raise ValueError("offsets: the end of the last chunk is missing")
            self.count -= 1
        elif is_on_device(lengths):
            self.sizes, nbytes, typestr = _span(lengths, "lengths", "", decoder._core, kept)
            types.append(typestr)
            if nbytes // _WORD != self.count:
                raise ValueError(f"{self.count} offsets, but {nbytes // _WORD} lengths")
        else:
            self.sizes = decoder._upload(decoder._numbers(lengths, self.count, "lengths", kept), kept)
        if any(one[-2:] not in ("i8", "u8") for one in types):
            raise TypeError("offsets and lengths in device memory have to be integers of 64 bits")


def _span(array: Any, what: str, writable: str, core: Any, kept: Kept) -> tuple[int, int, str]:
    """Address, bytes and type of a contiguous array on the device; its own work comes before ours."""
    address, nbytes, theirs, thing, typestr = _core.device_span(array, what, writable, int(kept.stream))
    if theirs:
        core.event(theirs).before(kept.stream)
    kept.things.append(thing)
    return address, nbytes, typestr


def _spans(arrays: Any, what: str, writable: str, core: Any, kept: Kept) -> numpy.ndarray:
    """The same of many: all addresses, then all sizes in bytes."""
    table, streams, things = _core.device_spans(arrays if isinstance(arrays, (list, tuple)) else list(arrays), what, writable,
                                                int(kept.stream))
    for theirs in streams:
        core.event(theirs).before(kept.stream)
    kept.things.append(things)
    return table


def _check_apart(inputs: _Inputs, starts: numpy.ndarray, lengths: numpy.ndarray) -> None:
    """ValueError where an output shares bytes with an input, as far as it is known where inputs lie, or another output."""
    some = lengths > 0
    starts, lengths = starts[some], lengths[some]
    order = numpy.argsort(starts)
    starts, ends = starts[order], (starts + lengths)[order]
    if (starts[1:] < ends[:-1]).any():
        raise ValueError("out: two outputs overlap")
    # They are in order now and lie apart: the last one that begins before an input's end ends last of those.
    begins, sizes = inputs.pieces()
    begins, sizes = begins[sizes > 0], sizes[sizes > 0]
    before = numpy.searchsorted(starts, begins + sizes, "left") - 1
    if len(starts) and ((before >= 0) & (ends[before] > begins)).any():
        raise ValueError("out: it overlaps an input")


def _is_number(value: Any) -> bool:
    return hasattr(value, "__index__") and not hasattr(value, "__len__")


__all__ = ["CudaDecoder"]
