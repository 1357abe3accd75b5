#!/usr/bin/env bash
# Checks and measures on a machine with a GPU. Runs in the source tree with the folder that pack.sh filled.
#
#   tests/gpu/run.sh smoke                 a minute: five codecs, few mutants, short measurements
#   tests/gpu/run.sh conform               every codec and schedule: vectors, real files, mutants
#   tests/gpu/run.sh sanitize              compute-sanitizer: memcheck and racecheck, every codec
#   tests/gpu/run.sh bench [ARGUMENT...]   sluice_cuda_codag, whose arguments these are
#   tests/gpu/run.sh peers [ARGUMENT...]   the project's goals beside nvCOMP and a prototype, in one process; peers.sh first
#   tests/gpu/run.sh compile               the kernels alone, with times
#
# Several in one call: tests/gpu/run.sh conform sanitize. Settings, with their defaults:
#   PACK=.gpu  OUT=gpu-results  MUTANTS=33000 (of each codec)  SEED=1  CODECS=(all)  JOBS=4 (processes at a time)
#   SECONDS_EACH=150 (of one codec's process)  STEP_SECONDS=280 (of a step; what has not begun by then is left out,
#   and said so)  SCHEDULES=(all)  PROTOTYPE=$PACK/peers/prototype (its folder, made into a library when nvcc is there)
# Full tables go to $OUT; what is printed is short. The exit code is that of the worst step.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
export PACK=$(realpath "${PACK:-.gpu}") OUT=${OUT:-gpu-results}
export MUTANTS=${MUTANTS:-33000} SEED=${SEED:-1} SECONDS_EACH=${SECONDS_EACH:-150}
export SLUICE_DATA=$PACK/data SLUICE_CACHE_DIR=${SLUICE_CACHE_DIR:-$PACK/cache}
JOBS=${JOBS:-4}
cores=$(nproc)
export THREADS=${THREADS:-$(((cores + JOBS - 1) / JOBS))}
export SCHEDULES=${SCHEDULES:-}
mkdir -p "$OUT" "$SLUICE_CACHE_DIR"
conform=$PACK/bin/sluice_gpu_conform
export conform
export LOGS=$(mktemp -d)
export sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null | head -n 1)
worst=0
chmod -R u+x "$PACK/bin"

note() { if (($1 > worst)); then worst=$1; fi; }
codecs() { if [[ -n ${CODECS:-} ]]; then tr ' ' '\n' <<<"$CODECS"; else "$conform" --list; fi; }

# Seconds that the next process may take, 0 when the step's time is up.
allowance() {
  local left=$((DEADLINE - $(date +%s)))
  ((left < SECONDS_EACH)) || left=$SECONDS_EACH
  echo $((left > 5 ? left : 0))
}
begin() { export DEADLINE=$(($(date +%s) + ${STEP_SECONDS:-280})); }

