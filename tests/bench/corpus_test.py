#!/usr/bin/env python3
"""Tests of corpus.py: order, wheels, hashes, and what it says when a file can't be made."""
import hashlib
import pathlib
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import corpus  # noqa: E402

PARTS = {"cub/b.cuh": b"two ", "cub/a/z.cuh": b"one ", "thrust/detail/x.h": b"four", "thrust/a.h": b"three "}
TEXT = b"one two three four"


class Corpus(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.kept = dict(corpus.FILES)
        self.addCleanup(lambda: corpus.FILES.update(self.kept))
        corpus.FILES["cpp_text.bin"] = (len(TEXT), hashlib.sha256(TEXT).hexdigest()[:16])

    def headers(self):
        for path, content in PARTS.items():
            target = self.folder / "cccl" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return self.folder / "cccl"

    def test_headers_in_byte_order_of_their_paths(self):
        self.assertEqual(corpus.make(self.folder, "cpp_text.bin", corpus.cpp_text, self.headers()), "")
        self.assertEqual((self.folder / "cpp_text.bin").read_bytes(), TEXT)

    def test_a_wheel_gives_the_same(self):
        wheel = self.folder / "cccl.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for path, content in PARTS.items():
                archive.writestr("nvidia/cu13/include/cccl/" + path, content)
            archive.writestr("nvidia/cu13/include/cccl/cuda/std/a.h", b"not this")
        self.assertEqual(corpus.make(self.folder, "cpp_text.bin", corpus.cpp_text, wheel), "")
        self.assertEqual((self.folder / "cpp_text.bin").read_bytes(), TEXT)

    def test_another_version_is_not_kept(self):
        (self.headers() / "cub/b.cuh").write_bytes(b"2   ")
        said = corpus.make(self.folder, "cpp_text.bin", corpus.cpp_text, self.folder / "cccl")
        self.assertIn("not the file that is meant: 18 bytes", said)
        self.assertFalse((self.folder / "cpp_text.bin").exists())

    def test_the_library_from_its_offset(self):
        piece = bytes(range(200))
        library = self.folder / "libtorch_cpu.so"
        with open(library, "wb") as file:
            file.seek(corpus.X86_OFFSET)
            file.write(piece + b"more")
        corpus.FILES["x86_code.bin"] = (len(piece), hashlib.sha256(piece).hexdigest()[:16])
        self.assertEqual(corpus.make(self.folder, "x86_code.bin", corpus.x86_code, library), "")
        self.assertEqual((self.folder / "x86_code.bin").read_bytes(), piece)

    def test_what_is_missing_is_said(self):
        said = corpus.make(self.folder, "x86_code.bin", corpus.x86_code, self.folder / "none.so")
        self.assertIn("x86_code.bin: cannot be made here: no file", said)
        said = corpus.make(self.folder, "cpp_text.bin", corpus.cpp_text, self.folder)
        self.assertIn("cpp_text.bin: cannot be made here: no header of CUB or Thrust", said)


if __name__ == "__main__":
    unittest.main()
