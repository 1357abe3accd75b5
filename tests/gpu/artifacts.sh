#!/usr/bin/env bash
# Every codec's vectors through an artifact, against the interpreter.
#
#   tests/gpu/artifacts.sh pack PROGRAM FOLDER [TARGET]   an artifact for each codec, in FOLDER
#   tests/gpu/artifacts.sh run PROGRAM FOLDER [TARGET]    decodes with them: nothing is compiled any more
#
# PROGRAM is the `sluice` program. TARGET: ptx (the default; to be run where a GPU is), cuda:sm_90, or cpu. With
# SLUICE_CUDA_JIT=clang set for `pack`, the PTX is Clang's. Exit code 1 when an output or an error differs.
set -uo pipefail
cd "$(dirname "$0")/../.."
mode=${1:?pack or run} program=$(realpath "${2:?the program}") folder=${3:?a folder} target=${4:-ptx}

codecs() { for spec in codecs/*/*.sluice; do
  name=$(basename "$spec" .sluice)
  [[ $spec == codecs/$name/$name.sluice && -d codecs/$name/vectors ]] && echo "$name"
done; }

# The vectors of a codec that need neither parameters nor a dictionary.
vectors() { for file in codecs/"$1"/vectors/*.in; do
  [[ -e ${file%.in}.set || -e ${file%.in}.dict ]] || echo "$file"
done; }

pack() {
  mkdir -p "$folder"
  for codec in $(codecs); do
    "$program" build "$codec" --target "$target" -o "$folder/$codec.sluicea" || exit 1
  done
}

run() {
  local failed=0 on=cuda
  [[ $target == cpu* ]] && on=cpu
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  export SLUICE_NVRTC=none SLUICE_JIT=none
  for codec in $(codecs); do
    local -a files
    mapfile -t files < <(vectors "$codec")
    mkdir -p "$work/$codec/built" "$work/$codec/interp"
    # The first goes twice, under another name, so that there are several and the output is a directory.
    cp "${files[0]}" "$work/$codec/again.in"
    files+=("$work/$codec/again.in")
    "$program" decode "$folder/$codec.sluicea" "${files[@]}" -o "$work/$codec/built" --target "$on" \
      2>"$work/$codec/built.log"
    local built=$?
    "$program" decode "$codec" "${files[@]}" -o "$work/$codec/interp" --target interp 2>"$work/$codec/interp.log"
    local interp=$?
    if ((built == interp && built <= 1)) && diff -r "$work/$codec/built" "$work/$codec/interp" >/dev/null &&
      diff <(grep error: "$work/$codec/built.log") <(grep error: "$work/$codec/interp.log"); then
      printf '%-20s %3d vectors equal\n' "$codec" "${#files[@]}"
    else
      printf '%-20s DIFFERS (exit codes %d and %d): %s\n' "$codec" "$built" "$interp" \
        "$(grep -m1 error: "$work/$codec/built.log")"
      failed=1
    fi
  done
  return $failed
}

case $mode in
  pack) pack ;;
  run) run ;;
  *) echo "pack or run, not $mode" >&2; exit 2 ;;
esac
