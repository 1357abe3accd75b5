#!/usr/bin/env bash
# Every codec built ahead of time for CPUs, its vectors decoded where nothing can be compiled.
source "$ROOT/tests/cli/lib.sh"
check 'artifacts are built' bash tests/gpu/artifacts.sh pack "$SLUICE" "$work/artifacts" cpu:x86-64 2>"$work/stderr"
code=$? command='tests/gpu/artifacts.sh'
bash tests/gpu/artifacts.sh run "$SLUICE" "$work/artifacts" cpu >"$work/stdout" 2>"$work/stderr" || code=$?
cat "$work/stdout"
expect_code 0
expect_out 'deflate'
expect_not_out 'DIFFERS'
finish
