"""A race of callables on the same bytes, and tables of what came out."""

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


# What is timed at once: far longer than the clock takes to be read, and short beside what a scheduler gives to others.
GROUP_SECONDS = 50e-6


def race(contestants: dict[str, Callable[[], object]], expected: bytes, rounds: int, least_seconds: float) -> dict[str, float]:
    """Seconds of one call of each, the median of rounds in which they take turns; outputs are compared in every round.

    A round of a contestant lasts ``least_seconds``, and of it the median of its calls counts: on a machine that others use,
    too, a mean would tell how often they had their turn. Raises ValueError when an output is not ``expected``.
    """
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, call in contestants.items():
            if memoryview(call()).cast("B") != expected:
                raise ValueError(f"the output of {name} is not the original")
            times[name].append(_round(call, least_seconds))
    return {name: statistics.median(all) for name, all in times.items()}


def _round(call: Callable[[], object], least_seconds: float) -> float:
    """Of one call: the median of groups of calls, after one group that is not counted."""
    together = max(1, round(GROUP_SECONDS / max(_group(call, 1), 1e-9)))
    groups, end = [], time.perf_counter() + least_seconds
    while not groups or time.perf_counter() < end:
        groups.append(_group(call, together))
    return statistics.median(groups)


def _group(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


@dataclass
class Table:
    """Files by libraries: what a Markdown table of a race is made of. The first library is the one whose ratios are told."""

    title: str
    libraries: list[str]
    rows: list[tuple[str, int, int, dict[str, float]]] = field(default_factory=list)

    def add(self, file: str, raw: int, packed: int, times: dict[str, float]) -> None:
        """A file's sizes in bytes, and seconds by library."""
        self.rows.append((file, raw, packed, times))

    def mean(self, library: str) -> float:
        """The geometric mean over the files of the first library's speed by this one's."""
        ours = self.libraries[0]
        return statistics.geometric_mean(times[library] / times[ours] for _, _, _, times in self.rows)

    def markdown(self) -> str:
        ours, others = self.libraries[0], self.libraries[1:]
        width = max([len(file) for file, *_ in self.rows] + [len("geometric mean")])
        heads = ["bytes", "ratio", f"{ours} MB/s"] + [head for name in others for head in (f"{name} MB/s", f"{ours}/{name}")]
        lines = [f"| {'file':{width}} | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
        for file, raw, packed, times in self.rows:
            cells = [str(raw), f"{raw / packed:.2f}", f"{raw / times[ours] / 1e6:.0f}"]
            for name in others:
                cells += [f"{raw / times[name] / 1e6:.0f}", f"{times[name] / times[ours]:.2f}"]
            lines.append(_line(file, cells, heads, width))
        cells = ["", "", ""] + [cell for name in others for cell in ("", f"{self.mean(name):.2f}")]
        lines.append(_line("geometric mean", cells, heads, width))
        return f"## {self.title}\n\n" + "\n".join(lines) + "\n"


def _line(name: str, cells: list[str], heads: list[str], width: int) -> str:
    return f"| {name:{width}} | " + " | ".join(f"{cell:>{len(head)}}" for cell, head in zip(cells, heads)) + " |"


def machine() -> str:
    """The processor, its cores, and the commit of the tree."""
    cpu = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
               platform.processor())
    commit = subprocess.run(["git", "-C", Path(__file__).parent, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    return f"{cpu}, {os.cpu_count()} cores, commit {commit or 'unknown'}"
