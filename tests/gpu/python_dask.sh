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

# What a Python with CuPy and PyTorch lacks, and no more: each is fetched without what it needs.
readonly packages=(dask distributed dask-cuda rapids-dask-dependency 'zarr>=3.1.3,<4' numcodecs donfig google-crc32c msgspec lazy-importer
  cloudpickle click toolz partd locket importlib_metadata zipp sortedcontainers tblib tornado zict msgpack psutil pyyaml fsspec
  packaging typing_extensions jinja2 markupsafe)

pack() {
  local folder=${1:?FOLDER} wheel=${2:?WHEEL} glibc planned
  local -a platforms=(--platform manylinux1_x86_64 --platform manylinux2010_x86_64 --platform manylinux2014_x86_64)
  for glibc in 5 12 17 24 27 28 31 34 35; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
  mkdir -p "$folder"
  rm -f "$folder"/*.whl
  # The versions that fit together are those that pip finds for dask-cuda, with all that it needs; of them only ours are fetched.
  planned=$(mktemp)
  # shellcheck disable=SC2064
  trap "rm -f '$planned'" EXIT
  local -a pip=(python3 -m pip --disable-pip-version-check)
  "${pip[@]}" install --quiet --dry-run --ignore-installed --report "$planned" --target "$folder/none" --only-binary :all: \
    --python-version "3.${MINOR:-12}" "${platforms[@]}" "${packages[@]}"
  python3 - "$planned" "${packages[@]}" >"$folder/requirements.txt" <<'PYTHON'
import json, re, sys
name = lambda text: re.sub("[-_.]+", "-", re.split("[<>=]", text)[0]).lower()
wanted = {name(one) for one in sys.argv[2:]}
for one in json.load(open(sys.argv[1]))["install"]:
    found = one["metadata"]
    if name(found["name"]) in wanted:
        print(f"{found['name']}=={found['version']}")
PYTHON
  "${pip[@]}" download --quiet --no-deps --only-binary :all: --python-version "3.${MINOR:-12}" "${platforms[@]}" --dest "$folder" \
    --requirement "$folder/requirements.txt"
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
