#!/usr/bin/env bash
# Proves that layout.sh can fail: builds a small clean tree, then breaks it in one way at a time.
# selftest.sh LAYOUT_SH
set -euo pipefail
layout=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

clean_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/dsl/source "$tree"/compiler/interp "$tree"/runtime/api "$tree"/tests
  for file in README.md LICENSE dev CMakeLists.txt; do echo text >"$tree/$file"; done
  printf '#pragma once\n' >"$tree/dsl/source/span.h"
  printf '#include "dsl/source/span.h"\n' >"$tree/compiler/interp/interp.cpp"
}

# expect TEXT: layout.sh fails and says TEXT
expect() {
  local output
  if output=$(bash "$layout" "$tree" 2>&1); then
    echo "not noticed: $1"
    failures=$((failures + 1))
  elif [[ $output != *"$1"* ]]; then
    printf 'expected "%s" in:\n%s\n' "$1" "$output"
    failures=$((failures + 1))
  fi
  clean_tree
}

clean_tree
bash "$layout" "$tree" >/dev/null || { echo "a clean tree is refused"; bash "$layout" "$tree"; exit 1; }

mkdir "$tree/misc"; echo x >"$tree/misc/x"
expect 'unexpected misc'
rm "$tree/LICENSE"
expect 'LICENSE is missing'
echo '#include "compiler/ir/ir.h"' >>"$tree/dsl/source/span.h"
expect 'dsl must not include compiler'
echo '#include "runtime/api/abi.h"' >>"$tree/compiler/interp/interp.cpp"
expect 'compiler must not include runtime'
echo '#include <llvm/IR/Module.h>' >>"$tree/compiler/interp/interp.cpp"
expect 'compiler must not see LLVM'
echo '# include <cuda.h>' >>"$tree/dsl/source/span.h"
expect 'dsl must not see LLVM or CUDA'
echo '#include "compiler/passes/pipeline.h"' >>"$tree/compiler/interp/interp.cpp"
expect 'room interp comes before what it includes'
echo '#include "compiler/embed/embed.h"' >>"$tree/compiler/interp/interp.cpp"
expect 'the interpreter sees only the IR'
mkdir "$tree/compiler/schedule"; echo '#include "compiler/emit/cuda.h"' >"$tree/compiler/schedule/choose.cpp"
expect 'room schedule comes before what it includes: compiler/schedule/choose.cpp:1'
mkdir "$tree/compiler/extra"; echo >"$tree/compiler/extra/x.cpp"
expect 'compiler/extra has no place in the order of rooms'
echo '#include "../x.h"' >>"$tree/compiler/interp/interp.cpp"
expect 'includes start at the root'
echo 'add_compile_options(-Werror)' >"$tree/CMakeLists.txt"
expect 'warnings are errors whatever SLUICE_WERROR says: CMakeLists.txt:1'
mkdir "$tree/compiler/emit"; echo '  w.line("if (threadIdx.x == 0)");' >"$tree/compiler/emit/kernel.cpp"
expect "a dialect's spelling: compiler/emit/kernel.cpp:1"
for look in "of.extent.find('[')" 'a->starts_with("-")' 'text.substr(1)' 'line.find("//")' 'name.contains("_")'; do
  mkdir "$tree/compiler/emit"; printf '  // a comment: %s\n  if (%s) return;\n' "$look" "$look" >"$tree/compiler/emit/kernel.cpp"
  expect "an emitter looks at text: compiler/emit/kernel.cpp:2"
done
seq 501 | sed 's|^|// |' >"$tree/compiler/interp/long.cpp"
expect 'long.cpp has 501 lines'
seq 601 | sed 's|^|// |' >"$tree/dsl/source/long.cpp"
expect 'long.cpp has 601 lines'
echo 'int x;' >"$tree/dsl/source/bare.h"
expect 'bare.h has no include guard'
echo "read /ho""me/me/file" >"$tree/README.md"
expect 'machine path: README.md:1'
echo "// TO""DO later" >"$tree/compiler/interp/note.cpp"
expect 'note to self: compiler/interp/note.cpp:1'

((failures == 0)) || exit 1
echo "layout self-test: every violation was noticed"
