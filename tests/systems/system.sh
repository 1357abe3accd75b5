#!/usr/bin/env bash
# A bare Debian to try things on; sourced by the scripts that do (bare.sh, deb.sh), which define usage().
#
#   choose_system WORD   sets `system` and `suite`; ends with the usage where WORD is no system
#   make_system          builds it with debootstrap, or takes what $BARE_DIRECTORY has; sets `base`
#   inside COMMAND       runs a line of bash in it
#   step WHAT COMMANDS   runs them in it, behind `prelude`, says how it went, and ends the script where one fails
#
# $BARE_DIRECTORY, $BARE_MIRROR and $BARE_CCACHE are as bare.sh --help tells.

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }
die() { say "$*"; exit 1; }

choose_system() {
  case "$1" in
    debian-12) suite=bookworm ;;
    debian-13) suite=trixie ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  system=$1
}

# What it takes to reach the archive and the package index from here: apt's configuration, name resolution, proxies and
# certificates. Nothing else of this machine gets in.
reach() {
  local path
  for path in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf \
    /etc/apt/auth.conf.d /etc/ssl/certs /usr/local/share/ca-certificates "$@"; do
    if [[ -e $path ]]; then
      mkdir -p "$base$(dirname "$path")"
      cp -rL --remove-destination "$path" "$base$(dirname "$path")/"
    fi
  done
}

make_system() {
  local mirror tool variable home=~root
  local -a named=()
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
    chmod 755 "$base" # the system's root, which its users have to get through
    trap 'rm -rf --one-file-system "$base"' EXIT
  fi

  if [[ ! -e $base/etc/debian_version ]]; then
    say "$system: a minimal system from this machine's archive"
    debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$base.log" 2>&1 || { tail -n 20 "$base.log" >&2; die "debootstrap failed"; }
    rm -f "$base.log"
  fi

  environment=("HOME=$home" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb)
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
}

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

step() {
  local started=$SECONDS
  inside "$prelude$2" || die "$system: $1: failed"
  say "$system: $1: passed in $((SECONDS - started)) s"
}
