"""Pages of Parquet files: taken out of files that pyarrow wrote, and put into files that pyarrow reads.

So Arrow's decoders can be asked about any bytes: `file_of` makes a file of one column and one page whose body is given.
The metadata are Thrift's compact protocol, of which here is what these files use.
"""

import dataclasses

# parquet.thrift, enum Type and enum Encoding.
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = range(8)
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8
DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, BYTE_STREAM_SPLIT = 5, 6, 7, 9
DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 0, 2, 3
MAGIC = b"PAR1"


@dataclasses.dataclass
class Page:
    """One page as it lies in the file; nothing is compressed."""

    column: int
    kind: int        # DATA_PAGE, DICTIONARY_PAGE or DATA_PAGE_V2
    encoding: int
    values: int      # how many, nulls included
    levels: int      # bytes of levels before the values; of a page v1 of a required column there are none
    body: bytes


# Thrift's compact protocol, reading: a struct is a dict by field number.


def varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def unzigzag(number: int) -> int:
    return number >> 1 ^ -(number & 1)


def read_value(data: bytes, at: int, kind: int):
    if kind in (1, 2):
        return kind == 1, at
    if kind == 3:
        return data[at], at + 1
    if kind in (4, 5, 6):
        number, at = varint(data, at)
        return unzigzag(number), at
    if kind == 8:
        size, at = varint(data, at)
        return data[at:at + size], at + size
    if kind == 9:
        head = data[at]
        size, at = (head >> 4, at + 1) if head < 0xF0 else varint(data, at + 1)
        items = []
        for _ in range(size):
            item, at = read_value(data, at, head & 15)
            items.append(item)
        return items, at
    if kind == 12:
        return read_struct(data, at)
    raise ValueError(f"type {kind} of the compact protocol")


def read_struct(data: bytes, at: int = 0) -> tuple[dict, int]:
    fields: dict = {}
    number = 0
    while data[at] != 0:
        head = data[at]
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = varint(data, at)
            number = unzigzag(number)
        fields[number], at = read_value(data, at, head & 15)
    return fields, at + 1


def pages_of(file: bytes, decompress=None):
    """Every page of a file, column chunk by column chunk; `decompress(codec, body, size)` undoes compression."""
    footer, _ = read_struct(file, len(file) - 8 - int.from_bytes(file[-8:-4], "little"))
    for group in footer[4]:
        for number, chunk in enumerate(group[1]):
            meta = chunk[3]
            assert meta[4] == 0 or decompress is not None, "the file is compressed"
            at = meta.get(11) or meta[9]  # some writers say 0 where there is no dictionary
            end = at + meta[7]
            while at < end:
                head, start = read_struct(file, at)
                at = start + head[3]
                own = head.get(5) or head.get(7) or head[8]
                levels = own[5] + own[6] if head[1] == DATA_PAGE_V2 else 0
                encoding = own[4] if head[1] == DATA_PAGE_V2 else own[2]
                body = file[start:at]
                if meta[4] != 0 and own.get(7, True):
                    body = body[:levels] + decompress(meta[4], body[levels:], head[2] - levels)
                yield Page(number, head[1], encoding, own[1], levels, body)


# Writing: a struct is a list of (field number, type, value).


def put_varint(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def zigzag(number: int) -> int:
    return number << 1 ^ number >> 63


def put_value(kind: int, value) -> bytes:
    if kind in (5, 6):
        return put_varint(zigzag(value))
    if kind == 8:
        return put_varint(len(value)) + value
    if kind == 9:
        of, items = value
        assert len(items) < 15
        return bytes([len(items) << 4 | of]) + b"".join(put_value(of, item) for item in items)
    assert kind == 12
    return put_struct(value)


def put_struct(fields) -> bytes:
    out = bytearray()
    last = 0
    for number, kind, value in fields:
        if kind == 1:  # a truth value is its type
            out.append((number - last) << 4 | (1 if value else 2))
        else:
            out.append((number - last) << 4 | kind)
            out += put_value(kind, value)
        last = number
    return bytes(out + b"\0")


def page_of(kind: int, body: bytes, head: list) -> bytes:
    return put_struct([(1, 5, kind), (2, 5, len(body)), (3, 5, len(body)), (7 if kind == DICTIONARY_PAGE else 5, 12, head)]) + body


def file_of(kind: int, encoding: int, values: int, body: bytes, width: int = 0, optional: bool = False,
            dictionary: bytes | None = None) -> bytes:
    """A file of one column `a` with one page v1 of this body.

    `width` is that of a FIXED_LEN_BYTE_ARRAY. `dictionary` are the INT32 entries of a dictionary page in front.
    """
    front = b""
    if dictionary is not None:
        front = page_of(DICTIONARY_PAGE, dictionary, [(1, 5, len(dictionary) // 4), (2, 5, PLAIN)])
    page = front + page_of(DATA_PAGE, body, [(1, 5, values), (2, 5, encoding), (3, 5, RLE), (4, 5, RLE)])
    element = [(1, 5, kind)] + ([(2, 5, width)] if width else []) + [(3, 5, 1 if optional else 0), (4, 8, b"a")]
    meta = [(1, 5, kind), (2, 9, (5, [encoding, RLE, PLAIN])), (3, 9, (8, [b"a"])), (4, 5, 0), (5, 6, values),
            (6, 6, len(page)), (7, 6, len(page)), (9, 6, len(MAGIC) + len(front))]
    meta += [(11, 6, len(MAGIC))] if front else []
    group = [(1, 9, (12, [[(2, 6, len(MAGIC)), (3, 12, meta)]])), (2, 6, len(page)), (3, 6, values)]
    schema = [[(4, 8, b"schema"), (5, 5, 1)], element]
    footer = put_struct([(1, 5, 2), (2, 9, (12, schema)), (3, 6, values), (4, 9, (12, [group]))])
    return MAGIC + page + footer + len(footer).to_bytes(4, "little") + MAGIC
