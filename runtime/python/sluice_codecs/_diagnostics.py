"""What the compiler says of a description, one object each."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a description. Lines and columns count from 1, the end is exclusive; offset and length are in bytes."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    offset: int
    length: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that helps to understand a diagnostic."""

    text: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong with a description, or may be.

    Attributes:
        code: ``"SL0201"``; the same for the same kind of fault in every version.
        severity: ``"error"`` or ``"warning"``.
        title: what this code is about, in general.
        message: what is wrong here.
        place: the narrowest wrong piece, or None when it is about no place.
        notes: other places.
        help: what to write instead, or ``""``.
        source: the line of the description, or ``""`` where its text is not at hand.
    """

    code: str
    severity: str
    title: str
    message: str
    place: Place | None
    notes: tuple[Note, ...] = ()
    help: str = ""
    source: str = ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.severity}[{self.code}]: {self.message}"

    def _repr_html_(self) -> str:
        """For notebooks: the message, the line with what is meant marked, notes and help."""
        colour = {"error": "#b00020", "warning": "#8a6d00"}.get(self.severity, "#444444")
        rows = [
            f'<b style="color:{colour}">{self.severity}[{self.code}]</b> {html.escape(self.message)}',
        ]
        if self.place:
            rows.append(f'<span style="color:#666666">{html.escape(str(self.place))}</span>')
            if self.source:
                rows.append(_marked(self.source, self.place, colour))
        for note in self.notes:
            where = f" ({html.escape(str(note.place))})" if note.place else ""
            rows.append(f"note: {html.escape(note.text)}{where}")
        if self.help:
            rows.append(f"help: {html.escape(self.help)}")
        return f'<div style="font-family:monospace;white-space:pre-wrap;margin:0.5em 0">{"<br>".join(rows)}</div>'


def _marked(source: str, place: Place, colour: str) -> str:
    begin = place.column - 1
    end = place.end_column - 1 if place.end_line == place.line else len(source)
    end = max(end, begin + 1)
    return (f'{place.line:5} | {html.escape(source[:begin])}<span style="background:{colour};color:#ffffff">'
            f"{html.escape(source[begin:end]) or ' '}</span>{html.escape(source[end:])}")


class Diagnostics(list):
    """A list of `Diagnostic` that a notebook shows readably. ``text`` is what the program prints."""

    def __init__(self, items: list[Diagnostic], text: str) -> None:
        super().__init__(items)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        if not self:
            return '<div style="font-family:monospace">no diagnostics: the description is all right</div>'
        return "".join(d._repr_html_() for d in self)


def _place(page: dict[str, Any] | None) -> Place | None:
    return Place(**{name: page[name] for name in Place.__slots__}) if page else None


def diagnostics_from_json(page: dict[str, Any], texts: dict[str, str] | None = None) -> list[Diagnostic]:
    """From the JSON of ``sluice check --json``. ``texts``: of files by name, for the lines that diagnostics show."""
    found = []
    for one in page["diagnostics"]:
        place = _place(one["place"])
        lines = (texts or {}).get(place.file, "").splitlines() if place else []
        source = lines[place.line - 1] if place and place.line <= len(lines) else ""
        notes = tuple(Note(note["text"], _place(note.get("place"))) for note in one.get("notes", []))
        found.append(Diagnostic(one["code"], one["severity"], one["title"], one["message"], place, notes,
                                one.get("help", ""), source))
    return found
