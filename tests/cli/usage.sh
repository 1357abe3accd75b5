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
expect_err 'sluice: error:'
run frobnicate
expect_code 2
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
run bench nothing_of_that_name
expect_code 2
expect_err 'nothing_of_that_name'

run check examples/no_such.sluice
expect_code 3
expect_err 'no_such.sluice'
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
