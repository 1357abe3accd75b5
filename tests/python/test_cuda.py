"""The GPU's interface, against the driver's stand-in of tests/fake_cuda, whose device memory is the host's and whose kernels
are the CPU's decoders, queued until somebody waits. `./dev build` makes it; $SLUICE_TEST_FAKE_CUDA names another one.

The second half runs on a real GPU, with CuPy and PyTorch, and is skipped where there is none.
"""

import importlib.util
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import sluice_codecs as sluice

HERE = Path(__file__).parent


def stand_in() -> str:
    named = os.environ.get("SLUICE_TEST_FAKE_CUDA")
    found = [Path(named)] if named else sorted(HERE.parents[1].glob("build/tests/fake_cuda/libsluice_fake_cuda.so"))
    if not found or not found[0].exists():
        pytest.skip("the CUDA driver's stand-in is not built: ./dev build makes it, $SLUICE_TEST_FAKE_CUDA names it")
    return str(found[0])


HEAD = """
import numpy as np, os, sys, zlib
import sluice_codecs as sluice
from sluice_codecs import DeviceArray, DeviceBatch

def raw(data):
    stream = zlib.compressobj(6, zlib.DEFLATED, -15)
    return stream.compress(data) + stream.flush()

class OnDevice:
    '''What another library's array says of itself; the memory is one of the decoder's.'''
    def __init__(self, decoder, values, **more):
        self.decoder = decoder._gpu()._core
        data = np.ascontiguousarray(values)
        self.memory = self.decoder.allocate(max(data.nbytes, 1))
        self.staged = self.decoder.pinned(max(data.nbytes, 1))
        self.staged.fill(data)
        if data.nbytes: self.decoder.copy_to_device(self.memory.address, self.staged, data.nbytes, 0)
        self.decoder.wait(0)
        self.page = {"shape": data.shape, "typestr": data.dtype.str, "data": (self.memory.address, False), "version": 3, "strides": None, **more}
    @property
    def __cuda_array_interface__(self): return self.page
    def bytes(self):
        return self.decoder.copy_to_host(self.memory.address, self.memory.nbytes, 1, False, 0).tobytes()

def on_device(decoder, data): return OnDevice(decoder, np.frombuffer(data, np.uint8))
def refused(kind, call, word=""):
    try:
        call()
    except kind as error:
        assert word in str(error), error
        return error
    raise AssertionError(f"{kind} was not raised")

def watch(decoder):
    '''The names of what the decoder does on its device from now on, in order.'''
    calls, core = [], decoder._gpu()._core
    class Watched:
        def __init__(self, event): self.event = event
        def __getattr__(self, name):
            calls.append("event." + name)
            return getattr(self.event, name)
    class Watch:
        def __getattr__(self, name):
            calls.append(name)
            return getattr(core, name)
        def event(self, stream): return Watched(core.event(stream))
    decoder._gpu()._core = decoder._gpu()._pool.core = Watch()
    return calls

texts = [bytes([65 + i % 26]) * (i * 37) + str(i).encode() for i in range(30)]
packed = [raw(t) for t in texts]
d = sluice.Decoder("deflate")
inputs = [on_device(d, p) for p in packed]
"""


def run(body: str, spec: str = "deflate") -> None:
    library = stand_in()
    environment = dict(os.environ, SLUICE_CUDA_DRIVER=library, SLUICE_NVRTC=library, SLUICE_CUDA_JIT="nvrtc", SLUICE_FAKE_SPEC=spec)
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), environment.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", HEAD + body + "\nprint('done')"], env=environment,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout + done.stderr


def test_a_list_of_unknown_sizes():
    run("""
batch = d.decode_batch(inputs)
assert isinstance(batch, DeviceBatch) and len(batch) == 30
assert [a.copy_to_host().tobytes() for a in batch] == texts
assert all(s.ok and s.produced == len(t) for s, t in zip(batch.statuses(), texts))
assert batch.check() is batch
assert d.decoded_sizes(inputs).copy_to_host().tolist() == [len(t) for t in texts]
assert d.decode(inputs[5]).copy_to_host().tobytes() == texts[5]
assert d.target == "cpu" and d.decode(packed[3]).tobytes() == texts[3]   # the same decoder, host data
""")


def test_nothing_is_waited_for_where_sizes_are_known():
    # The stand-in runs what is queued when somebody waits: results that are there already were waited for.
    run("""
waits = watch(d)
sizes = [len(t) for t in texts]
batch = d.decode_batch(inputs, sizes=sizes)
out = [on_device(d, bytes(max(len(t), 1))) for t in texts]
waits.clear()
into = d.decode_batch(inputs, out)
assert not {"wait", "copy_to_host", "event.wait"} & set(waits), waits
assert [a.copy_to_host().tobytes() for a in batch] == texts
into.check()
assert [o.bytes()[:len(t)] for o, t in zip(out, texts)] == texts
""")


