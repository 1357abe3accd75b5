"""Descriptions of formats: checked, explained, traced, built ahead; and the codecs that travel in the package."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from . import _core, _engines
from ._decoder import _setting_text
from ._diagnostics import Diagnostics, diagnostics_from_json
from ._errors import DecodeError

_NAME = "<text>"


def _source(spec: Any, text: str | None, name: str | None) -> tuple[str, bool, str]:
    """(name, path or text; whether it is text; what messages call it)"""
    if (spec is None) == (text is None):
        raise TypeError("one of them: a format's name or path, or text=")
    if text is not None:
        return text, True, name or _NAME
    return os.fspath(spec), False, ""


def _parameters(parameters: dict[str, Any]) -> list[tuple[str, str]]:
    return [(key, _setting_text(value)) for key, value in parameters.items()]


def _paths(search: Sequence[Any]) -> list[str]:
    return [os.fspath(directory) for directory in search]


def check(text: str | None = None, *, path: str | os.PathLike[str] | None = None, name: str | None = None,
          search: Sequence[Any] = (), **parameters: Any) -> Diagnostics:
    """What is wrong with a description: a list of `Diagnostic`, errors and warnings, empty when it is all right.

    Args:
        text: the description.
        path: of a file, or the name of a codec, in the place of ``text``.
        name: what messages call the text.
        search: directories with descriptions that it may ``use``.
        **parameters: of the format.
    """
    source, is_text, called = _source(path, text, name)
    page, rendered = _core.check(source, is_text, called, _parameters(parameters), _paths(search))
    texts = {called: source} if is_text else {}
    found = json.loads(page)
    for one in found["diagnostics"]:
        file = (one["place"] or {}).get("file")
        if file and file not in texts:
            try:
                with open(file, encoding="utf-8") as stream:
                    texts[file] = stream.read()
            except (OSError, UnicodeDecodeError):
                texts[file] = ""
    return Diagnostics(diagnostics_from_json(found, texts), rendered)


class Explanation(dict):
    """What the compiler knows about a format, as a dict; ``text`` is the page for people. Notebooks show that."""

    def __init__(self, page: dict[str, Any], text: str) -> None:
        super().__init__(page)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<pre style="line-height:1.3">{html.escape(self.text)}</pre>'


def explain(spec: str | os.PathLike[str] | None = None, *, text: str | None = None, name: str | None = None,
            target: str = "cpu", schedule: str | None = None, search: Sequence[Any] = (), **parameters: Any) -> Explanation:
    """Facts about a format, the reasons for them, and the checks that are left for run time.

    Args:
        spec: a codec's name or a path. text, name, search, parameters: as for `Decoder`.
        target: ``"cpu"``, ``"cuda"`` or ``"cuda:sm_90"``, for which the schedule, strategies and kernels are told.
        schedule: directives for a GPU in the place of the format's own.

    Raises SpecError, ValueError for a refused directive.
    """
    if not (target in ("cpu", "cuda") or target.startswith("cuda:")):
        raise ValueError(f"target takes cpu, cuda or cuda:sm_NN, not {target!r}")
    _engines.find_nvrtc()
    source, is_text, called = _source(spec, text, name)
    page, rendered = _core.explain(source, is_text, called, target, schedule or "", _parameters(parameters), _paths(search))
    return Explanation(json.loads(page), rendered)


@dataclass(frozen=True, slots=True)
class Field:
    """One step of a decode.

    Attributes:
        kind: ``"field"``, ``"let"``, ``"literals"``, ``"run"``, ``"copy"``, ``"emit"``, ``"rule"``, ``"error"``, ...
        name: of the field, local, rule or clause; may be empty.
        bit, bits: where it begins in the input, and how much of it it reads, in bits.
        value: of a field or local; of a run its first element; of a copy its distance.
        count: elements of literals, a run or a copy.
        output: elements that were made before.
        depth: calls of rules around it.
        text: all of that as a line for people.
    """

    kind: str
    name: str
    bit: int
    bits: int
    value: int
    count: int
    output: int
    depth: int
    text: str

    def __str__(self) -> str:
        return f"{self.bit:12}  {self.bits or '':>6}  {self.output:10}  {'  ' * self.depth}{self.text}"


def trace(spec: str | os.PathLike[str] | None, data: Any, *, text: str | None = None, name: str | None = None,
          search: Sequence[Any] = (), **parameters: Any) -> Iterator[Field]:
    """Every field of a chunk, bit by bit, as it is met: an iterator of `Field`.

    The interpreter runs as far ahead as a few thousand fields, so the first come at once. The data is copied. At the end
    of data that is refused the iterator raises its `DecodeError`, after the field of kind ``"error"``.
    """
    source, is_text, called = _source(spec, text, name)
    return _fields(_core.trace(source, is_text, called, data, _parameters(parameters), _paths(search)))


def _fields(trace: Any) -> Iterator[Field]:
    while (step := trace.next()) is not None:
        yield Field(*step)
    error = trace.error()
    if error is not None:
        raise error


def build(spec: str | os.PathLike[str] | None = None, *, text: str | None = None, name: str | None = None,
          targets: str | Sequence[str] = "cpu", output: str | os.PathLike[str] | None = None, schedule: str | None = None,
          search: Sequence[Any] = (), **parameters: Any) -> bytes:
    """Compiles a format ahead of time, for machines without a compiler: an artifact, for `Decoder` to open.

    Args:
        targets: ``"cpu"`` (x86-64-v3 and x86-64), ``"cpu:x86-64-v4-vbmi"``, ``"cuda:sm_90"``, ``"ptx"``; a list, or commas between.
        output: a path to write the artifact to, atomically; it should end in ``.sluicea``.
        schedule: directives for a GPU.

    Returns the artifact's bytes. Raises SpecError, ValueError, EngineError where a target's compiler is missing.
    """
    _engines.find_nvrtc()
    source, is_text, called = _source(spec, text, name)
    words = [targets] if isinstance(targets, str) else [str(word) for word in targets]
    artifact = _core.build(source, is_text, called, words, schedule or "", _parameters(parameters), _paths(search))
    if output is not None:
        path = os.fspath(output)
        part = f"{path}.{os.getpid()}.part"
        try:
            with open(part, "wb") as stream:
                stream.write(artifact)
            os.replace(part, path)
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise
    return artifact


def encode(name: str, data: Any, **options: int) -> bytes:
    """Encodes bytes in one of the project's own formats: those of `encoders`, which also lists their options.

    Raises ValueError for a format without an encoder, an option it does not have, or data that it can't hold.
    """
    return _core.encode(name, data, [(key, _setting_text(value)) for key, value in options.items()])


@dataclass(frozen=True, slots=True)
class EncoderOption:
    """A number that changes what an encoder does, from ``least`` to ``most``."""

    name: str
    meaning: str
    initial: int
    least: int
    most: int


def encoders() -> dict[str, list[EncoderOption]]:
    """Formats that `encode` knows, with their options."""
    return {name: [EncoderOption(*option) for option in options] for name, options in _core.encoders().items()}


@dataclass(frozen=True, slots=True)
class Codec:
    """A format that travels in the package: its name, a line about it, and its description."""

    name: str
    summary: str
    text: str


def list_codecs() -> list[Codec]:
    """The codecs that `Decoder` knows by name."""
    found = []
    for name, text in _core.codecs():
        first = text.split("\n", 1)[0]
        found.append(Codec(name, first[1:].strip() if first.startswith("#") else "", text))
    return found


__all__ = ["check", "explain", "trace", "build", "encode", "encoders", "list_codecs", "Field", "Explanation", "Codec",
           "EncoderOption", "DecodeError"]
