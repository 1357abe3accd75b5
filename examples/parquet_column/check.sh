#!/usr/bin/env bash
# check.sh PROGRAM: prints the files of data/ and compares with what pyarrow printed of them (make_files.py); columns by
# name, the interpreter, and the words of refusals.
set -euo pipefail
export LC_ALL=C.UTF-8
program=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 same=0

# expect WHAT CODE TEXT WORDS...: the program prints this text, errors included, and ends with this code
expect() {
  local what=$1 wanted_code=$2 wanted=$3 code=0 got
  shift 3
  got=$("$program" "$@" 2>&1) || code=$?
  got=${got//$work\//}
  if ((code != wanted_code)) || [[ $got != "$wanted" ]]; then
    failures=$((failures + 1))
    printf 'FAILED: %s: exit code %d\n%s\n--- wanted:\n%s\n' "$what" "$code" "${got:0:2000}" "${wanted:0:2000}"
  else
    same=$((same + 1))
  fi
}

# damaged NAME FILE OFFSET BYTES: a copy of a file of data/ with other bytes from an offset on
damaged() {
  cp "$here/data/$2" "$work/$1"
  chmod u+w "$work/$1"
  printf '%b' "$4" | dd of="$work/$1" bs=1 seek="$3" conv=notrunc status=none
}

for file in "$here"/data/*.parquet; do
  expect "${file##*/}" 0 "$(cat "${file%.parquet}.txt")" "$file"
done
small=$here/data/small.snappy.parquet
expect "the interpreter" 0 "$(cat "${small%.parquet}.txt")" --target interp "$small"
expect "columns by name" 0 $'# s\n"axle"\n"axle"\n""\n"bee"\n"axle"\n"axle"\n# n\n1\nnull\n2\n2\n2\n300' "$small" s n
expect "a leaf by name" 0 $'# struct.x: repetition level, definition level, value\n0 2 1\n0 0 null\n0 1 null\n0 2 2\n0 2 3' \
  "$here/data/nested.parquet" struct.x
expect "a column that is not there" 1 'parquet_column: empty: it has no column x' "$(ln -s "$small" "$work/empty" && echo "$work/empty")" x
expect "no file" 1 'parquet_column: none: no such file, or it can'\''t be read' "$work/none"
expect "no arguments" 2 'usage: parquet_column [--target auto|cpu|interp] FILE [COLUMN...]'

printf 'PAR1' >"$work/short"
expect "a short file" 1 'parquet_column: short: footer: it is too short for a Parquet file' "$work/short"
damaged page small.snappy.parquet 27 '\x07'
damaged index small.snappy.parquet 115 '\xff\xff'
damaged block hadoop.lz4.parquet 60 '\xff'
damaged type small.snappy.parquet 5 '\x0e'
refusals=$(cat "$here/refusals.txt")
got=$(for name in page index block type; do "$program" "$work/$name" 2>&1 >/dev/null || true; done)
got=${got//$work\//}
if [[ -n ${UPDATE_REFUSALS:-} ]]; then
  printf '%s\n' "$got" >"$here/refusals.txt"
elif [[ $got != "$refusals" ]]; then
  failures=$((failures + 1))
  printf 'FAILED: refusals:\n%s\n--- wanted:\n%s\n' "$got" "$refusals"
fi

printf '%d runs as expected, %d failures\n' "$same" "$failures"
((same > 0 && failures == 0))
