#!/usr/bin/env bash
# The study beside peers without a GPU: kernels on the SIMT layer, and a stand-in for nvCOMP that can be told to be wrong.
#
#   peers.sh STUDY NVCOMP      SLUICE_NVRTC, SLUICE_CUDA_DRIVER, SLUICE_CACHE_DIR: as for every use of the stand-ins
set -euo pipefail
study=$1
nvcomp=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/data/raw/text"
for i in {1..9000}; do echo "$((i * i)) of $((i % 7)) and $((i / 3))"; done >"$folder/data/raw/text/bible.txt"
failures=0

# [schedule=NAME] run WANTED_EXIT_CODE WANTED_LINE [VARIABLE=VALUE...] -- ARGUMENT...
run() {
  local wanted=$1 line=$2 settings=() code=0
  shift 2
  while [[ $1 != -- ]]; do
    settings+=("$1")
    shift
  done
  shift
  env "${settings[@]}" "$study" --suite peers --data "$folder/data" --corpus "$folder" --gigabytes 0.0001 --rounds 3 --seconds 0.01 --threads 2 \
    --markdown "$folder/report.md" --json "$folder/report.json" --schedule "${schedule:-default}" "$@" >"$folder/said" 2>&1 || code=$?
  if [[ $code != "$wanted" ]] || ! grep -qE -- "$line" "$folder/said" "$folder/report.md"; then
    failures=$((failures + 1))
    printf 'FAILED: %s: exit code %s, wanted %s and "%s"\n' "${settings[*]} $*" "$code" "$wanted" "$line"
    cat "$folder/said"
  fi
}

sizes=(--case "bible lz4_block 64 KiB")
run 0 '^\| bible \| lz4_block \| .* KiB \|$' -- "${sizes[@]}" --peer "nvcomp=$nvcomp"
run 0 'decoded sizes / decoding \| default' -- "${sizes[@]}" --peer "nvcomp=$nvcomp"
run 0 'never in step, against warp' -- --case "never in step snappy" --schedule warp/shared --peer "nvcomp=$nvcomp"
run 1 'nvCOMP: chunk 2 has other bytes' SLUICE_STAND_IN_NVCOMP_FAULT=byte -- "${sizes[@]}" --peer "nvcomp=$nvcomp"
run 1 'nvCOMP: chunk 2 has status 12' SLUICE_STAND_IN_NVCOMP_FAULT=status -- "${sizes[@]}" --peer "nvcomp=$nvcomp"
run 1 'nvCOMP sizes: chunk 2 made 65537 elements' SLUICE_STAND_IN_NVCOMP_FAULT=size -- "${sizes[@]}" --peer "nvcomp=$nvcomp"
run 0 'left out: nvCOMP: .* is nvCOMP 5.1.0; version 6 is asked for' SLUICE_STAND_IN_NVCOMP_VERSION=5100 -- "${sizes[@]}" --peer "nvcomp=$nvcomp"
run 0 'left out: the prototype: .* is not made from prototype.cu' -- "${sizes[@]}" --peer "prototype=$nvcomp"
run 2 '--peer zstd=x' -- "${sizes[@]}" --peer zstd=x
run 2 "--case no such thing: no case's name or table has it" -- --case "no such thing"
schedule=block run 2 '--schedule block: of the cases chosen none has it; they have default, speculate$' -- "${sizes[@]}"
((failures == 0)) && echo "ok"
exit $((failures > 0))
