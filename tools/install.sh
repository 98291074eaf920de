#!/bin/sh
# Makes a virtual environment at $1 that holds what requirements/ locks, and this package in it.
set -eu
venv=$1

for python in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        found=$python
        break
    fi
done
if [ -z "${found:-}" ]; then
    echo "rlbot needs Python 3.11 or newer; install it (apt-get install python3) and try again." >&2
    exit 1
fi

# Debian and Ubuntu ship Python without what a virtual environment needs.
if ! "$found" -c 'import ensurepip' 2>/dev/null; then
    package=$("$found" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "This Python cannot make a virtual environment: sudo apt-get install $package" >&2
        exit 1
    fi
    echo "Installing $package"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null
fi

echo "Installing into $venv (about a minute, once)"
rm -rf "$venv"
"$found" -m venv "$venv"
install() { "$venv/bin/python" -m pip --disable-pip-version-check --quiet install "$@"; }
# Builders first: nothing is built with anything that the locks do not name.
install --require-hashes -r requirements/build.txt
install --require-hashes --no-build-isolation -r requirements/dev.txt
install --no-deps --no-build-isolation --editable .
