"""Threads, signals and the interpreter's end while decodes are under way. Whatever happens is a Python exception or a clean
end; each case that may take a process down has one of its own."""

import gzip
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import text_of
from hostile import SANITIZED, run


def test_one_decoder_in_16_threads():
    texts = [text_of(1000 * n, n) for n in range(40)]
    packed = [gzip.compress(t) for t in texts]
    decoder = sluice.Decoder("gzip")
    wrong = []
    together = threading.Barrier(16)

    def work(seed):
        together.wait()
        for round in range(25):
            i = (seed * 7 + round) % 40
            if decoder.decode(packed[i]).tobytes() != texts[i]:
                wrong.append(i)
            out = np.empty(len(texts[i]), np.uint8)
            if decoder.decode(packed[i], out).tobytes() != texts[i]:
                wrong.append(i)
            arrays, statuses = decoder.decode_batch([packed[i], packed[i][:-3], packed[0]], errors="return")
            if arrays[0].tobytes() != texts[i] or statuses[1].ok or statuses[1].error.chunk != 1:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_gil_is_given_up():
    packed = gzip.compress(bytes(300_000_000), 1)
    decoder = sluice.Decoder("gzip")
    done = threading.Event()

    def work():
        decoder.decode(packed)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    rounds = 0
    while not done.is_set():
        rounds += 1
    thread.join()
    # With the GIL held this thread would have had a turn or two.
    assert rounds > 1000


def test_a_list_that_another_thread_empties():
    packed = [gzip.compress(text_of(200_000, n)) for n in range(50)]
    chunks = [bytearray(p) for p in packed]
    decoder = sluice.Decoder("gzip")
    ends = threading.Event()
    locked = 0

    def meddle():
        nonlocal locked
        while not ends.is_set():
            chunks.clear()
            chunks.extend(bytearray(p) for p in packed)
            try:
                chunks[0].extend(b"longer")
                del chunks[0][-6:]
            except (BufferError, IndexError):
                locked += 1

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for _ in range(15):
            arrays, statuses = decoder.decode_batch(chunks, errors="return")
            assert all(a is None or a.size == 200_000 for a in arrays)
    finally:
        ends.set()
        thread.join()


def test_a_bytearray_can_not_be_resized_meanwhile():
    packed = bytearray(gzip.compress(bytes(200_000_000), 1))
    started, ended = threading.Event(), threading.Event()
    refused = []

    def resize():
        while not ended.is_set() and not refused:
            try:
                packed.append(0)  # padding behind a member, before the decode and after it
            except BufferError:
                refused.append(True)
            started.set()

    thread = threading.Thread(target=resize)
    thread.start()
    started.wait()
    assert sluice.decode("gzip", packed).size == 200_000_000
    ended.set()
    thread.join()
    assert refused


def test_ctrl_c_in_a_long_batch():
    done = run("""
        packed = [gzip.compress(bytes(3_000_000), 1)] * 100_000
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        try:
            sluice.Decoder("gzip").decoded_sizes(packed, threads=1)
        except KeyboardInterrupt:
            took = time.monotonic() - started
            print("interrupted" if took < 5 else f"only after {took} s")
        # and the decoder goes on working
        print(sluice.decode("gzip", packed[0]).size)
    """)
    assert done.stdout == "interrupted\n3000000\n", done.stdout + done.stderr


def test_ctrl_c_in_one_long_chunk_of_the_interpreter():
    done = run("""
        packed = gzip.compress(slow_text(), 1)
        decoder = sluice.Decoder("gzip", target="interp")
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        try:
            decoder.decode(packed)
        except KeyboardInterrupt:
            took = time.monotonic() - started
            print("interrupted" if took < 3 else f"only after {took} s")
    """)
    assert done.stdout == "interrupted\n", done.stdout + done.stderr


def test_ctrl_c_in_one_long_chunk_of_machine_code():
    # Polled per chunk: the interrupt waits for the end of this one, and is not lost.
    done = run("""
        packed = gzip.compress(bytes(400_000_000), 1)
        decoder = sluice.Decoder("gzip")
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            decoder.decoded_sizes([packed] * 10, threads=1)
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
        print(decoder.decode(gzip.compress(b"abc")).size)
    """)
    assert done.stdout == "interrupted\n3\n", done.stdout + done.stderr


def test_ctrl_c_while_other_threads_decode():
    done = run("""
        packed = [gzip.compress(text_of(2_000_000))] * 20
        decoder = sluice.Decoder("gzip")
        ends = threading.Event()
        def work():
            while not ends.is_set():
                if decoder.decode_batch(packed)[7].size != 2_000_000: os._exit(3)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            while True: decoder.decode_batch(packed)
        except KeyboardInterrupt:
            print("interrupted")
        time.sleep(0.2)  # theirs go on
        ends.set()
        for thread in threads: thread.join()
        print("joined")
    """)
    assert done.stdout == "interrupted\njoined\n", done.stdout + done.stderr


def test_a_signal_handler_that_raises():
    done = run("""
        class Alarm(Exception): pass
        def handler(number, frame): raise Alarm
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            sluice.Decoder("gzip", target="interp").decode(gzip.compress(slow_text(), 1))
        except Alarm:
            print("raised")
    """)
    assert done.stdout == "raised\n", done.stdout + done.stderr


