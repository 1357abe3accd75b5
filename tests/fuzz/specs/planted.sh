#!/usr/bin/env bash
# Faults of one line put into a copy of the tree, one at a time, in primitives, passes, analyses and emitters: does the
# generator find them?   planted.sh DIRECTORY [SPECS [NAME...]]
# DIRECTORY receives the copy and its build; SPECS is how many random specs each fault gets, and half as many mutants.
# Prints a line for each fault; exit code 1 when two or more of those asked for were not found.
set -euo pipefail
readonly root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
readonly work=$1
readonly specs=${2:-400}
shift $(($# > 1 ? 2 : 1))

# NAME|FILE|WHAT|INSTEAD: the first WHAT of FILE; INSTEAD alone may hold a bar.
readonly faults=(
  'varint_last_group|runtime/prim/varint.h|byte >> (Bits - 7 * (kGroups - 1)) != 0|byte >> (Bits - 7 * (kGroups - 1)) > 1'
  'copy_step_of_three|runtime/prim/copy.h|{16, 16, 16, 15, 16,|{16, 16, 16, 16, 16,'
  'code_one_too_many|runtime/prim/codes.h|if (value - first < count) return|if (value - first <= count) return'
  'wide_bits_of_lsb|runtime/prim/bits.h|n <= 56 && byte + 8 <= size|n <= 60 && byte + 8 <= size'
  'room_for_one_more|runtime/prim/stream.h|if (s.produced == s.out_end) return 1;|if (s.produced > s.out_end) return 1;'
  'peek_past_the_region|runtime/prim/stream.h|const u64 n = have < bytes ? have : bytes;|const u64 n = bytes;'
  'scan_of_a_warp|runtime/prim/cuda/warp.h|if (lane() >= d) v += o;|if (lane() > d) v += o;'
  'mask_that_counts|compiler/passes/fold.cpp|x.range.hi <= static_cast<ir::i128>(c.imm);|x.range.hi <= static_cast<ir::i128>(c.imm) + 1;'
  'negated_comparison|compiler/passes/fold.cpp|return Op::Ge;|return Op::Gt;'
  'extra_bits_of_the_first|compiler/analysis/token_budget.cpp|extra.begin() + last + 1);|extra.begin() + first + 1);'
  'sign_of_operands|compiler/emit/expr.cpp|if (e.type.is_signed != is_signed) return|if (false) return'
  'rule_at_the_end|compiler/emit/fast_token.cpp|std::exchange(token_ends_, token_ends_ && last)|std::exchange(token_ends_, token_ends_ || last)'
  'output_margin|compiler/emit/fast_loop.cpp|u8* const out_limit = s.out + s.out_end{} - kOutMargin;|u8* const out_limit = s.out + s.out_end{} - 1;'
)

say() { printf '%s\n' "$*"; }

# Everything in it is new, so that no object of an earlier fault stays.
copy_tree() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree"
  (cd "$root" && git ls-files -z | tar --null -T - -cf -) | tar -xmf - -C "$work/tree"
  cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG" ${CMAKE_CXX_COMPILER_LAUNCHER:+-DCMAKE_CXX_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER} \
    >"$work/configure.log"
}

build() { cmake --build "$work/build" --target sluice_fuzz_specs >"$work/build.log" 2>&1; }

# plant FILE WHAT INSTEAD; fails when WHAT is not there
plant() {
  python3 - "$work/tree/$1" "$2" "$3" <<'PY'
import sys
path, what, instead = sys.argv[1:]
text = open(path).read()
if what not in text:
    sys.exit(1)
open(path, 'w').write(text.replace(what, instead, 1))
PY
}

# found_by FILE: what a run of the build with the fault in FILE finds: the first line of the first finding, or nothing.
found_by() {
  rm -rf "$work/findings"
  local simt=8
  [[ $1 != runtime/prim/cuda/* ]] || simt=60  # only kernels have it
  local fuzzer=$work/build/tests/fuzz/specs/sluice_fuzz_specs
  local -r how=(--seed 12 --simt "$simt" --facts 30 --most-findings 1 --out "$work/findings")
  "$fuzzer" run --count "$specs" "${how[@]}" >/dev/null 2>&1 || true
  [[ -d $work/findings ]] ||
    "$fuzzer" run --mutants --count "$((specs / 2))" "${how[@]}" >/dev/null 2>&1 || true
  [[ -d $work/findings ]] || return 0
  local first
  first=$(find "$work/findings" -name '*.txt' | sort -V | head -n 1)
  printf '%s (%s)' "$(head -n 1 "$first")" "$(basename "$first" .txt)"
}

copy_tree
missed=0
for fault in "${faults[@]}"; do
  IFS='|' read -r name file what instead <<<"$fault"
  if (($# > 0)) && [[ " $* " != *" $name "* ]]; then continue; fi
  cp "$work/tree/$file" "$work/whole"
  if ! plant "$file" "$what" "$instead"; then
    say "$name: $file has no such line any more"
    missed=$((missed + 1))
    continue
  fi
  if build; then
    found=$(found_by "$file")
    say "$name: ${found:-NOT FOUND}"
    [[ -n $found ]] || missed=$((missed + 1))
  else
    say "$name: does not build ($work/build.log)"
    missed=$((missed + 1))
  fi
  cp "$work/whole" "$work/tree/$file"
done
((missed < 2))
