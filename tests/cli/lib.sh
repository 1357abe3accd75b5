# Helpers of the command-line tests. Source it with SLUICE (the program) and ROOT (the source tree) set.
set -euo pipefail
export LC_ALL=C.UTF-8
unset NO_COLOR
cd "$ROOT"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SLUICE_CACHE_DIR=$work/cache
failures=0
checks=0

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n  command: %s\n  exit code: %s\n  stdout: %s\n  stderr: %s\n' "$1" "$command" "$code" \
    "$(head -c 2000 "$work/stdout" | tr -d '\0')" "$(head -c 2000 "$work/stderr")"
}

# run ARGUMENTS...: runs sluice; sets `code`, leaves $work/stdout and $work/stderr
run() {
  command="sluice $*"
  code=0
  "$SLUICE" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
}

# on_terminal ARGUMENTS...: the same with stdout and stderr on one terminal; what was shown is in $work/stdout
on_terminal() {
  command="sluice $* (on a terminal)"
  code=0
  : >"$work/stderr"
  TERM=xterm script -q -e -c "$(printf '%q ' "$SLUICE" "$@")" /dev/null >"$work/stdout" </dev/null || code=$?
}

check() {
  checks=$((checks + 1))
  "${@:2}" || fail "$1"
}

expect_code() { check "exit code $1 expected" test "$code" = "$1"; }
expect_out() { check "stdout should contain: $1" grep -qF -- "$1" "$work/stdout"; }
expect_err() { check "stderr should contain: $1" grep -qF -- "$1" "$work/stderr"; }
expect_no_out() { check "stdout should be empty" test ! -s "$work/stdout"; }
expect_no_err() { check "stderr should be empty" test ! -s "$work/stderr"; }
absent() { ! grep -qF -- "$1" "$2"; }
expect_not_out() { check "stdout should not contain: $1" absent "$1" "$work/stdout"; }
expect_not_err() { check "stderr should not contain: $1" absent "$1" "$work/stderr"; }
expect_same() { check "$1 and $2 should be equal" cmp -s "$1" "$2"; }
expect_no_file() { check "$1 should not exist" test ! -e "$1"; }
# expect_json KEY: stdout is JSON and has that key at the top
expect_json() { check "stdout should be JSON with $1" cmake "-DFILE=$work/stdout" "-DKEY=$1" -P "$ROOT/tests/cli/json.cmake"; }

finish() {
  printf '%d checks, %d failed\n' "$checks" "$failures"
  ((failures == 0))
}
