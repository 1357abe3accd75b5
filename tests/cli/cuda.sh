#!/usr/bin/env bash
# GPUs: without one, and with the stand-in of tests/fake_cuda, which runs kernels on the CPU.
source "$ROOT/tests/cli/lib.sh"
tiny=examples/tinyrle/tinyrle.sluice
gate=examples/tinyrle/gate
export SLUICE_CUDA_JIT=nvrtc SLUICE_CUDA_DRIVER=$work/no/libcuda.so.1 SLUICE_NVRTC=none

# No driver: exit code 3, what was looked for, the way on; no output file.
run decode $tiny $gate.trle -o "$work/out" --target cuda
expect_code 3
expect_err "no CUDA driver on this machine: looked for $work/no/libcuda.so.1"
expect_err '--target cpu'
expect_no_file "$work/out"
run bench $tiny $gate.trle --target cuda:sm_90
expect_code 3
expect_err 'no CUDA driver'
expect_err '--target cpu'

# Where something else is missing, another target is no way on.
for missing in no_such.sluice no_such.sluicea; do
  run decode "$work/$missing" $gate.trle -o "$work/out" --target cuda
  expect_code 3
  expect_err "$missing"
  expect_not_err '--target cpu'
done

# A driver, but no NVRTC.
export SLUICE_CUDA_DRIVER=$FAKE_CUDA SLUICE_FAKE_SPEC=$tiny
run decode $tiny $gate.trle -o "$work/out" --target cuda
expect_code 3
expect_err 'NVRTC (libnvrtc.so.13) was not found in $SLUICE_NVRTC=none'
expect_not_err '--target cpu'

# The kernel's text needs neither; device code needs NVRTC.
run emit $tiny --target cuda:sm_90
expect_code 0
expect_out 'sluice_decode_kernel'
expect_out 'sluice_count_kernel'
expect_err 'the text was not compiled: NVRTC (libnvrtc.so.13) was not found'
run emit $tiny --target cuda
expect_code 0
expect_no_err
cp "$work/stdout" "$work/warp"
run emit $tiny --target cuda --schedule 'strategy leader'
expect_code 0
check 'a schedule changes the text' eval '! cmp -s "$work/stdout" "$work/warp"'
run emit $tiny --target cuda --schedule 'strategy upside_down'
expect_code 2
expect_err ':1:10'
run emit $tiny --target cpu --schedule 'strategy warp'
expect_code 2
run emit $tiny --target cubin:sm_90
expect_code 3
expect_err 'NVRTC'
export SLUICE_NVRTC=$FAKE_CUDA
run emit $tiny --target cubin:sm_90 -o "$work/cubin"
expect_code 0
run emit $tiny --target ptx:compute_90
expect_code 0
run emit $tiny --target cuda:sm_90
expect_code 0
expect_no_err
# A kernel that does not compile is an error wherever it is compiled; its text can still be had.
export SLUICE_FAKE_REFUSES=size_of_nothing
cat > "$work/refused.sluice" <<'EOF'
format refused
  input bytes
  output bytes
  trailing accept rest
  size_of_nothing: u8
  emit size_of_nothing
EOF
for target in cuda:sm_90 ptx:compute_90 cubin:sm_90; do
  run emit "$work/refused.sluice" --target $target
  expect_code 3
  expect_err 'does not compile, which is a fault of Sluice, not of the spec: kernel.cu(9): error: "size_of_nothing" is refused'
done
run emit "$work/refused.sluice" --target cuda
expect_code 0
expect_out 'size_of_nothing'
for form in '' --json; do
  run explain "$work/refused.sluice" --target cuda:sm_90 $form
  expect_code 3
  expect_err 'kernel.cu(9): error: "size_of_nothing" is refused'
done
run explain "$work/refused.sluice" --target cuda
expect_code 0
expect_out 'not compiled: name an architecture'
unset SLUICE_FAKE_REFUSES
run emit $tiny --target cubin:sm_30
expect_code 3
expect_err 'sm_80, sm_90'

