#!/usr/bin/env bash
# encode: round trips, settings, verification, wrong use, progress on a terminal.
source "$ROOT/tests/cli/lib.sh"
cat dsl/*/*.cpp >"$work/text"

run encode --help
expect_code 0
expect_out 'gsst_splits'
expect_out 'block_size=262144'

for codec in fsst fsst12 gsst_blocks gsst_splits gsst_codes gsst_interleaved \
  gsst12_blocks gsst12_splits gsst12_codes gsst12_interleaved; do
  run encode $codec "$work/text" -o "$work/coded" --verify
  expect_code 0
  expect_no_out
  expect_err "$codec: $(stat -c %s "$work/text") -> $(stat -c %s "$work/coded") bytes"
  expect_err verified
  check "smaller than two thirds" test "$(stat -c %s "$work/coded")" -lt $(($(stat -c %s "$work/text") * 2 / 3))
  run decode $codec "$work/coded" -o "$work/out"
  expect_code 0
  expect_same "$work/out" "$work/text"
done

# Settings change the output; the same settings give the same bytes; standard input and output work.
run encode gsst_splits "$work/text" -o "$work/a" --set block_size=65536 --set splits=128
expect_code 0
run encode gsst_splits "$work/text" -o "$work/b" --set splits=128 --set block_size=65536
expect_same "$work/a" "$work/b"
check "128 splits are in the header" test "$(od -An -tu1 -j7 -N1 "$work/a" | tr -d ' ')" = 128
command="sluice encode fsst - -o -"
code=0
"$SLUICE" encode fsst - -o - <"$work/text" >"$work/stdout" 2>"$work/stderr" || code=$?
expect_code 0
run encode fsst "$work/text" -o "$work/a"
cp "$work/a" "$work/b"
"$SLUICE" encode fsst - -o "$work/b" <"$work/text" 2>/dev/null
expect_same "$work/a" "$work/b"

: >"$work/nothing"
run encode fsst "$work/nothing" -o "$work/out" --verify
expect_code 0
check "nothing becomes nothing" test ! -s "$work/out"

run encode gzip "$work/text" -o "$work/none"
expect_code 2
expect_err 'no encoder for `gzip`'
expect_err gsst_splits
expect_no_file "$work/none"
run encode fsst "$work/text" -o "$work/none" --set splits=3
expect_code 2
expect_err 'no option `splits`'
run encode fsst "$work/text" -o "$work/none" --set block_size=0
expect_code 2
expect_err '`block_size` is a number from 1 to'
run encode fsst "$work/text" -o "$work/none" --set block_size
expect_code 2
expect_err 'NAME=VALUE'
run encode fsst no_such_file -o "$work/none"
expect_code 3
run encode fsst "$work/text" -o "$work/no/such/directory"
expect_code 3
run encode fsst "$work/text"
expect_code 2

# Small blocks make it slow enough to be seen.
for _ in {1..12}; do cat "$work/text"; done >"$work/long"
on_terminal encode fsst12 "$work/long" -o "$work/out" --set block_size=1024
expect_code 0
expect_out "encoding $work/long ["
run encode fsst12 "$work/long" -o "$work/out" --set block_size=1024
expect_code 0
expect_not_err "encoding $work/long"
finish
