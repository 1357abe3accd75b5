#!/usr/bin/env bash
# exports.sh LIBRARY EXPECTED [NM]: what the library exports, versions included, is what the file lists, one a line, C++ by
# its mangled names. A symbol too many, one too few and one of another version are differences, which are shown readably.
#
#   nm -D --defined-only --with-symbol-versions build/libsluice.so | awk '{print $3}' | LC_ALL=C sort >tests/abi/exports.txt
#
# writes the list anew, when it is meant to change.
set -euo pipefail
export LC_ALL=C
found=$("${3:-nm}" -D --defined-only --with-symbol-versions "$1" | awk '{print $3}' | sort)
if [[ $(grep -c '@@SLUICE_' <<<"$found") == 0 ]]; then
  echo "$1 exports nothing that has a version of ours"
  exit 1
fi
if ! difference=$(diff --label listed --label exported -U0 "$2" - <<<"$found"); then
  if command -v c++filt >/dev/null; then c++filt <<<"$difference"; else printf '%s\n' "$difference"; fi
  exit 1
fi
printf '%d symbols, as listed\n' "$(wc -l <"$2")"
