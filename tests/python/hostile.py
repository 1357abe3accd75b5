"""Scripts for the tests of hostile use: each in a process of its own, which may crash or hang without taking the tests down."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
# tests/python/sanitized.sh: everything takes longer, and address space can't be limited.
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")

HEAD = """
import gzip, os, signal, sys, threading, time
import sluice_codecs as sluice
from conftest import text_of

def slow_text():  # hardly a copy in it: the interpreter takes it byte by byte, for seconds
    return os.urandom(20_000_000).translate(bytes(i % 64 + 32 for i in range(256)))
"""


def run(script: str, timeout: float = 120, **variables: str) -> subprocess.CompletedProcess:
    """The script behind HEAD in a process of its own; a crash or a hang is to be found in what is returned or raised."""
    environment = dict(os.environ, **variables)
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), environment.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", HEAD + textwrap.dedent(script)], env=environment,
                          timeout=timeout * (5 if SANITIZED else 1), capture_output=True, text=True)
