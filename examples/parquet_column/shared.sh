#!/usr/bin/env bash
# shared.sh PROGRAM: prints every Parquet file of the shared test data and compares SHA-256 with those of what pyarrow
# prints (shared.sha256, by make_files.py). Where $PYTHON, else python3, has pyarrow, it prints the files now as well. Exit
# code 77: there is no data.
set -euo pipefail
export LC_ALL=C.UTF-8
program=$1
here=$(cd "$(dirname "$0")" && pwd)
data=${SLUICE_DATA:-$ROOT/../shared/data}/parquet
if [[ ! -d $data ]]; then
  echo "skipped: no test data: \$SLUICE_DATA is not set to a directory with parquet/, nor is there a ../shared/data"
  exit 77
fi
python=${PYTHON:-python3}
live=0
if "$python" -c 'import pyarrow' 2>/dev/null; then live=1; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 failures=0
for file in "$data"/*.parquet; do
  name=${file##*/}
  wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$here/shared.sha256")
  code=0
  "$program" "$file" >"$work/printed" 2>"$work/stderr" || code=$?
  if ((code != 0)); then
    failures=$((failures + 1))
    printf 'FAILED: %s: exit code %d: %s\n' "$name" "$code" "$(head -c 500 "$work/stderr")"
  elif [[ $(sha256sum <"$work/printed" | cut -d' ' -f1) != "$wanted" ]]; then
    failures=$((failures + 1))
    printf 'FAILED: %s: other values than those of its hash, "%s"\n' "$name" "$wanted"
  elif ((live)) && ! "$python" "$here/expected.py" "$file" 2>&1 | diff -q - "$work/printed" >/dev/null; then
    failures=$((failures + 1))
    printf 'FAILED: %s: other values than pyarrow prints here\n' "$name"
  else
    same=$((same + 1))
  fi
done
how="the recorded hashes; pyarrow, to print them now, is not there"
if ((live)); then how="the recorded hashes and what pyarrow prints now"; fi
printf '%d files as in %s; %d failures\n' "$same" "$how" "$failures"
((same > 0 && failures == 0))
