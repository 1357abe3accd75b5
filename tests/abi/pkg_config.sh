#!/usr/bin/env bash
# pkg_config.sh BUILD ROOT CC CXX VERSION CMAKE: installs the build and compiles programs in C and C++ with what pkg-config
# says of it and with nothing else, where it was installed and again where it was moved to. They run, and nothing of them
# points to the build tree. Exit code 77 where there is no pkg-config.
set -euo pipefail
build=$1 root=$2 cc=$3 cxx=$4 version=$5 cmake=$6
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }
export SLUICE_CACHE_DIR=$work/cache

"$cmake" --install "$build" --prefix "$work/first" --component sluice --strip >"$work/said" 2>&1 || fail "$(cat "$work/said")"
# C links and runs without a C++ compiler or its flags; the GPU's interface links where there is no GPU and no CUDA.
cat >"$work/gpu.c" <<'C'
#include <sluice/cuda.h>
#include <stdio.h>
int main(void) {
  sluice_cuda_decoder* decoder = NULL;
  sluice_error* error = NULL;
  sluice_status status = sluice_cuda_decoder_create_from_text("format", 6, "f.sluice", NULL, &decoder, &error);
  printf("%s refused: %s\n", sluice_version_string(), sluice_error_text(error));
  sluice_error_destroy(error);
  return status == SLUICE_OK || sluice_version_number() != SLUICE_VERSION_NUMBER;
}
C
cat >"$work/gpu.cpp" <<'CPP'
#include <iostream>
#include <sluice/cuda.hpp>
int main() {
  const auto decoder = sluice::cuda::Decoder::from_text("format", "f.sluice");
  std::cout << sluice::version() << (decoder ? " made" : " refused: " + decoder.error().text) << "\n";
  return decoder ? 1 : 0;
}
CPP

# expect WORDS PROGRAM: it ends well and says them
expect() {
  local said
  said=$(LD_LIBRARY_PATH=$libdir "$2" 2>&1) || fail "$2: $? $said"
  grep -qE "$1" <<<"$(tr '\n' ' ' <<<"$said")" || fail "$2 says $said"
}

for prefix in "$work/first" "$work/moved"; do
  [[ $prefix == "$work/first" ]] || mv "$work/first" "$prefix"
  directory=$(dirname "$(find "$prefix" -name sluice.pc)")
  export PKG_CONFIG_PATH=$directory
  [[ $(pkg-config --modversion sluice) == "$version" ]] || fail "pkg-config: version $(pkg-config --modversion sluice)"
  libdir=$(readlink -f "$(pkg-config --variable=libdir sluice)")
  [[ $libdir == "$prefix"/* ]] || fail "the library is in $libdir, not below $prefix"
  read -ra flags <<<"$(pkg-config --cflags sluice)"
  read -ra libs <<<"$(pkg-config --libs sluice)"
  "$cc" -std=c11 -Wall -Wextra -Werror "${flags[@]}" "$root/examples/c_api/main.c" -o "$work/c_api" "${libs[@]}"
  "$cxx" -std=c++20 -Wall -Wextra -Werror "${flags[@]}" "$root/examples/cpp_api/main.cpp" -o "$work/cpp_api" "${libs[@]}"
  "$cc" -std=c11 -Wall -Wextra -Werror "${flags[@]}" "$work/gpu.c" -o "$work/gpu_c" "${libs[@]}"
  "$cxx" -std=c++20 -Wall -Wextra -Werror "${flags[@]}" "$work/gpu.cpp" -o "$work/gpu_cpp" "${libs[@]}"
  expect 'decoded: aaaaabbbb.*refused: pairs.sluice:7:5: ' "$work/c_api"
  expect 'chunk 0: 11 bytes: hello hello.*chunk 1: lz4_block.sluice:.*chunk 2: 4 bytes: abcd' "$work/cpp_api"
  expect "^$version refused: [^ ]" "$work/gpu_c"
  expect "^$version refused: [^ ]" "$work/gpu_cpp"
  # What they ask the loader for is versioned.
  if command -v objdump >/dev/null; then
    objdump -p "$work/c_api" | grep -q 'SLUICE_0\.' || fail "the C program asks for no version of the library's symbols"
    objdump -p "$work/cpp_api" | grep -q 'SLUICE_CXX_0\.' || fail "the C++ program asks for no version of the library's symbols"
  fi
done
for file in "$directory/sluice.pc" "$work/moved/include/sluice"/*; do
  if grep -nF -e "$build" -e "$root" -e "$work" "$file"; then fail "$file names a directory of the machine it was built on"; fi
done
echo "programs in C and C++ compile and run by pkg-config"
