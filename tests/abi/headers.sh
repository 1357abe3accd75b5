#!/usr/bin/env bash
# headers.sh ROOT INCLUDE CC CXX: the headers in INCLUDE/sluice are the interface as programs see it.
#   - they are these and no others
#   - each says to a compiler, token by token and macro by macro, what its source in ROOT/runtime/api says
#   - each stands alone, where nothing of Sluice's tree can be found: in C and in C++, without a warning
#   - a program that meets both spellings takes each header once
set -euo pipefail
export LC_ALL=C
root=$1 include=$2 cc=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { printf 'FAILED: %s\n' "$*" >&2; failures=$((failures + 1)); }

# Public name, name in runtime/api.
readonly headers='abi.h abi.h
cuda.h sluice_cuda.h
cuda.hpp sluice_cuda.hpp
cuda_abi.h cuda_abi.h
result.hpp result.hpp
sluice.h sluice.h
sluice.hpp sluice.hpp'
# What stands alone, stands alone here: nothing but these headers, copied, in a directory of their own.
mkdir "$work/public"
cp -r "$include/sluice" "$work/public/"
readonly -a strict=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror -fsyntax-only)
# shellcheck disable=SC2034 # named by what is in `languages`
readonly -a c=("$cc" -x c -std=c11) cpp=("$cxx" -x c++ -std=c++20)

diff <(cut -d' ' -f1 <<<"$headers") <(ls "$include/sluice") || fail "not the headers that are public"
if grep -rnE '(runtime|compiler|dsl)/' "$work/public"; then fail "a public header speaks of a file that is not installed"; fi

# of LANGUAGE-COMMAND... -- LINE: what LINE is to the compiler: its text without line marks, then its macros
of() {
  local -a command=()
  while [[ $1 != -- ]]; do command+=("$1"); shift; done
  "${command[@]}" -E -P - <<<"$2" || fail "$2 has no meaning to ${command[*]}"
  "${command[@]}" -E -dM - <<<"$2" | grep SLUICE | sort
}

# passes WHAT COMMAND...: the text of stdin compiles
passes() { "${@:2}" "${strict[@]}" - >"$work/said" 2>&1 || fail "$1: $(head -n 5 "$work/said")"; }

while read -r public source; do
  languages=(cpp)
  if [[ $public == *.h ]]; then languages+=(c); fi
  for language in "${languages[@]}"; do
    declare -n command=$language
    of "${command[@]}" -I "$root" -- "#include \"runtime/api/$source\"" >"$work/inner"
    of "${command[@]}" -I "$work/public" -- "#include <sluice/$public>" >"$work/outer"
    grep -q SLUICE "$work/inner" || fail "$source says nothing in $language"
    diff "$work/inner" "$work/outer" >"$work/said" || fail "$public and its source differ in $language: $(head -n 5 "$work/said")"
    passes "$public alone in $language" "${command[@]}" -I "$work/public" <<<"#include <sluice/$public>"
    passes "both spellings of $public in $language" "${command[@]}" -I "$work/public" -I "$root" \
      <<<"#include <sluice/$public>
#include \"runtime/api/$source\""
    passes "both spellings of $public in $language, the other way" "${command[@]}" -I "$work/public" -I "$root" \
      <<<"#include \"runtime/api/$source\"
#include <sluice/$public>"
  done
done <<<"$headers"

((failures == 0)) || exit 1
echo "public headers: 7, as their sources"
