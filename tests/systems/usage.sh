#!/usr/bin/env bash
# usage.sh BARE_SH: wrong words are answered by the usage and exit code 2, before anything is built.
set -euo pipefail
bare=$1
bash -n "$bare"
bash "$bare" --help | grep -q 'debian-12|debian-13'
for words in '' 'ubuntu-24.04' 'debian-11'; do
  code=0
  # shellcheck disable=SC2086
  output=$(bash "$bare" $words 2>&1) || code=$?
  if ((code != 2)) || [[ $output != usage:* ]]; then
    printf '"%s": exit code %d, %s\n' "$words" "$code" "$output"
    exit 1
  fi
done
echo "usage as promised"
