#!/usr/bin/env bash
# usage.sh SYSTEMS: wrong words to the scripts in this directory are answered by the usage and exit code 2, before anything
# is built.
set -euo pipefail
systems=$1

# answered SCRIPT WORDS: by the usage
answered() {
  local code=0 output
  # shellcheck disable=SC2086
  output=$(bash "$systems/$1" $2 2>&1) || code=$?
  if ((code != 2)) || [[ $output != usage:* ]]; then
    printf '%s "%s": exit code %d, %s\n' "$1" "$2" "$code" "$output"
    exit 1
  fi
}

for script in bare.sh deb.sh wheel.sh; do
  bash -n "$systems/$script"
  bash "$systems/$script" --help | grep 'debian-12|debian-13' >/dev/null
  for words in '' 'ubuntu-24.04' 'debian-11'; do answered "$script" "$words"; done
done
for script in deb.sh wheel.sh; do
  answered "$script" 'debian-12'
  answered "$script" "debian-12 $systems" # no packages are there
done
echo "usage as promised"
