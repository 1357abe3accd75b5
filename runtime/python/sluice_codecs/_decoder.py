"""`Decoder`: a format, compiled, and the ways to decode with it."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Literal, Sequence

import numpy

from . import _core, _engines
from ._device import is_on_device as _is_on_device
from ._errors import DecodeError, EngineError, EngineWarning

Errors = Literal["raise", "return"]
# Which need not be asked where they lie: a page may take little longer than that.
_ON_HOST = frozenset((bytes, bytearray, memoryview, numpy.ndarray))


class Decoder:
    """A format that was compiled, to decode with as often as you like.

    Give the name of a codec (see `list`), the path of a description (it has a ``/`` or ends in ``.sluice``), the path of
    an artifact (it ends in ``.sluicea``), or a description as ``text=``.

    Args:
        format: the name or path; None with ``text``.
        text: a description.
        name: what messages call ``text``; ``"<text>"`` unless given.
        target: ``"auto"`` decodes what lies in host memory on the CPU, in machine code where it can be had, else in the
            interpreter, with one warning; and what lies on a GPU there. ``"cpu"`` insists on machine code, ``"interp"``
            on the interpreter, ``"cuda"`` on a GPU, to which data in host memory is copied.
        schedule: directives for a GPU, or the path of a file of them (``sluice tune`` writes such), in the place of the
            format's own.
        device: the GPU's ordinal; None for the current one.
        search: directories with descriptions, before those of the codecs.
        cache: whether compiled code is kept on disk (``$SLUICE_CACHE_DIR``, else ``~/.cache/sluice``).
        **parameters: of the format, fixed when it is compiled: ``T="i64"``, ``ignore_garbage=False``.

    Raises:
        SpecError: the description has errors.
        ValueError: no codec of that name, a parameter that the format does not have.
        EngineError: no such file; no compiler for ``target="cpu"``; no GPU, driver or NVRTC for ``target="cuda"``.

    A decoder may be used by any number of threads at once; decoding gives the GIL up but for inputs of a few kilobytes.
    In a child process that was forked it goes on working on the CPU, and says so where it can't on a GPU.
    """

    def __init__(self, format: str | os.PathLike[str] | None = None, *, text: str | None = None, name: str | None = None,
                 target: str = "auto", schedule: str | None = None, device: int | None = None,
                 search: Sequence[str | os.PathLike[str]] = (), cache: bool = True, **parameters: Any) -> None:
        if text is not None and format is None:
            self._source = text
        elif format is not None and text is None:
            self._source = os.fspath(format)
        else:
            raise TypeError("one of them: a format's name or path, or text=")
        if target not in ("auto", "cpu", "cuda", "interp"):
            raise ValueError(f"target takes auto, cpu, cuda or interp, not {target!r}")
        self._is_text = text is not None
        self._text_name = name if name is not None else "<text>"
        self._search = [os.fspath(directory) for directory in search]
        self._settings = [(key, _setting_text(value)) for key, value in parameters.items()]
        self._cache = cache
        self._schedule = schedule
        self._device = device
        self._target = target
        self._cuda: Any = None
        self._making = threading.Lock()
        if target == "cuda":
            self._cpu = None
            self._gpu()
        else:
            self._cpu = self._make_cpu()

    # ---- decoding ---------------------------------------------------------------------------------------------

    def decode(self, data: Any, out: Any = None, *, max_output: int | None = None, dictionary: Any = None,
               arguments: dict[str, int] | None = None, stream: Any = None) -> Any:
        """Decodes one chunk.

        Args:
            data: anything with the buffer protocol, contiguous; or an array on a GPU.
            out: a writable buffer of the format's elements, or None for a new array. It must not overlap ``data``.
            max_output: the most bytes of output; None for what memory is free.
            dictionary: a preset dictionary, for formats that take one.
            arguments: run-time arguments of the format by name; see ``Decoder.arguments``.
            stream: of the GPU; None for the current one. On a GPU alone.

        Returns:
            A one-dimensional NumPy array of ``Decoder.dtype``, new, or the part of ``out`` that was written, which is
            ``out`` itself where that is such an array and all of it was. For data on
            a GPU a `DeviceArray` there. Of a format that has several outputs (``Decoder.outputs``) a dict of new arrays by
            their names, each one-dimensional and of its own type; the format's own is ``"output"``. These take no ``out``, and
            no data on a GPU.

        Raises:
            DecodeError: the data is refused. OutputLimitError: it makes more than there is room for.
            TypeError, ValueError: ``data`` or ``out`` won't do.
        """
        cpu = self._cpu
        if cpu is not None and (type(data) in _ON_HOST or not _is_on_device(data)):
            return cpu.decode(data, out, max_output, dictionary, arguments)
        return self._gpu().decode(data, out, max_output, dictionary, arguments, stream)

    def decode_batch(self, chunks: Any, out: Any = None, sizes: Any = None, *, offsets: Any = None, lengths: Any = None,
                     errors: Errors = "raise", max_output: int | None = None, threads: int = 0, dictionary: Any = None,
                     arguments: dict[str, int] | None = None, progress: Callable[[int, int], Any] | None = None,
                     stream: Any = None) -> Any:
        """Decodes many chunks, on all cores or on a GPU.

        Args:
            chunks: a sequence of buffers; or one buffer, with ``offsets``. Arrays on a GPU likewise.
            out: None; a list of writable buffers, one a chunk; or one, in which the outputs follow one another.
            sizes: elements of every chunk's output, or one number for all, where they are known: its room.
            offsets: where the chunks of one buffer begin, in bytes. Without ``lengths`` there is one more, the last's end.
            lengths: bytes of each chunk of one buffer, or one number for all.
            errors: ``"raise"`` raises the `DecodeError` of the first refused chunk. ``"return"`` decodes all others.
            max_output: the most bytes of output of each chunk; None for what memory is free.
            threads: 0 for as many as pay, at most one a core. The results do not depend on it.
            dictionary, arguments: as for ``decode``, for all chunks.
            progress: called with (chunks done, chunks) now and then, from the calling thread. What it raises ends the call.
            stream: of the GPU; None for the current one. On a GPU alone.

        Returns:
            A list of NumPy arrays. Those of small chunks are views of one piece of memory, which lives as long as any of
            them. With ``errors="return"`` a pair: that list, with None for refused chunks, and a list of `ChunkStatus`.
            For data on a GPU a `DeviceBatch`. Of a format that has several outputs a list of dicts of arrays, as ``decode``
            returns one; these take neither ``out`` nor ``sizes``.

        Raises:
            What ``decode`` raises; IndexError for offsets outside the buffer. KeyboardInterrupt, after the chunks that
            were under way.
        """
        if errors not in ("raise", "return"):
            raise ValueError(f"errors takes raise or return, not {errors!r}")
        if self._cpu is not None and not _is_batch_on_device(chunks, offsets):
            return self._cpu.decode_batch(chunks, out, sizes, offsets, lengths, errors == "return", max_output, threads,
                                          dictionary, arguments, progress)
        return self._gpu().decode_batch(chunks, out, sizes, offsets, lengths, errors, max_output, dictionary, arguments, stream)

    def decoded_sizes(self, chunks: Any, *, offsets: Any = None, lengths: Any = None, max_output: int | None = None,
                      threads: int = 0, dictionary: Any = None, arguments: dict[str, int] | None = None,
                      stream: Any = None) -> Any:
        """Elements that each chunk would decode to, without storing them; checksums over output are not verified.

        Takes chunks as ``decode_batch`` does. Returns a NumPy array of uint64; for data on a GPU a `DeviceArray`. Of a format
        that has several outputs a dict of such arrays by their names.

        The first call of a decoder that was made of a description compiles what finds sizes: for a part of a second on the CPU,
        or not noticeably where it is in the cache. So does a decode that has to find out how large its output is. ``warm_up``
        compiles it beforehand.

        Raises:
            NotCountableError: the format's size depends on its output's values (``Decoder.countable``).
            EngineError: what finds sizes can't be compiled.
            DecodeError: a chunk is refused.
        """
        if self._cpu is not None and not _is_batch_on_device(chunks, offsets):
            return self._cpu.decoded_sizes(chunks, offsets, lengths, max_output, threads, dictionary, arguments)
        return self._gpu().decoded_sizes(chunks, offsets, lengths, max_output, dictionary, arguments, stream)

    def warm_up(self, target: str | None = None) -> "Decoder":
        """Compiles now what would be compiled at the first call: what finds sizes, and for a GPU, the kernels. Returns the decoder.

        What decodes on the CPU is compiled when the decoder is made. ``target="cuda"`` prepares a decoder that was made for
        ``"auto"`` for data on a GPU, and raises EngineError where there is none.
        """
        if target not in (None, "cpu", "cuda", "auto", "interp"):
            raise ValueError(f"target takes auto, cpu, cuda or interp, not {target!r}")
        if target == "cuda" or self._cuda is not None:
            self._gpu().warm_up()
        if target != "cuda" and self._cpu is not None and self._cpu.countable:
            self._cpu.decoded_sizes([], None, None, None, 1, None, None)
        return self

    # ---- what it is -------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The format's name."""
        return self._any().name

    @property
    def dtype(self) -> Any:
        """The NumPy type of the output's elements."""
        return numpy.dtype(self._any().dtype)

    @property
    def outputs(self) -> dict[str, Any]:
        """The NumPy types of the outputs by name: ``"output"``, and in order of declaration what the format has beside it."""
        return {name: numpy.dtype(kind) for name, kind in self._any().outputs.items()}

    @property
    def target(self) -> str:
        """Where host data is decoded: ``"cpu"``, ``"interp"`` or ``"cuda"``."""
        if self._cpu is None:
            return "cuda"
        return "interp" if self._cpu.interpreted else "cpu"

    @property
    def engine(self) -> str:
        """What made the code: ``"aot"`` (ahead of time), ``"clang"``, ``"cxx"``, ``"nvrtc"``, or ``"interp"``."""
        return self._any().engine

    @property
    def why(self) -> str:
        """Why this engine, in a sentence."""
        return self._any().why

    @property
    def warnings(self) -> str:
        """The compiler's warnings about the description, or an empty text."""
        return self._any().warnings

    @property
    def countable(self) -> bool:
        """Whether ``decoded_sizes`` can be had."""
        return self._any().countable

    @property
    def takes_dictionary(self) -> bool:
        """Whether the format declares a preset dictionary."""
        return self._any().takes_dictionary

    @property
    def arguments(self) -> dict[str, int]:
        """Run-time arguments with their initial values."""
        return {name: initial for name, initial, _bits, _signed in self._any().arguments}

    @property
    def timings(self) -> dict[str, Any]:
        """Seconds that making the decoder took, by part, and whether its code came from the cache or an artifact."""
        return self._any().timings

    def __repr__(self) -> str:
        return f"<sluice_codecs.Decoder {self.name}: {self.engine}, {self.dtype}>"

    # ---- making it --------------------------------------------------------------------------------------------

    def __reduce__(self):
        # By what it was made of: a worker of multiprocessing or Dask makes it anew, from its wheel or cache.
        return _unpickle, (self._source, self._is_text, self._text_name, self._target, self._schedule, self._device,
                           self._search, self._cache, self._settings)

    def _any(self) -> Any:
        return self._cpu if self._cpu is not None else self._cuda

    def _make_cpu(self) -> Any:
        if not self._is_text and not self._search and self._target != "interp":
            ready = _engines.built_codec(self._source, self._settings)
            if ready is not None:
                return _core.decoder_from_artifact_file(ready)
        if not self._is_text and self._source.endswith(".sluicea") and self._settings:
            raise ValueError(f"{self._source}: parameters were set when it was built; {self._settings[0][0]} comes too late")
        made = _core.make_decoder(self._source, self._is_text, self._text_name, self._target, self._settings, self._search,
                                  self._cache)
        if made.interpreted and self._target == "auto":
            _engines.warn_of_interpreter(made.name, made.why)
        return made

    def _gpu(self) -> Any:
        if self._cuda is None:
            from ._cuda import CudaDecoder  # what only GPUs need is loaded where one is used

            if self._target in ("cpu", "interp"):
                raise TypeError(f"the data lies on a GPU and the decoder was made for {self._target}; use auto or cuda")
            with self._making:
                if self._cuda is None:
                    self._cuda = CudaDecoder(self._source, self._is_text, self._text_name, self._schedule, self._device,
                                             self._settings, self._search, self._cache)
        return self._cuda


