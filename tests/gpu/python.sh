#!/usr/bin/env bash
# What is installed, on a machine with a GPU and without a network: the Python wheel, with the tests of tests/python that take
# CuPy, PyTorch, Zarr's GPU buffers and dask-cuda; and the Debian package, with programs in C and C++. Nothing of a build tree.
#
#   tests/gpu/python.sh pack FOLDER WHEEL DEB   here: both, what they need of this machine, and the wheels of Zarr, Dask,
#                                               dask-cuda and pytest: 25 MB. WHEEL is of `./dev wheel`, DEB of the target sluice_deb
#   tests/gpu/python.sh run FOLDER [STEP...]    there: `wheel`, `deb`; both unless named
#
# There python3 has NumPy, CuPy and PyTorch, and for dask-cuda pandas, cuda-core and nvidia-ml-py: those are large and are not
# packed. The wheel goes into a new environment that sees them. The package is unpacked beside the system, since what it depends on
# is another Debian's. Settings, with their defaults:
#   MINOR=12 (pack: of the CPython there)  PYTHON=python3  OUT=gpu-results
#   TESTS=(of tests/python: test_cuda.py test_zarr_gpu.py test_examples.py test_examples_dask.py)
#   CODECS=(gzip deflate zlib zstd lz4_block snappy_raw bzip2 blosc: whose vectors the programs decode)
# Exit code 1 where a step failed. What was skipped is printed with its reason, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/gpu/wheels.sh
source tests/gpu/wheels.sh

pack() {
  local folder=${1:?FOLDER} wheel=${2:?WHEEL} deb=${3:?DEB} file
  rm -rf "$folder/wheels" "$folder/deb"
  fetch_wheels "$folder/wheels" "${zarr_and_dask[@]}" pytest pluggy iniconfig pygments pkgconf
  mkdir -p "$folder/deb/lib"
  cp "$wheel" "$folder/wheels"
  cp "$deb" "$folder/deb"
  # The libraries that the package depends on, but for those of C and C++, which are there, and newer.
  dpkg-deb -x "$deb" "$folder/unpacked"
  find "$folder/unpacked" -type f \( -name sluice -o -name 'libsluice.so.*' \) -exec ldd {} + | awk '$3 ~ /^\// {print $3}' |
    grep -vE '/lib(c|m|stdc\+\+|gcc_s)\.so' | sort -u | xargs -r cp -Lt "$folder/deb/lib"
  rm -rf "$folder/unpacked"
  du -sh "$folder"
}

say() { printf '\n== %s\n' "$*"; }
skipped() { printf 'SKIPPED: %s\n' "$*"; }
failed() { printf 'FAILED: %s\n' "$*"; return 1; }

