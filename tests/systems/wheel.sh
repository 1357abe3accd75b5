#!/usr/bin/env bash
# wheel.sh SYSTEM WHEELS: installs the Python wheel on a bare Debian that has Python and nothing else, and runs the README's
# lines there. See README.md beside this file.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/systems/system.sh
source "$root/tests/systems/system.sh"

usage() {
  cat <<'TEXT'
usage: wheel.sh debian-12|debian-13 WHEELS

WHEELS is the directory that `./dev wheel` makes: build/wheels. Debian 12 has CPython 3.11, Debian 13 has 3.13.

BARE_DIRECTORY=DIR   where the system is built; it is kept, and used when it is there, but must be bare (default: a new one,
                     removed)
BARE_MIRROR=URL      Debian's archive (default: the one that this machine's apt uses)
TEXT
}

choose_system "${1:-}"
wheels=${2:-}
if [[ -z $wheels ]] || ! compgen -G "$wheels/sluice_codecs-*.whl" >/dev/null; then usage >&2; exit 2; fi
make_system

# What a user has: the wheel, and two files to decode.
rm -rf "$base/try"
mkdir -p "$base/try"
cp "$wheels"/sluice_codecs-*.whl "$base/try/"
cp "$root"/examples/tinyrle/{tinyrle.sluice,gate.trle,gate.txt} "$base/try/"
python3 - "$root/README.md" >"$base/try/readme.py" <<'PYTHON'
import pathlib, re, sys
print(re.search(r"## From Python.*?```python\n(.*?)```", pathlib.Path(sys.argv[1]).read_text(), re.S)[1])
PYTHON
cat >"$base/try/more.py" <<'PYTHON'
import gzip, warnings
import sluice_codecs as sluice

text = b"".join(b"%d lines of text\n" % i for i in range(20000))
decoder = sluice.Decoder("gzip")
assert decoder.decode(gzip.compress(text)).tobytes() == text
assert decoder.engine == "aot", decoder.engine  # machine code that was made ahead of time
for codec in sluice.list():  # every one of them has it
    assert sluice.Decoder(codec.name).engine == "aot", codec.name
try:
    decoder.decode(b"not gzip")
    raise SystemExit("nothing was refused")
except sluice.DecodeError as error:
    print(error)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    own = sluice.Decoder("tinyrle.sluice")
assert own.decode(open("gate.trle", "rb").read()).tobytes() == open("gate.txt", "rb").read()
assert own.target == "interp" and len(said) == 1, (own, said)  # no compiler is here, and one warning says so
print(said[0].message)
PYTHON

readonly prelude='set -euo pipefail; export DEBIAN_FRONTEND=noninteractive; cd /try; '

# shellcheck disable=SC2016
{
step 'Python is installed, and no compiler' \
  '{ apt-get update -q && apt-get install -y -q --no-install-recommends python3 python3-venv ca-certificates; } >apt.log 2>&1 || { cat apt.log; exit 1; }
   if command -v c++ || command -v cc || command -v clang; then exit 1; fi; python3 --version'
step 'the wheel installs' \
  'python3 -m venv env; env/bin/pip install -q --only-binary :all: --no-index --find-links /try --no-deps sluice-codecs
   env/bin/pip install -q --only-binary :all: numpy; env/bin/pip list'
step 'the lines of the README run' \
  'for i in $(seq 1000); do echo "what it holds"; done | gzip >archive.gz; env/bin/python readme.py'
step 'every codec has its machine code; a format of her own decodes' 'env/bin/python more.py'
}
say "$system: all passed"
