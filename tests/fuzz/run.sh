#!/usr/bin/env bash
# run.sh BUILD_DIRECTORY SECONDS [CODEC...]: fuzzes every codec (or those named) for SECONDS in all, several at a time.
# Seeds are the codecs' vectors; corpora and findings stay in BUILD_DIRECTORY/tests/fuzz. Exit code 1 on a finding.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fuzz_dir=$(cd "$1" && pwd)/tests/fuzz
seconds=$2
shift 2
codecs=("$@")
if [[ ${#codecs[@]} -eq 0 ]]; then
  for fuzzer in "$fuzz_dir"/fuzz_*; do codecs+=("${fuzzer##*/fuzz_}"); done
fi
jobs=$(nproc)
each=$((seconds * jobs / ${#codecs[@]}))
[[ $each -ge 1 ]] || each=1

fuzz_one() {
  local codec=$1 seeds corpus
  seeds=$fuzz_dir/seeds/$codec
  corpus=$fuzz_dir/corpus/$codec
  mkdir -p "$seeds" "$corpus" "$fuzz_dir/findings"
  cp "$source_dir/codecs/$codec/vectors/"*.in "$seeds"
  # Copies of up to a few thousand elements and no more: many short runs find more than few long ones.
  "$fuzz_dir/fuzz_$codec" -max_total_time="$each" -max_len=512 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$fuzz_dir/findings/$codec-" "$corpus" "$seeds" > "$fuzz_dir/$codec.log" 2>&1
}
export -f fuzz_one
export fuzz_dir source_dir each

status=0
printf '%s\n' "${codecs[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {}' || status=1

total=0
for codec in "${codecs[@]}"; do
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$fuzz_dir/$codec.log")
  speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$fuzz_dir/$codec.log")
  printf '%-16s %12s runs %8s a second\n' "$codec" "${runs:-?}" "${speed:-?}"
  total=$((total + ${runs:-0}))
done
printf '%-16s %12s runs\n' total "$total"
if [[ $status -ne 0 ]]; then
  grep -H -E '^(ERROR|==|SUMMARY|[a-z0-9_]+: (decode|count))' "$fuzz_dir"/*.log || true
  echo "findings: $fuzz_dir/findings"
fi
exit "$status"
