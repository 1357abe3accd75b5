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
  # An interpreter: it says whether it has headers, and makes environments.
  stand_in python3.11 'echo "python3.11 $*" >>"$CALLS"
    if [[ $1 == -c ]]; then exit "${NO_PYTHON:-0}"; fi
    mkdir -p "$3/bin"; cp "$(dirname "$0")"/tools/* "$3/bin/"'
  for minor in 12 13 14; do stand_in "python3.$minor" 'exit 1'; done
  # In an environment. pip makes a wheel where it is told to, and auditwheel another one.
  mkdir "$tree/bin/tools"
  stand_in tools/python 'echo "python $*" >>"$CALLS"
    [[ $* != *pytest* ]] || exit "${PYTEST:-0}"
    [[ $* != *"pip install"* || -z ${NO_NETWORK:-} ]] || exit 1
    [[ $* == *"pip wheel"* ]] || exit 0
    while [[ $1 != -w ]]; do shift; done
    mkdir -p "$2"; touch "$2/sluice_codecs-1-cp311-cp311-linux_x86_64.whl"'
  stand_in tools/auditwheel 'echo "auditwheel $*" >>"$CALLS"
    [[ -z ${TOO_NEW:-} ]] || exit 1
    while [[ $1 != -w ]]; do shift; done
    touch "$2/sluice_codecs-1-cp311-cp311-manylinux_2_35_x86_64.whl"'
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
expect 'nor what a wheel is built with: that is said' said 'could not fetch what a wheel is built with: none in this run'

dev_test MISSING= SLUICE_NVRTC=none
expect 'NVRTC is not wanted: nothing is fetched' not_called 'python3 '

dev_test MISSING= NO_PIP=1
expect 'no pip: it is installed' called 'install -y -q --no-install-recommends python3-pip'

dev_test MISSING=
expect 'NVRTC was fetched: the tests get it' called "ctest NVRTC=$tree/.cache/nvrtc/nvidia/lib/libnvrtc.so.13"
expect 'NVRTC was fetched before: it is not fetched again' not_called 'python3 '
expect 'the wheel is built in the same tree' called 'pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -Cbuild-dir=build'
expect 'the wheel: what it needs of the C library is looked at' called 'auditwheel repair --plat manylinux_2_35_x86_64 -w build/wheels'
expect 'the wheel: its tests run in a new environment' called 'python -m pytest'

dev_test MISSING= PYTEST=1
expect 'the tests of the wheel fail: failure' test "$code" = 1
dev_test MISSING= TOO_NEW=1
expect 'the wheel wants a newer system: failure' test "$code" = 1
expect 'the wheel wants a newer system: that is said' said 'auditwheel: the wheel of python3.11 does not keep to manylinux_2_35_x86_64'

dev_test MISSING='python3-dev python3-venv' NO_PYTHON=1
expect 'no interpreter will do: packages are installed' called 'install -y -q --no-install-recommends python3-dev python3-venv'
expect 'no interpreter will do: success' test "$code" = 0
expect 'no interpreter will do: that is said' said 'no wheel is built'

dev_test MISSING= SLUICE_WHEEL=none
expect 'no wheel is wanted: none is built' not_called python3.11

((failures == 0)) || exit 1
echo "dev: packages are handled as described"