# Both: data out as on the CPU, the same words for bad data, the cache.
rm -rf "$SLUICE_CACHE_DIR"
run decode $tiny $gate.trle -o "$work/out" --target cuda
expect_code 0
expect_err 'tinyrle: 114 -> 460 bytes'
expect_err 'Stand-in, sm_90 compiled'
expect_same "$work/out" $gate.txt
run decode $tiny $gate.trle -o "$work/out" --target cuda --schedule 'strategy leader'
expect_code 0
expect_same "$work/out" $gate.txt
# The kernel that was promised alignment gets it, here and from the benchmark.
aligned='input_alignment 128, output_alignment 16'
export SLUICE_FAKE_ALIGNED=128:16
run decode $tiny $gate.trle -o "$work/out" --target cuda --schedule "$aligned"
expect_code 0
expect_same "$work/out" $gate.txt
run bench $tiny $gate.trle --target cuda --gigabytes 0.0001 --schedule "$aligned"
expect_code 0
expect_out 'output_alignment 16'
unset SLUICE_FAKE_ALIGNED
run decode $tiny $gate.trle -o "$work/out" --target cuda
expect_code 0
expect_err 'from the cache'
run decode $tiny $gate.trle -o "$work/out" --schedule 'strategy warp'
expect_code 2
run decode $tiny examples/tinyrle/cut.trle -o "$work/none" --target cuda
expect_code 1
expect_no_file "$work/none"
grep -v '^sluice: note: --target cpu is faster here' "$work/stderr" >"$work/refused.cuda"
run decode $tiny examples/tinyrle/cut.trle -o "$work/none" --target cpu
expect_same "$work/stderr" "$work/refused.cuda"
export SLUICE_FAKE_FAIL=cuLaunchKernel:1
run decode $tiny $gate.trle -o "$work/none" --target cuda
expect_code 3
expect_err 'cuLaunchKernel: CUDA_ERROR_OUT_OF_MEMORY'
unset SLUICE_FAKE_FAIL

# An artifact needs no NVRTC where it runs; what is refused has the same words.
run build orc_byte_rle --target cuda:sm_90,cpu -o "$work/rle.sluicea"
expect_code 0
SLUICE_FAKE_SPEC=orc_byte_rle
printf '\x02\x41\xff\x42' >"$work/rle"
SLUICE_NVRTC=none run decode "$work/rle.sluicea" "$work/rle" -o "$work/out" --target cuda
expect_code 0
check 'five A and a B' test "$(cat "$work/out")" = AAAAAB
printf '\x02\x41\xff' >"$work/cut"
run decode "$work/rle.sluicea" "$work/cut" -o "$work/none" --target cuda
expect_code 1
expect_err 'orc_byte_rle.sluice:'
run decode "$work/rle.sluicea" "$work/rle" -o "$work/none" --target cuda:sm_80
expect_code 3
expect_err 'sm_90'
run decode "$work/rle.sluicea" "$work/rle" -o "$work/none" --target cuda --schedule 'strategy warp'
expect_code 2
run bench "$work/rle.sluicea" "$work/rle" --target cuda --gigabytes 0.0001
expect_code 0
expect_out 'orc_byte_rle'
SLUICE_FAKE_SPEC=$tiny

# Bench: a table, JSON, a chart; several schedules; a file of chunks.
run bench $tiny $gate.trle --target cuda --gigabytes 0.001 --schedule 'strategy warp' --schedule 'strategy leader' \
  --plot "$work/plot.svg"
expect_code 0
expect_out 'GB/s'
expect_out 'strategy warp'
expect_out 'strategy leader'
expect_out 'Stand-in'
check 'the chart is SVG' grep -q '^<svg xmlns' "$work/plot.svg"
cat $gate.trle $gate.trle >"$work/two"
echo '114 114' >"$work/two.sizes"
run bench $tiny "$work/two" --target cuda --gigabytes 0.0001 --repeats 3 --json
expect_code 0
expect_json measurements
expect_out '"distinct_chunks": 2'
echo '114 115' >"$work/two.sizes"
run bench $tiny "$work/two" --target cuda
expect_code 3
expect_err 'two.sizes'
run bench $tiny examples/tinyrle/cut.trle --target cuda
expect_code 1
expect_err 'tinyrle.sluice:'
run bench $tiny $gate.trle --target gpu
expect_code 2

