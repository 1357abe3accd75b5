"""Forks, processes and interpreters beside this one, before, after and while something is decoded."""

import pytest

from hostile import SANITIZED, run

# The sanitizer's allocator has locks of its own, which up to GCC 13 a fork leaves as they are: the child waits for a thread that it
# does not have.
beside_threads = pytest.mark.skipif(SANITIZED, reason="AddressSanitizer's allocator may be locked by another thread at a fork")


@beside_threads
def test_fork_after_use():
    done = run("""
        text = text_of(3_000_000)
        packed = [gzip.compress(text)] * 8
        decoder = sluice.Decoder("gzip")
        decoder.decode_batch(packed)
        fields = sluice.trace("gzip", packed[0]); next(fields)
        child = os.fork()
        ok = all(a.tobytes() == text for a in decoder.decode_batch(packed)) and decoder.decode(packed[0]).tobytes() == text
        del fields
        if child == 0:
            sys.exit(0 if ok else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), ok)
    """)
    assert (done.returncode, done.stdout) == (0, "0 True\n"), done.stdout + done.stderr


@beside_threads
def test_fork_while_other_threads_decode():
    done = run("""
        packed = [gzip.compress(text_of(1_000_000))] * 10
        decoder = sluice.Decoder("gzip")
        ends = threading.Event()
        def work():
            while not ends.is_set(): decoder.decode_batch(packed, threads=1)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        codes = []
        for _ in range(5):
            child = os.fork()
            if child == 0:
                ok = decoder.decode_batch(packed)[3].size == 1_000_000
                sys.exit(0 if ok else 1)  # in the child the others' calls are not waited for
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        ends.set()
        for thread in threads: thread.join()
        print(codes)
    """)
    assert done.stdout == "[0, 0, 0, 0, 0]\n", done.stdout + done.stderr


@beside_threads
def test_fork_in_progress():
    done = run("""
        packed = [gzip.compress(text_of(3_000_000))] * 60
        decoder = sluice.Decoder("gzip")
        children = []
        def fork_once(done, all):
            if not children: children.append(os.fork())
        try:
            arrays = decoder.decode_batch(packed, progress=fork_once, threads=1)
        except RuntimeError as error:
            os._exit(7 if children == [0] and "forked" in str(error) else 1)
        print(len(arrays), os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]))
    """)
    assert done.stdout == "60 7\n", done.stdout + done.stderr


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_takes_decoders(method):
    done = run(f"""
        import multiprocessing
        if __name__ == "__main__":
            decoder = sluice.Decoder("orc_rle_v1", T="u16")
            decoder.decode_batch([bytes([255, 5])] * 1000)
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                print([a.tolist() for a in pool.map(decoder.decode, [bytes([255, 5]), bytes([254, 6, 7])])])
                try:
                    pool.map(decoder.decode, [bytes([255])])
                except sluice.DecodeError as error:
                    print(error.reason, error.chunk)
    """)
    assert done.stdout == "[[5], [6, 7]]\nend_of_input 0\n", done.stdout + done.stderr


def test_a_process_is_ended_in_a_batch():
    done = run("""
        import multiprocessing
        def work(packed):
            while True: sluice.decode_batch("gzip", packed)
        if __name__ == "__main__":
            packed = [gzip.compress(text_of(1_000_000))] * 20
            sluice.decode_batch("gzip", packed)
            worker = multiprocessing.get_context("fork").Process(target=work, args=(packed,))
            worker.start()
            time.sleep(0.5)
            worker.terminate()
            worker.join(20)
            print(worker.exitcode)
    """)
    assert done.stdout == "-15\n", done.stdout + done.stderr


@beside_threads
def test_children_of_children():
    done = run("""
        packed = [gzip.compress(text_of(1_000_000))] * 6
        decoder = sluice.Decoder("gzip")
        for depth in range(4):
            if decoder.decode_batch(packed, threads=2)[5].size != 1_000_000: os._exit(1)
            child = os.fork()
            if child != 0:
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                if depth == 0: print(code, flush=True)
                os._exit(code)
        os._exit(42)
    """)
    assert done.stdout == "42\n", done.stdout + done.stderr


def test_a_second_interpreter():
    # It gets the module or is refused it; then the first one goes on.
    done = run("""
        import _xxsubinterpreters as interpreters
        packed = gzip.compress(b"abc")
        print(sluice.decode("gzip", packed).size)
        other = interpreters.create()
        try:
            interpreters.run_string(other, "import sys; sys.path[:0] = %r\\nimport sluice_codecs as s; assert s.decode('gzip', %r).size == 3"
                                    % (sys.path, packed))
        except Exception as error:
            print("refused", "ImportError" in str(error) or type(error).__name__, file=sys.stderr)
        interpreters.destroy(other)
        print(sluice.decode("gzip", packed).size)
    """)
    assert (done.returncode, done.stdout) == (0, "3\n3\n"), done.stdout + done.stderr