# One codec in a process of its own: an error of the device ends that process alone.
check_one() {
  local codec=$1 status allowed
  allowed=$(allowance)
  if ((allowed == 0)); then echo "exit 125" >"$LOGS/conform.$codec" && return; fi
  timeout -k 5 "$allowed" "$conform" "$codec" --mutants "$MUTANTS" --seed "$SEED" --threads "$THREADS" \
    --progress "$LOGS/now.$codec" ${SCHEDULES:+--schedule $SCHEDULES} >"$LOGS/conform.$codec" 2>&1
  status=$?
  [[ $status == 124 || $status == 137 ]] && echo "FATAL never ended: $(cat "$LOGS/now.$codec")" >>"$LOGS/conform.$codec"
  [[ $status == 3 ]] && look_closer "$codec" >>"$LOGS/conform.$codec" 2>&1
  echo "exit $status" >>"$LOGS/conform.$codec"
}
# The batch of a CUDA error once more, under the sanitizer.
look_closer() {
  local codec=$1 schedule batch
  [[ -n ${sanitizer:-} ]] || return
  schedule=$(sed -n 's/^FATAL \([a-z/]*\): .*/\1/p' "$LOGS/conform.$codec")
  batch=$(sed -n 's/^FATAL .* batch \([0-9]*\) .*/\1/p' "$LOGS/conform.$codec")
  [[ -n $schedule && -n $batch ]] || return
  timeout -k 5 60 "$sanitizer" --tool memcheck --print-limit 2 "$conform" "$codec" --mutants "$MUTANTS" --seed "$SEED" \
    --threads "$THREADS" --schedule "$schedule" --only-batch "$batch" | grep '^=====' | head -n 30
}
sanitize_one() {
  local tool=$1 codec=$2 status allowed mutants=120
  allowed=$(allowance)
  if ((allowed == 0)); then echo "exit 125" >"$LOGS/$tool.$codec" && return; fi
  [[ $tool == racecheck ]] && mutants=40
  timeout -k 5 "$allowed" "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 5 "$conform" "$codec" \
    --exact --one-set --mutants "$mutants" --no-data --no-host --threads "$THREADS" --batch 2048 ${SCHEDULES:+--schedule $SCHEDULES} \
    >"$LOGS/$tool.$codec" 2>&1
  status=$?
  echo "exit $status" >>"$LOGS/$tool.$codec"
}
export -f check_one sanitize_one look_closer allowance

# What the logs of a kind say in short; all of them in one file of $OUT.
summary() {
  local kind=$1 bad=0 log name status
  for log in "$LOGS/$kind".*; do
    name=${log##*.}
    status=$(tail -n 1 "$log" | sed 's/exit //')
    { echo "== $name"; cat "$log"; } >>"$OUT/$kind.txt"
    if [[ $status != 0 ]]; then
      bad=1
      case $status in
        124 | 137) echo "-- $kind $name: out of time" ;;
        125) echo "-- $kind $name: not begun, no time was left" ;;
        *) echo "-- $kind $name: exit $status" ;;
      esac
      grep -E 'WRONG |FATAL|=========.*(Invalid|Error|hazard|Race|leak)|error:|chunk [0-9]' "$log" | cut -c1-400 | head -n 10
    fi
  done
  grep -h '^TOTAL' "$LOGS/$kind".* | awk -v kind="$kind" '{codecs += $3; runs += $6; mutants += $11; wrong += $13}
    END {printf "%s: %d codecs finished, %d agreeing runs, %d mutants (each under every schedule), %d wrong\n", kind, codecs, runs, mutants, wrong}'
  note $bad
}

