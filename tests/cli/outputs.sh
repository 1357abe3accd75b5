#!/usr/bin/env bash
# Outputs: written beside and renamed, whole or not there; names that clash; streams that are closed or full.
source "$ROOT/tests/cli/lib.sh"
tiny=examples/tinyrle/tinyrle.sluice
gate=examples/tinyrle/gate
cut=examples/tinyrle/cut.trle
cat dsl/*/*.cpp >"$work/text"
gzip -9 -c "$work/text" >"$work/text.gz"
printf 'old' >"$work/old"
expect_no_temporaries() { check "no temporary file should be left" test -z "$(find "$work" -name '.sluice*')"; }
# limited BLOCKS ARGUMENTS...: run with files limited to so many KiB, which is met like a full disk
limited() {
  command="sluice ${*:2} (files of at most $1 KiB)"
  code=0
  (ulimit -f "$1" && exec "$SLUICE" "${@:2}" >"$work/stdout" 2>"$work/stderr" </dev/null) || code=$?
}

# No room for the new file: the old one is what it was, at the same place.
run decode gzip "$work/text.gz" -o "$work/warm"   # the cache needs room, too
cp "$work/old" "$work/out"
limited 4 decode gzip "$work/text.gz" -o "$work/out"
expect_code 3
expect_err "can't write $work/out: File too large"
expect_same "$work/out" "$work/old"
limited 4 decode gzip "$work/text.gz" -o "$work/new"
expect_code 3
expect_no_file "$work/new"
cp "$work/text.gz" "$work/self"
limited 4 decode gzip "$work/self" -o "$work/self" --in-place
expect_code 3
expect_same "$work/self" "$work/text.gz"
{ sed 's/count control - 126/count   control-126/' $tiny; for _ in {1..200}; do printf '# %080d\n' 0; done; } >"$work/long.sluice"
cp "$work/long.sluice" "$work/long.before"
limited 4 fmt "$work/long.sluice"
expect_code 3
expect_err "can't write $work/long.sluice: File too large"
expect_same "$work/long.sluice" "$work/long.before"
limited 4 emit gzip --target cpu -o "$work/new"
expect_code 3
expect_no_file "$work/new"
limited 4 build gzip --target cpu --header "$work/out" -o "$work/new.sluicea"
expect_code 3
expect_same "$work/out" "$work/old"
expect_no_file "$work/new.sluicea"
limited 4 encode fsst "$work/text" -o "$work/new"
expect_code 3
expect_no_file "$work/new"
expect_no_temporaries

# The same on a disk that is full, where one can be made.
mkdir "$work/disk"
if mount -t tmpfs -o size=64k tmpfs "$work/disk" 2>/dev/null; then
  cp "$work/old" "$work/disk/out"
  cp $tiny "$work/disk/spec.sluice"
  sed -i 's/count control - 126/count   control-126/' "$work/disk/spec.sluice"
  cp "$work/disk/spec.sluice" "$work/spec.before"
  cat /dev/zero >"$work/disk/full" 2>/dev/null || true
  run fmt "$work/disk/spec.sluice"
  expect_code 3
  expect_err 'No space left on device'
  expect_same "$work/disk/spec.sluice" "$work/spec.before"
  run decode $tiny $gate.trle -o "$work/disk/out"
  expect_code 3
  expect_same "$work/disk/out" "$work/old"
  expect_no_temporaries
  umount "$work/disk"
else
  echo "skipped: a full disk (no right to mount one here); files of limited size stand for it"
fi

# A new file has the permissions of any new file, a replaced one keeps its own; links stay links.
(umask 027 && exec "$SLUICE" decode $tiny $gate.trle -o "$work/fresh" 2>/dev/null)
check "640 for a new file" test "$(stat -c %a "$work/fresh")" = 640
chmod 600 "$work/out"
run decode $tiny $gate.trle -o "$work/out"
expect_code 0
check "600 is kept" test "$(stat -c %a "$work/out")" = 600
mkdir "$work/elsewhere"
cp "$work/old" "$work/elsewhere/target"
ln -s elsewhere/target "$work/link"
ln -s elsewhere/coming "$work/dangling"
for link in link dangling; do
  run decode $tiny $gate.trle -o "$work/$link"
  expect_code 0
  check "$link is still a link" test -L "$work/$link"
  expect_same "$work/$link" $gate.txt
done
expect_same "$work/elsewhere/target" $gate.txt
expect_same "$work/elsewhere/coming" $gate.txt

# What is refused leaves nothing, and what was there stays; --keep-partial keeps the prefix, a stream gets it.
for target in cpu interp; do
  cp "$work/old" "$work/out"
  run decode $tiny $cut -o "$work/out" --target $target
  expect_code 1
  expect_same "$work/out" "$work/old"
  run decode $tiny $cut -o "$work/out" --target $target --keep-partial
  expect_code 1
  check "more than nothing is kept" test -s "$work/out"
  check "the prefix is kept" cmp -s -n "$(stat -c %s "$work/out")" "$work/out" $gate.txt
  cp "$work/out" "$work/prefix"
  run decode $tiny $cut -o - --target $target
  expect_code 1
  expect_same "$work/stdout" "$work/prefix"
  expect_err 'cut.trle'
done

# An input is replaced only when that is asked for, by whatever name it goes.
cp "$work/text.gz" "$work/self"
ln "$work/self" "$work/hard"
ln -s self "$work/soft"
mkdir "$work/sub"
for name in self hard soft sub/../self; do
  run decode gzip "$work/self" -o "$work/$name"
  expect_code 2
  expect_err "$work/self is to be read"
  expect_err '--in-place'
  expect_same "$work/self" "$work/text.gz"
done
command="sluice decode gzip - -o self <self"
code=0
"$SLUICE" decode gzip - -o "$work/self" <"$work/self" >"$work/stdout" 2>"$work/stderr" || code=$?
expect_code 2
expect_same "$work/self" "$work/text.gz"
run decode gzip "$work/self" -o "$work/other" --in-place
expect_code 2
run decode gzip - --in-place
expect_code 2
run decode gzip "$work/self" --in-place --keep-partial
expect_code 2
run decode gzip "$work/soft" --in-place
expect_code 0
expect_same "$work/self" "$work/text"
check "a link stays a link" test -L "$work/soft"
run decode gzip "$work/self" --in-place   # is no gzip file any more
expect_code 1
expect_same "$work/self" "$work/text"
cp "$work/text.gz" "$work/self"
run decode gzip "$work/self" -o "$work/self" --in-place
expect_code 0
expect_same "$work/self" "$work/text"
cp $tiny "$work/spec.sluice"
run decode "$work/spec.sluice" $gate.trle -o "$work/spec.sluice"
expect_code 2
expect_same "$work/spec.sluice" $tiny
run emit "$work/spec.sluice" --target ir -o "$work/spec.sluice"
expect_code 2
expect_same "$work/spec.sluice" $tiny
printf '\x00\x05\x00\x50abcde' >"$work/block"
run decode lz4_block "$work/block" --dictionary "$work/old" -o "$work/old"
expect_code 2
expect_err "$work/old is to be read"
run encode fsst "$work/text" -o "$work/text"
expect_code 2

# Two outputs of one name: refused before anything is decoded.
mkdir "$work/a" "$work/b" "$work/to"
cp "$work/text.gz" "$work/a/x.gz"
cp "$work/text.gz" "$work/b/x.gz"
run decode gzip "$work/a/x.gz" "$work/b/x.gz" -o "$work/to"
expect_code 2
expect_err "two outputs go to $work/to/x.gz.out: $work/a/x.gz and $work/b/x.gz"
check "nothing is written" test -z "$(ls "$work/to")"
cp "$work/text.gz" "$work/b/y.gz"
touch "$work/to/x.gz.out"
ln -s x.gz.out "$work/to/y.gz.out"
run decode gzip "$work/a/x.gz" "$work/b/y.gz" -o "$work/to"
expect_code 2
run decode gzip "$work/a/x.gz" "$work/a/x.gz" --in-place
expect_code 2
run build $tiny --target cpu --header "$work/same" -o "$work/same"
expect_code 2
expect_err 'two outputs go to'
expect_no_file "$work/same"
run decode gzip - - -o "$work/to"
expect_code 2
expect_err 'given twice'

# Places that are none.
run decode $tiny $gate.trle -o "$work/no/such/place"
expect_code 3
expect_err "$work/no/such/place"
run decode $tiny $gate.trle -o "$work/sub"
expect_code 3
expect_err 'it is a directory'
run decode $tiny $gate.trle
expect_code 2
expect_err '--in-place'
run decode $tiny "$work/sub" -o "$work/none"
expect_code 3
expect_err 'it is a directory'
expect_no_file "$work/none"
chmod 000 "$work/a/x.gz"
if ! cat "$work/a/x.gz" >/dev/null 2>&1; then
  run decode gzip "$work/a/x.gz" -o "$work/none"
  expect_code 3
  expect_err 'Permission denied'
fi

# Pipes in and out, devices: written as they are.
mkfifo "$work/in" "$work/pipe"
cat $gate.trle >"$work/in" &
run decode $tiny "$work/in" -o "$work/none"
expect_code 0
expect_same "$work/none" $gate.txt
cat "$work/pipe" >"$work/got" &
run decode $tiny $gate.trle -o "$work/pipe"
expect_code 0
wait
expect_same "$work/got" $gate.txt
check "a pipe stays a pipe" test -p "$work/pipe"
run decode $tiny $gate.trle -o /dev/null
expect_code 0
check "/dev/null is a device" test -c /dev/null
run decode $tiny $gate.trle -o /dev/stdout
expect_code 0
expect_same "$work/stdout" $gate.txt
command='sluice decode -o /dev/stdout behind other output'
code=0
{ printf 'first\n' && "$SLUICE" decode $tiny $gate.trle -o /dev/stdout; } >"$work/both" 2>"$work/stderr" || code=$?
expect_code 0
check "what was there before stays" cmp -s "$work/both" <(printf 'first\n' | cat - $gate.txt)
run decode $tiny $gate.trle -o >(cat >"$work/substituted")
expect_code 0

# Standard output or standard error closed or full: exit code 3 and a sentence where one can be said.
to_full() {
  command="sluice $* >/dev/full"
  code=0
  : >"$work/stdout"
  "$SLUICE" "$@" >/dev/full 2>"$work/stderr" </dev/null || code=$?
  expect_code 3
  check "one sentence" test "$(grep -c "^sluice: error: can't write standard output: No space left on device$" "$work/stderr")" = 1
}
closed() {
  command="sluice $* >&-"
  code=0
  : >"$work/stdout"
  "$SLUICE" "$@" >&- 2>"$work/stderr" </dev/null || code=$?
  expect_code 3
  expect_err "can't write standard output"
}
cp $tiny "$work/loose.sluice"
sed -i 's/count control - 126/count   control-126/' "$work/loose.sluice"
for command_line in "trace $tiny $gate.trle" "check $tiny" "check $tiny --json" list "explain $tiny" "explain $tiny --json" \
  "emit $tiny --target cpu" --help --version "decode --help" \
  "decode $tiny $gate.trle -o -" "fmt --check $work/loose.sluice" "bench $tiny $gate.trle"; do
  # shellcheck disable=SC2086
  to_full $command_line
  # shellcheck disable=SC2086
  closed $command_line
done
run emit $tiny --target cpu -o /dev/full
expect_code 3
expect_err "can't write /dev/full: No space left on device"
run decode $tiny $gate.trle -o /dev/full
expect_code 3
for where in /dev/full closed; do
  command="sluice decode with stderr $where"
  rm -f "$work/none"
  code=0
  : >"$work/stderr"
  if [[ $where == closed ]]; then
    "$SLUICE" decode $tiny $gate.trle -o "$work/none" 2>&- || code=$?
  else
    "$SLUICE" decode $tiny $gate.trle -o "$work/none" 2>$where || code=$?
  fi
  expect_code 3
  expect_same "$work/none" $gate.txt   # and no message is in it
  code=0
  "$SLUICE" decode $tiny $cut -o "$work/none" 2>/dev/full || code=$?
  expect_code 1
  code=0
  "$SLUICE" frobnicate 2>/dev/full || code=$?
  expect_code 2
done
expect_no_temporaries

# --limit stops the decode: neither the rest of a file far larger than memory is read, nor what follows decoded.
cat $gate.trle >"$work/big"
truncate -s 1T "$work/big" 2>/dev/null || truncate -s 7G "$work/big"
run trace $tiny "$work/big" --limit 5
expect_code 0
expect_out '... and more: --limit ends it here'
check "a heading, five events and a word on the rest" test "$(wc -l <"$work/stdout")" -eq 7
run trace $tiny $cut --limit 5   # its error comes later
expect_code 0
expect_no_err
finish
