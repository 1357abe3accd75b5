"""examples/python_dask, small: real Zarr, real Dask, worker processes on this machine's CPUs."""

import os
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT
from test_cuda import real, stand_in

zarr = pytest.importorskip("zarr", reason="zarr is not installed: pip install 'sluice-codecs[dask]'")
pytest.importorskip("distributed", reason="dask and distributed are not installed: pip install 'sluice-codecs[dask]'")
pytest.importorskip("dask.array")
pytest.importorskip("numcodecs")

EXAMPLE = ROOT / "examples/python_dask"


TWO_GPUS = """
import os
from distributed import Client
from clusters import ENGINES, Decoding, engine_in_use, on_gpus

if __name__ == "__main__":
    with on_gpus(2, by_dask_cuda=False) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        print(sorted(client.run(os.getenv, "CUDA_VISIBLE_DEVICES").values()))
        for engine in (*ENGINES, *ENGINES):
            client.register_plugin(Decoding(engine))
            print(sorted(client.run(engine_in_use).values()))
"""


def run(*words, **variables: str) -> subprocess.CompletedProcess:
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(EXAMPLE), *(path for path in sys.path if path)]), **variables)
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("codec", ["gzip", "lz4"])
def test_reduced_by_two_workers(codec, tmp_path):
    words = ("--gigabytes", "0.025", "--codec", codec, "--workers", "1,2", "--block", "5", "--repeats", "1")
    done = run(EXAMPLE / "main.py", tmp_path, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "24 planes" in done.stdout and "verified: every plane's CRC-32, by zarr and by sluice" in done.stdout
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in done.stdout.splitlines() if "CPU process" in line]
    assert rows == [["1 CPU process", "zarr"], ["1 CPU process", "sluice"], ["2 CPU processes", "zarr"], ["2 CPU processes", "sluice"]]
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
        done = run(EXAMPLE / "main.py", tmp_path, *words, "--workers", "1")
        assert done.returncode == 1 and "1 of 24 planes are not what was written" in done.stderr, done.stdout + done.stderr


def test_a_worker_for_each_gpu(tmp_path):
    """As far as it goes without one: which device each of Dask's workers would see, and that the decoders change places."""
    (tmp_path / "two.py").write_text(TWO_GPUS)
    # Dask asks the driver about each of them, where there is one: and here may be one, not two.
    done = run(tmp_path / "two.py", DASK_DISTRIBUTED__DIAGNOSTICS__NVML="False")
    assert done.stdout.splitlines() == ["['0', '1']"] + ["['zarr', 'zarr']", "['sluice', 'sluice']"] * 2, done.stdout + done.stderr


@pytest.mark.parametrize("codec, spec", [("gzip", "gzip"), ("lz4", "lz4_block")])
def test_on_two_gpus_that_are_stand_ins(codec, spec, tmp_path, monkeypatch):
    """The driver's stand-in and CuPy's in every worker: where blocks lie, who decodes them, and what comes out."""
    library = stand_in()
    monkeypatch.syspath_prepend(str(ROOT / "tests/python/stand_in"))
    words = ("--gigabytes", "0.006", "--codec", codec, "--workers", "1", "--gpus", "1,2", "--no-dask-cuda", "--gpu-block", "2", "--repeats", "1")
    done = run(EXAMPLE / "main.py", tmp_path, *words, SLUICE_CUDA_DRIVER=library, SLUICE_NVRTC=library, SLUICE_CUDA_JIT="nvrtc", SLUICE_FAKE_SPEC=spec,
               DASK_DISTRIBUTED__DIAGNOSTICS__NVML="False")
    assert done.returncode == 0 and "verified: every plane's CRC-32" in done.stdout, done.stdout + done.stderr
    rows = [line.split("|")[1].strip() for line in done.stdout.splitlines() if "| sluice |" in line or "| zarr |" in line]
    assert rows[2:] == ["1 GPU"] * 2 + ["2 GPUs"] * 2


@pytest.mark.parametrize("by", ["dask_cuda", "dask"])
def test_on_two_gpus(by, tmp_path):
    """Real ones: a worker each, of dask-cuda's cluster or of Dask's own, reads to its GPU, and all planes are what was written."""
    devices = real("cupy").cuda.runtime.getDeviceCount()
    if devices < 2:
        pytest.skip(f"two GPUs are needed, and here is {devices}")
    if by == "dask_cuda":
        try:
            import dask_cuda  # noqa: F401
        except ImportError as error:
            pytest.skip(f"dask-cuda can't be had: {error}")
    words = ("--gigabytes", "0.05", "--codec", "gzip", "--workers", "1", "--gpus", "1,2", "--gpu-block", "8", "--repeats", "1")
    done = run(EXAMPLE / "main.py", tmp_path, *words, *([] if by == "dask_cuda" else ["--no-dask-cuda"]))
    assert done.returncode == 0 and "verified: every plane's CRC-32" in done.stdout, done.stdout + done.stderr
    assert ("GPUs: dask-cuda" in done.stdout) == (by == "dask_cuda"), done.stdout
    rows = [line.split("|")[1].strip() for line in done.stdout.splitlines() if "| sluice |" in line or "| zarr |" in line]
    assert rows[2:] == ["1 GPU"] * 2 + ["2 GPUs"] * 2
