#!/usr/bin/env bash
# sluice build: artifacts, headers, objects, and decoding with them where nothing can be compiled.
source "$ROOT/tests/cli/lib.sh"
tiny=examples/tinyrle/tinyrle.sluice
a=$work/tiny.sluicea

run build $tiny --target cpu -o "$a" --header "$work/tiny.h" --object "$work/tiny.o" --depfile "$work/tiny.d" --name tiny
expect_code 0
expect_no_out
expect_err 'cpu x86-64-v3'
expect_err 'hash '
check 'the header has constants for errors' grep -qE 'TINY_ERROR_MAIN_[0-9]+_BAD_MAGIC = 0x[0-9a-f]{6}' "$work/tiny.h"
check 'the depfile names the spec' grep -qF "$tiny" "$work/tiny.d"
if command -v cc >/dev/null; then
  check 'the header is C' cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c "$work/tiny.h"
fi

# Equal inputs, equal bytes.
run build $tiny --target cpu -o "$work/again.sluicea"
expect_code 0
expect_same "$a" "$work/again.sluicea"

# What finds decoded sizes is there exactly where they can be found without decoding.
check 'sizes of tinyrle can be found' grep -qaF sluice_count "$a"
cat >"$work/unsized.sluice" <<'EOT'
format unsized
  input bytes
  output bytes
  trailing accept rest

  mark start
  literals u8[1]
  if adler32(output since start) == 7: emit 1
EOT
run build "$work/unsized.sluice" --target cpu -o "$work/unsized.sluicea"
expect_code 0
check 'unsized is decoded' grep -qaF sluice_decode "$work/unsized.sluicea"
check 'sizes of unsized can not be found' absent sluice_count "$work/unsized.sluicea"

run explain "$a"
expect_code 0
expect_out 'artifact of format tinyrle'
expect_out 'runs here'
expect_out 'Code for GPUs: none'
run explain "$a" --json
expect_code 0
expect_json facts
run explain "$a" --target cpu
expect_code 2

export SLUICE_JIT=none
run decode "$a" examples/tinyrle/gate.trle -o "$work/gate.txt"
expect_code 0
expect_err 'aot'
expect_same "$work/gate.txt" examples/tinyrle/gate.txt
run decode "$a" examples/tinyrle/cut.trle -o -
expect_code 1
expect_err 'tinyrle.sluice:13:7: the input ends inside `control` at bit 832 of chunk 0'
run build $tiny --target cpu -o "$work/none.sluicea"
expect_code 3
expect_err 'no compiler for x86-64-v3'
expect_no_file "$work/none.sluicea"
unset SLUICE_JIT

run decode "$a" examples/tinyrle/gate.trle -o - --target interp
expect_code 2
expect_err 'no description to interpret'
run decode "$a" examples/tinyrle/gate.trle -o - --set n=1
expect_code 2
head -c 1000 "$a" >"$work/cut.sluicea"
run decode "$work/cut.sluicea" examples/tinyrle/gate.trle -o -
expect_code 3
expect_err 'cut.sluicea: the artifact is cut short'
cp "$a" "$work/flipped.sluicea"
printf '\x55' | dd of="$work/flipped.sluicea" bs=1 seek=2000 conv=notrunc status=none
run decode "$work/flipped.sluicea" examples/tinyrle/gate.trle -o -
expect_code 3
expect_err 'do not have the hash'
check 'damage was done' bash -c "! cmp -s '$a' '$work/flipped.sluicea'"
cp README.md "$work/text.sluicea"
run decode "$work/text.sluicea" examples/tinyrle/gate.trle -o -
expect_code 3
expect_err 'not a Sluice artifact'
run decode "$work/missing.sluicea" examples/tinyrle/gate.trle -o -
expect_code 3
mkdir "$work/directory.sluicea"
for target in cpu cuda; do
  run decode "$work/directory.sluicea" examples/tinyrle/gate.trle -o - --target $target
  expect_code 3
  expect_err "directory.sluicea: no such file, or it can't be read"
done

# An artifact in the place of a spec, and one whose name hides what it is.
cp "$a" "$work/tiny"
for command_line in "check $a" "emit $work/tiny --target ir" "decode $work/tiny examples/tinyrle/gate.trle -o -"; do
  # shellcheck disable=SC2086
  run $command_line
  expect_code 2
  expect_err 'an artifact, not a spec (commands that take artifacts know them by the ending .sluicea)'
