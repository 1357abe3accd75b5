"""Checking, explaining, tracing, building, encoding; and every codec on its own vectors."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

import sluice_codecs as sluice
from conftest import ROOT

VECTORS = sorted((ROOT / "codecs").glob("*/vectors/*.in"))


def decoder_of(path):
    settings = path.with_suffix(".set")
    pairs = [word.split("=", 1) for word in settings.read_text().split()] if settings.exists() else []
    return sluice.Decoder(path.parts[-3], **dict(pairs))


def test_every_vector_of_every_codec():
    """All of them run from the wheel's machine code, and say of bad data what the vectors say."""
    seen, not_ready = set(), set()
    for path in VECTORS:
        try:
            decoder = decoder_of(path)
        except ValueError:
            continue  # a run-time argument among the settings
        (seen if decoder.engine == "aot" else not_ready).add(path.parts[-3])
        dictionary = path.with_suffix(".dict")
        options = {"dictionary": dictionary.read_bytes()} if dictionary.exists() else {}
        expected = path.with_suffix(".out")
        if expected.exists():
            made = decoder.decode(path.read_bytes(), **options)
            for name, array in made.items() if len(decoder.outputs) > 1 else [("output", made)]:
                at = expected if name == "output" else expected.with_suffix(f".out.{name}")
                assert array.tobytes() == at.read_bytes(), at
        elif path.with_suffix(".err").exists():
            reason, bit = path.with_suffix(".err").read_text().split()[:2]
            with pytest.raises(sluice.DecodeError) as caught:
                decoder.decode(path.read_bytes(), **options)
            assert (caught.value.reason, caught.value.bit) == (reason, int(bit)), path
    assert seen == {codec.name for codec in sluice.list()}
    # Of max_bits, largest_page and most_strings the wheel has the defaults.
    assert not_ready <= {"gompresso_bit", "parquet_byte_stream_split", "parquet_delta_strings"}


@pytest.mark.parametrize("codec", ["orc_rle_v1", "orc_rle_v2", "parquet_delta"])
def test_every_element_type_is_ready(codec):
    for bits in (8, 16, 32, 64):
        for sign in "iu":
            decoder = sluice.Decoder(codec, T=f"{sign}{bits}")
            assert decoder.engine == "aot"
            assert decoder.dtype == np.dtype(f"{sign}{bits // 8}")


def test_the_fastest_code_that_runs_here():
    flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
    level = "x86-64-v4-vbmi" if {"avx512vl", "avx512_vbmi2", "vpclmulqdq"} <= set(flags) else "x86-64-v3" if "avx2" in flags else "x86-64"
    assert sluice.Decoder("deflate").why.startswith(level + " ")


def test_check():
    text = "format x\n  input bytes\n  output bytes\n  size: u8\n  literals u8[sise]\n"
    found = sluice.check(text, name="x.sluice")
    first = next(d for d in found if d.severity == "error" and d.place.line == 5)
    assert first.source == "  literals u8[sise]" and first.place.file == "x.sluice" and "sise" in str(first)
    assert "sise" in found._repr_html_() and "background" in first._repr_html_() and "5 |" in str(found)
    assert sluice.check((ROOT / "examples/tinyrle/tinyrle.sluice").read_text()) == []
    assert "all right" in sluice.check(path="gzip")._repr_html_()
    evil = sluice.check("format x\n  input <script>\n")
    assert evil and "<script>" not in evil._repr_html_()
    with pytest.raises(ValueError):
        sluice.check(path="no_such_codec")
    with pytest.raises(TypeError):
        sluice.check()


def test_explain():
    page = sluice.explain("deflate")
    assert page["format"] == "deflate" and page["tokens"] and page["forms"] and "cuda" not in page
    assert json.loads(json.dumps(page)) == page
    assert "deflate" in str(page) and "<pre" in page._repr_html_()
    assert "cuda" in sluice.explain("deflate", target="cuda")
    assert sluice.explain("orc_rle_v2", T="i16")["output"]["type"] == "i16"
    with pytest.raises(ValueError, match="warps_per_blok|directive"):
        sluice.explain("deflate", target="cuda", schedule="warps_per_blok 5")
    with pytest.raises(ValueError):
        sluice.explain("deflate", target="tpu")
    with pytest.raises(sluice.SpecError):
        sluice.explain(text="format")


