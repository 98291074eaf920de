#!/bin/sh
# Writes requirements/*.txt: exact versions with hashes, for every supported Python, no host named.
# What everything together is locked to comes first, and every other lock takes its versions.
set -eu
lock() {
    .venv/bin/uv pip compile "$@" --quiet --universal --python-version 3.11 --generate-hashes \
        --no-annotate --custom-compile-command "make lock"
}
everything=requirements/dev.txt
lock pyproject.toml --extra service --group dev --output-file "$everything"
lock pyproject.toml --constraint "$everything" --output-file requirements/core.txt
lock pyproject.toml --constraint "$everything" --extra github --extra wandb \
    --output-file requirements/run.txt
lock pyproject.toml --constraint "$everything" --extra service \
    --output-file requirements/service.txt
lock pyproject.toml --constraint "$everything" --extra service --group check \
    --output-file requirements/check.txt
lock --group build --constraint "$everything" --output-file requirements/build.txt
lock --group action --constraint "$everything" --output-file requirements/action.txt
