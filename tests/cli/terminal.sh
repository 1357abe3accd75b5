#!/usr/bin/env bash
# Colours and progress: on a terminal only, and no colours where NO_COLOR says so.
source "$ROOT/tests/cli/lib.sh"
readonly escape=$'\x1b['
printf 'format wrong\n  input bytes\n  output byte\n' >"$work/wrong.sluice"

on_terminal check "$work/wrong.sluice"
expect_code 2
expect_out "$escape"
NO_COLOR=1 on_terminal check "$work/wrong.sluice"
expect_code 2
expect_not_out "$escape"
run check "$work/wrong.sluice"
expect_code 2
expect_not_err "$escape"
on_terminal decode gzip no_such_file -o -
expect_code 3
expect_out "${escape}1;31merror:"

# Work of a second or more: the interpreter, bit by bit, on some 70 MB of text.
for _ in {1..280}; do cat dsl/*/*.cpp dsl/*/*.h; done | gzip -1 >"$work/long.gz"
on_terminal decode gzip "$work/long.gz" -o "$work/out" --target interp
expect_code 0
expect_out "decoding $work/long.gz"
run decode gzip "$work/long.gz" -o "$work/out" --target interp
expect_code 0
expect_not_err "decoding $work/long.gz"
expect_not_err "$escape"
finish
