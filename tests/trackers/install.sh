#!/bin/sh
# Makes the environments with the trackers' SDKs below $1: a gigabyte, for `make trackers` alone.
# verl comes without what it depends on: only its logger is used.
set -eu
for name in new old; do
    [ -e "$1/$name/.ready" ] && continue
    python3 -m venv "$1/$name"
    "$1/$name/bin/python" -m pip --disable-pip-version-check --quiet install \
        -r "tests/trackers/requirements-$name.txt"
    "$1/$name/bin/python" -m pip --disable-pip-version-check --quiet install --no-deps verl==0.9.1
    touch "$1/$name/.ready"
done