def test_trace():
    data = (ROOT / "examples/tinyrle/gate.trle").read_bytes()
    spec = ROOT / "examples/tinyrle/tinyrle.sluice"
    fields = list(sluice.trace(spec, data))
    assert (fields[0].kind, fields[0].name) == ("rule", "tinyrle")
    magic = fields[1]
    assert (magic.kind, magic.name, magic.bit, magic.bits, magic.value, magic.text) == ("field", "magic", 0, 16, 0x5452, "magic = 21586 (0x5452)")
    assert [f.text for f in fields[2:4]] == ["size = 460 (0x1cc)", "producing 460"]
    run = next(f for f in fields if f.kind == "run")
    assert run.count == 20 and run.text.startswith('run of 20 "    ')
    assert str(magic).split() == ["0", "16", "0", "magic", "=", "21586", "(0x5452)"]
    taken = []
    with pytest.raises(sluice.DecodeError) as caught:
        for field in sluice.trace(spec, (ROOT / "examples/tinyrle/cut.trle").read_bytes()):
            taken.append(field)
    assert taken[-1].kind == "error" and caught.value.reason == "end_of_input" and caught.value.line == 13
    big = sluice.trace("gzip", __import__("gzip").compress(np.random.default_rng(1).bytes(3_000_000).replace(b"\0", b"a")))
    assert len(list(itertools.islice(big, 10_000))) > 10  # and the rest is left


def test_build(tmp_path):
    path = tmp_path / "tiny.sluicea"
    artifact = sluice.build(ROOT / "examples/tinyrle/tinyrle.sluice", targets=["cpu:x86-64", "cpu:x86-64-v3"], output=path)
    assert path.read_bytes() == artifact and list(tmp_path.iterdir()) == [path]
    decoder = sluice.Decoder(path)
    assert decoder.engine == "aot"
    assert decoder.decode((ROOT / "examples/tinyrle/gate.trle").read_bytes()).size == 460
    with pytest.raises(ValueError, match="too late"):
        sluice.Decoder(path, T="i64")
    with pytest.raises(ValueError, match="target"):
        sluice.build("gzip", targets="tpu")


def test_encode():
    data = b"a text that compresses, a text that compresses well, " * 500
    for name in sluice.encoders():
        if name.startswith(("gsst", "fsst", "gompresso", "patel")):
            assert sluice.decode(name, sluice.encode(name, data)).tobytes() == data, name
    assert any(option.least <= option.initial <= option.most for options in sluice.encoders().values() for option in options)
    with pytest.raises(ValueError, match="no encoder"):
        sluice.encode("gzip", data)
    with pytest.raises(ValueError):
        sluice.encode("patel", data, no_such_option=1)
    with pytest.raises(TypeError):
        sluice.encode("patel", None)


def test_list():
    codecs = {codec.name: codec for codec in sluice.list()}
    assert {"gzip", "lz4_frame", "orc_rle_v2"} <= set(codecs)
    assert codecs["gzip"].summary.startswith("gzip, RFC 1952") and "format gzip" in codecs["gzip"].text


def test_everything_has_a_docstring_and_types():
    import inspect

    for name in sluice.__all__:
        thing = getattr(sluice, name)
        assert inspect.getdoc(thing), name
        for part, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not part.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{part}"
    package = ROOT / "runtime/python/sluice_codecs"
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()
    stub = (package / "_core.pyi").read_text()
    missing = [n for n in dir(sluice._core) if not n.startswith("_") and f"{n}" not in stub]
    assert not missing


def test_the_readmes_lines_run(tmp_path):
    """The Python block of README.md, as it stands there."""
    text = (ROOT / "README.md").read_text()
    section = text[text.index("## From Python"):]
    block = section[section.index("```python\n") + 10:]
    block = block[:block.index("```")]
    import gzip

    (tmp_path / "archive.gz").write_bytes(gzip.compress(b"what it holds\n" * 1000))
    (tmp_path / "tinyrle.sluice").write_bytes((ROOT / "examples/tinyrle/tinyrle.sluice").read_bytes())
    (tmp_path / "gate.trle").write_bytes((ROOT / "examples/tinyrle/gate.trle").read_bytes())
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "14000 bytes\nspec errors: 0\n460 bytes, first field magic = 21586 (0x5452)\nend_of_input in line 17\n"
