#!/usr/bin/env bash
# fetch_wheels FOLDER PACKAGE...: these packages as wheels for the CPython of a machine without a network, each without what it
# needs; the versions are those that pip finds to fit together, with all that they need. Settings: MINOR=12 (of that CPython).
# For python.sh and python_dask.sh, which read this file.
fetch_wheels() {
  local folder=$1 glibc planned
  shift
  local -a platforms=(--platform manylinux1_x86_64 --platform manylinux2010_x86_64 --platform manylinux2014_x86_64)
  for glibc in 5 12 17 24 27 28 31 34 35; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
  mkdir -p "$folder"
  rm -f "$folder"/*.whl
  planned=$(mktemp)
  # shellcheck disable=SC2064
  trap "rm -f '$planned'" RETURN
  local -a pip=(python3 -m pip --disable-pip-version-check)
  "${pip[@]}" install --quiet --dry-run --ignore-installed --report "$planned" --target "$folder/none" --only-binary :all: \
    --python-version "3.${MINOR:-12}" "${platforms[@]}" "$@"
  python3 - "$planned" "$@" >"$folder/requirements.txt" <<'PYTHON'
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
}

# What a Python with CuPy and PyTorch lacks for Zarr and Dask on GPUs, and no more.
# shellcheck disable=SC2034
readonly zarr_and_dask=(dask distributed dask-cuda rapids-dask-dependency 'zarr>=3.1.3,<4' numcodecs donfig google-crc32c msgspec
  lazy-importer cloudpickle click toolz partd locket importlib_metadata zipp sortedcontainers tblib tornado zict msgpack psutil pyyaml
  fsspec packaging typing_extensions jinja2 markupsafe)
