#!/usr/bin/env bash
# Puts the decoders that `tests/gpu/run.sh peers` measures beside ours into the folder that pack.sh filled:
#
#   tests/gpu/peers.sh [FOLDER [PROTOTYPE]]     FOLDER: .gpu; PROTOTYPE: a folder with the hand-written kernels
#
#   FOLDER/peers/libnvcomp.so.6     of the wheel nvidia-libnvcomp-cu13 (25 MB), fetched by pip
#   FOLDER/peers/libprototype.so    made by nvcc, here when there is one, else by run.sh; PROTOTYPE's *.cuh are put beside it
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly wheel=nvidia-libnvcomp-cu13==6.0.0.12
folder=${1:-.gpu}/peers
prototype=${2:-}
mkdir -p "$folder"

if [[ ! -f $folder/libnvcomp.so.6 ]]; then
  fetched=$(mktemp -d)
  trap 'rm -rf "$fetched"' EXIT
  python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$fetched" "$wheel"
  python3 - "$fetched" "$folder" <<'PYTHON'
import pathlib, sys, zipfile
wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
target = pathlib.Path(sys.argv[2], "libnvcomp.so.6")
with zipfile.ZipFile(wheel) as archive:
    target.write_bytes(archive.read("nvidia/libnvcomp/lib64/libnvcomp.so.6"))
PYTHON
fi

if [[ -n $prototype ]]; then
  mkdir -p "$folder/prototype"
  cp -u --no-preserve=mode "$prototype"/*.cuh "$folder/prototype/"
  if [[ -n $(command -v nvcc) ]]; then
    nvcc -O3 -arch=sm_90 -std=c++17 -shared -Xcompiler -fPIC -I . -I "$folder/prototype" -o "$folder/libprototype.so" \
      tests/bench/cuda_codag/prototype.cu
  fi
fi
du -sh "$folder"
