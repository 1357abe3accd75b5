#!/usr/bin/env bash
# exports_selftest.sh EXPORTS_SH LIBRARY EXPECTED [NM]: lists that differ from the library in one symbol are refused, and the
# symbol is named. So a symbol that is added to the library, lost, or given another version can't go unseen.
set -euo pipefail
check=$1 library=$2 expected=$3 nm=${4:-nm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# refused WHAT NAME: the list in $work/list is refused, and NAME stands in what is said
refused() {
  if bash "$check" "$library" "$work/list" "$nm" >"$work/said" 2>&1; then
    echo "FAILED: $1 is not noticed"
  elif ! grep -qF -- "$2" "$work/said"; then
    echo "FAILED: $1 is noticed, but not named: $(cat "$work/said")"
  else
    return 0
  fi
  failures=$((failures + 1))
}

grep -v '^sluice_decode_batch@' "$expected" >"$work/list"
refused 'a C function that is new' '+sluice_decode_batch@@'
{ cat "$expected"; echo 'sluice_was_here@@SLUICE_0.2'; } | LC_ALL=C sort >"$work/list"
refused 'a C function that is lost' '-sluice_was_here@@'
sed 's/^sluice_facts@@SLUICE_.*/sluice_facts@@SLUICE_0.1/' "$expected" >"$work/list"
refused 'a C function of another version' '-sluice_facts@@SLUICE_0.1'
sed 's/^sluice_facts@@.*/sluice_facts/' "$expected" >"$work/list"
refused 'a C function without a version' 'sluice_facts'
grep -v '^_ZN6sluice7versionEv@' "$expected" >"$work/list"
refused 'a C++ function that is new' 'sluice::version()@@'
{ cat "$expected"; echo '_ZN6sluice4goneEv@@SLUICE_CXX_0.2'; } | LC_ALL=C sort >"$work/list"
refused 'a C++ function that is lost' 'sluice::gone()@@'
: >"$work/list"
refused 'an empty list' '+sluice_decode_batch@@'

((failures == 0)) || exit 1
echo "differences of one symbol are noticed"
