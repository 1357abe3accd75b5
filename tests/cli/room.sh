#!/usr/bin/env bash
# Room for output: the verdict is the format's, "no room" is the caller's limit, in the same words on every target.
source "$ROOT/tests/cli/lib.sh"

cat >"$work/many.sluice" <<'SPEC'
format many
  input bytes
  output bytes
  trailing accept rest

  n: u64le
  repeat n times
    emit 0
SPEC
cat >"$work/promised.sluice" <<'SPEC'
format promised
  input bytes
  output bytes
  trailing reject rest

  n: u64le
  producing n
    repeat until end of input
      value: u8
      run value, count 100
SPEC
printf '\377\377\377\377\377\377\377\177' >"$work/huge"
printf '\350\3\0\0\0\0\0\0' >"$work/thousand"

# Eight bytes that ask for 2^63 outputs: done when the limit is reached.
for target in cpu interp; do
  rm -f "$work/out"
  run decode "$work/many.sluice" "$work/huge" -o "$work/out" --target $target --max-output 100000
  expect_code 1
  expect_err 'the output is larger than the 100000 bytes that --max-output allows'
  expect_no_file "$work/out"
  run decode "$work/many.sluice" "$work/thousand" -o "$work/out" --target $target --max-output 1000
  expect_code 0
  run decode "$work/many.sluice" "$work/thousand" -o "$work/out" --target $target --max-output 999
  expect_code 1
done

# More is promised than any machine has, and it is not kept: that is what is wrong, whatever the room.
{ cat "$work/huge"; printf 'abc'; } >"$work/broken"
for target in cpu interp; do
  for limit in '' '--max-output 300' '--max-output 1000000'; do
    run decode "$work/promised.sluice" "$work/broken" -o "$work/out" --target $target $limit
    expect_code 1
    expect_err 'promised.sluice:7:3: `producing` made fewer outputs than it had to'
  done
  run decode "$work/promised.sluice" "$work/broken" -o "$work/out" --target $target --max-output 299
  expect_code 1
  expect_err 'the 299 bytes that --max-output allows'
done

# One file, and several that share the room.
head -c 20000000 /dev/zero >"$work/zeros"
gzip -c "$work/zeros" >"$work/zeros.gz"
mkdir "$work/outs"
cp "$work/zeros.gz" "$work/more.gz"
for limit in '' '--max-output 20000000'; do
  run decode gzip "$work/zeros.gz" -o "$work/out" --target cpu $limit
  expect_code 0
  expect_same "$work/out" "$work/zeros"
  run decode gzip "$work/zeros.gz" "$work/more.gz" -o "$work/outs" --target cpu $limit
  expect_code 0
  expect_same "$work/outs/zeros.gz.out" "$work/zeros"
  expect_same "$work/outs/more.gz.out" "$work/zeros"
done
run decode gzip "$work/zeros.gz" -o "$work/out" --target cpu --max-output 19999999
expect_code 1

# Few addresses: what counting finds suffices.
command='ulimit -v 1000000; sluice decode gzip zeros.gz'
code=0
(ulimit -v 1000000 && "$SLUICE" decode gzip "$work/zeros.gz" -o "$work/out" --target interp) >"$work/stdout" 2>"$work/stderr" || code=$?
expect_code 0
expect_same "$work/out" "$work/zeros"

# A number that an argument's type does not hold names the type and what it holds.
cat >"$work/times.sluice" <<'SPEC'
format times(T: integer = u8)
  input bytes
  output bytes
  trailing accept rest
  argument n: u64 = 1
  argument m: i8 = 1

  require m < 100 else reject far
  repeat min(n, 9) times
    emit 7
SPEC
for command_name in decode trace; do
  for pair in 'n=-1|-1 does not fit `n: u64`, which holds 0 to 18446744073709551615' \
    'm=128|128 does not fit `m: i8`, which holds -128 to 127' 'm=-129|-129 does not fit `m: i8`, which holds -128 to 127' \
    'n=18446744073709551616|is not a number'; do
    if [ $command_name = decode ]; then out=(-o "$work/out"); else out=(); fi
    run $command_name "$work/times.sluice" "$work/huge" "${out[@]}" --set "${pair%%|*}"
    expect_code 2
    expect_err "${pair#*|}"
  done
done
run decode "$work/times.sluice" "$work/huge" -o - --set m=-128 --set n=0xffffffffffffffff --target interp
expect_code 0

finish
