#!/usr/bin/env bash
# README.md tells the truth: its first spec is examples/tinyrle/tinyrle.sluice, and every command in a ```console
# block prints what stands under it (stderr included; a line `...` stands for the rest).
source "$ROOT/tests/cli/lib.sh"
ln -s "$SLUICE" "$work/sluice"
export PATH=$work:$PATH

awk '/^```sluice$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md >"$work/spec"
command="first spec of README.md"
code=0
: >"$work/stdout"
: >"$work/stderr"
expect_same "$work/spec" examples/tinyrle/tinyrle.sluice

run_shown() {
  command=$1
  code=0
  bash -c "$1" >"$work/stdout" 2>&1 </dev/null || code=$?
  : >"$work/stderr"
  if grep -qx '\.\.\.' "$work/shown"; then
    local lines
    lines=$(($(grep -nx '\.\.\.' "$work/shown" | head -n 1 | cut -d: -f1) - 1))
    head -n "$lines" "$work/stdout" >"$work/cut_stdout"
    head -n "$lines" "$work/shown" >"$work/cut_shown"
    expect_same "$work/cut_stdout" "$work/cut_shown"
  else
    expect_same "$work/stdout" "$work/shown"
  fi
}

inside=no shown_command=
while IFS= read -r line; do
  if [[ $inside == no ]]; then
    if [[ $line == '```console' ]]; then inside=yes; fi
    continue
  fi
  if [[ $line == '$ '* || $line == '```' ]]; then
    if [[ -n $shown_command ]]; then run_shown "$shown_command"; fi
    shown_command=
    if [[ $line == '```' ]]; then inside=no; else shown_command=${line#'$ '}; fi
    : >"$work/shown"
  else
    printf '%s\n' "$line" >>"$work/shown"
  fi
done <README.md
check "README.md shows commands" test "$checks" -ge 4
finish
