#!/usr/bin/env bash
# examples/python_dask on a machine with GPUs and without a network: the same Zarr array reduced by processes on its CPUs, on
# one GPU and on two, by zarr's codecs and by Sluice.
#
#   tests/gpu/python_dask.sh pack FOLDER WHEEL     here: fetches Dask, Zarr and dask-cuda as wheels into FOLDER, and puts ours,
#                                                  WHEEL, beside them: 16 MB and ours
#   tests/gpu/python_dask.sh run FOLDER [CODEC...] there: installs them into $SITE and prints a table for each codec
#
# There python3 has NumPy and CuPy, and for dask-cuda pandas, cuda-core and nvidia-ml-py: those are large and are not packed.
# Without one of them Dask's own cluster takes dask-cuda's place, and the output says so. Settings, with their defaults:
#   MINOR=12 (pack: of the CPython there)  SITE, FIELD (where the wheels go, and the arrays: temporary)  GIGABYTES=16
#   WORKERS=(half of the cores, 16 at most)  GPUS=(1, and 2 where there are)  REPEATS=3  OUT=gpu-results
#   MORE=(further words for main.py: --no-dask-cuda where dask-cuda is there and can't start, --gpu-block 1024)
set -euo pipefail
cd "$(dirname "$0")/../.."

# shellcheck source=tests/gpu/wheels.sh
source tests/gpu/wheels.sh

pack() {
  local folder=${1:?FOLDER} wheel=${2:?WHEEL}
  fetch_wheels "$folder" "${zarr_and_dask[@]}"
  cp "$wheel" "$folder"
  du -sh "$folder"
}

run() {
  local folder=${1:?FOLDER} codec devices
  shift
  local work
  work=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  export SITE=${SITE:-$work/site} OUT=${OUT:-gpu-results}
  mkdir -p "$OUT"
  python3 -m pip install --quiet --no-index --no-deps --no-compile --upgrade --target "$SITE" "$folder"/*.whl
  export PYTHONPATH=$SITE${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
  devices=$({ nvidia-smi --list-gpus 2>/dev/null || true; } | wc -l)
  case $devices in
    0) echo "no GPU here: on its CPUs alone"; GPUS=${GPUS:-} ;;
    1) GPUS=${GPUS:-1} ;;
    *) GPUS=${GPUS:-1,2} ;;
  esac
  local workers=$((($(nproc) + 1) / 2))
  workers=${WORKERS:-$((workers < 16 ? workers : 16))}
  { nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || true; } | sort | uniq -c
  python3 -c 'import sys, dask, zarr, numcodecs, numpy, sluice_codecs as s
print(f"{sys.version.split()[0]}: dask {dask.__version__}, zarr {zarr.__version__}, numcodecs {numcodecs.__version__}, numpy {numpy.__version__}, sluice_codecs {s.__version__}")'
  (($#)) || set -- gzip lz4
  for codec in "$@"; do
    printf '\n## %s\n\n' "$codec"
    python3 examples/python_dask/main.py "${FIELD:-$work/field}" --gigabytes "${GIGABYTES:-16}" --codec "$codec" --workers "$workers" \
      ${GPUS:+--gpus "$GPUS"} --repeats "${REPEATS:-3}" ${MORE:-} | tee "$OUT/python-dask-$codec.md"
  done
}

case ${1:-} in
  pack | run) "$@" ;;
  *) sed -n '2,14p' "$0"; exit 2 ;;
esac
