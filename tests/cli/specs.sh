#!/usr/bin/env bash
# What works on specs: check, fmt, explain, emit, list.
source "$ROOT/tests/cli/lib.sh"
tiny=examples/tinyrle/tinyrle.sluice

run check $tiny
expect_code 0
expect_out "$tiny: ok"
expect_no_err
run check $tiny --json
expect_code 0
expect_json diagnostics
run check gzip --set ignore_garbage=false
expect_code 0
run check orc_rle_v1 --set T=u32
expect_code 0
run check orc_rle_v1 --set T=u33
expect_code 2

sed 's/count control - 126/count contrl - 126/' $tiny >"$work/wrong.sluice"
run check "$work/wrong.sluice"
expect_code 2
expect_err 'error[SL'
expect_err 'wrong.sluice:18:26'
expect_err 'contrl'
expect_err '`control`'
expect_no_out
run check "$work/wrong.sluice" --json
expect_code 2
expect_json diagnostics
run check $tiny "$work/wrong.sluice" codecs/gzip/gzip.sluice
expect_code 2
expect_out 'tinyrle.sluice: ok'
expect_out 'wrong.sluice: 1 error'
expect_out 'gzip.sluice: ok'
expect_err 'wrong.sluice:18:26'
run check $tiny "$work/absent.sluice" "$work/wrong.sluice"
expect_code 3
expect_out "absent.sluice: can't be checked"
run check --json $tiny "$work/wrong.sluice"
expect_code 2
check 'an array with a verdict for each' [ "$(grep -cE '^    "ok": (true|false),' "$work/stdout")" = 2 ]
check 'an array' [ "$(head -c 1 "$work/stdout")" = '[' ]
expect_out '"SL0301"'
for command_line in "explain $work/wrong.sluice" "emit $work/wrong.sluice --target cpu" \
  "trace $work/wrong.sluice README.md" "decode $work/wrong.sluice README.md -o -"; do
  # shellcheck disable=SC2086
  run $command_line
  expect_code 2
  expect_err 'error[SL'
  expect_no_out
done

run fmt --check $tiny codecs/*/*.sluice
expect_code 0
sed 's/count control - 126/count   control-126/' $tiny >"$work/loose.sluice"
cp "$work/loose.sluice" "$work/loose.before"
run fmt --check "$work/loose.sluice" $tiny
expect_code 1
expect_out loose.sluice
expect_not_out tinyrle.sluice
expect_same "$work/loose.sluice" "$work/loose.before"
run fmt "$work/loose.sluice"
expect_code 0
expect_same "$work/loose.sluice" $tiny
printf 'format ((\n' >"$work/broken.sluice"
cp "$work/broken.sluice" "$work/broken.before"
run fmt "$work/broken.sluice"
expect_code 2
expect_err 'error[SL'
expect_same "$work/broken.sluice" "$work/broken.before"

run explain $tiny
expect_code 0
expect_out tinyrle
expect_out bad_checksum
expect_no_err
run explain deflate --json
expect_code 0
check "JSON" cmake "-DFILE=$work/stdout" -DKEY=format -P tests/cli/json.cmake
run explain deflate --target cpu
expect_code 0

run emit $tiny --target cpu
expect_code 0
expect_out sluice_decode
expect_no_err
run emit $tiny --target ir
expect_code 0
expect_out bad_checksum
run emit $tiny --target cpu -o "$work/tiny.c"
expect_code 0
expect_no_out
check "the emitted text is in the file" grep -q sluice_decode "$work/tiny.c"

run list
expect_code 0
for spec in codecs/*/*.sluice; do expect_out "$(basename "$spec" .sluice)"; done
expect_out '  1..48 bits a token, '
expect_out '  24 bits a token, '
expect_not_out '24..24'
expect_not_out '0..0'
expect_not_out speculate
finish