def test_a_signal_handler_that_decodes():
    """In the middle of a decode, with the same decoder: small outputs go through a buffer that a thread keeps."""
    done = run("""
        import bz2
        decoder = sluice.Decoder("bzip2", target="interp")
        texts = [text_of(10_000, seed) for seed in (1, 2)]
        packed = [bz2.compress(text) for text in texts]
        assert max(map(len, packed)) <= 4096
        inside, seen = False, []
        def handler(*_):
            if inside:
                seen.append(decoder.decode(packed[1]).tobytes() == texts[1])
        signal.signal(signal.SIGALRM, handler)
        for _ in range(300):
            inside = True
            signal.setitimer(signal.ITIMER_REAL, 0.0005)
            made = decoder.decode(packed[0])
            inside = False
            assert made.tobytes() == texts[0]
            if len(seen) >= 5:
                break
        print(len(seen) >= 5, all(seen))
    """)
    assert done.stdout == "True True\n", done.stdout + done.stderr


@pytest.mark.parametrize("end", ["pass", "sys.exit(0)", "os._exit(0)", "raise SystemExit"])
@pytest.mark.parametrize("daemon", [True, False])
def test_the_interpreter_ends_while_a_batch_is_in_flight(end, daemon):
    if not daemon and end != "os._exit(0)":
        end = f"threading.Timer(0.5, lambda: None).start(); {end}"
    done = run(f"""
        packed = [gzip.compress(text_of(3_000_000))] * 20
        decoder = sluice.Decoder("gzip")
        ends = time.monotonic() + 1.2  # decodes go on for a while after the main thread's end
        def work():
            while time.monotonic() < ends:
                try:
                    decoder.decode_batch(packed)
                except RuntimeError:  # the interpreter is about to end
                    return
        threads = [threading.Thread(target=work, daemon={daemon}) for _ in range(3)]
        for thread in threads: thread.start()
        time.sleep(0.3)
        print("ending", flush=True)
        {end}
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ending\n", "")


def test_decodes_in_the_interpreters_last_steps():
    # In atexit's calls all works. What is left of objects then is torn down in any order: a result or an exception.
    done = run("""
        import atexit
        packed = gzip.compress(text_of(3_000_000))
        decoder = sluice.Decoder("gzip")
        class Last:
            def __init__(self, decode): self.decode = decode
            def __del__(self):
                try: self.decode(packed)
                except Exception: pass
        one, cycle = Last(decoder.decode), Last(lambda data: decoder.decode_batch([data] * 4))
        cycle.itself = cycle
        sluice.kept = [Last(decoder.decode), decoder.decode(packed), sluice.trace("gzip", packed)]
        atexit.register(lambda: print(decoder.decode(packed).size, len(decoder.decode_batch([packed] * 3)), flush=True))
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3000000 3\n", "")


def test_sixteen_threads_make_decoders():
    # The first use of a name, and descriptions that nobody has compiled yet.
    done = run("""
        together, wrong = threading.Barrier(16), []
        texts = [text_of(5000, n) for n in range(16)]
        spec = "format twice{0}\\n  input bytes\\n  output bytes\\n  repeat until end of input\\n    one: u8\\n    run one, count 2\\n"
        def work(n):
            together.wait()
            for codec, packed in (("gzip", gzip.compress(texts[n])), ("deflate", gzip.compress(texts[n])[10:-8])):
                if sluice.decode(codec, packed).tobytes() != texts[n]: wrong.append((codec, n))
            own = sluice.Decoder(text=spec.format(n % 3), target="interp")
            if own.name != f"twice{n % 3}" or own.decode(b"ab").tobytes() != b"aabb": wrong.append(n)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(wrong)
    """)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_trace_is_left_unfinished_at_the_end():
    done = run("""
        packed = gzip.compress(text_of(300_000))
        fields = sluice.trace("gzip", packed)
        print(next(fields).kind)
        other = sluice.trace("gzip", packed)
        next(other); del other
        sluice.kept = fields
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "rule\n", "")


@pytest.mark.skipif(SANITIZED, reason="AddressSanitizer's own memory is more address space than any limit")
def test_memory_limits_are_exceptions():
    done = run("""
        import resource
        packed = gzip.compress(bytes(400_000_000), 1)
        sluice.decode("gzip", gzip.compress(b"x"))
        limit = 600 << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            keep = [sluice.decode("gzip", packed) for _ in range(3)]
        except MemoryError:
            print("no memory")
        print(sluice.decode("gzip", gzip.compress(b"x")).tobytes())
    """)
    assert done.stdout == "no memory\nb'x'\n", done.stdout + done.stderr


def test_nothing_leaks():
    decoder = sluice.Decoder("gzip")
    packed = gzip.compress(text_of(2_000_000))

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    def rounds(n):
        for _ in range(n):
            decoder.decode(packed)
            decoder.decode_batch([packed, b"\0", packed], errors="return")
            with pytest.raises(sluice.DecodeError):
                decoder.decode(packed[:1000])
            with pytest.raises(TypeError):
                decoder.decode(packed, np.empty(5))

    rounds(5)
    before = resident()
    rounds(40)
    if not SANITIZED:  # which keeps what was given back for a while
        assert resident() - before < 20_000_000
    buffer = bytearray(packed)
    decoder.decode(buffer)
    decoder.decode_batch([buffer])
    buffer.append(0)  # no lock is left on it


def test_signals_are_defaults_again():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
