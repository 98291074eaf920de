#!/bin/sh
# Puts Pyodide and the packages that its tests need below $1, for `make pyodide`; needs node and npm.
# Versions and hashes are those of the locks. What is compiled comes built for Pyodide from PyPI; of
# PyYAML and antlr4, which are not there, the Python of the environment $2 is taken.
set -eu
to=$1
bin=$2/bin
[ "$to/.ready" -nt requirements/check.txt ] && [ "$to/.ready" -nt tests/pyodide/package-lock.json ] &&
    [ "$to/.ready" -nt tests/pyodide/python.mjs ] && [ "$to/.ready" -nt tests/pyodide/install.sh ] && exit
command -v npm >/dev/null || {
    echo "make pyodide needs Node.js: apt-get install nodejs npm" >&2
    exit 1
}
echo "Installing Pyodide into $to (about half a minute, once)"
rm -rf "$to"
mkdir -p "$to/site"
cp tests/pyodide/package.json tests/pyodide/package-lock.json tests/pyodide/python.mjs "$to"
npm --prefix "$to" --silent ci
awk -v names="annotated-types attrs docutils hydra-core hypothesis iniconfig linkify-it-py \
    markdown-it-py mdurl omegaconf packaging pluggy pydantic pydantic-core pygments pytest \
    sortedcontainers syrupy typing-extensions typing-inspection" '
    BEGIN { split(names, list, /[ \n]+/); for (i in list) wanted[list[i]] = 1 }
    /^[a-z]/ { split($1, part, "=="); keep = part[1] in wanted }
    keep' requirements/check.txt >"$to/requirements.txt"
"$bin/python" -m pip --disable-pip-version-check --quiet install --no-deps --require-hashes \
    --only-binary :all: --platform pyemscripten_2026_0_wasm32 --python-version 3.14 \
    --implementation cp --abi cp314 --abi none --target "$to/site" -r "$to/requirements.txt"
"$bin/python" - "$to/site" <<'PYTHON'
import shutil, sys
from importlib.util import find_spec
from pathlib import Path

for name in ("antlr4", "yaml"):
    folder = Path(find_spec(name).origin).parent
    shutil.copytree(folder, Path(sys.argv[1], name), ignore=shutil.ignore_patterns("*.so"))
PYTHON
touch "$to/.ready"
