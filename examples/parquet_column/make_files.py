#!/usr/bin/env python3
"""make_files.py: makes data/*.parquet with pyarrow and beside each what pyarrow prints of it; and shared.sha256, hashes of
what pyarrow prints of the files of the shared test data ($SLUICE_DATA, else ../shared/data beside the tree).

Another version of pyarrow makes other bytes of the same values.
"""

import decimal
import hashlib
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
import expected  # noqa: E402
import parquet_file as pages  # noqa: E402

NULL_EVERY = 5  # of optional columns, every fifth value is a null


def optional(values):
    return [None if i % NULL_EVERY == 3 else value for i, value in enumerate(values)]


def words(rows):
    return [f"{'axle' * (i % 3)}{i * i % 31}" for i in range(rows)]


def physical(rows, names=lambda name: True):
    """Every physical type but INT96, with nulls and, as NAME_required, without."""
    numbers = [(i * 2654435761 + 17) % 2**32 - 2**31 for i in range(rows)]
    reals = [numbers[i] / 2 ** (i % 50) for i in range(rows)]
    columns = {
        "bool": pa.array(optional([i % 3 == 0 for i in range(rows)])),
        "int32": pa.array(optional(numbers), pa.int32()),
        "int64": pa.array(optional([n * 1234567 for n in numbers]), pa.int64()),
        "float": pa.array(optional(reals), pa.float32()),
        "double": pa.array(optional(reals), pa.float64()),
        "bytes": pa.array(optional([word.encode() for word in words(rows)])),
        "fixed": pa.array(optional([n.to_bytes(8, "big", signed=True)[3:] for n in numbers]), pa.binary(5)),
    }
    table = pa.table(columns)
    fields = [field.with_name(field.name + "_required").with_nullable(False) for field in table.schema]
    required = [column.fill_null(column.drop_null()[0]) if column.null_count else column for column in table.columns]
    both = pa.table([*table.columns, *required], pa.schema([*table.schema, *fields]))
    return both.select([name for name in both.column_names if names(name)])


