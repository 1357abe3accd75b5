"""The examples in Python run, and say what they are meant to. Without their libraries they say that, and do what they can."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT


def run(name: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error::RuntimeWarning", ROOT / "examples" / name / "main.py", *arguments],
                          capture_output=True, text=True, timeout=600, env=dict(os.environ, **environment))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def test_batch():
    told = run("python_batch", "40")
    assert told.startswith("40 gzip members") and "one buffer, into one array" in told
    assert re.search(r"member 3 cut to 100 bytes: end_of_input at bit (79\d|800); the others are decoded", told)
    assert "without a GPU: " in told or "on the GPU" in told


def test_zarr():
    told = run("python_zarr", "2")
    if not has("zarr"):
        assert told.startswith("skipped: ")
        pytest.skip(told.strip())
    assert [line.split()[0] for line in told.splitlines()[2:]] == ["gzip", "zlib", "lz4", "bz2", "zstd"]


def test_torch():
    told = run("python_torch", "2")
    assert "512 samples from 2 shards on " in told
    if not has("torch"):
        assert told.startswith("without PyTorch: No module named 'torch'; the same with NumPy:\n")
        pytest.skip("PyTorch is not installed; the example ran with NumPy")


def test_the_packages_page(tmp_path):
    """The block on Zarr and its like in runtime/python/README.md, as it stands there."""
    if not (has("zarr") and has("fsspec")):
        pytest.skip("zarr or fsspec is not installed: pip install 'sluice-codecs[zarr]'")
    import gzip

    import zarr

    text = (ROOT / "runtime/python/README.md").read_text()
    section = text[text.index("## Zarr, numcodecs, fsspec"):]
    block = section[section.index("```python\n") + 10:]
    block = block[:block.index("```")]
    zarr.create_array(tmp_path / "old.zarr", shape=(100,), chunks=(10,), dtype="i4", compressors=zarr.codecs.GzipCodec())[:] = range(100)
    (tmp_path / "log.gz").write_bytes(gzip.compress(b"first line\nsecond line\n"))
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4950 first line\n", done.stdout
