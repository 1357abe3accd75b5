#!/usr/bin/env bash
# Specs of specs/ on the GPU (or its stand-in) under several schedules, against the interpreter: the same bytes, or the
# same refusal. The input goes whole, and cut at places all over it.
#
#   SLUICE=build/sluice tests/gpu/specs.sh
set -uo pipefail
sluice=$(realpath -e "${SLUICE:?the sluice program}") || exit 2
cd "$(dirname "$0")/specs" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 agreed=0

# decode OUTPUT ARGUMENT...: standard output is the exit code and the place of a refusal.
decode() {
  local output=$1 said code
  shift
  said=$("$sluice" decode "$spec" "$work/in" -o "$output" "$@" 2>&1 >/dev/null)
  code=$?
  echo "$code $(grep -o '[a-z]*\.sluice:.*' <<<"$said")"
}

for spec in *.sluice; do
  for cut in 0 1 2 7 40 133 400 641; do
    head -c "-$cut" "${spec%.sluice}.in" >"$work/in"
    expected=$(decode "$work/expected" --target interp)
    for schedule in "strategy warp" "strategy split" "strategy split, part_copies 8" \
      "strategy split, resolve rounds, part_copies 8" "strategy split, resolve independent" "strategy split, resolve sequential"; do
      got=$(decode "$work/got" --target cuda:sm_90 --schedule "$schedule")
      if [[ $got != "$expected" ]] || { [[ $expected == "0 "* ]] && ! cmp -s "$work/got" "$work/expected"; }; then
        echo "$spec less $cut bytes, $schedule: $got, not $expected, or other bytes"
        failed=1
      else
        agreed=$((agreed + 1))
      fi
      rm -f "$work/got"
    done
  done
done
echo "$agreed runs agree"
exit "$failed"
