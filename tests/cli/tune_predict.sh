#!/usr/bin/env bash
# sluice tune --predict: a schedule by the cost model, on a machine that has no GPU.
source "$ROOT/tests/cli/lib.sh"
export SLUICE_CUDA_DRIVER=$work/no/libcuda.so.1 SLUICE_CACHE_DIR=$work/cache

# What it needs and what it has nothing to say of.
run tune fsst
expect_code 2
expect_err '--predict measures nothing'
cp examples/tinyrle/tinyrle.sluice "$work/tinyrle.sluice"
printf 'cuda:\n  strategy warp\n  carve_out 37\n' > "$work/tinyrle.schedule"
run tune "$work/tinyrle.sluice" --predict --target cuda:sm_80 -o "$work/no.schedule"
expect_code 2
expect_err 'tinyrle has `strategy warp, carve_out 37`, and no such kernel was among those that the cost model was fitted to'
expect_no_file "$work/no.schedule"
run tune fsst --predict --sample "$work/tinyrle.sluice"
expect_code 2
expect_err '--sample excludes --predict'
run tune fsst --predict --target cpu
expect_code 2
SLUICE_CUDA_JIT=nvrtc SLUICE_NVRTC=none run tune fsst --predict --target cuda:sm_80 -o "$work/no.schedule"
expect_code 3
expect_err 'NVRTC (libnvrtc.so.13) was not found'
expect_no_file "$work/no.schedule"

run tune fsst --predict --target cuda:sm_80 -o "$work/fsst.schedule"
if [ "$code" = 3 ] && grep -q NVRTC "$work/stderr"; then
  echo "skipped: no NVRTC"
  finish
  exit
fi
expect_code 0
expect_out '(in force without a search) strategy lanes'
expect_out 'strategy lanes, input registers'
expect_err 'schedules compiled in'
expect_err 'none measured'
check 'the file says that nothing was measured' grep -q '^# fsst on sm_80, unmeasured: ' "$work/fsst.schedule"
check 'a section of the architecture' grep -qx 'cuda:sm_80:' "$work/fsst.schedule"
run explain fsst --target cuda:sm_80 --schedule "$work/fsst.schedule"
expect_code 0

# The default first, as what the others are measured by.
run tune lz4_block --predict --target cuda:sm_90 --only input -o "$work/lz4.schedule"
expect_code 0
check 'the default is 1' test "$(awk 'NR == 2 {print $1}' "$work/stdout")" = 1.000
check 'registers promise more' test "$(awk '/speculate, input registers$/ {print ($1 > 1)}' "$work/stdout")" = 1
check 'but less than the model is off by' test "$(tail -n 1 "$work/lz4.schedule")" = '  strategy speculate'
check 'strategies are compared' grep -q 'strategy warp' "$work/stdout"
check 'only what was asked for is changed' test "$(grep -cvE 'schedule$|strategy [a-z]+(, input registers)?$' "$work/stdout")" = 0

# Nothing was fitted of it, so strategies alone are compared.
run tune lz4_block --predict --target cuda:sm_90 --only prefetch -o "$work/lz4.schedule"
expect_code 0
check 'no other directive is changed' test "$(grep -cvE 'schedule$|strategy [a-z]+$' "$work/stdout")" = 0

# Another strategy is what the model may take, where it promises enough.
cp codecs/orc_byte_rle/orc_byte_rle.sluice "$work/orc_byte_rle.sluice"
printf 'cuda:\n  strategy warp\n' > "$work/orc_byte_rle.schedule"
run tune "$work/orc_byte_rle.sluice" --predict --target cuda:sm_90 --only input -o "$work/new.schedule"
expect_code 0
check 'tokens that are values are for speculate' grep -qx '  strategy speculate' "$work/new.schedule"
finish
