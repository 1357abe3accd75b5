#!/usr/bin/env bash
# deb.sh SYSTEM PACKAGES: installs Sluice's Debian packages on a bare Debian and uses them there, as somebody does who has
# nothing but the two files. See README.md beside this file.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/systems/system.sh
source "$root/tests/systems/system.sh"

usage() {
  cat <<'TEXT'
usage: deb.sh debian-12|debian-13 PACKAGES

PACKAGES is the directory that `cmake --build BUILD --target sluice_deb` makes: BUILD/packages. Packages are for the system
that they are made on.

BARE_DIRECTORY=DIR   where the system is built; it is kept, and used when it is there, but must be bare (default: a new one,
                     removed)
BARE_MIRROR=URL      Debian's archive (default: the one that this machine's apt uses)
TEXT
}

choose_system "${1:-}"
packages=${2:-}
if [[ -z $packages ]] || ! compgen -G "$packages/sluice_*.deb" >/dev/null; then usage >&2; exit 2; fi
make_system

# What a user has: the packages, a spec and two programs of her own.
rm -rf "$base/try"
mkdir -p "$base/try"
cp "$packages"/sluice*.deb "$base/try/"
cp "$root"/examples/tinyrle/{tinyrle.sluice,gate.trle,gate.txt} "$root/examples/c_api/main.c" "$root/examples/cpp_api/main.cpp" "$base/try/"
cp -r "$root/examples/aot_cmake" "$base/try/"

# What the steps below are written with, in the system. `lacks`, not `!`: bash -e overlooks what `!` turns into a failure.
# shellcheck disable=SC2016
readonly prelude='set -euo pipefail
export DEBIAN_FRONTEND=noninteractive SLUICE_CACHE_DIR=/try/cache
cd /try
lacks() { if "$@" >/try/said 2>&1; then echo "there is, and should not be: $*: $(cat /try/said)"; return 1; fi; }
none() { local found; found=$(find "$1" -xdev -name "$2" 2>/dev/null | grep -vE "^/(proc|try|sluice|var/(lib/apt|cache))(/|$)" || true); [ -z "$found" ] || { echo "left: $found"; return 1; }; }
says() { local words=$1; shift; "$@" >/try/said || { cat /try/said; return 1; }; cat /try/said; grep -E "$words" /try/said >/dev/null; }
install_only() { apt-get install -y -q --no-install-recommends "$@" >/try/apt.log 2>&1 || { cat /try/apt.log; return 1; }; }
# A file that the system'\''s gzip made decodes to what it was made from; nothing is in the cache.
decodes() { rm -rf /try/cache /try/out; sluice decode gzip text.gz -o out --target "$1"; cmp out text; }
'

# shellcheck disable=SC2016
{
step 'the archive answers; no Sluice, no compiler and no LLVM is here' \
  'apt-get update -q >/dev/null; lacks command -v sluice; lacks command -v c++; none /usr "libLLVM*"; none /usr "libfmt*"'
step 'the package installs, with what it depends on, and without a compiler' \
  'install_only ./sluice_*.deb; lacks command -v c++; none /usr "libLLVM*"
   dpkg -s sluice | grep -E "^(Version|Depends|Recommends|Installed-Size)"'
step 'program and library find what they are linked to' \
  'for file in "$(command -v sluice)" $(find /usr/lib -name "libsluice.so.*" -type f); do ldd "$file" >linked; lacks grep "not found" linked; done
   ldconfig -p | grep "libsluice.so.0" >/dev/null'
step 'a gzip file decodes, without any compiler' \
  'find /usr/share/common-licenses -type f -exec cat {} + >text; gzip -9 -c text >text.gz; ls -l text text.gz
   sluice --version; says "^deflate$" sluice list >/dev/null; decodes auto; decodes interp'
step 'a format of her own decodes; what can not be had is said' \
  'sluice check tinyrle.sluice; sluice decode tinyrle.sluice gate.trle -o gate.out; cmp gate.out gate.txt
   code=0; sluice decode gzip text.gz -o none --target cpu || code=$?; [ $code = 3 ]; [ ! -e none ]'
step 'a user who is not root and has no home decodes' \
  'mkdir -p user; cp text.gz user/; chown -R nobody user; cd user
   setpriv --reuid nobody --clear-groups env -u SLUICE_CACHE_DIR HOME=/nonexistent sluice decode gzip text.gz -o out; cmp out ../text'
if compgen -G "$packages/sluice-clang_*.deb" >/dev/null; then
  step 'the plugin installs and compiles, without a C++ compiler' \
    'install_only ./sluice-clang_*.deb; lacks command -v c++; dpkg -s sluice-clang | grep -E "^(Depends|Installed-Size)"
     export SLUICE_JIT=clang; decodes cpu'
  step 'the plugin is removed, and Sluice goes on' \
    'apt-get purge -y -q sluice-clang >/dev/null; none /usr "libsluice_clang*"; decodes auto'
fi
step 'a C++ compiler is found and used' 'install_only g++ pkg-config cmake make; export SLUICE_JIT=cxx; decodes cpu'
step 'programs in C and C++ compile and run by pkg-config' \
  'gcc -std=c11 main.c -o main_c $(pkg-config --cflags --libs sluice); says "decoded: aaaaabbbb" ./main_c
   g++ -std=c++20 main.cpp -o main_cpp $(pkg-config --cflags --libs sluice); says "chunk 0: 11 bytes: hello hello" ./main_cpp'
step 'a CMake project compiles its formats' \
  'rm -rf aot; cmake -S aot_cmake -B aot >/dev/null; cmake --build aot >/dev/null
   export SLUICE_JIT=none; says "chunk 0: hello hello" aot/aot_cmake; says "7 7 7 256 256" aot/aot_bare'
step 'removed, it leaves nothing behind' \
  'apt-get purge -y -q sluice >/dev/null; lacks command -v sluice; none / "*sluice*"'
}
say "$system: all passed"
