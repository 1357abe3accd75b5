"""Compressed files of fsspec, read through Sluice.

    import sluice_codecs as sluice

    sluice.fsspec.use()                                              # gzip, zlib, bz2, lz4, snappy, zstd; by "infer", too
    with fsspec.open("s3://bucket/log.gz", compression="infer") as file: ...
    with fsspec.open("log.gz", compression="sluice-gzip") as file: ...   # without use()

What is buffered: everything. Decoders of Sluice take a whole input, so the first read takes the compressed file, from where
it stands to its end, decodes it, and keeps the output until the file is closed. A local file is mapped instead of read.
That pays for files that fit into memory and are read whole, or jumped about in, since seeking costs nothing; it does not for
the first lines of a large file. ``max_output`` guards against files that decode to more than one has. Files are written by
whoever wrote them before.
"""

from __future__ import annotations

import io
import mmap
from typing import Any, Callable, Iterable

import fsspec.utils
from fsspec.compression import compr, register_compression

from ._adopted import Framing, Switch, chosen, decoder_of

_BUFFER = 1 << 20  # bytes that are handed out at once, to readers of lines and small pieces

# fsspec's name, what such a file is, and the extensions that "infer" takes for it. A codec joins here with a line.
FORMATS: dict[str, tuple[Framing, tuple[str, ...]]] = {
    "gzip": (Framing("gzip", (("ignore_garbage", False),)), ("gz",)),
    "zlib": (Framing("zlib"), ("zz",)),
    "bz2": (Framing("bzip2"), ("bz2",)),
    "lz4": (Framing("lz4_frame"), ("lz4",)),
    "snappy": (Framing("snappy_framed"), ("sz",)),
    "zstd": (Framing("zstd"), ("zst",)),
}


class DecodedFile(io.RawIOBase):
    """What a compressed file decodes to, as a file: readable, seekable, decoded whole at the first read.

    Args:
        infile: a binary file, open for reading; closed with this one, as fsspec has it.
        framing: what it is.
        max_output: the most bytes that it may decode to; None for what memory is free.

    Reading raises DecodeError for data that is refused. Not for several threads at once.
    """

    def __init__(self, infile: Any, framing: Framing, max_output: int | None = None) -> None:
        self._infile, self._framing, self._max_output = infile, framing, max_output
        self._output: memoryview | None = None
        self._position = 0

    def _decoded(self) -> memoryview:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if self._output is None:
            with _contents(self._infile) as data:
                array = decoder_of(self._framing).decode(data, max_output=self._max_output)
            self._output = memoryview(array).cast("B")
        return self._output

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Copies as many bytes as there are and the buffer has room for."""
        part = self._decoded()[self._position : self._position + memoryview(buffer).nbytes]
        memoryview(buffer).cast("B")[: part.nbytes] = part
        self._position += part.nbytes
        return part.nbytes

    def readall(self) -> bytes:
        """All that is left."""
        rest = bytes(self._decoded()[self._position :])
        self._position += len(rest)
        return rest

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a place of the output; only one counted from the end needs the output to be there."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position}.get(whence)
        if start is None:
            start = self._decoded().nbytes
        if start + offset < 0:
            raise ValueError(f"negative seek value {start + offset}")
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        """The place in the output."""
        return self._position

    def close(self) -> None:
        """Lets go of the output, and closes the compressed file."""
        if not self.closed:
            self._output = None
            self._infile.close()
        super().close()


class _contents:
    """The bytes of a file from where it stands: mapped where it is a whole local one, else read."""

    def __init__(self, infile: Any) -> None:
        self._map: mmap.mmap | None = None
        try:
            if infile.tell() == 0:
                self._map = mmap.mmap(infile.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError, AttributeError, io.UnsupportedOperation):  # no file of the system's, or an empty one
            pass
        self._data: Any = infile.read() if self._map is None else self._map

    def __enter__(self) -> Any:
        return self._data

    def __exit__(self, *_exception: Any) -> None:
        if self._map is not None:
            self._map.close()


def open_decoded(infile: Any, name: str, *, max_output: int | None = None) -> io.BufferedReader:
    """A buffered file of what ``infile`` decodes to; see `DecodedFile`. ``name`` is a key of `FORMATS`."""
    return io.BufferedReader(DecodedFile(infile, FORMATS[name][0], max_output), _BUFFER)


def _callback(name: str, write: Callable[..., Any] | None) -> Callable[..., Any]:
    """What fsspec calls to open a file of a compression. ``write`` is whoever does that for files to be written."""

    def opened(infile: Any, mode: str = "rb", **options: Any) -> Any:
        if "r" in mode:
            return open_decoded(infile, name, max_output=options.pop("max_output", None))
        if write is None:
            raise NotImplementedError(f"{name}: there is no encoder here; such files can be read, not written")
        return write(infile, mode=mode, **options)

    opened.__name__ = f"open_{name}"
    return opened


def use(*, codecs: Iterable[str] | None = None) -> Switch:
    """Has fsspec read gzip, zlib, bz2, lz4, snappy and zstd files through Sluice from now on, by name and by extension.

    Args:
        codecs: fsspec's names, of `FORMATS`, of those that are to be; None for all.

    Returns a `Switch`: ``undo()`` it, or use it in a ``with`` statement. The names ``sluice-gzip`` and so on stay in any case.
    """
    undo: list[Callable[[], Any]] = []
    for name in chosen(codecs, FORMATS):
        extensions = FORMATS[name][1]
        undo.append(_restore(compr, name))
        undo += [_restore(fsspec.utils.compressions, extension) for extension in extensions]
        register_compression(name, _callback(name, compr.get(name)), extensions, force=True)
    return Switch(undo)


def _restore(table: dict[str, Any], key: str) -> Callable[[], Any]:
    """A call that gives a table's entry its present value again."""
    if key in table:
        value = table[key]
        return lambda: table.__setitem__(key, value)
    return lambda: table.pop(key, None)


for _name in FORMATS:
    register_compression(f"sluice-{_name}", _callback(_name, compr.get(_name)), (), force=True)

__all__ = ["FORMATS", "DecodedFile", "open_decoded", "use"]
