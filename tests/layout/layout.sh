#!/usr/bin/env bash
# Checks the shape of the tree: layout.sh ROOT. Prints every violation; exit code 1 when there was one.
#   - the top level holds the rooms and nothing else
#   - includes go one way: runtime -> compiler -> dsl, and in the compiler each room sees only those that stand before it
#     in compiler_rooms; no CUDA or LLVM header above runtime; the reference interpreter sees the IR and nothing else of
#     the compiler
#   - warnings are errors for those who change Sluice (SLUICE_WERROR), never for those who build it
#   - what CUDA, C++ or another language calls a thing stands in emit/dialect.h alone
#   - emitters look at no text
#   - a source file has at most 600 lines, in the compiler 500; every header guards itself
#   - no path of somebody's machine, no note to self
set -euo pipefail
root=$1
cd "$root"
readonly max_lines=600
readonly max_compiler_lines=500
violations=0

violation() {
  printf 'layout: %s\n' "$*"
  violations=$((violations + 1))
}

# Every file of the tree, relative, without what .gitignore leaves out.
all_files() {
  find . \( -name .git -o -path './build*' -o -path ./.cache \) -prune -o -type f -print | sed 's|^\./||' | sort
}
mapfile -t files < <(all_files)

top_level() {
  local allowed=' .ci .clang-format .gitignore CMakeLists.txt CMakePresets.json LICENSE README.md codecs compiler dev dsl examples pyproject.toml runtime tests '
  local file top
  for top in $(printf '%s\n' "${files[@]}" | cut -d/ -f1 | sort -u); do
    [[ $allowed == *" $top "* || $top == compile_commands.json || $top == CMakeUserPresets.json ]] ||
      violation "top level: unexpected $top"
  done
  for file in README.md LICENSE dev CMakeLists.txt; do
    [[ -f $file ]] || violation "top level: $file is missing"
  done
}

# forbid WHAT DIRECTORY REGEX: no #include line under DIRECTORY matches REGEX
forbid() {
  local what=$1 directory=$2 regex=$3 line
  [[ -d $directory ]] || return 0
  while IFS= read -r line; do
    violation "$what: $line"
  done < <(grep -rnE --include='*.h' --include='*.hpp' --include='*.cpp' --include='*.c' \
    "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($regex)" "$directory" || true)
}

# From the IR to a command line: what each adds is told in compiler/README.md.
readonly compiler_rooms=(ir embed interp lower analysis passes schedule plan strategy emit artifact driver)

rooms_one_way() {
  local room later i directory
  for ((i = 0; i < ${#compiler_rooms[@]}; ++i)); do
    room=${compiler_rooms[i]}
    later=$(IFS='|'; echo "${compiler_rooms[*]:i+1}")
    [[ -z $later ]] || forbid "room $room comes before what it includes" "compiler/$room" "compiler/($later)/"
  done
  for directory in compiler/*/; do
    room=$(basename "$directory")
    [[ " ${compiler_rooms[*]} " == *" $room "* ]] || violation "compiler/$room has no place in the order of rooms"
  done
}

includes() {
  rooms_one_way
  forbid 'dsl must not include compiler or runtime' dsl '(compiler|runtime)/'
  forbid 'compiler must not include runtime' compiler 'runtime/'
  forbid 'dsl must not see LLVM or CUDA' dsl '(llvm|clang|clang-c|cuda|nvrtc)[./_a-z]'
  forbid 'compiler must not see LLVM or CUDA' compiler '(llvm|clang|clang-c|cuda|nvrtc)[./_a-z]'
  forbid 'the interpreter sees only the IR' compiler/interp 'compiler/(embed)/'
  forbid 'the interpreter sees only the IR' compiler/interp 'dsl/(diag|syntax|sema|model)/'
  forbid 'the product must not include its tests' dsl 'tests/'
  forbid 'the product must not include its tests' compiler 'tests/'
  forbid 'the product must not include its tests' runtime 'tests/'
  forbid 'includes start at the root' . '\.\.?/'
}

# of_kind REGEX: the files whose names match, each ended by a zero byte
of_kind() { printf '%s\n' "${files[@]}" | grep -E "$1" | tr '\n' '\0'; }

lengths() {
  local lines file
  while read -r lines file; do
    local most=$max_lines
    [[ $file != compiler/* ]] || most=$max_compiler_lines
    [[ $file == total ]] || ((lines <= most)) || violation "$file has $lines lines, more than $most"
  done < <(of_kind '\.(cpp|h|hpp|c|def|cmake|sh|sluice)$|(^|/)CMakeLists\.txt$|^dev$' | xargs -0 wc -l)
  while read -r file; do
    violation "$file has no include guard"
  done < <(of_kind '\.(h|hpp)$' | xargs -0 grep -LE '^#(pragma once|ifndef )' || true)
}

# Binary files (test vectors) are skipped by grep's -I; the patterns are written so that they don't match themselves.
texts() {
  local line
  while IFS= read -r line; do
    violation "machine path: $line"
  done < <(printf '%s\0' "${files[@]}" | xargs -0 grep -InE '(^|[^A-Za-z0-9_.}~/])/(work|tmp|root|home)(/|["'"'"'[:space:]]|$)' /dev/null || true)
  while IFS= read -r line; do
    violation "note to self: $line"
  done < <(of_kind '\.(cpp|h|hpp|c|def|cmake|sh|sluice|md)$|^dev$' |
    xargs -0 grep -InwE 'TOD[O]|FIXM[E]|XX[X]|HAC[K]' /dev/null || true)
}

# What one language calls a thing stands in its dialect.
spellings() {
  local line
  [[ -d compiler/emit ]] || return 0
  while IFS= read -r line; do
    violation "a dialect's spelling: $line"
  done < <(grep -rnE '(threadIdx|blockIdx|blockDim|__(global|shared|device|constant|launch_bounds|ffs|popc|clz|brev|shfl|ballot|syncwarp|syncthreads|builtin)[a-z_]*)' \
    compiler/emit --include='*.cpp' --include='*.h' | grep -vE '^compiler/emit/dialect\.h:|^[^:]*:[0-9]+:[[:space:]]*//' || true)
}

# Emitters write text from a finished plan and never look at text: neither at what they wrote nor at what they were
# given. Sets and maps are asked with names, text with these words, or with `find` and `contains` of a literal.
text_search() {
  local line
  [[ -d compiler/emit ]] || return 0
  while IFS= read -r line; do
    violation "an emitter looks at text: $line"
  done < <(grep -rnE '(\.|->)((find_(first|last)_(not_)?of|rfind|starts_with|ends_with|substr|compare|remove_prefix|remove_suffix)\(|(find|contains)\((["'"'"']|std::string))|std::(regex|ranges::search|search)\b|[^_a-z](strstr|strchr|strncmp|memcmp)\(' \
    compiler/emit --include='*.cpp' --include='*.h' | grep -vE '^[^:]*:[0-9]+:[[:space:]]*//' || true)
}

warnings() {
  local line
  while IFS= read -r line; do
    violation "warnings are errors whatever SLUICE_WERROR says: $line"
  done < <(of_kind '(^|/)CMakeLists\.txt$|\.cmake$|^CMakePresets\.json$' | xargs -0 grep -nE 'W''error' /dev/null |
    grep -vF 'list(APPEND SLUICE_WARNINGS -W''error)' || true)
}

top_level
includes
lengths
spellings
text_search
warnings
texts
if ((violations > 0)); then
  printf 'layout: %d violations in %d files\n' "$violations" "${#files[@]}"
  exit 1
fi
printf 'layout: %d files, no violation\n' "${#files[@]}"