done

for target in cuda gpu cpu:pentium cuda:90 ptx:sm_90 cuda:sm_90x cpu,,cpu; do
  run build $tiny --target $target -o "$work/no.sluicea"
  expect_code 2
  expect_err '--target'
done
run build $tiny --target cpu -o "$work/no.sluicea" --name '9x'
expect_code 2
run build $tiny --target cpu -o "$work/no.sluicea" --schedule 'strategy warp'
expect_code 2
expect_err '--schedule is for the targets cuda and ptx'
expect_no_file "$work/no.sluicea"

# Outputs are tried before anything is compiled, and come all or not at all.
all=(-o "$work/half.sluicea" --header "$work/half.h" --object "$work/half.o" --depfile "$work/half.d")
for at in 1 3 5 7; do
  outputs=("${all[@]}")
  outputs[at]=$work/no/such/directory
  SLUICE_JIT=none run build $tiny --target cpu "${outputs[@]}"
  expect_code 3
  expect_err "can't create $work/no/such/directory"
  expect_not_err 'no compiler'
done
for end in sluicea h o d; do expect_no_file "$work/half.$end"; done
echo 'int old;' >"$work/half.h"
SLUICE_JIT=none run build $tiny --target cpu -o "$work/half.sluicea" --header "$work/half.h" --object "$work/half.o"
expect_code 3
expect_err 'no compiler'
check 'what was there is still there' grep -q 'int old;' "$work/half.h"
expect_no_file "$work/half.o"
if [[ -c /dev/full ]]; then
  run build $tiny --target cpu -o "$work/half.sluicea" --header /dev/full --object "$work/half.o"
  expect_code 3
  expect_err "can't write /dev/full"
  run build $tiny --target cpu -o /dev/full --header "$work/half.h" --object "$work/half.o" --depfile "$work/half.d"
  expect_code 3
  expect_err "can't write /dev/full"
  check 'the device is still there' test -c /dev/full
  for end in sluicea o d; do expect_no_file "$work/half.$end"; done
  check 'what was there is still there' grep -q 'int old;' "$work/half.h"
fi
run build examples/no_such.sluice --target cpu -o "$work/no.sluicea"
expect_code 3
run build orc_rle_v1 --target cpu:x86-64 -o "$work/rle.sluicea" --header "$work/rle.h" --set T=u16
expect_code 0
check 'the element is of two bytes' grep -qF 'ORC_RLE_V1_OUTPUT_ELEMENT_BYTES 2u' "$work/rle.h"

# Without NVRTC there are no kernels, and explain tells what it can.
export SLUICE_NVRTC=none
run build $tiny --target cpu,cuda:sm_90 -o "$work/no.sluicea"
expect_code 3
expect_no_file "$work/no.sluicea"
run explain $tiny --target cuda:sm_90
expect_code 0
expect_out 'On the cuda target, sm_90'
expect_out 'not compiled, so registers, shared memory and occupancy are not known'
expect_out 'split               not legal'
run explain $tiny --target cuda:sm_90 --json
expect_code 0
expect_json cuda
unset SLUICE_NVRTC

# With it, if it is here.
run build $tiny --target cuda:sm_90,ptx -o "$work/gpu.sluicea" --header "$work/gpu.h" --schedule 'strategy leader'
if ((code == 0)); then
  expect_err 'cuda sm_90'
  check 'the header has the plan' grep -qE 'TINYRLE_SM_90_THREADS_PER_BLOCK [0-9]+u' "$work/gpu.h"
  check 'the header tells the schedule' grep -qF 'strategy leader' "$work/gpu.h"
  run explain "$work/gpu.sluicea"
  expect_code 0
  expect_out 'sluice_decode_kernel: '
  run decode "$work/gpu.sluicea" examples/tinyrle/gate.trle -o - --target cpu
  expect_code 3
  expect_err 'holds no code for CPUs'
  run explain $tiny --target cuda:sm_90
  expect_code 0
  expect_out 'registers a thread'
  expect_out 'blocks on a multiprocessor'
else
  expect_code 3
  printf 'no NVRTC: kernels were not compiled\n'
fi
finish
