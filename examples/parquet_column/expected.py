#!/usr/bin/env python3
"""expected.py FILE: what parquet_column is to print of a Parquet file, by pyarrow.

Every value is a line as pyarrow's Array.to_string() has it. Leaves of nested columns have their levels in front, which are
computed here from pyarrow's lists and structs by the definition: Dremel's, as in parquet-format's README.
"""

import sys

import pyarrow
import pyarrow.parquet

WITHOUT_LIMIT = 1 << 30


def lines_of(array):
    """One line a value. A text may have line ends of its own, so values are printed one by one if there are any."""
    if pyarrow.types.is_null(array.type):
        return ["null"] * len(array)

    def shown(part):
        text = part.to_string(indent=0, window=WITHOUT_LIMIT, container_window=WITHOUT_LIMIT, element_size_limit=WITHOUT_LIMIT)
        return text.removeprefix("[").removesuffix("]").strip("\n")

    lines = shown(array).split(",\n") if len(array) else []
    return lines if len(lines) == len(array) else [shown(array.slice(i, 1)) for i in range(len(array))]


def leaves_of(field, path=()):
    """The ways from a column to its leaves: numbers of children."""
    kind = field.type
    if pyarrow.types.is_struct(kind) or pyarrow.types.is_map(kind):
        children = list(kind) if pyarrow.types.is_struct(kind) else [kind.key_field, kind.item_field]
        return [way for number, child in enumerate(children) for way in leaves_of(child, (*path, number))]
    if pyarrow.types.is_list(kind):
        return leaves_of(kind.value_field, path)
    return [path]


def levels_of(field, value, way, repetition=0, definition=0, depth=0):
    """(repetition level, definition level, value or None) of the entries of one leaf."""
    kind = field.type
    if field.nullable:
        if value is None:
            yield repetition, definition, None
            return
        definition += 1
    if pyarrow.types.is_list(kind) or pyarrow.types.is_map(kind):
        if not value:
            yield repetition, definition, None
        for item in value:
            if pyarrow.types.is_map(kind):
                child = (kind.key_field, kind.item_field)[way[0]]
                yield from levels_of(child, item[way[0]], way[1:], repetition, definition + 1, depth + 1)
            else:
                yield from levels_of(kind.value_field, item, way, repetition, definition + 1, depth + 1)
            repetition = depth + 1
    elif pyarrow.types.is_struct(kind):
        child = kind.field(way[0])
        yield from levels_of(child, value[child.name], way[1:], repetition, definition, depth)
    else:
        yield repetition, definition, value


def type_of(field, way):
    kind = field.type
    if pyarrow.types.is_list(kind):
        return type_of(kind.value_field, way)
    if pyarrow.types.is_map(kind):
        return type_of((kind.key_field, kind.item_field)[way[0]], way[1:])
    if pyarrow.types.is_struct(kind):
        return type_of(kind.field(way[0]), way[1:])
    return kind


def text_of(path):
    """All columns of a file."""
    file = pyarrow.parquet.ParquetFile(path)
    table = file.read()
    out, leaf = [], 0
    for field, column in zip(table.schema, table.columns, strict=True):
        for way in leaves_of(field):
            name = file.schema.column(leaf).path
            leaf += 1
            if not pyarrow.types.is_nested(field.type):
                out.append("# " + name)
                out += [line for chunk in column.chunks for line in lines_of(chunk)]
                continue
            out.append(f"# {name}: repetition level, definition level, value")
            entries = [entry for value in column.to_pylist() for entry in levels_of(field, value, way)]
            values = lines_of(pyarrow.array([value for _, _, value in entries], type_of(field, way)))
            out += [f"{entry[0]} {entry[1]} {value}" for entry, value in zip(entries, values, strict=True)]
    return "".join(line + "\n" for line in out)


if __name__ == "__main__":
    sys.stdout.write(text_of(sys.argv[1]))