step_compile() {
  "$conform" --compile-only --threads "$cores" >"$OUT/compile.txt" 2>&1
  note $?
  awk '$3 ~ /^[0-9]+$/ && NF >= 13 {n++; t = $(NF) == "cached" ? $(NF - 1) : $NF; if (t > most) most = t; sum += t}
    END {printf "compile: %d kernels, %.0f ms each on average, the slowest %.0f ms\n", n, sum / (n ? n : 1), most}' "$OUT/compile.txt"
  grep -E 'WRONG |FATAL|error' "$OUT/compile.txt" | cut -c1-300 | head -n 20
}
step_conform() {
  begin
  codecs | xargs -P "$JOBS" -I{} bash -c 'check_one {}'
  summary conform
}
step_sanitize() {
  if [[ -z $sanitizer ]]; then
    echo "sanitize: there is no compute-sanitizer here"
    note 1
    return
  fi
  for tool in memcheck racecheck; do
    begin
    codecs | xargs -P $((2 * JOBS)) -I{} bash -c "sanitize_one $tool {}"
    summary "$tool"
    grep -hE '^========= (ERROR SUMMARY|RACECHECK SUMMARY)' "$LOGS/$tool".* | sort | uniq -c
  done
}
step_bench() {
  "$PACK/bin/sluice_cuda_codag" --data "$PACK/data" --corpus "$PACK/corpus" --commit "$(cat "$PACK/commit")" \
    --seconds 0.25 --markdown "$OUT/cuda-codag.md" --json "$OUT/cuda-codag.json" "$@" 2>&1 | tee "$OUT/bench.txt"
  note "${PIPESTATUS[0]}"
}
# The library of the hand-written kernels, where their folder is known.
prototype_library() {
  local folder=${PROTOTYPE:-$PACK/peers/prototype} library=$PACK/peers/libprototype.so nvcc
  nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
  if [[ ! -f $library && -d $folder && -n $nvcc ]]; then
    mkdir -p "$PACK/peers"
    "$nvcc" -O3 -arch=sm_90 -std=c++17 -shared -Xcompiler -fPIC -I . -I "$folder" -o "$library" tests/bench/cuda_codag/prototype.cu >&2
  fi
  if [[ -f $library ]]; then
    echo "$library"
  else
    echo "peers: no prototype: PROTOTYPE names no folder with its kernels, or there is no nvcc" >&2
  fi
}
step_peers() {
  local study=$PACK/bin/sluice_cuda_codag prototype pair schedule others
  python3 tests/bench/corpus.py "$PACK/corpus"  # says what it can't make; those cases are left out, and the report says so
  prototype=$(prototype_library)
  others=(--peer "nvcomp=$PACK/peers/libnvcomp.so.6" ${prototype:+--peer "prototype=$prototype"})
  # Before anything else has read NVRTC from the disk.
  {
    printf '\n## Compile times\n\nMilliseconds of `Decoder::from_name` in a new process with empty caches (NVRTC'"'"'s own is off), the device open, %s cores.\n\n' "$cores"
    printf '| first, further codec | schedule | first kernel of the process | its kernel itself | a further one | its kernel itself | from the cache |\n|---|---|---:|---:|---:|---:|---:|\n'
    for schedule in default speculate; do
      for pair in deflate,lz4_block lz4_block,snappy_raw; do
        # NVRTC keeps what it compiled in the driver's cache: off, or a second run would find all of it there.
        CUDA_CACHE_DISABLE=1 SLUICE_CACHE_DIR=$(mktemp -d) "$study" --compile "$pair" --schedule "$schedule" 2>&1
      done
    done
  } >"$LOGS/compile-times.md"
  "$study" --suite peers --data "$PACK/data" --corpus "$PACK/corpus" --commit "$(cat "$PACK/commit")" --gigabytes 1 --seconds 0.1 \
    "${others[@]}" --markdown "$OUT/peers.md" --json "$OUT/peers.json" "$@" 2>&1 | tee "$OUT/peers.txt"
  note "${PIPESTATUS[0]}"
  cat "$LOGS/compile-times.md" >>"$OUT/peers.md"
  [[ ! -f $OUT/peers.json ]] || python3 tests/bench/peers_plot.py "$OUT/peers.json" "$OUT/peers.svg"
}
step_smoke() {
  CODECS="deflate orc_rle_v1 orc_rle_v2 lz4_block snappy_raw" MUTANTS=2000 SECONDS_EACH=60 step_conform
  step_bench --gigabytes 1 --seconds 0.2 --case "MC0 " --case "TPC " --case "C++" --case "x86" --case "0..6" --case "runs of"
}

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm --format=csv,noheader
echo "commit $(cat "$PACK/commit"), $cores cores"
[[ $# -gt 0 ]] || { sed -n '2,18p' "$0"; exit 2; }
while (($# > 0)); do
  step=$1
  shift
  start=$SECONDS
  case $step in
    compile | conform | sanitize | smoke) "step_$step" ;;
    bench | peers) "step_$step" "$@"; set -- ;;
    *) echo "no step is called $step"; exit 2 ;;
  esac
  echo "$step: $((SECONDS - start)) s"
done
exit $worst