def test_batches_that_are_let_go_of():
    run("""
sizes = [len(t) for t in texts]
for _ in range(3): d.decode_batch(inputs, sizes=sizes)
calls = watch(d)
kept = d.decode_batch(inputs, sizes=sizes)
for turn in range(100):
    batch = d.decode_batch(inputs[turn % 7:], sizes=sizes[turn % 7:])
    equal = d.decode_batch(inputs, sizes=2000)
seen = list(calls)
assert [a.copy_to_host().tobytes() for a in batch] == texts[turn % 7:]
assert [a.copy_to_host()[:s].tobytes() for a, s in zip(equal, sizes)] == texts and not any(s.error for s in equal.statuses())
assert [a.copy_to_host().tobytes() for a in kept] == texts
# Memory of the device goes from batch to batch. That of the host is free when the copy from it is done, which is when
# somebody waits for the stand-in: only then is there more of it.
assert "wait" not in seen and "copy_to_host" not in seen and seen.count("allocate") < 30, seen
several = [d.decode_batch(inputs, sizes=sizes) for _ in range(20)]
assert all([a.copy_to_host().tobytes() for a in batch] == texts for batch in several)
import gc
del several, kept, batch, equal
gc.collect()
d._gpu()._pool.release()
assert not d._gpu()._pool._free and not d._gpu()._pool._used
assert [a.copy_to_host().tobytes() for a in d.decode_batch(inputs)] == texts
""")


def test_base_and_offsets():
    run("""
whole = on_device(d, b"".join(packed))
offsets = np.cumsum([0] + [len(p) for p in packed])
assert [a.copy_to_host().tobytes() for a in d.decode_batch(whole, offsets=offsets)] == texts
assert [a.copy_to_host().tobytes() for a in d.decode_batch(whole, offsets=offsets[:-1], lengths=np.diff(offsets))] == texts

Numbers = lambda values: OnDevice(d, values)
assert [a.copy_to_host().tobytes() for a in d.decode_batch(whole, offsets=Numbers(offsets))] == texts
some = [Numbers(offsets[:-1]), Numbers(np.diff(offsets).astype(np.uint64))]
assert [a.copy_to_host().tobytes() for a in d.decode_batch(whole, offsets=some[0], lengths=some[1])] == texts
assert [a.copy_to_host().tobytes() for a in d.decode_batch(whole, offsets=some[0], lengths=np.diff(offsets))] == texts
out = on_device(d, bytes(sum(map(len, texts))))
d.decode_batch(whole, out, [len(t) for t in texts], offsets=Numbers(offsets)).check()
assert out.bytes() == b"".join(texts)
refused(IndexError, lambda: d.decode_batch(whole, offsets=[0, 10**9]))
refused(IndexError, lambda: d.decode_batch(whole, offsets=[5, 3]))
refused(TypeError, lambda: d.decode_batch(whole, offsets=Numbers(offsets.astype(np.int32))), "64 bits")
refused(ValueError, lambda: d.decode_batch(whole, offsets=some[0], lengths=Numbers(offsets)), "30 offsets, but 31 lengths")
refused(ValueError, lambda: d.decode_batch(whole, whole, 1, offsets=offsets), "overlaps an input")
""")


def test_refused_chunks():
    run("""
broken = list(inputs)
broken[4] = on_device(d, b"\\x07" + packed[4][1:])
error = refused(sluice.DecodeError, lambda: d.decode_batch(broken))
assert error.chunk == 4 and error.line > 0 and error.reason
batch = d.decode_batch(broken, sizes=[len(t) for t in texts])
assert [s.ok for s in batch.statuses()] == [i != 4 for i in range(30)]
assert batch.statuses()[4].error.word == error.word
refused(sluice.DecodeError, batch.check)
batch = d.decode_batch(inputs, sizes=10)
assert [s.ok for s in batch.statuses()] == [len(t) <= 10 for t in texts]
assert isinstance(batch.statuses()[9].error, sluice.OutputLimitError)
refused(sluice.OutputLimitError, lambda: d.decode_batch(inputs, max_output=100).check())
host = refused(sluice.DecodeError, lambda: d.decode(b"\\x07" + packed[4][1:]))
assert host.word == error.word
""")


def test_arrays_that_won_t_do():
    run("""
x = inputs[8]
big = np.zeros(1000, np.uint8)
refused(ValueError, lambda: d.decode(x, OnDevice(d, big, data=(1, True))), "must not be written")
refused(TypeError, lambda: d.decode(x, OnDevice(d, big.view(np.int16))), "makes uint8")
refused(ValueError, lambda: d.decode(x, OnDevice(d, big, strides=(2,))), "contiguous")
refused(ValueError, lambda: d.decode(OnDevice(d, big, mask=x)), "masked")
refused(TypeError, lambda: d.decode_batch([x, b"host"]), "on a GPU")
refused(TypeError, lambda: d.decode(x, bytearray(1000)), "on a GPU")
refused(ValueError, lambda: d.decode(x, x), "overlaps an input")
y = OnDevice(d, big)
refused(ValueError, lambda: d.decode_batch([x, x], [y, y]), "two outputs overlap")
refused(ValueError, lambda: d.decode_batch([x, x], [y]), "one array for every chunk")
refused(ValueError, lambda: d.decode_batch([x, x], y, [600, 600]), "do not fit")
refused(TypeError, lambda: sluice.Decoder("deflate", target="cpu").decode(x), "lies on a GPU")
""")


