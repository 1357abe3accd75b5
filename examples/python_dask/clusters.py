"""Clusters on this machine: worker processes on CPUs, or one a GPU. And what is switched on in each of their workers."""

import logging
import os

from distributed import LocalCluster, Nanny, Scheduler, SpecCluster
from distributed.diagnostics.plugin import WorkerPlugin

ENGINES = ("zarr", "sluice")


class Decoding(WorkerPlugin):
    """Who decodes chunks of Zarr arrays that are opened in a worker: zarr's own codecs, or Sluice; to arrays of CuPy on a GPU.

    ``client.register_plugin(Decoding("sluice"))``: in the workers that are there, and in those that come later. Another one of
    the same name takes this one's place.
    """

    name = "decoding"

    def __init__(self, engine: str, on_gpu: bool = False) -> None:
        if engine not in ENGINES:
            raise ValueError(f"engine takes {' or '.join(ENGINES)}, not {engine!r}")
        self.engine, self.on_gpu = engine, on_gpu

    def setup(self, worker) -> None:
        import zarr

        self._gpu = zarr.config.enable_gpu() if self.on_gpu else None
        self._switch = None
        if self.engine == "sluice":
            import sluice_codecs.zarr

            self._switch = sluice_codecs.zarr.use()

    def teardown(self, worker) -> None:
        if self._switch is not None:
            self._switch.undo()
        if self._gpu is not None:
            self._gpu.__exit__(None, None, None)


def engine_in_use() -> str:
    """Of `ENGINES`, in the process that is asked: ``client.run(engine_in_use)``."""
    import zarr

    return "sluice" if zarr.config.get("codec_pipeline.path").startswith("sluice_codecs.") else "zarr"


def on_cpus(workers: int) -> LocalCluster:
    """Processes with a thread each. Without a dashboard, which nobody would look at for so short a time."""
    return LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


def on_gpus(gpus: int, by_dask_cuda: bool = True):
    """A process for each of the first GPUs: dask-cuda's cluster where it is installed and not declined.

    Without it Dask's own, whose workers see one GPU each. What dask-cuda has beyond that (memory that moves to the host when a
    GPU's is full, a pool of RMM, NVLink between workers) is of no use here: blocks are reduced where they are read.
    """
    devices = [device for device in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if device] or [str(n) for n in range(gpus)]
    if gpus > len(devices):
        raise ValueError(f"{gpus} GPUs are wanted, $CUDA_VISIBLE_DEVICES names {len(devices)}")
    if by_dask_cuda and not why_no_dask_cuda():
        from dask_cuda import LocalCUDACluster

        return LocalCUDACluster(CUDA_VISIBLE_DEVICES=devices[:gpus], threads_per_worker=1, dashboard_address=None)
    alone = {"nthreads": 1, "silence_logs": logging.WARN}
    workers = {n: {"cls": Nanny, "options": alone | {"env": {"CUDA_VISIBLE_DEVICES": devices[n]}}} for n in range(gpus)}
    return SpecCluster(workers, {"cls": Scheduler, "options": {"dashboard": False}}, silence_logs=logging.WARN)


def why_no_dask_cuda() -> str:
    """Empty where it can be had."""
    try:
        import dask_cuda  # noqa: F401
    except ImportError as error:
        return str(error)
    return ""
