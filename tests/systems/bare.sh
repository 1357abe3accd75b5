#!/usr/bin/env bash
# bare.sh SYSTEM [COMMIT]: tries both commands of README.md, `./dev demo` and `./dev test`, on a bare Debian that holds
# nothing but a clone of this repository. See README.md beside this file.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/systems/system.sh
source "$root/tests/systems/system.sh"

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

choose_system "${1:-}"
commit=$(git -C "$root" rev-parse --verify --quiet "${2:-HEAD}^{commit}") || die "no commit ${2:-HEAD} in $root"
read -ra commands <<<"${BARE_COMMANDS:-demo test}"
for command in "${commands[@]}"; do
  [[ $command == demo || $command == test ]] || { usage >&2; exit 2; }
done

make_system

# ---- the clone --------------------------------------------------------------------------------------------------------

rm -rf "$base/sluice"
git clone --quiet --no-hardlinks --no-checkout "$root" "$base/sluice"
git -C "$base/sluice" checkout --quiet --detach "$commit"
git -C "$base/sluice" remote remove origin

# ---- both commands ----------------------------------------------------------------------------------------------------

if [[ -n "${BARE_CCACHE:-}" ]]; then inside 'apt-get update -q && apt-get install -y -q --no-install-recommends ccache'; fi
for command in "${commands[@]}"; do
  say "$system: ./dev $command at ${commit:0:12}"
  started=$SECONDS
  inside "cd /sluice && ./dev $command" || die "$system: ./dev $command failed after $((SECONDS - started)) s"
  say "$system: ./dev $command passed in $((SECONDS - started)) s"
done
