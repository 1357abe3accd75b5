"""What zarr and Sluice ask of CuPy, over the CUDA driver's stand-in, whose device memory is the host's: arrays of NumPy in memory
that the stand-in gave, which say of themselves that they lie on a GPU. For test_zarr_gpu.py alone, on machines without one.

The format is that of $SLUICE_FAKE_SPEC, whose decoder owns the memory.
"""

import ctypes
import os
from types import SimpleNamespace

import numpy as np

import sluice_codecs as sluice

_owner = sluice.Decoder(os.environ["SLUICE_FAKE_SPEC"], target="cuda")._cuda
_blocks = []  # never given back: arrays may be views of views


class Device:
    """The only one."""

    id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        pass


class ndarray(np.ndarray):
    @property
    def device(self):
        return Device()

    @property
    def __cuda_array_interface__(self):
        page = self.__array_interface__
        strides = None if self.flags.c_contiguous else self.strides
        return {"shape": page["shape"], "typestr": page["typestr"], "data": page["data"], "version": 3, "strides": strides, "stream": 1}


def empty(shape, dtype=float, order="C"):
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    count = int(np.prod(shape))
    nbytes = max(count * np.dtype(dtype).itemsize, 1)
    _blocks.append(_owner.allocate(nbytes))
    memory = (ctypes.c_char * nbytes).from_address(_blocks[-1].address)
    return np.frombuffer(memory, dtype, count).reshape(shape, order=order).view(ndarray)


def asarray(values, dtype=None):
    if isinstance(values, ndarray):
        return values
    values = np.asarray(values, dtype)
    made = empty(values.shape, values.dtype)
    made[...] = values
    return made


array = asanyarray = asarray


def frombuffer(data, dtype):
    return asarray(np.frombuffer(data, dtype))


def concatenate(arrays):
    return asarray(np.concatenate([np.asarray(one) for one in arrays]))


def asnumpy(values):
    return np.array(values)


cuda = SimpleNamespace(get_current_stream=lambda: SimpleNamespace(ptr=0))
