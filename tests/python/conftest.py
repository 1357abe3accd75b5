"""Data for the tests: texts and noise of several sizes, made here, the same in every run."""

import random
import signal
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))
# A shell that starts the tests in the background has SIGINT ignored, in the processes that they start, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    import sluice_codecs as sluice

    return f"sluice_codecs {sluice.__version__} from {Path(sluice.__file__).parent}"


_letters = random.Random(1)
WORDS = [bytes(_letters.choices(b"abcdefghijklmnopqrstuvwxyz", k=_letters.randint(2, 9))) for _ in range(400)]


def text_of(size: int, seed: int = 1) -> bytes:
    """Words in random order: it compresses about as logs do."""
    chance, text = random.Random(seed), b""
    while len(text) < size:
        text += b" ".join(chance.choices(WORDS, k=(size - len(text)) // 6 + 1)) + b" "
    return text[:size]


SIZES = [0, 1, 100, 4096, 70_000, 1_000_000]


@pytest.fixture(scope="session")
def corpus() -> dict[str, bytes]:
    chance = random.Random(7)
    data = {f"text of {size}": text_of(size) for size in SIZES}
    data |= {f"noise of {size}": chance.randbytes(size) for size in (3, 5000, 300_000)}
    data["zeros of 3000000"] = bytes(3_000_000)
    return data


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT
