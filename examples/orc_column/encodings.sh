#!/usr/bin/env bash
# encodings.sh PROGRAM: a stripe footer names one encoding for each type, or the file is refused. The files are made
# here: one stripe with one row of a struct without fields, no streams, nothing compressed.
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_file NAME STRIPE-FOOTER: the footer's bytes as hexadecimal digits
make_file() {
  local stripe_footer=$2 size hex
  size=$(printf '%02x' $((${#stripe_footer} / 2)))
  hex=4f5243$stripe_footer                       # "ORC", then the stripe: nothing but its footer
  hex+=080310$size                               # footer: header_length 3, content_length
  hex+=1a0a08031000180020${size}2801             # a stripe at 3, no index, no data, its footer's size, one row
  hex+=2202080c3001                              # type 0 is a struct; one row
  hex+=081610002202000c82f403034f52430f          # postscript: footer of 22 bytes, not compressed, version 0.12, "ORC"; 15 bytes
  local i
  for ((i = 0; i < ${#hex}; i += 2)); do printf "\\x${hex:i:2}"; done >"$work/$1"
}

failures=0
expect() {
  local name=$1 wanted_code=$2 wanted=$3 code=0 got
  got=$("$program" "$work/$name" 2>&1) || code=$?
  if ((code != wanted_code)) || [[ $got != *"$wanted" ]]; then
    failures=$((failures + 1))
    printf 'FAILED: %s: exit code %d, %s\n' "$name" "$code" "$got"
  fi
}

make_file one 1200
make_file none ''
make_file two 12001200
expect one 0 '{}'
expect none 1 'stripe 0: the stripe footer names no encodings'
expect two 1 'stripe 0: the stripe footer names 2 encodings for 1 types'
((failures == 0)) && echo "3 files as expected"
