#!/usr/bin/env bash
# bare.sh SYSTEM [COMMIT]: tries both commands of README.md, `./dev demo` and `./dev test`, on a bare Debian that holds
# nothing but a clone of this repository. See README.md beside this file.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
  cat <<'TEXT'
usage: bare.sh debian-12|debian-13 [COMMIT]

COMMIT is what is cloned, HEAD when none is given: changes that are not committed are not tried.

BARE_DIRECTORY=DIR   where the system is built; it is kept, and used again when it is there (default: a new one, removed)
BARE_COMMANDS=LIST   which of "demo test" are run (default: both)
BARE_MIRROR=URL      Debian's archive (default: the one that this machine's apt uses)
BARE_CCACHE=DIR      a ccache to share with the system, which then has ccache installed (default: none)
SLUICE_JOBS and SLUICE_WERROR are handed on.
TEXT
}

say() { printf 'bare: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

case "${1:-}" in
  debian-12) suite=bookworm ;;
  debian-13) suite=trixie ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac
system=$1
commit=$(git -C "$root" rev-parse --verify --quiet "${2:-HEAD}^{commit}") || die "no commit ${2:-HEAD} in $root"
read -ra commands <<<"${BARE_COMMANDS:-demo test}"
for command in "${commands[@]}"; do
  [[ $command == demo || $command == test ]] || { usage >&2; exit 2; }
done

[[ "$(id -u)" == 0 ]] || die "only root can build a system and change into it"
for tool in debootstrap unshare chroot; do
  command -v "$tool" >/dev/null || die "$tool is missing: apt-get install debootstrap util-linux"
done

# The archive that this machine's own packages come from.
mirror=${BARE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -v security | head -n 1)}
[[ -n $mirror ]] || die "this machine's apt names no archive: set BARE_MIRROR"

if [[ -n "${BARE_DIRECTORY:-}" ]]; then
  base=$BARE_DIRECTORY
  mkdir -p "$base"
else
  base=$(mktemp -d)
  trap 'rm -rf --one-file-system "$base"' EXIT
fi

# ---- the system -------------------------------------------------------------------------------------------------------

if [[ ! -e $base/etc/debian_version ]]; then
  say "$system: a minimal system from this machine's archive"
  debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$base.log" 2>&1 || { tail -n 20 "$base.log" >&2; die "debootstrap failed"; }
  rm -f "$base.log"
fi

# What it takes to reach the archive and the package index from here: apt's configuration, name resolution, proxies and
# certificates. Nothing else of this machine gets in.
reach() {
  local path variable
  for path in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf \
    /etc/apt/auth.conf.d /etc/ssl/certs /usr/local/share/ca-certificates "$@"; do
    if [[ -e $path ]]; then
      mkdir -p "$base$(dirname "$path")"
      cp -rL --remove-destination "$path" "$base$(dirname "$path")/"
    fi
  done
}
home=~root
environment=("HOME=$home" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb)
named=()
for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR PIP_CERT \
  PIP_INDEX_URL REQUESTS_CA_BUNDLE SLUICE_JOBS SLUICE_WERROR; do
  [[ -n "${!variable:-}" ]] || continue
  environment+=("$variable=${!variable}")
  if [[ ${!variable} == /* ]]; then named+=("${!variable}"); fi
done
reach "${named[@]}"
if [[ -n "${BARE_CCACHE:-}" ]]; then
  mkdir -p "$base/ccache" "$BARE_CCACHE"
  environment+=(CCACHE_DIR=/ccache)
fi

# ---- the clone --------------------------------------------------------------------------------------------------------

rm -rf "$base/sluice"
git clone --quiet --no-hardlinks --no-checkout "$root" "$base/sluice"
git -C "$base/sluice" checkout --quiet --detach "$commit"
git -C "$base/sluice" remote remove origin

# ---- both commands ----------------------------------------------------------------------------------------------------

# inside COMMAND: runs it in the system, with mounts and processes of its own that are gone afterwards.
inside() {
  env -i "${environment[@]}" BARE_BASE="$base" BARE_CCACHE="${BARE_CCACHE:-}" BARE_INSIDE="$1" \
    unshare --mount --pid --fork --kill-child bash -c '
      set -e
      mount -t proc proc "$BARE_BASE/proc"
      mount --rbind /dev "$BARE_BASE/dev"
      if [[ -n $BARE_CCACHE ]]; then mount --bind "$BARE_CCACHE" "$BARE_BASE/ccache"; fi
      exec chroot "$BARE_BASE" env -u BARE_BASE -u BARE_CCACHE -u BARE_INSIDE bash -c "$BARE_INSIDE"'
}

if [[ -n "${BARE_CCACHE:-}" ]]; then inside 'apt-get update -q && apt-get install -y -q --no-install-recommends ccache'; fi
for command in "${commands[@]}"; do
  say "$system: ./dev $command at ${commit:0:12}"
  started=$SECONDS
  inside "cd /sluice && ./dev $command" || die "$system: ./dev $command failed after $((SECONDS - started)) s"
  say "$system: ./dev $command passed in $((SECONDS - started)) s"
done