# Tune: a table of what was tried and a file, which the other commands take; what the format has no choice of is not tried.
run tune $tiny --sample $gate.trle --mebibytes 0.01 --repeats 1 --only carve_out,input -o "$work/tiny.sm_90.schedule"
expect_code 0
expect_out 'blocks/SM'
expect_out 'strategy leader'
expect_not_out 'strategy split'
expect_err 'schedules tried in'
check 'a section of the architecture' grep -qx 'cuda:sm_90:' "$work/tiny.sm_90.schedule"
check 'a strategy in it' grep -q '^  strategy ' "$work/tiny.sm_90.schedule"
run decode $tiny $gate.trle -o "$work/out" --target cuda --schedule "$work/tiny.sm_90.schedule"
expect_code 0
expect_same "$work/out" $gate.txt
run explain $tiny --target cuda:sm_90 --schedule "$work/tiny.sm_90.schedule"
expect_code 0
run emit $tiny --target cuda:sm_80 --schedule "$work/tiny.sm_90.schedule"
expect_code 2
expect_err 'no section for cuda:sm_80'
run emit $tiny --target cuda --schedule "$work/none.schedule"
expect_code 2
expect_err "can't be read"
run tune $tiny --sample $gate.trle --mebibytes 0.01 --repeats 1 --only carve_out,input --exhaustive -o "$work/all.schedule"
expect_code 0
check 'the whole product is more' test "$(grep -c strategy "$work/stdout")" -gt 12
run tune $tiny --sample $gate.trle --target cpu
expect_code 2
expect_err 'has no schedules'
run tune $tiny --sample $gate.trle --only checksum
expect_code 2
run tune $tiny --sample examples/tinyrle/cut.trle -o "$work/refused.schedule"
expect_code 1
expect_no_file "$work/refused.schedule"

# Who insists on a GPU for one small chunk hears that it is slower; `auto` does not even look for one.
run decode $tiny $gate.trle -o "$work/out" --target cuda
expect_code 0
check 'one line on the faster target' test "$(grep -c '^sluice: note: --target cpu is faster here, by about ' "$work/stderr")" = 1
expect_err '1 chunk keeps 0.1 % of it busy'
run decode $tiny $gate.trle -o "$work/out" --threads 1
expect_code 0
expect_not_err 'Stand-in'
expect_not_err 'note:'

# Many chunks and one core: `auto` takes the GPU, and the cores when there is no GPU or no way to use it.
printf 'format swallow\n  input bits lsb\n  output bytes\n  trailing reject trailing_bytes\n\n  n: u8\n  emit n\n  skip remaining bytes\n' \
  >"$work/swallow.sluice"
SLUICE_FAKE_SPEC=$work/swallow.sluice
mkdir "$work/many" "$work/to"
for i in {1000..1999}; do
  printf A >"$work/many/$i"
  truncate -s 400K "$work/many/$i"
done
run decode "$work/swallow.sluice" "$work"/many/* -o "$work/to" --threads 1
expect_code 0
expect_err 'Stand-in'
expect_not_err 'note:'
check 'the first byte of each' test "$(cat "$work"/to/*.out)" = "$(printf 'A%.0s' {1..1000})"
SLUICE_NVRTC=none SLUICE_CACHE_DIR=$work/cold run decode "$work/swallow.sluice" "$work"/many/* -o "$work/to" --threads 1
expect_code 0
expect_err 'note: not on the GPU, where it would be faster: NVRTC'
SLUICE_CUDA_DRIVER=$work/no/libcuda.so.1 run decode "$work/swallow.sluice" "$work"/many/* -o "$work/to" --threads 1
expect_code 0
expect_not_err 'note:'
finish
