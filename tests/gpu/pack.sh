#!/usr/bin/env bash
# Fills a folder with everything that tests/gpu/run.sh needs beside the source tree: programs with their libraries,
# test data, and two large texts to compress.
#
#   tests/gpu/pack.sh BUILD [FOLDER] [DATA]     BUILD: a build tree; FOLDER: .gpu; DATA: ../shared/data
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: tests/gpu/pack.sh BUILD [FOLDER] [DATA]}
folder=${2:-.gpu}
data=${3:-../shared/data}
mkdir -p "$folder/bin/lib" "$folder/data" "$folder/corpus"

exclude=$(git rev-parse --git-path info/exclude)
mkdir -p "$(dirname "$exclude")"
grep -qx "/${folder%/}/" "$exclude" 2>/dev/null || echo "/${folder%/}/" >>"$exclude"
{ git rev-parse --short HEAD; git diff --quiet HEAD || echo "with changes"; } | paste -sd' ' >"$folder/commit"

for program in tests/gpu/sluice_gpu_conform tests/bench/cuda_codag/sluice_cuda_codag examples/fused_filter/example_fused_filter sluice; do
  strip -o "$folder/bin/$(basename $program)" "$build/$program"
  # What a bare machine of another distribution may lack. The C and C++ libraries are there, and newer.
  ldd "$build/$program" | awk '$3 ~ /^\// {print $3}' | grep -E '/lib(fmt|crypto|z|tbb|xxhash|md|lz4|snappy|deflate|bz2|zstd)\.so' |
    xargs -r cp -uLt "$folder/bin/lib"
done

if [[ -f $data/MANIFEST.tsv ]]; then
  cp -u "$data/MANIFEST.tsv" "$folder/data/"
  for part in gzip lz4 snappy bzip2 fsst zstd corrupt orc/chunked orc/streams; do
    mkdir -p "$folder/data/$part"
    cp -ru --no-preserve=mode "$data/$part/." "$folder/data/$part/"
  done
  for file in columns/{mortgage_like_loan_id.i64,mortgage_like_rate.f32,taxi_passenger_count_600k.i8,taxi_payment_type.char} \
    columns/{criteo_like_dense.u32,graph_wikivote_src_sorted.u64} genome/ecoli_k12{_bases.txt,.fna} text/bible.txt \
    logs/apache_access.log csv/nycflights13_weather.csv tpch/l_comment.txt tpch/lineitem_first15000.tbl; do
    mkdir -p "$(dirname "$folder/data/raw/$file")"
    cp -u --no-preserve=mode "$data/raw/$file" "$folder/data/raw/$file"
  done
fi

# C++ text that zlib compresses 7 to 8 times, and a piece of an x86-64 library of ratio 3.6, in chunks of 128 KiB. The
# files that are known by their hashes; what can't be made here, run.sh tries there.
python3 tests/bench/corpus.py "$folder/corpus" || true
library=${X86_LIBRARY:-/usr/lib/x86_64-linux-gnu/libclang-cpp.so.19.1}
if [[ -f $library ]]; then
  tail -c +$((51 * 1048576 + 1)) "$library" | head -c 6291456 >"$folder/corpus/x86_binary.bin" || true
fi
du -sh "$folder"
