#!/usr/bin/env bash
# exports.sh LIBRARY EXPECTED [NM]: the C functions that the library exports are those of the file, one a line.
set -euo pipefail
diff <("${3:-nm}" -D --defined-only "$1" | awk '$3 ~ /^sluice_/ {sub(/@.*/, "", $3); print $3}' | LC_ALL=C sort) "$2"