# An environment of its own, in $site: our wheel and the others, and behind them what this machine's Python has already.
make_environment() {
  "$python" -m venv --without-pip "$site"
  local packages
  packages=$("$site/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  # Behind what is installed here: a line of a .pth file goes to the end of the path.
  "$python" -c 'import sys; print(*[path for path in sys.path if path.endswith("-packages")], sep="\n")' >"$packages/of_this_machine.pth"
  "$python" -m pip --disable-pip-version-check install --quiet --no-index --no-compile --no-deps --upgrade --target "$packages" \
    "$folder"/wheels/*.whl
}

step_wheel() {
  say "the wheel: $(basename "$folder"/wheels/sluice_codecs-*.whl), in a new environment"
  make_environment || failed "the wheel does not install" || return 1
  # In a folder of its own: what is tested is what was installed.
  mkdir -p "$work/tests"
  (cd "$work/tests" && "$site/bin/python" - "$site") <<'PYTHON' || failed "the package is not the installed one" || return 1
import importlib.metadata, sys
import numpy
import sluice_codecs as sluice
from packaging.requirements import Requirement
assert sluice.__file__.startswith(sys.argv[1]), sluice.__file__
for asked in map(Requirement, importlib.metadata.requires("sluice-codecs")):
    if asked.marker is None:
        assert importlib.metadata.version(asked.name) in asked.specifier, asked
print(f"CPython {sys.version.split()[0]}, sluice_codecs {sluice.__version__} in {sluice.__file__.removeprefix(sys.argv[1])}, numpy {numpy.__version__}")
for name in ("cupy", "torch", "zarr", "numcodecs", "dask", "dask_cuda", "pandas"):
    try:
        print(f"{name} {getattr(__import__(name), '__version__', '')}")
    except ImportError as error:
        print(f"SKIPPED: what takes {name}: {error}")
try:
    decoder = sluice.Decoder("gzip", target="cuda").warm_up()
    print(f"gzip on a GPU by {decoder.engine}")
except sluice.EngineError as error:
    print(f"SKIPPED: what takes a GPU: {error}")
PYTHON
  local -a tests=()
  read -ra tests <<<"${TESTS:-test_cuda.py test_zarr_gpu.py test_examples.py test_examples_dask.py}"
  local status=0
  (cd "$work/tests" && "$site/bin/python" -m pytest -ra -q -p no:cacheprovider -c "$root/pyproject.toml" --rootdir "$root" "${tests[@]/#/$root/tests/python/}") \
    2>&1 | tee "$OUT/python-tests.txt" || status=1
  ((status == 0)) || failed "tests of the wheel"
}

# compare CODEC PROGRAM...: the codec's vectors by a program of the package, against what stands beside them.
compare() {
  local codec=$1 file name reason bit said wrong=0
  shift
  local -a vectors=()
  for file in codecs/"$codec"/vectors/*.in; do
    [[ -e ${file%.in}.set || -e ${file%.in}.dict ]] || vectors+=("$file")
  done
  rm -rf "$work/out"
  mkdir -p "$work/out"
  "$@" "$codec" "$work/out" "${vectors[@]}" >"$work/said" || { cat "$work/said"; failed "$* $codec"; return; }
  for file in "${vectors[@]}"; do
    name=$(basename "$file")
    if [[ -e ${file%.in}.out ]]; then
      cmp "$work/out/$name" "${file%.in}.out" || wrong=1
    else
      # What the format refuses by a name is told by that, the rest in words.
      read -r reason bit <"${file%.in}.err"
      said=$(grep "^$name: " "$work/said")
      [[ $said == *": refused: "*" at bit $bit of chunk "* && ($said != *": reject "* || $said == *": reject $reason"[\ :]*) ]] ||
        { wrong=1; echo "$said, and it should be $reason at bit $bit"; }
    fi
  done
  ((wrong == 0)) || failed "$(basename "$1"): other bytes or errors for $codec" || return
  printf '%s: %d vectors of %s right; %s\n' "$(basename "$1")" "${#vectors[@]}" "$codec" "$(head -n 1 "$work/said")"
}

# says WORDS COMMAND...: it ends well and its output matches
says() {
  local words=$1 said
  shift
  said=$("$@" 2>&1) || { failed "$*: $said"; return; }
  grep -qE "$words" <<<"$(tr '\n' ' ' <<<"$said")" || { failed "$*: $said"; return; }
  if [[ $1 == ends_with ]]; then shift 2; fi
  printf '%s: %s\n' "$(basename "$1")" "$(tail -n 1 <<<"$said")"
}

# ends_with CODE COMMAND...: the command's exit code is that
ends_with() {
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  ((code == wanted))
}

# What the programs in a folder do, compiled by either way.
try_programs() {
  local bin=$1 codec gzip=codecs/gzip/vectors
  says 'decoded: aaaaabbbb.*refused: pairs.sluice:7:5: ' "$bin/c_api" || return
  says 'chunk 0: 11 bytes: hello hello.*chunk 1: lz4_block.sluice:.*chunk 2: 4 bytes: abcd' "$bin/cpp_api" || return
  if [[ $gpu == none ]]; then return; fi
  for codec in "${codecs[@]}"; do
    compare "$codec" "$bin/decode_c" && compare "$codec" "$bin/decode_cpp" || return
  done
  # One of the two is damaged, which its exit code says.
  says 'on .*-> [0-9]+ bytes.*sluice:[0-9]+:[0-9]+: .*bytes in' ends_with 1 "$bin/gzip_batch" "$gzip/empty_member.in" "$gzip/crc32_wrong.in" || return
  if [[ -z ${SLUICE_FAKE_SPEC:-} ]]; then says 'gaps on .*: 5 6 7 100 101 4 refused: ' "$bin/jit_string" cuda; fi
}

step_deb() {
  local prefix=$work/root/usr library
  say "the package: $(basename "$folder"/deb/*.deb), unpacked with dpkg-deb"
  command -v dpkg-deb >/dev/null || { skipped "the package: there is no dpkg-deb"; return; }
  dpkg-deb -x "$folder"/deb/*.deb "$work/root"
  dpkg-deb -f "$folder"/deb/*.deb Depends
  library=$(dirname "$(find "$prefix/lib" -name libsluice.so)")
  export LD_LIBRARY_PATH=$library:$folder/deb/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for file in "$prefix/bin/sluice" "$library/libsluice.so"; do
    ! ldd "$file" | grep 'not found' || failed "$file lacks a library" || return
  done
  # NVRTC, where only Python's packages have one.
  if [[ -z ${SLUICE_NVRTC:-} ]]; then
    SLUICE_NVRTC=$("$python" -c 'import glob, sys
print(next((one for path in sys.path for one in sorted(glob.glob(path + "/nvidia/*/lib/libnvrtc.so.*")) if "alt" not in one), ""))')
    if [[ -n $SLUICE_NVRTC ]]; then export SLUICE_NVRTC; else unset SLUICE_NVRTC; fi
  fi
  for _ in 1 2 3; do cat "$root"/README.md "$root"/codecs/*/*.sluice; done >"$work/text"
  gzip -9 -c "$work/text" >"$work/text.gz"
  gpu=there
  "$prefix/bin/sluice" decode gzip "$work/text.gz" -o "$work/text.out" --target cuda >"$work/said" 2>&1 || gpu=none
  if [[ $gpu == there ]]; then
    cmp "$work/text" "$work/text.out" || failed "sluice decode gzip --target cuda: other bytes" || return
    echo "sluice $("$prefix/bin/sluice" --version): a gzip file decoded on the GPU"
  elif grep -qE 'no (GPU|CUDA|NVRTC)|libcuda|libnvrtc|NVRTC|driver' "$work/said"; then
    skipped "decoding on a GPU: $(head -n 1 "$work/said")"
  else
    cat "$work/said"
    failed "sluice decode gzip --target cuda" || return
  fi
  { "$prefix/bin/sluice" decode gzip "$work/text.gz" -o "$work/text.out" --target interp && cmp "$work/text" "$work/text.out"; } ||
    failed "sluice decode" || return

  if command -v cmake >/dev/null && command -v c++ >/dev/null; then
    say "programs by find_package(sluice)"
    { cmake -S tests/gpu/installed -B "$work/by_cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release &&
      cmake --build "$work/by_cmake" --parallel; } >"$work/said" 2>&1 || { cat "$work/said"; failed "find_package"; return; }
    ! ldd "$work/by_cmake/decode_c" | grep -F libsluice | grep -vF "$prefix" || failed "another library than the installed one" || return
    try_programs "$work/by_cmake" || return
  else
    skipped "find_package: there is no cmake, or no C++ compiler"
  fi

  local -a pkg_config=(pkg-config) flags libs
  if ! command -v pkg-config >/dev/null && [[ -x $site/bin/python ]]; then pkg_config=("$site/bin/python" -m pkgconf); fi
  export PKG_CONFIG_PATH=$library/pkgconfig
  if "${pkg_config[@]}" --version >/dev/null 2>&1 && command -v c++ >/dev/null; then
    say "programs by pkg-config $("${pkg_config[@]}" --version)"
    read -ra flags <<<"$("${pkg_config[@]}" --cflags sluice)"
    read -ra libs <<<"$("${pkg_config[@]}" --libs sluice)"
    mkdir -p "$work/by_pkg_config"
    local source name
    for source in tests/gpu/installed/decode.{c,cpp} examples/{c_api/main.c,cpp_api/main.cpp,gzip_batch/main.cpp,jit_string/main.cpp}; do
      name=$(basename "$(dirname "$source")")
      if [[ $name == installed ]]; then name=decode_${source##*.}; fi
      local -a compiler=(c++ -std=c++20)
      if [[ $source == *.c ]]; then compiler=(cc -std=c11); fi
      "${compiler[@]}" -O1 -Wall -Wextra -Werror "${flags[@]}" "$source" -o "$work/by_pkg_config/$name" "${libs[@]}" || failed "$source" || return
    done
    try_programs "$work/by_pkg_config" || return
  else
    skipped "pkg-config: there is none (and no environment of the step wheel with one), or no C++ compiler"
  fi
}

run() {
  local step worst=0
  folder=$(realpath "${1:?FOLDER}")
  shift
  work=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  root=$PWD site=$work/site python=${PYTHON:-python3}
  mkdir -p "${OUT:=gpu-results}"
  OUT=$(realpath "$OUT")
  export SLUICE_CACHE_DIR=${SLUICE_CACHE_DIR:-$work/cache} PYTHONUNBUFFERED=1
  read -ra codecs <<<"${CODECS:-gzip deflate zlib zstd lz4_block snappy_raw bzip2 blosc}"
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || skipped "all that takes a GPU: nvidia-smi finds none"
  (($#)) || set -- wheel deb
  for step in "$@"; do
    case $step in
      wheel | deb) "step_$step" || worst=1 ;;
      *) echo "no step is called $step"; exit 2 ;;
    esac
  done
  if ((worst == 0)); then say "all passed"; else say "something FAILED"; fi
  return $worst
}

case ${1:-} in
  pack | run) "$@" ;;
  *) sed -n '2,15p' "$0"; exit 2 ;;
esac