def moments(rows, unit, zone=None):
    step = {"ms": 10**10 + 7, "us": 10**13 + 7, "ns": 10**16 + 7}[unit]
    return pa.array(optional([(i - rows // 2) * step for i in range(rows)]), pa.timestamp(unit, zone))


def decimals(rows, kind):
    step = decimal.Decimal((0, (3, 7), -kind.scale))
    return pa.array(optional([(i - rows // 2) * step * 11 ** (i % min(kind.precision - 3, 9)) for i in range(rows)]), kind)


def logical(rows):
    integers = {str(kind): pa.array(optional([(i * 37) % 127 for i in range(rows)]), kind)
                for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.uint32(), pa.uint64())}
    return pa.table({
        **integers,
        "negative": pa.array([-128, -1, 127] * (rows // 3) + [0] * (rows % 3), pa.int8()),
        "largest": pa.array([2**64 - 1, 0] * (rows // 2) + [1] * (rows % 2), pa.uint64()),
        "text": pa.array(optional([f'"{i}" und Käse' for i in range(rows)])),
        "lines": pa.array(["one\ntwo", "", "three,\nfour"] + ["x"] * (rows - 3)),
        "date": pa.array(optional([(i - rows // 2) * 40000 for i in range(rows)]), pa.int32()).cast(pa.date32()),
        "time_ms": pa.array(optional([i * 3600123 for i in range(rows)]), pa.time32("ms")),
        "time_us": pa.array(optional([i * 3600000123 for i in range(rows)]), pa.time64("us")),
        "time_ns": pa.array(optional([i * 3600000000123 for i in range(rows)]), pa.time64("ns")),
        "ms": moments(rows, "ms"), "us_utc": moments(rows, "us", "UTC"), "ns": moments(rows, "ns"),
        "ms_out_of_range": pa.array([2**62, -2**63] + [0] * (rows - 2), pa.timestamp("ms")),
        "half": pa.array(optional([i / 3 for i in range(rows)]), pa.float16()),
        "decimal_5_2": decimals(rows, pa.decimal128(5 + 9, 2)), "decimal_38_20": decimals(rows, pa.decimal128(38, 20)),
        "decimal_20_0": decimals(rows, pa.decimal128(20, 0)),
        "nothing": pa.nulls(rows),
    })


def reals():
    """Powers of ten on both sides of where an exponent is written, and what is no number."""
    numbers = [digits * 10.0**power for power in range(-9, 18) for digits in (1, -1.5, 123456)]
    numbers += [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 5e-324, 1.7976931348623157e308, 0.1, 1 / 3]
    return pa.table({"double": numbers, "float": pa.array(numbers, pa.float32())})


def nested():
    return pa.table({
        "list": pa.array([[1, 2], None, [], [None, 3], [4]], pa.list_(pa.int32())),
        "lists": pa.array([[["a"], [], None], [], None, [["b", None]], [[]]], pa.list_(pa.list_(pa.string()))),
        "struct": pa.array([{"x": 1, "y": [1.5]}, None, {"x": None, "y": None}, {"x": 2, "y": []}, {"x": 3, "y": [None, 2.5]}],
                           pa.struct([("x", pa.int64()), ("y", pa.list_(pa.float64()))])),
        "map": pa.array([[("k", 1)], [], None, [("l", None), ("m", 2)], []], pa.map_(pa.string(), pa.int32())),
        "flat": pa.array([1, None, 3, 4, 5], pa.int32()),
    })


def hadoop_lz4(values):
    """INT64 under Parquet's first LZ4: each block of 100 values behind two sizes. Nothing writes it any more."""
    body = b"".join(value.to_bytes(8, "little", signed=True) for value in values)
    packed = b""
    for at in range(0, len(body), 800):
        block = pa.compress(body[at:at + 800], "lz4_raw", asbytes=True)
        packed += len(body[at:at + 800]).to_bytes(4, "big") + len(block).to_bytes(4, "big") + block
    head = [(1, 5, len(values)), (2, 5, pages.PLAIN), (3, 5, pages.RLE), (4, 5, pages.RLE)]
    page = pages.put_struct([(1, 5, pages.DATA_PAGE), (2, 5, len(body)), (3, 5, len(packed)), (5, 12, head)]) + packed
    meta = [(1, 5, pages.INT64), (2, 9, (5, [pages.PLAIN])), (3, 9, (8, [b"a"])), (4, 5, 5), (5, 6, len(values)),
            (6, 6, len(body)), (7, 6, len(page)), (9, 6, len(pages.MAGIC))]
    group = [(1, 9, (12, [[(2, 6, len(pages.MAGIC)), (3, 12, meta)]])), (2, 6, len(page)), (3, 6, len(values))]
    schema = [[(4, 8, b"schema"), (5, 5, 1)], [(1, 5, pages.INT64), (3, 5, 0), (4, 8, b"a")]]
    footer = pages.put_struct([(1, 5, 1), (2, 9, (12, schema)), (3, 6, len(values)), (4, 9, (12, [group]))])
    return pages.MAGIC + page + footer + len(footer).to_bytes(4, "little") + pages.MAGIC


def put(name, table, **options):
    """Statistics and Arrow's own schema are left out, to be small."""
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False, "store_schema": False, **options}
    pa.parquet.write_table(table, HERE / "data" / f"{name}.parquet", **options)


def make():
    delta = {"int32": "DELTA_BINARY_PACKED", "int64": "DELTA_BINARY_PACKED", "bytes": "DELTA_BYTE_ARRAY",
             "fixed": "DELTA_BYTE_ARRAY", "bool": "RLE"}
    split = dict.fromkeys(("int32", "int64", "float", "double", "fixed"), "BYTE_STREAM_SPLIT") | {"bytes": "DELTA_LENGTH_BYTE_ARRAY"}

    def required(name):
        return name.endswith("_required")

    def with_nulls(name):
        return not required(name)

    def put_encoded(name, rows, keep, encodings, **options):
        """The columns of these encodings, under them."""
        wanted = {column: encodings.get(column.removesuffix("_required")) for column in physical(1).column_names if keep(column)}
        wanted = {column: encoding for column, encoding in wanted.items() if encoding}
        put(name, physical(rows, wanted.__contains__), column_encoding=wanted, **options)

    put("plain", physical(40), row_group_size=25)
    put("plain_v2.snappy", physical(40), data_page_version="2.0", compression="snappy")
    put("dictionary.snappy", physical(60, with_nulls), use_dictionary=True, compression="snappy", row_group_size=50)
    put("dictionary_v2.lz4", physical(60, required), use_dictionary=True, compression="lz4", data_page_version="2.0")
    put_encoded("delta.zstd", 140, required, delta, compression="zstd", row_group_size=130)
    put_encoded("delta_v2.gzip", 180, with_nulls, delta, compression="gzip", data_page_version="2.0")
    put_encoded("split.gzip", 50, with_nulls, split, compression="gzip")
    put_encoded("split_v2.zstd", 50, required, split, compression="zstd", data_page_version="2.0")
    put("pages", physical(60).select(["int32", "bytes_required"]), data_page_size=1, write_batch_size=7)
    put("int96.snappy", pa.table({"a": moments(20, "ns")}), use_deprecated_int96_timestamps=True, compression="snappy")
    put("logical.zstd", logical(20), compression="zstd")
    put("logical_old", logical(20).drop_columns(["half", "time_ns", "ns"]), version="1.0", store_decimal_as_integer=True, use_dictionary=True)
    put("reals", reals())
    put("nested", nested())
    put("nested_v2.snappy", nested(), data_page_version="2.0", compression="snappy", use_dictionary=True, row_group_size=3)
    put("no_rows", physical(40).slice(0, 0))
    put("nulls", pa.table({"a": pa.nulls(10, pa.int32()), "b": pa.nulls(10, pa.string())}), use_dictionary=True)
    put("small.snappy", pa.table({"n": pa.array([1, None, 2, 2, 2, 300]), "s": ["axle", "axle", "", "bee", "axle", "axle"]}),
        use_dictionary=["s"], compression="snappy", column_encoding={"n": "DELTA_BINARY_PACKED"})
    (HERE / "data" / "hadoop.lz4.parquet").write_bytes(hadoop_lz4([i * i - 50 for i in range(250)]))
    for path in sorted((HERE / "data").glob("*.parquet")):
        path.with_suffix(".txt").write_text(expected.text_of(path))


def hash_shared():
    shared = Path(os.environ.get("SLUICE_DATA", ROOT.parent / "shared" / "data")) / "parquet"
    paths = sorted(shared.glob("*.parquet"))
    if not paths:
        sys.exit(f"no files in {shared}: shared.sha256 stays as it is")
    lines = [f"{hashlib.sha256(expected.text_of(path).encode()).hexdigest()}  {path.name}\n" for path in paths]
    (HERE / "shared.sha256").write_text("".join(lines))


if __name__ == "__main__":
    (HERE / "data").mkdir(exist_ok=True)
    make()
    hash_shared()
