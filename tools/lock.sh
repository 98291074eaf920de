#!/bin/sh
# Writes requirements/*.txt: exact versions with hashes, for every supported Python, no host named.
set -eu
lock() {
    .venv/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
        --generate-hashes --no-annotate --custom-compile-command "make lock" "$@"
}
lock --output-file requirements/run.txt
lock --extra service --output-file requirements/service.txt
lock --extra service --group dev --output-file requirements/dev.txt
.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
    --custom-compile-command "make lock" --group build --output-file requirements/build.txt
.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
    --custom-compile-command "make lock" --group action --output-file requirements/action.txt
