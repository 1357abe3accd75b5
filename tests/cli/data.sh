#!/usr/bin/env bash
# What works on data: decode, trace, bench.
source "$ROOT/tests/cli/lib.sh"
tiny=examples/tinyrle/tinyrle.sluice
gate=examples/tinyrle/gate

for target in cpu interp auto; do
  run decode $tiny $gate.trle -o "$work/out" --target $target
  expect_code 0
  expect_no_out
  expect_err 'tinyrle: 114 -> 460 bytes'
  expect_same "$work/out" $gate.txt
done
run decode $tiny $gate.trle -o -
expect_code 0
expect_same "$work/stdout" $gate.txt

# The compiled code is kept; the second run says so.
rm -rf "$SLUICE_CACHE_DIR"
run decode $tiny $gate.trle -o - --target cpu
expect_err 'compiled'
run decode $tiny $gate.trle -o - --target cpu
expect_err 'from the cache'
expect_same "$work/stdout" $gate.txt

# No compiler: cpu is impossible, auto falls back and says so.
SLUICE_JIT=none run decode $tiny $gate.trle -o - --target cpu
expect_code 3
expect_no_out
SLUICE_JIT=none run decode $tiny $gate.trle -o -
expect_code 0
expect_err 'interpreter'
expect_same "$work/stdout" $gate.txt

# Refused data: exit code 1, the place in the spec, no output file; the same words on both targets.
for target in cpu interp; do
  run decode $tiny examples/tinyrle/cut.trle -o "$work/none" --target $target
  expect_code 1
  expect_err 'cut.trle'
  expect_err 'tinyrle.sluice:'
  expect_no_file "$work/none"
  cp "$work/stderr" "$work/refused.$target"
done
expect_same "$work/refused.cpu" "$work/refused.interp"
printf 'RT' | cat - $gate.trle >"$work/magic"
run decode $tiny "$work/magic" -o -
expect_code 1
expect_err 'bad_magic'
expect_no_out

# A real file through gzip; output far larger than first guessed (a run of zeros packs 1:1000); standard input.
cat dsl/*/*.cpp >"$work/text"
gzip -9 -c "$work/text" >"$work/text.gz"
run decode gzip "$work/text.gz" -o "$work/out" --target cpu
expect_code 0
expect_same "$work/out" "$work/text"
head -c 20000000 /dev/zero >"$work/zeros"
gzip -c "$work/zeros" >"$work/zeros.gz"
run decode gzip "$work/zeros.gz" -o "$work/out" --target cpu
expect_code 0
expect_same "$work/out" "$work/zeros"
command="sluice decode gzip - -o -"
code=0
"$SLUICE" decode gzip - -o - <"$work/text.gz" >"$work/stdout" 2>"$work/stderr" || code=$?
expect_code 0
expect_same "$work/stdout" "$work/text"

# Several files: a directory, a bad one in the middle leaves the others intact, threads change nothing.
mkdir "$work/many" "$work/few"
cp "$work/text.gz" "$work/a.gz"
head -c 1000 "$work/text.gz" >"$work/b.gz"
cp "$work/zeros.gz" "$work/c.gz"
run decode gzip "$work"/[abc].gz -o "$work/many" --threads 2
expect_code 1
expect_err 'b.gz'
expect_same "$work/many/a.gz.out" "$work/text"
expect_same "$work/many/c.gz.out" "$work/zeros"
expect_no_file "$work/many/b.gz.out"
run decode gzip "$work"/[ac].gz -o "$work/nowhere"
expect_code 2
expect_err 'directory'

# Parameters and dictionaries.
printf 'garbage' | cat "$work/text.gz" - >"$work/trailing.gz"
run decode gzip "$work/trailing.gz" -o "$work/out"
expect_code 0
expect_same "$work/out" "$work/text"
run decode gzip "$work/trailing.gz" -o "$work/none" --set ignore_garbage=false
expect_code 1
expect_no_file "$work/none"
run decode gzip "$work/text.gz" -o - --dictionary README.md
expect_code 2
expect_err 'no preset dictionary'
printf '\x00\x09\x00\x50abcde' >"$work/dictionary.lz4block"
printf 'wxyz0123' >"$work/dictionary"
run decode lz4_block "$work/dictionary.lz4block" -o - --dictionary "$work/dictionary"
expect_code 1
printf '\x00\x08\x00\x50abcde' >"$work/dictionary.lz4block"
run decode lz4_block "$work/dictionary.lz4block" -o - --dictionary "$work/dictionary"
expect_code 0
check "a copy from the dictionary" test "$(cat "$work/stdout")" = wxyzabcde
# Signed and unsigned elements: a run of three values -2, -1, 0 (varint 3 is -2 in zigzag).
printf '\x00\x01\x03' >"$work/run"
run decode orc_rle_v1 "$work/run" -o "$work/out" --set T=i16
expect_code 0
check "three 16-bit values" test "$(od -An -tx1 "$work/out" | tr -d ' \n')" = feffffff0000

# Trace: heading, columns, limit; refused data ends with the place.
run trace $tiny $gate.trle
expect_code 0
expect_out 'magic = 21586 (0x5452)'
expect_out 'run of 20 "                    "'
expect_no_err
run trace $tiny $gate.trle --limit 3
expect_code 0
check "a heading, three events and a word on the rest" test "$(wc -l <"$work/stdout")" -eq 5
run trace $tiny examples/tinyrle/cut.trle
expect_code 1
expect_out REFUSED
expect_err 'tinyrle.sluice:'

# Bench: table and JSON.
run bench gzip "$work/text.gz"
expect_code 0
expect_out 'text.gz'
expect_out "cpu is the median of the runs"
expect_out "slowest .. fastest"
run bench gzip "$work/text.gz" zlib --json
expect_code 0
expect_json measurements
run bench gzip "$work/b.gz"
expect_code 1
finish
