#!/usr/bin/env bash
# The command line itself: help, version, wrong words, exit codes of wrong use.
source "$ROOT/tests/cli/lib.sh"
tiny=examples/tinyrle/tinyrle.sluice

run --version
expect_code 0
check "a version number" grep -qE '^sluice [0-9]+\.[0-9]+\.[0-9]+$' "$work/stdout"
run --help
expect_code 0
for word in check fmt explain trace emit build decode bench list; do expect_out "$word"; done
for word in check fmt explain trace emit build decode bench list; do
  run "$word" --help
  expect_code 0
  expect_no_err
done

run
expect_code 2
expect_err 'sluice: error: no command; there are check, fmt,'
run frobnicate
expect_code 2
expect_err 'no command `frobnicate`; there are check, fmt,'
run decodee gzip x -o y
expect_code 2
expect_err 'no command `decodee`; did you mean `decode`?'
expect_err 'see `sluice --help`'
run --versoin
expect_code 2
expect_err 'no option `--versoin`; did you mean `--version`?'
run decode gzip x --ouput=y
expect_code 2
expect_err 'no option `--ouput` of decode; did you mean `--output`?'
expect_err 'see `sluice decode --help`'
run check $tiny --zzz
expect_code 2
expect_err 'no option `--zzz` of check'
expect_not_err 'did you mean'
run check $tiny another
expect_code 2
expect_err 'another'
run decode gzip
expect_code 2
expect_err 'see `sluice decode --help`'
expect_no_out
run decode gzip x -o y --target gpu
expect_code 2
expect_err '--target'
run emit $tiny --target gpu
expect_code 2
run emit $tiny --target cubin:compute_90
expect_code 2
run decode gzip x -o y --target cuda:90
expect_code 2
expect_err 'cuda:sm_90'
run check
expect_code 2
run trace $tiny examples/tinyrle/gate.trle --limit many
expect_code 2
run check $tiny --set nonsense
expect_code 2
expect_err 'NAME=VALUE'
run check $tiny --set nonsense=1
expect_code 2
run decode zlib2 README.md -o -
expect_code 2
expect_err 'zlib2'
run check lz4
expect_code 2
expect_err 'no codec `lz4`; did you mean `lz4_block`, `lz4_frame` or `orc_lz4`?'
run emit README.md --target ir
expect_code 2
expect_err 'no codec `README.md`; the file of that name is given as `./README.md`'
run bench nothing_of_that_name
expect_code 2
expect_err 'no codec `nothing_of_that_name`; built in are'

# No spec: the same words from every command that wants one.
same_words() {
  run check "$2"
  expect_code "$1"
  cp "$work/stderr" "$work/said"
  for command_line in "decode $2 README.md -o -" "decode $2 README.md -o - --target cuda" "bench $2 README.md" \
    "emit $2 --target ir" "explain $2"; do
    # shellcheck disable=SC2086
    run $command_line
    expect_code "$1"
    expect_same "$work/stderr" "$work/said"
    expect_no_out
  done
}
same_words 2 README.md
same_words 2 zlib2
same_words 2 lz4
same_words 3 gzip.sluice
same_words 3 codecs/gzip
same_words 3 ./no_such_spec
same_words 2 ./README.md
expect_err 'error[SL'

# What only a GPU takes is refused elsewhere, not dropped.
for option in '--schedule strategy=warp' '--plot x.svg' '--repeats 3' '--device 0'; do
  # shellcheck disable=SC2086
  run bench $tiny examples/tinyrle/gate.trle $option
  expect_code 2
  expect_err "${option% *} is for --target cuda"
done
run bench $tiny --target cuda --repeats 0
expect_code 2
expect_err '--repeats: 0 is not a number above 0'
run bench --help
expect_out 'Timed runs; their median counts'
expect_not_out POSITIVE

run check examples/no_such.sluice
expect_code 3
expect_err 'no_such.sluice'
run check codecs/gzip
expect_code 3
expect_err 'codecs/gzip: a directory; did you mean `codecs/gzip/gzip.sluice`?'
run check gzip.sluice
expect_code 3
expect_err 'is named without an ending: `gzip`'
run fmt examples/no_such.sluice
expect_code 3
run decode $tiny no_such_file -o -
expect_code 3
expect_err 'no_such_file'
run decode $tiny examples -o -
expect_code 3
expect_err 'directory'
run decode $tiny examples/tinyrle/gate.trle -o "$work/no/such/directory"
expect_code 3
run trace $tiny no_such_file
expect_code 3
finish
