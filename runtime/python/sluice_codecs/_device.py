"""Arrays and memory on a GPU: what batches give, what they keep until they are done, and whose stream they are on."""

from __future__ import annotations

import collections
import sys
import threading
from typing import Any, Sequence

import numpy

from . import _core
from ._errors import ChunkStatus

_LEGACY = 1  # the default stream as the array protocols number it, which has the handle 0


def is_on_device(data: Any) -> bool:
    """Whether the data says of itself that it lies on a GPU. What has the buffer protocol does not."""
    kind = type(data)
    if kind in _ALWAYS_ON_DEVICE:
        return True
    if kind is bytes or kind is numpy.ndarray:
        return False
    if hasattr(data, "__cuda_array_interface__"):
        # What an array says of itself is made anew each time, which takes microseconds. PyTorch's class is of both sides.
        if kind.__module__.partition(".")[0] == "cupy":
            _ALWAYS_ON_DEVICE.add(kind)
        return True
    device = getattr(data, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in _CUDA_DEVICES


_CUDA_DEVICES = (2, 13)  # DLPack's kDLCUDA and kDLCUDAManaged


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
                "version": 3, "strides": None, "stream": int(self.stream) or _LEGACY}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.device)

    def __dlpack__(self, *, stream: int | None = None, **_options: Any) -> Any:
        # -1: the consumer sees to the order himself. None: he is on the default stream.
        if stream != -1 and (stream or _LEGACY) != (self.stream or _LEGACY):
            self._owner.pool.core.event(self.stream).before(stream or _LEGACY)
        return _core.to_dlpack(self.address, self.size, self.dtype.itemsize, self.dtype.kind == "i", self.device, self)

    def copy_to_host(self) -> numpy.ndarray:
        """The elements as an array of NumPy, after the work on ``stream``."""
        return self._owner.pool.copy_to_host(self.address, self.size, self.dtype, self.stream)

    def __repr__(self) -> str:
        return f"<DeviceArray of {self.size} {self.dtype} on device {self.device}>"


_ALWAYS_ON_DEVICE: set[type] = {DeviceArray}


class DeviceBatch(Sequence):
    """A batch under way on a GPU: a sequence of `DeviceArray`, one a chunk, of the sizes that were told or found.

    Nothing has been waited for. ``produced``, ``errors`` and ``consumed`` are arrays in device memory, for kernels that
    come later on the stream; ``check`` and ``statuses`` wait for the batch.
    """

    def __init__(self, kept: "Kept", base: int, offsets: Sequence[int], rooms: Any, dtype: Any, results: int) -> None:
        # Arrays of chunks are made when they are asked for: the call that queues a batch takes no longer for having many.
        self._kept, self._base, self._offsets, self._rooms, self._dtype, self._results = kept, base, offsets, rooms, dtype, results

    @property
    def produced(self) -> DeviceArray:
        """Elements that each chunk made; of a refused one, the valid ones."""
        return self._word(0)

    @property
    def errors(self) -> DeviceArray:
        """0 for each chunk, or the error word."""
        return self._word(1)

    @property
    def consumed(self) -> DeviceArray:
        """Bytes that each chunk's decoder read."""
        return self._word(2)

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._array(self._base + int(self._offsets[index]), self._room(index), self._dtype)

    def _word(self, which: int) -> DeviceArray:
        return self._array(self._results + which * 8 * len(self), len(self), "u8")

    def _array(self, address: int, size: int, dtype: Any) -> DeviceArray:
        return DeviceArray(address, size, dtype, self._kept.pool.core.device_id, self._kept.stream, self._kept)

    def _room(self, index: int) -> int:
        return self._rooms if isinstance(self._rooms, int) else int(self._rooms[index])

    def statuses(self) -> list[ChunkStatus]:
        """One status a chunk, after the batch is done."""
        count, core = len(self), self._kept.pool.core
        made, words, read = self._array(self._results, 3 * count, "u8").copy_to_host().reshape(3, count).tolist()
        return [ChunkStatus(made[i], read[i], core.error_of(words[i], i, made[i], self._room(i) * self._dtype.itemsize) if words[i] else None)
                for i in range(count)]

    def check(self) -> "DeviceBatch":
        """Waits for the batch and raises the `DecodeError` of its first refused chunk. Returns the batch."""
        if self.errors.copy_to_host().any():
            for status in self.statuses():
                if status.error is not None:
                    raise status.error
        return self


_LEAST_BLOCK = 256  # bytes
_LARGE_BLOCK = 64 << 20  # bytes, from which on few are kept
_BLOCKS, _LARGE_BLOCKS = 8, 2  # of a size that wait for the next batch
_LEFT = 64  # batches that were let go of before they were done, until somebody waits for the first of them


