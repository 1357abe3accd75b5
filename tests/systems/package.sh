#!/usr/bin/env bash
# package.sh BUILD VERSION [plugin]: the Debian packages that cpack makes of a build say what they need and hold what they
# should. Exit code 77 where Debian's tools are missing.
#
# That they install and work on a bare system is deb.sh's to try, which takes root, the network and minutes.
set -euo pipefail
export LC_ALL=C
build=$1 version=$2 plugin=${3:-}
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }

(cd "$build" && cpack -G DEB -B "$work") >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }

# matches PACKAGE FIELD REGEX, lacks PACKAGE FIELD REGEX: what the package's control file says
field() { dpkg-deb -f "$work"/"$1"_"$version"-1_*.deb "$2"; }
matches() { field "$1" "$2" | grep -E -- "$3" >/dev/null || fail "$1: $2: $(field "$1" "$2")"; }
lacks() { if field "$1" "$2" | grep -E -- "$3" >/dev/null; then fail "$1: $2: $(field "$1" "$2")"; fi; }
# holds PACKAGE PATHS: these files and no others
holds() {
  dpkg-deb -c "$work"/"$1"_"$version"-1_*.deb | awk '$1 !~ /^d/ {print $6}' | sed 's#^\./##; s#^usr/lib/[a-z0-9_]*-linux-gnu/#usr/lib/#' |
    sort >"$work/found"
  diff --label expected --label "in $1" -U0 <(tr ' ' '\n' <<<"$2" | sort) "$work/found" || fail "$1 holds other files"
}

minor=${version%.*}
matches sluice Version "^$version-1$"
for library in libc6 'libstdc\+\+6' libfmt libtbb libmd0; do matches sluice Depends "(^|, )$library"; done
lacks sluice Depends 'clang|llvm'
matches sluice Recommends '^sluice-clang \| g\+\+'
matches sluice Description '^compiler for decoders'
headers=(abi.h cuda.h cuda.hpp cuda_abi.h result.hpp sluice.h sluice.hpp)
configuration=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt")
cmake=(sluiceConfig.cmake sluiceConfigVersion.cmake sluiceTargets.cmake "sluiceTargets-${configuration,,}.cmake" sluice_add_decoder.cmake)
expected="usr/bin/sluice usr/lib/libsluice.so usr/lib/libsluice.so.$minor usr/lib/libsluice.so.$version"
expected+=" usr/lib/pkgconfig/sluice.pc usr/share/doc/sluice/copyright"
holds sluice "$expected ${headers[*]/#/usr/include/sluice/} ${cmake[*]/#/usr/lib/cmake/sluice/}"
if [[ -n $plugin ]]; then
  matches sluice-clang Depends "sluice \(= $version-1\)"
  matches sluice-clang Depends '(^|, )libclang-cpp19 ' # which brings libllvm19 of its own build; dpkg-shlibdeps may name that, too
  holds sluice-clang "usr/lib/sluice/libsluice_clang.so usr/share/doc/sluice-clang/copyright"
elif compgen -G "$work/sluice-clang*" >/dev/null; then
  fail "there is a package of a plugin that was not built"
fi

# Programs that are linked to the library find their dependency in shlibs, and the loader hears of the library.
dpkg-deb -e "$work"/sluice_"$version"-1_*.deb "$work/control"
grep "^libsluice $minor sluice" "$work/control/shlibs" >/dev/null || fail "shlibs: $(cat "$work/control/shlibs" 2>&1)"
grep -r ldconfig "$work/control" >/dev/null || fail "nothing tells the loader of the library"
# Stripped: a tenth of what it was.
size=$(field sluice Installed-Size)
((size < 60000)) || fail "it is $size KiB installed"

((failures == 0)) || exit 1
printf 'packages: as they should be; sluice %s KiB installed\n' "$size"
