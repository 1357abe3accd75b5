"""Sluice: decoders compiled from descriptions of formats.

    import sluice_codecs as sluice

    sluice.decode("gzip", data)                          # an array of NumPy
    d = sluice.Decoder("orc_rle_v2", T="i32")            # a format with a parameter
    arrays = d.decode_batch(chunks)                      # many chunks, on all cores
    sluice.check(text)                                   # what is wrong with a description of your own
    sluice.zarr.use()                                    # Zarr arrays; so for sluice.numcodecs and sluice.fsspec

Everything here may be called from any thread.
"""

from __future__ import annotations

import atexit as _atexit
import importlib as _importlib
import os as _os
from typing import Any as _Any

# Before our own module: a second interpreter of the process is refused by NumPy, and would leave the first one's types unusable.
import numpy as _numpy  # noqa: F401

from . import _core
from ._device import DeviceArray, DeviceBatch
from ._decoder import Decoder, decode, decode_batch
from ._diagnostics import Diagnostic, Diagnostics, Note, Place
from ._errors import (
    ChunkStatus,
    DecodeError,
    EngineError,
    EngineWarning,
    NotCountableError,
    OutputLimitError,
    SluiceError,
    SpecError,
)
from ._specs import Codec, EncoderOption, Explanation, Field, build, check, encode, encoders, explain, trace
from ._specs import list_codecs as list

__version__: str = _core.version

# Decodes that threads have under way are ended before the interpreter is, and are none of a child process's.
_atexit.register(_core.end_all_calls)
_os.register_at_fork(after_in_child=_core.forget_calls_after_fork)

# What belongs to other libraries, and is loaded with them: when it is first asked for.
_BRIDGES = ("fsspec", "numcodecs", "zarr")


def __getattr__(name: str) -> _Any:
    if name in _BRIDGES:
        try:
            return _importlib.import_module(f".{name}", __name__)
        except ModuleNotFoundError as error:
            error.add_note(f"sluice_codecs.{name} needs it: pip install 'sluice-codecs[zarr]'")
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "ChunkStatus", "Codec", "DecodeError", "Decoder", "DeviceArray", "DeviceBatch", "Diagnostic", "Diagnostics", "EncoderOption", "EngineError",
    "EngineWarning", "Explanation", "Field", "Note", "NotCountableError", "OutputLimitError", "Place", "SluiceError",
    "SpecError", "build", "check", "decode", "decode_batch", "encode", "encoders", "explain", "list", "trace",
]