class Pool:
    """Memory for batches, on the device and page-locked on the host, which the driver takes hundreds of microseconds to give.

    Sizes are powers of two. What a batch leaves comes with an event, since it may be in use still: memory of the device
    goes to whoever is next on the same stream at once, and to others when the event has come. Thread-safe.
    """

    def __init__(self, core: Any) -> None:
        self.core = core
        self._lock = threading.Lock()
        self._free: dict[tuple[bool, int], list] = {}  # (pinned, bytes) -> [(block, event, stream)]
        # What nobody may touch yet: (event, things, blocks, stream). Batches are let go of anywhere, also by the garbage
        # collector while the lock is held: they only append here, which needs no lock.
        self._left: collections.deque = collections.deque()
        self._used: collections.deque = collections.deque()  # (event, things) that are in use until then

    def take(self, nbytes: int, stream: int, pinned: bool = False) -> Any:
        """A block of at least so many bytes, for work on that stream."""
        size = max(_LEAST_BLOCK, 1 << (nbytes - 1).bit_length())
        if size > _LARGE_BLOCK:
            size = -(-nbytes // _LARGE_BLOCK) * _LARGE_BLOCK
        with self._lock:
            self._collect()
            waiting = self._free.get((pinned, size), [])
            for index, (block, event, of_stream) in enumerate(waiting):
                if not pinned and of_stream == stream:
                    event.before(stream)  # costs nothing on one stream; the handle may be a new one's by now
                elif not event.done():
                    continue
                del waiting[index]
                return block
        allocate = self.core.pinned if pinned else self.core.allocate
        try:
            return allocate(size)
        except MemoryError:
            self.release()
            return allocate(nbytes)

    def leave(self, event: Any, stream: int, things: Any, blocks: list) -> None:
        """Takes back blocks, (block, pinned) each, and keeps things, until the event has come."""
        self._left.append((event, stream, things, blocks))

    def release(self) -> None:
        """Waits for what is in use and gives all memory that nobody has back to the driver."""
        with self._lock:
            self._collect()
            free, used = self._free, self._used
            self._free, self._used = {}, collections.deque()
        for waiting in free.values():
            for _block, event, _stream in waiting:
                event.wait()
        for event, _things in used:
            event.wait()

    def copy_to_host(self, address: int, count: int, dtype: numpy.dtype, stream: int) -> numpy.ndarray:
        """Integers from the device, after the work on the stream."""
        return self.core.copy_to_host(address, count, dtype.itemsize, dtype.kind == "i", stream)

    def _collect(self) -> None:
        while self._left:
            event, stream, things, blocks = self._left.popleft()
            for block, pinned in blocks:
                waiting = self._free.setdefault((pinned, block.nbytes), [])
                if len(waiting) < (_BLOCKS if block.nbytes <= _LARGE_BLOCK else _LARGE_BLOCKS):
                    waiting.append((block, event, stream))
                else:
                    self._used.append((event, block))
            if things:
                self._used.append((event, things))
        if len(self._used) > _LEFT:
            self._used[0][0].wait()
        while self._used and self._used[0][0].done():
            self._used.popleft()

    def __del__(self) -> None:
        try:
            self.release()
        except Exception:  # a context that failed has nothing queued any more; in a child process nothing is ours
            pass


class Kept:
    """What a batch needs until its kernel is done: memory of ours, the caller's arrays, and the stream itself.

    Whoever lets go of it earlier leaves it with the pool, with an event on the stream: kernels of others that were queued
    behind the batch may read its memory, too.
    """

    def __init__(self, pool: Pool, stream: int) -> None:
        self.pool, self.stream = pool, stream
        self.things: list[Any] = []
        self.blocks: list[tuple[Any, bool]] = []
        self.launched: Any = None

    def take(self, nbytes: int, pinned: bool = False) -> Any:
        """Memory that is the batch's until it is done."""
        block = self.pool.take(nbytes, self.stream, pinned)
        self.blocks.append((block, pinned))
        return block

    def queued(self) -> None:
        """The batch's own work is on the stream: the caller's arrays are needed until then and no longer."""
        self.launched = self.pool.core.event(self.stream)

    def __del__(self) -> None:
        try:
            things = self.things if self.launched is None or not self.launched.done() else None
            if self.blocks or things:
                self.pool.leave(self.pool.core.event(self.stream), self.stream, things, self.blocks)
        except Exception:  # as in Pool.__del__
            pass


class Stream(int):
    """A stream's handle, which keeps its owner: a stream of CuPy ends with its object."""

    owner: Any = None

    @staticmethod
    def of(handle: Any, owner: Any) -> "Stream":
        """The handle of a stream that somebody else's object stands for."""
        stream = Stream(getattr(handle, "value", handle) or 0)
        stream.owner = owner
        return stream


def stream_handle(stream: Any, data: Any) -> int:
    """The handle of a named stream, or of the caller's current one: that of the library that ``data`` comes from."""
    if stream is None:
        library = type(data).__module__.partition(".")[0]
        if library == "torch":
            current = sys.modules["torch"].cuda.current_stream(data.device)
            return Stream.of(current.cuda_stream, current)
        if library == "cupy":
            current = sys.modules["cupy"].cuda.get_current_stream()
            return Stream.of(current.ptr, current)
        return data.stream if isinstance(data, DeviceArray) else 0
    if hasattr(stream, "__cuda_stream__"):
        return Stream.of(stream.__cuda_stream__()[1], stream)
    for attribute in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        value = getattr(stream, attribute, None)
        if value is not None:
            return Stream.of(value, stream)
    return int(stream)


__all__ = ["DeviceArray", "DeviceBatch"]
