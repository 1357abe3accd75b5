#!/usr/bin/env bash
# The Python package's tests of hostile use, of decodes and of batches, in an extension module with AddressSanitizer and
# UndefinedBehaviorSanitizer, under a debug build of CPython where there is one: its assertions see reference counts and
# calls without the GIL that are wrong, the sanitizers every use of memory that was given back.
#
#   tests/python/sanitized.sh [BUILD [PYTEST-ARGUMENT...]]      BUILD: build/asan-python
#
# $PYTHON is the interpreter: python3.11-dbg (Debian: apt install python3.11-dbg) when there is one, else python3.
# Packages are fetched with pip into BUILD/venv. $SLUICE_JOBS is the number of compiler processes.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/asan-python}
(($# == 0)) || shift
tests=("$@")
if ((${#tests[@]} == 0)); then tests=(tests/python/test_{hostile{,_buffers,_processes},decode,batch}.py); fi
jobs=${SLUICE_JOBS:-$(nproc)}
python=${PYTHON:-$(command -v python3.11-dbg || command -v python3)}

say() { printf '==> %s\n' "$*" >&2; }

# ---- the module -------------------------------------------------------------------------------------------------------

mkdir -p "$build"
[[ -x $build/venv/bin/python ]] || "$python" -m venv "$build/venv"
python=$PWD/$build/venv/bin/python
# No pyarrow, which the tests of these three files do without.
"$python" -m pip install --quiet --disable-pip-version-check 'nanobind>=3.1,<4' numpy 'pytest>=7' lz4 cramjam
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:+$CCACHE_SLOPPINESS,}pch_defines,time_macros"
fi
# As ./dev test does it: optimised a little and with line numbers alone.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" "${launcher[@]}" \
  "-DPython_EXECUTABLE=$python" -DSLUICE_PYTHON=ON -DSLUICE_PYTHON_CODECS=OFF -DSLUICE_SANITIZE=address,undefined \
  -DSLUICE_CLANG=OFF -DSLUICE_TESTS=OFF >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
cmake --build "$build" --parallel "$jobs" --target sluice_python_core >&2

# ---- the tests --------------------------------------------------------------------------------------------------------

# The decoders' own machine code has AddressSanitizer, too: made by the machine's compiler, without what is loaded below.
real=$(command -v c++)
cat >"$build/cxx" <<TEXT
#!/bin/sh
unset LD_PRELOAD PYTHONMALLOC
exec $real "\$@" -O1 -fsanitize=address
TEXT
chmod +x "$build/cxx"
export SLUICE_JIT=cxx SLUICE_CXX=$PWD/$build/cxx SLUICE_CACHE_DIR=$PWD/$build/cache

# An interpreter without the sanitizer has to load it before all else, and libstdc++, whose calls it wants to find then.
LD_PRELOAD="$("$real" -print-file-name=libasan.so) $("$real" -print-file-name=libstdc++.so.6)"
# Every object in a block of its own, which Python's allocator doesn't do: else what was freed could not be told.
export PYTHONMALLOC=malloc
# An interpreter ends without giving everything back. What can't be had is NULL, as without the sanitizer.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
export PYTHONPATH=$PWD/$build/runtime/python
say "$("$python" -VV)$("$python" -c 'import sys; print(", debug build" if hasattr(sys, "gettotalrefcount") else "")')"
export LD_PRELOAD
exec "$python" -X dev -m pytest -q "${tests[@]}"
