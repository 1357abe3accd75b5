"""Where machine code comes from: the wheel's own codecs, or a compiler of the machine."""

from __future__ import annotations

import functools
import json
import os
import sys
import warnings
from pathlib import Path

from ._errors import EngineWarning

_CODECS = Path(__file__).with_name("codecs")
_warned = False


@functools.cache
def _index() -> dict[tuple[str, frozenset[tuple[str, str]]], str]:
    """(codec, parameters) to an artifact's path. The defaults stand there with all parameters, and with none."""
    try:
        page = json.loads((_CODECS / "index.json").read_text())
    except FileNotFoundError:  # built without: -DSLUICE_PYTHON_CODECS=OFF
        return {}
    index = {}
    for entry in page["artifacts"]:
        path = os.fspath(_CODECS / entry["file"])
        index[entry["codec"], frozenset(entry["set"].items())] = path
        if entry["default"]:
            index[entry["codec"], frozenset()] = path
    return index


def built_codec(name: str, settings: list[tuple[str, str]]) -> str | None:
    """The artifact in this package for a codec with these parameters; None when there is none, or it is not wanted.

    ``$SLUICE_CODECS=compile`` has the codecs compiled by the machine's own compiler instead.
    """
    if os.environ.get("SLUICE_CODECS") == "compile":
        return None
    return _index().get((name, frozenset(settings)))


# In NVIDIA's wheels: of CUDA 13, then of 12.
_NVRTC = ("nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12")


def find_nvrtc() -> None:
    """Tells the library where this interpreter's packages have NVRTC: ``sluice-codecs[cuda]`` installs one.

    The library itself looks in activated environments alone. ``$SLUICE_NVRTC`` has the last word, here as there.
    """
    if "SLUICE_NVRTC" in os.environ:
        return
    for name in _NVRTC:
        for directory in sys.path:
            path = os.path.join(directory or ".", name)
            if os.path.isfile(path):
                os.environ["SLUICE_NVRTC"] = os.path.abspath(path)
                return


def warn_of_interpreter(name: str, why: str) -> None:
    """Says once in a process that formats of one's own are interpreted, and how to change that."""
    global _warned
    if _warned:
        return
    _warned = True
    warnings.warn(
        f"{name} is decoded by the interpreter, some hundred times as slowly as by machine code, since there is no compiler "
        f"here ({why.strip()}). Install a C++ compiler (Debian: apt install g++; or name one in $SLUICE_CXX), or build an "
        'artifact where there is one (sluice.build) and open that. With target="interp" this is not said; further formats '
        "are interpreted without a word.",
        EngineWarning,
        stacklevel=4,
    )
