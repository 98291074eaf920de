#!/bin/sh
# Makes a virtual environment at $1 that holds this package and what a lock names: with "check" as
# $2 what `make check` and `make demo` need, with "dev" everything.
set -eu
venv=$1
part=$2

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

# The locks name everything with its version, so nothing is resolved; Python compiles what it uses.
install() {
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet install \
        --no-deps --no-compile --no-build-isolation "$@"
}
light() { # whether the light environment is there, and as the locks have it now
    [ -e "$venv/.light" ] && [ -z "$(find requirements/build.txt requirements/check.txt \
        pyproject.toml tools/install.sh -newer "$venv/.light")" ]
}
if [ "$part" = dev ] && light; then
    echo "Installing the rest into $venv (about a minute, once)"
    install --require-hashes -r requirements/dev.txt
else
    echo "Installing into $venv (about half a minute, once)"
    rm -rf "$venv"
    "$found" -m venv "$venv"
    # Builders first: nothing is built with anything that the locks do not name.
    install --require-hashes -r requirements/build.txt
    install --require-hashes -r "requirements/$part.txt"
    install --editable .
fi