def _unpickle(source, is_text, name, target, schedule, device, search, cache, settings):
    return Decoder(None if is_text else source, text=source if is_text else None, name=name, target=target,
                   schedule=schedule, device=device, search=search, cache=cache, **dict(settings))


def _setting_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_batch_on_device(chunks: Any, offsets: Any) -> bool:
    if offsets is not None:
        return _is_on_device(chunks)
    try:
        first = chunks[0]
    except (TypeError, IndexError, KeyError):
        return False
    return type(first) is not bytes and _is_on_device(first)


_shared: dict[tuple[str, str], Decoder] = {}


def shared_decoder(format: str | os.PathLike[str], target: str = "auto") -> Decoder:
    """The decoder that ``sluice.decode`` uses for a name; made at its first use. Files are read anew each time."""
    if type(format) is not str or "/" in format or format.endswith((".sluice", ".sluicea")):
        return Decoder(format, target=target)
    decoder = _shared.get((format, target))
    if decoder is None:
        decoder = _shared.setdefault((format, target), Decoder(format, target=target))
    return decoder


def decode(format: str | os.PathLike[str], data: Any, out: Any = None, *, target: str = "auto", **options: Any) -> Any:
    """Decodes one chunk of a codec, by name, or of a description's path: ``sluice.decode("gzip", data)``.

    Decoders of names are kept. ``options`` are those of `Decoder.decode`. For formats with parameters make a `Decoder`.
    """
    decoder = _shared.get((format, target)) if type(format) is str else None
    if decoder is None:
        decoder = shared_decoder(format, target)
    if options:
        return decoder.decode(data, out, **options)
    return decoder.decode(data, out)


def decode_batch(format: str | os.PathLike[str], chunks: Any, out: Any = None, sizes: Any = None, *, target: str = "auto",
                 **options: Any) -> Any:
    """Decodes many chunks of a codec by name. ``options`` are those of `Decoder.decode_batch`."""
    return shared_decoder(format, target).decode_batch(chunks, out, sizes, **options)


__all__ = ["Decoder", "decode", "decode_batch", "DecodeError", "EngineError", "EngineWarning"]
