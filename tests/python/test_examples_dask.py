"""examples/python_dask, small: real Zarr, real Dask, worker processes on this machine's CPUs."""

import os
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT

zarr = pytest.importorskip("zarr", reason="zarr is not installed: pip install 'sluice-codecs[dask]'")
pytest.importorskip("distributed", reason="dask and distributed are not installed: pip install 'sluice-codecs[dask]'")
pytest.importorskip("dask.array")
pytest.importorskip("numcodecs")

EXAMPLE = ROOT / "examples/python_dask"


def run(directory, *words: str) -> subprocess.CompletedProcess:
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
    return subprocess.run([sys.executable, EXAMPLE / "main.py", directory, *words], env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("codec", ["gzip", "lz4"])
def test_reduced_by_two_workers(codec, tmp_path):
    words = ("--gigabytes", "0.025", "--codec", codec, "--workers", "1,2", "--block", "5", "--repeats", "1")
    done = run(tmp_path, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "24 planes" in done.stdout and "verified: every plane's CRC-32, by zarr and by sluice" in done.stdout
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in done.stdout.splitlines() if "CPU processes" in line]
    assert rows == [["1 CPU processes", "zarr"], ["1 CPU processes", "sluice"], ["2 CPU processes", "zarr"], ["2 CPU processes", "sluice"]]
    # The figures that it says it verified are those of the planes.
    sys.path.insert(0, str(EXAMPLE))
    try:
        import field
    finally:
        sys.path.remove(str(EXAMPLE))
    planes = np.stack([field.step(time) for time in range(24)])
    assert f"mean {planes.mean(axis=0).mean():.3f}, maximum {planes.max()}" in done.stdout

    # Bytes that decode and are not what was written: of one plane, by its neighbour's file.
    if codec == "gzip":
        chunks = tmp_path / "gzip-24.zarr/c"
        (chunks / "7/0/0").write_bytes((chunks / "8/0/0").read_bytes())
        done = run(tmp_path, *words)
        assert done.returncode == 1 and "1 of 24 planes are not what was written" in done.stderr, done.stdout + done.stderr
