"""Exceptions, warnings and the status of a chunk. All are names of the package."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ._diagnostics import Diagnostic, diagnostics_from_json


class SluiceError(Exception):
    """What every exception of Sluice's own is."""


class SpecError(SluiceError, ValueError):
    """A description has errors.

    Its text is that of the compiler, with excerpts. ``diagnostics`` is a list of `Diagnostic`.
    """

    def __init__(self, text: str, page: str = "") -> None:
        super().__init__(text)
        self.diagnostics: list[Diagnostic] = diagnostics_from_json(json.loads(page)) if page else []

    def _repr_html_(self) -> str:
        return "".join(d._repr_html_() for d in self.diagnostics)


class EngineError(SluiceError, RuntimeError):
    """The machine lacks something: a file, a compiler for ``target="cpu"``, a GPU or its driver."""


class NotCountableError(SluiceError, TypeError):
    """A format's decoded size can only be found by decoding."""


class DecodeError(SluiceError, ValueError):
    """A chunk was refused.

    Attributes:
        chunk: index in the batch; 0 for a chunk alone.
        rule: the rule of the description that refused; empty for a matter of the call.
        reason: the name behind ``reject``, or what needs no clause: ``"end_of_input"``, ``"bad_distance"``.
        file, line, column: of the clause in the description, 1-based; ``""`` and 0 where there is none.
        bit: position in the chunk's input, in bits; in the preset dictionary where the text says so.
        produced: valid elements that were made before.
        word: the 64-bit error word, the same on every target.
    """

    def __init__(self, text: str, chunk: int, rule: str, reason: str, file: str, line: int, column: int, bit: int,
                 produced: int, word: int) -> None:
        super().__init__(text)
        self.chunk = chunk
        self.rule = rule
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        self.bit = bit
        self.produced = produced
        self.word = word

    def __reduce__(self):
        return type(self), (self.args[0], self.chunk, self.rule, self.reason, self.file, self.line, self.column, self.bit,
                            self.produced, self.word)


class OutputLimitError(DecodeError):
    """A chunk makes more than it may: than ``max_output``, than there is room in ``out``, than memory holds.

    This says nothing about the data: with more room it may decode, or be refused for a reason of the format's.
    """


class EngineWarning(UserWarning):
    """A format of one's own runs in the interpreter, slowly, for want of a compiler."""


@dataclass(frozen=True, slots=True)
class ChunkStatus:
    """What became of one chunk of a batch with ``errors="return"``.

    Attributes:
        produced: elements of its output; of a refused chunk, those that were valid.
        consumed: bytes of its input, rounded up.
        error: None, or the `DecodeError` that ``errors="raise"`` would have raised.
    """

    produced: int
    consumed: int
    error: DecodeError | None

    @property
    def ok(self) -> bool:
        """Whether the chunk was decoded."""
        return self.error is None
