"""Pages of the shared data's Parquet files: levels and values by the codecs, against what Arrow reads from the file."""

import io
import os
from pathlib import Path

import numpy as np
import pytest

import parquet_file as pages
import sluice_codecs as sluice
from conftest import ROOT

arrow = pytest.importorskip("pyarrow", reason="pyarrow, which reads these files, too, is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

DATA = Path(os.environ.get("SLUICE_DATA", ROOT.parent / "shared" / "data")) / "parquet"
CODECS = {1: "snappy", 2: "gzip", 6: "zstd", 7: "lz4_raw"}  # parquet.thrift, CompressionCodec
WIDTH = {pages.INT32: 4, pages.INT64: 8, pages.FLOAT: 4, pages.DOUBLE: 8}
DICTIONARY = (pages.RLE_DICTIONARY, pages.PLAIN_DICTIONARY)
STRINGS = {pages.DELTA_LENGTH_BYTE_ARRAY: "parquet_delta_length", pages.DELTA_BYTE_ARRAY: "parquet_delta_strings"}


def decompress(codec: int, body: bytes, size: int) -> bytes:
    if codec not in CODECS:
        pytest.skip(f"codec {codec}")
    return arrow.decompress(body, size, CODECS[codec], asbytes=True) if body else b""


def entries_of(kind: int, body: bytes) -> list[bytes]:
    """The values of a page of plain ones."""
    if kind in WIDTH:
        return [body[at:at + WIDTH[kind]] for at in range(0, len(body), WIDTH[kind])]
    entries, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at:at + 4], "little")
        entries.append(body[at + 4:at + 4 + size])
        at += 4 + size
    return entries


def values_of(page: pages.Page, column, dictionary: list[bytes]) -> bytes | None:
    """The bytes of the page's values, without lengths; None for an encoding that no codec here has."""
    body, present = page.body, page.values
    top = column.max_definition_level
    if page.kind == pages.DATA_PAGE_V2:
        if top:
            levels = sluice.decode("parquet_rle", body[:page.levels], arguments={"width": top.bit_length(), "values": page.values})
            present = int((levels == top).sum())
        body = body[page.levels:]
    elif top:
        levels = sluice.decode("parquet_levels", body, arguments={"width": top.bit_length(), "values": page.values})
        present = int((levels == top).sum())
        body = body[4 + int.from_bytes(body[:4], "little"):]
    kind = getattr(pages, column.physical_type)
    if page.encoding == pages.PLAIN and kind in WIDTH:
        return sluice.decode("parquet_plain", body, arguments={"size": WIDTH[kind], "values": present}).tobytes()
    if page.encoding == pages.PLAIN and kind == pages.BYTE_ARRAY:
        return sluice.decode("parquet_plain_strings", body, arguments={"values": present}).tobytes()
    if page.encoding in DICTIONARY and dictionary:
        return b"".join(dictionary[index] for index in sluice.decode("parquet_rle", body, arguments={"values": present}))
    if page.encoding == pages.DELTA_BINARY_PACKED:
        return sluice.Decoder("parquet_delta", T=f"i{8 * WIDTH[kind]}").decode(body).tobytes()
    if page.encoding == pages.BYTE_STREAM_SPLIT and kind in WIDTH:
        return sluice.decode("parquet_byte_stream_split", body, arguments={"size": WIDTH[kind]}).tobytes()
    if page.encoding in STRINGS:
        return sluice.decode(STRINGS[page.encoding], body).tobytes()
    return None


def as_arrow_reads(column: int, path: Path) -> bytes | None:
    """The values of a column that are there, as Arrow writes them plainly; None where it reads them as another type."""
    file = io.BytesIO()
    values = parquet.read_table(path).column(column).combine_chunks().drop_null()
    parquet.write_table(arrow.table([values], ["a"]), file, compression="none", use_dictionary=False, store_schema=False)
    written = parquet.ParquetFile(path).schema.column(column)
    if parquet.ParquetFile(file).schema.column(0).physical_type != written.physical_type:
        return None
    kind = getattr(pages, written.physical_type)
    bodies = (page.body[4 + int.from_bytes(page.body[:4], "little"):] for page in pages.pages_of(file.getvalue()))
    return b"".join(b"".join(entries_of(kind, body)) for body in bodies)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.parquet")), ids=lambda path: path.stem)
def test_flat_columns_of_files(path):
    schema = parquet.ParquetFile(path).schema
    found = list(pages.pages_of(path.read_bytes(), decompress))
    compared = 0
    for number in range(len(schema)):
        column = schema.column(number)
        if len(schema) != len(parquet.read_schema(path)) or column.max_repetition_level or "." in column.path:
            continue
        kind = getattr(pages, column.physical_type)
        if kind not in (*WIDTH, pages.BYTE_ARRAY):
            continue
        made, dictionary = [], []
        for page in found:
            if page.column != number:
                continue
            if page.kind == pages.DICTIONARY_PAGE:
                dictionary = entries_of(kind, page.body)
            else:
                made.append(values_of(page, column, dictionary))
        right = as_arrow_reads(number, path)
        if right is None or None in made:
            continue
        assert b"".join(made) == right, column.path
        compared += 1
    if not compared:
        pytest.skip("no column of a kind that is compared")
