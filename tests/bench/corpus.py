#!/usr/bin/env python3
"""Makes the two files that tests/bench/cuda_codag measures and that are too large, or not ours, to be kept here.

    corpus.py FOLDER [--cccl PATH] [--torch PATH]

cpp_text.bin  the first 5,500,000 bytes of CUB's and Thrust's headers of CUDA 13.0, concatenated in byte order of their paths
x86_code.bin  6,291,456 bytes from offset 100,000,000 of PyTorch 2.11's libtorch_cpu.so

PATH is a wheel (nvidia-cuda-cccl 13.0, torch 2.11), or the folder with cub/ and thrust/, or the library. Without it the
headers are looked for in $CUDA_HOME and the library in the torch that this Python has. Both are checked by their SHA-256:
another version's file is not kept. Exit code: 0 both are there, 1 one is not, and a line says why.
"""
import argparse
import hashlib
import importlib.util
import os
import pathlib
import sys
import zipfile

FILES = {
    "cpp_text.bin": (5_500_000, "38776f1010c33904"),
    "x86_code.bin": (6_291_456, "dda84ef43377e43a"),
}
X86_OFFSET = 100_000_000
HEADERS = ("cub/", "thrust/")


class Missing(Exception):
    """Why a file can't be made here."""


def folder_entries(folder):
    """Path below the folder -> a function that reads it."""
    return {str(path.relative_to(folder)): path.read_bytes for top in HEADERS for path in sorted(folder.glob(top + "**/*")) if path.is_file()}


def wheel_entries(wheel):
    """The same of a wheel with include/cccl/ in it."""
    archive = zipfile.ZipFile(wheel)
    marker = "/include/cccl/"
    found = {}
    for name in archive.namelist():
        below = name.split(marker, 1)[-1]
        if marker in name and below.startswith(HEADERS) and not name.endswith("/"):
            found[below] = lambda name=name: archive.read(name)
    return found


def concatenated(entries, size):
    text = bytearray()
    for path in sorted(entries, key=os.fsencode):
        if len(text) >= size:
            break
        text += entries[path]()
    return bytes(text[:size])


def cpp_text(place, size):
    if place is None:
        home = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
        places = [home / "include/cccl", home / "targets/x86_64-linux/include/cccl"]
        place = next((one for one in places if (one / "cub").is_dir()), None)
        if place is None:
            raise Missing(f"no CUB and Thrust in {home}: name a folder or nvidia-cuda-cccl's wheel with --cccl")
    entries = wheel_entries(place) if place.is_file() else folder_entries(place)
    if not entries:
        raise Missing(f"no header of CUB or Thrust in {place}")
    return concatenated(entries, size)


def x86_code(place, size):
    if place is None:
        torch = importlib.util.find_spec("torch")
        if torch is None or not torch.submodule_search_locations:
            raise Missing("this Python has no torch: name libtorch_cpu.so or torch's wheel with --torch")
        place = pathlib.Path(torch.submodule_search_locations[0]) / "lib/libtorch_cpu.so"
    if not place.is_file():
        raise Missing(f"no file {place}")
    if zipfile.is_zipfile(place):
        with zipfile.ZipFile(place) as archive, archive.open("torch/lib/libtorch_cpu.so") as library:
            library.seek(X86_OFFSET)
            return library.read(size)
    with open(place, "rb") as library:
        library.seek(X86_OFFSET)
        return library.read(size)


def make(folder, name, maker, place):
    """Empty, or why there is no such file."""
    size, digest = FILES[name]
    target = folder / name
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest().startswith(digest):
        return ""
    try:
        content = maker(place, size)
    except (Missing, OSError, KeyError, zipfile.BadZipFile) as why:
        return f"{name}: cannot be made here: {why}"
    found = hashlib.sha256(content).hexdigest()
    if not found.startswith(digest):
        return f"{name}: not the file that is meant: {len(content)} bytes, SHA-256 {found[:16]}... instead of {digest}..."
    target.write_bytes(content)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cccl", type=pathlib.Path)
    parser.add_argument("--torch", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failures = [make(options.folder, "cpp_text.bin", cpp_text, options.cccl), make(options.folder, "x86_code.bin", x86_code, options.torch)]
    for failure in filter(None, failures):
        print(failure)
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
