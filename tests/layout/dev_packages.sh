#!/usr/bin/env bash
# ./dev on machines with different things missing: apt-get, dpkg-query, cmake and the others are stand-ins that write
# down how they were called. dev_packages.sh DEV
set -euo pipefail
dev=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/bin"
cp "$dev" "$tree/dev"
failures=0

stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$tree/bin/$1"
  chmod +x "$tree/bin/$1"
}
# shellcheck disable=SC2016
{
  stand_in dpkg-query '[[ " $MISSING " == *" ${!#} "* ]] && exit 1; printf installed'
  stand_in apt-get 'echo "apt-get $*" >>"$CALLS"; [[ $1 == update ]] || [[ -z ${NO_NETWORK:-} ]]'
  stand_in apt-cache '[[ " ${UNKNOWN:-} " != *" $2 "* ]]'
  stand_in cmake 'echo "cmake $*" >>"$CALLS"'
  stand_in sudo 'echo "sudo" >>"$CALLS"; exec "$@"'
  stand_in id 'echo "${USER_ID:-0}"'
  stand_in ctest 'echo "ctest NVRTC=${SLUICE_NVRTC:-} $*" >>"$CALLS"'
  # pip: makes the directory that it is told to, with the library in it
  stand_in python3 'echo "python3 $*" >>"$CALLS"
    [[ $* == *--version* ]] && exit "${NO_PIP:-0}"
    [[ -z ${NO_NETWORK:-} ]] || exit 1
    while [[ $1 != --target ]]; do shift; done
    mkdir -p "$2/nvidia/lib"; touch "$2/nvidia/lib/libnvrtc.so.13"'
}

# dev_build, dev_test: set `code`; the calls are in $tree/calls, what was said in $tree/said
dev_call() {
  : >"$tree/calls"
  code=0
  env -u SLUICE_NVRTC CALLS="$tree/calls" PATH="$tree/bin:$PATH" "${@:2}" "$tree/dev" "$1" >"$tree/said" 2>&1 || code=$?
}
dev_build() { dev_call build "$@"; }
dev_test() { dev_call test "$@"; }

expect() {  # expect WHAT COMMAND...
  "${@:2}" && return
  failures=$((failures + 1))
  printf 'FAILED: %s (exit code %s)\ncalls:\n%s\nsaid:\n%s\n' "$1" "$code" "$(cat "$tree/calls")" "$(cat "$tree/said")"
}
called() { grep -qF -- "$1" "$tree/calls"; }
not_called() { ! called "$1"; }
said() { grep -qF -- "$1" "$tree/said"; }

dev_build MISSING=
expect 'nothing is missing: success' test "$code" = 0
expect 'nothing is missing: apt is left alone' not_called apt-get
expect 'nothing is missing: the plugin is built' called '-DSLUICE_CLANG=ON'

dev_build MISSING='libfmt-dev liblz4-dev'
expect 'two are missing: success' test "$code" = 0
expect 'two are missing: one update' test "$(grep -c 'apt-get update' "$tree/calls")" = 1
expect 'two are missing: these two are installed' called 'install -y -q --no-install-recommends libfmt-dev liblz4-dev'
expect 'root needs no sudo' not_called sudo

dev_build MISSING=libfmt-dev USER_ID=1000
expect 'a user goes through sudo' called sudo

dev_build MISSING='llvm-19-dev libclang-19-dev'
expect 'LLVM is to be had: installed' called 'llvm-19-dev libclang-19-dev'
expect 'LLVM is to be had: the plugin is built' called '-DSLUICE_CLANG=ON'

dev_build MISSING='llvm-19-dev libclang-19-dev' UNKNOWN=llvm-19-dev
expect 'no LLVM: success' test "$code" = 0
expect 'no LLVM: nothing is installed' not_called install
expect 'no LLVM: the plugin is left out' called '-DSLUICE_CLANG=OFF'
expect 'no LLVM: that is said' said 'building without the Clang plugin'

dev_build MISSING='llvm-19-dev' NO_NETWORK=1
expect 'LLVM can not be fetched: success' test "$code" = 0
expect 'LLVM can not be fetched: the plugin is left out' called '-DSLUICE_CLANG=OFF'

dev_build MISSING=libssl-dev NO_NETWORK=1
expect 'a needed package can not be fetched: failure' test "$code" = 1
expect 'a needed package can not be fetched: its name is said' said libssl-dev
expect 'a needed package can not be fetched: nothing is built' not_called cmake

dev_test MISSING= NO_NETWORK=1
expect 'NVRTC can not be fetched: success' test "$code" = 0
expect 'NVRTC can not be fetched: that is said' said 'could not fetch it'
expect 'NVRTC can not be fetched: the tests run without it' called 'ctest NVRTC= '

dev_test MISSING= SLUICE_NVRTC=none
expect 'NVRTC is not wanted: nothing is fetched' not_called python3

dev_test MISSING= NO_PIP=1
expect 'no pip: it is installed' called 'install -y -q --no-install-recommends python3-pip'

dev_test MISSING=
expect 'NVRTC was fetched: the tests get it' called "ctest NVRTC=$tree/.cache/nvrtc/nvidia/lib/libnvrtc.so.13"
expect 'NVRTC was fetched before: it is not fetched again' not_called python3

((failures == 0)) || exit 1
echo "dev: packages are handled as described"
