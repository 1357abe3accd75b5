#!/usr/bin/env bash
# check.sh PROGRAM: prints the rows of every ORC file of the shared test data and compares their SHA-256 with the one
# in its manifest, which is of the output of ORC's own orc-contents. Files under a compression that Sluice has no codec
# for must be refused with those words; damaged files must be refused. Exit code 77: there is no data.
set -euo pipefail
export LC_ALL=C.UTF-8
program=$1
data=${SLUICE_DATA:-$ROOT/../shared/data}
if [[ ! -f $data/MANIFEST.tsv ]]; then
  echo "skipped: no test data: \$SLUICE_DATA is not set to a directory with a MANIFEST.tsv, nor is there a ../shared/data"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0 refused=0 failures=0

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s: %s %s\n' "$1" "$2" "$(head -c 500 "$work/stderr")"
}

# A file whose manifest row has a hash: the same rows, or no codec for its compression.
expect_rows() {
  local file=$1 wanted=$2 code=0 sum
  sum=$("$program" "$data/$file" 2>"$work/stderr" | sha256sum | cut -d' ' -f1) || code=$?
  if grep -q 'there is no codec for it' "$work/stderr"; then
    refused=$((refused + 1))
    printf 'refused: %s' "$(cat "$work/stderr")"; echo
  elif ((code != 0)); then
    fail "$file" "exit code $code"
  elif [[ $sum != "$wanted" ]]; then
    fail "$file" "other rows"
  else
    same=$((same + 1))
  fi
}

expect_refusal() {
  local code=0
  "$program" "$data/$1" >/dev/null 2>"$work/stderr" || code=$?
  if ((code != 1)); then
    fail "$1" "exit code $code, not refused"
  elif ! grep -q '^orc_column: ' "$work/stderr"; then
    fail "$1" "refused without a message"
  else
    refused=$((refused + 1))
  fi
}

# path, bytes, sha256, from, licence, exercises, expected_bytes, expected_sha256: tabs would swallow empty fields.
while IFS='|' read -r path expected; do
  if [[ -n $expected ]]; then expect_rows "$path" "$expected"; else expect_refusal "$path"; fi
done < <(awk -F'\t' '$1 ~ /^(corrupt\/)?orc\/[^\/]*\.orc$/ { print $1 "|" $8 }' "$data/MANIFEST.tsv")

printf '%d files with the expected rows, %d refused, %d failures\n' "$same" "$refused" "$failures"
((same > 0 && failures == 0))