def test_dlpack():
    run("""
class OnlyDlpack:
    def __init__(self, array): self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__
one = d.decode(inputs[7])
assert one.__dlpack_device__() == (2, 0) and len(one) == one.nbytes == len(texts[7])
again = DeviceArray(inputs[7].memory.address, len(packed[7]), "u1", 0, 0, one._owner)
twin = OnlyDlpack(again)
assert not hasattr(twin, "__cuda_array_interface__")
assert d.decode(twin).copy_to_host().tobytes() == texts[7]
page = one.__cuda_array_interface__
assert page["typestr"] == "|u1" and page["shape"] == (len(texts[7]),) and page["stream"] == 1
""")


def test_cuda_as_target():
    run("""
g = sluice.Decoder("deflate", target="cuda").warm_up()
assert g.target == "cuda" and g.engine == "nvrtc" and g.dtype == np.uint8 and g.name == "deflate"
assert g.decode(packed[9]).tobytes() == texts[9]
assert [a.tobytes() for a in g.decode_batch(packed)] == texts
out = np.empty(len(texts[9]), np.uint8)
assert g.decode(packed[9], out).tobytes() == texts[9]
arrays, statuses = g.decode_batch([packed[1], b"\\x07", packed[2]], errors="return")
assert [s.ok for s in statuses] == [True, False, True] and arrays[2].tobytes() == texts[2]
assert g.decoded_sizes(packed).tolist() == [len(t) for t in texts]
assert d.warm_up("cuda") is d
refused(ValueError, lambda: sluice.Decoder("deflate", target="cuda", schedule="no_such_directive 5"))
""")


def test_a_child_process_is_told():
    run("""
g = sluice.Decoder("deflate", target="cuda")
child = os.fork()
if child == 0:
    refused(sluice.EngineError, lambda: d.decode(inputs[2]), "fork")
    assert d.decode(packed[2]).tobytes() == texts[2]
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")


def test_without_a_gpu(tmp_path):
    script = """
import sluice_codecs as sluice
d = sluice.Decoder("gzip")
for call in (lambda: sluice.Decoder("gzip", target="cuda"), lambda: d.warm_up("cuda")):
    try: call()
    except sluice.EngineError as error: print("driver" in str(error).lower() or "cuda" in str(error).lower())
"""
    done = subprocess.run([sys.executable, "-c", script], env=dict(os.environ, SLUICE_CUDA_DRIVER=str(tmp_path / "none.so")),
                          capture_output=True, text=True)
    assert done.stdout == "True\nTrue\n", done.stdout + done.stderr


def test_nvrtc_of_the_extra_is_found(tmp_path):
    """Without an activated environment, where the library itself would not look."""
    if not any(Path(directory, name).exists() for directory in sys.path for name in sluice._engines._NVRTC):
        pytest.skip("nvidia-cuda-nvrtc is not installed: pip install 'sluice-codecs[cuda]'")
    script = "import sluice_codecs as s; print(len(s.build('lz4_block', targets='cuda:sm_90')) > 1000)"
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "SLUICE_NVRTC", "CUDA_HOME", "CUDA_PATH")}
    environment |= {"PATH": "/usr/bin:/bin", "SLUICE_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stdout + done.stderr


# ---- on a real GPU ------------------------------------------------------------------------------------------------


def real(module: str):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: it takes a GPU")
    try:
        sluice.Decoder("deflate", target="cuda")
    except sluice.EngineError as error:
        pytest.skip(f"no GPU here: {error}")
    return importlib.import_module(module)


def test_cupy():
    cupy = real("cupy")
    texts = [os.urandom(50) * 40 for _ in range(100)]
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        inputs = [cupy.asarray(bytearray(zlib.compress(t)), cupy.uint8) for t in texts]
        batch = sluice.Decoder("zlib").decode_batch(inputs, sizes=2000)
        assert [cupy.asnumpy(cupy.asarray(a)).tobytes() for a in batch.check()] == texts


def test_torch():
    torch = real("torch")
    text = os.urandom(50) * 40
    data = torch.frombuffer(bytearray(zlib.compress(text)), dtype=torch.uint8).cuda()
    decoded = sluice.Decoder("zlib").decode(data)
    assert torch.from_dlpack(decoded).cpu().numpy().tobytes() == text
    out = torch.empty(2000, dtype=torch.uint8, device="cuda")
    sluice.Decoder("zlib").decode(data, out)
    assert out.cpu().numpy().tobytes() == text
