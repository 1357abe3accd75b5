#!/usr/bin/env bash
# Sum and filter over an ORC column, decoded inside the kernel that adds up, against decoding first: examples/fused_filter, from
# Python and from C++, on this machine's GPU. Sums are compared with NumPy's. No network.
#
#   tests/gpu/fused.sh [GIGABYTES]     of values a column; 2
#
# Needs CuPy and NumPy for the one, NVRTC for both. What was built is looked for in $BUILD (build), else
# in the folder that pack.sh has filled ($FOLDER, .gpu). $PYTHON: python3. $OUT: where fused.txt goes; .
set -euo pipefail
cd "$(dirname "$0")/../.."
gigabytes=${1:-2}
build=${BUILD:-build} folder=${FOLDER:-.gpu} python=${PYTHON:-python3} out=${OUT:-.}
sluice=$build/sluice example=$build/examples/fused_filter/example_fused_filter
if [[ ! -x $sluice ]]; then
  sluice=$folder/bin/sluice example=$folder/bin/example_fused_filter
  export LD_LIBRARY_PATH=$PWD/$folder/bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

{
  echo "== Python, CuPy's RawModule"
  "$python" examples/fused_filter/main.py --sluice "$sluice" --gigabytes "$gigabytes" || [[ $? == 77 ]]
  echo "== C++, NVRTC"
  "$sluice" emit orc_rle_v2 --target cuda --device-function -o "$work/orc_rle_v2_device.h"
  "$python" examples/fused_filter/main.py --write "$work/columns"
  "$example" "$work/orc_rle_v2_device.h" examples/fused_filter/filter.cu "$work"/columns/*.orc || [[ $? == 77 ]]
  if [[ -n $(command -v nvcc) ]]; then
    echo "== nvcc: the header in a program's own file, with warnings as errors"
    cat "$work/orc_rle_v2_device.h" examples/fused_filter/filter.cu >"$work/fused.cu"
    nvcc -std=c++17 -arch=sm_80 --Werror all-warnings -c -o "$work/fused.o" "$work/fused.cu" && echo compiled
  fi
} | tee "$out/fused.txt"
