# Every target does its own set-up: `check`, `demo` and `lint` in the light environment, which is a
# part of the whole one, so that the whole one serves them too.
.DEFAULT_GOAL := help
.PHONY: help check demo test formatted typed quick first second whole chaos outages defences lint types lock schemas translations docs picture bench calibrate grid unseen corpus fuzz trackers pyodide clean

BIN := .venv/bin
READY := .venv/.ready
LIGHT := $(if $(wildcard $(READY)),$(READY),.venv/.light)
# Compiled once and kept: else each process of a test compiles the program anew.
unexport PYTHONDONTWRITEBYTECODE

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements/build.txt requirements/dev.txt pyproject.toml tools/install.sh
	@sh tools/install.sh .venv dev
	@touch $@

.venv/.light: requirements/build.txt requirements/check.txt pyproject.toml tools/install.sh
	@sh tools/install.sh .venv check
	@touch $@

# Else the processes of the suite compile the same thousands of modules beside each other.
.venv/.compiled: $(READY)
	@$(BIN)/python -m pytest -p no:schemathesis --collect-only -qq --snapshot-warn-unused >/dev/null
	@touch $@

check: $(LIGHT)  ## format, lint, types, and the tests that need only Python and git: for each edit
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target formatted typed quick

demo: $(LIGHT)  ## play a contribution: a script, a real W&B run, the comment it would get
	@$(BIN)/python -m examples.demo

test: $(READY)  ## format, lint, types, import rules, and the whole test suite
	@sh tools/browser.sh
	@$(MAKE) --no-print-directory --jobs=3 formatted typed whole

chaos: $(READY)  ## kill the App's processes while they answer a storm of deliveries, for minutes
	@$(BIN)/python -m pytest -q -s --durations=0 tests/service/chaos.py

outages: $(READY)  ## keep GitHub, W&B and the database from the App in real length, for half an hour
	@$(BIN)/python -m pytest -q -n 10 -rP --durations=0 tests/service/outages.py

defences: $(READY)  ## weaken each defence in a copy, and see that the tests notice
	@$(BIN)/python -m tests.defences

formatted: $(LIGHT)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .

typed: $(LIGHT)
	@$(BIN)/mypy --no-error-summary

whole: .venv/.compiled
	@$(BIN)/python -m pytest -n 4 --dist worksteal -p no:schemathesis

# In halves of about the same time: processes that share the tests would collect them all, each.
quick: first second
# A plugin is called around each test; these have nothing to do here.
first: FOLDERS := tests/[a-l]*/
second: FOLDERS := tests/[m-z]*/
first second: $(LIGHT)
	@$(BIN)/python -m pytest --quick $(addprefix -p no:,anyio schemathesis xdist) --snapshot-warn-unused $(FOLDERS)

lint: $(LIGHT)  ## format and lint
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

types: $(LIGHT)  ## mypy --strict
	@$(BIN)/mypy

lock: $(READY)  ## write the locks anew from pyproject.toml
	@sh tools/lock.sh

schemas: $(READY)  ## write the published JSON Schemas from the models
	@$(BIN)/python -m tools.schemas

translations: $(READY)  ## bring bot/locale up to date with the texts, and list what is missing
	@$(BIN)/python -m tools.translations

docs: $(READY)  ## write the pages made from the program, and build the site into build/site
	@$(BIN)/python -m tools.rule_pages
	@$(BIN)/python -m tools.guides
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html"

picture: $(READY)  ## photograph the demo's comment for the README (needs Chromium)
	@$(BIN)/python -m examples.demo --quiet
	@sh tools/picture.sh

bench: $(READY)  ## how long a cold `rlbot lint` takes, and what it imports
	@$(BIN)/python -m benchmarks.cold_start

grid: $(READY)  ## what recommend answers over models, devices, tasks and methods, against estimate
	@$(BIN)/python -m tests.recommend.grid $(COUNT)

calibrate: $(READY)  ## how well memory is predicted, case by case, and with each case left out
	@$(BIN)/python -m tests.memory.calibrate

unseen: $(READY)  ## how well memory is predicted for measurements that the model has not met
	@$(BIN)/python -m tests.memory.judge

corpus: $(READY)  ## judge the reader on folders of real scripts: make corpus DIR="DIR…"
	@$(BIN)/python -m tests.shell.corpus $(DIR)

fuzz: $(READY)  ## try properties on more examples, and break the readers: make fuzz SECONDS=600
	@$(BIN)/python -m pytest -q -n logical -m hypothesis --hypothesis-profile=thorough
	@$(BIN)/python -m tests.hostile.fuzz --seconds $$(($(or $(SECONDS),300) / 2))
	@$(BIN)/python -m tests.shell.fuzz --seconds $$(($(or $(SECONDS),300) / 2))

trackers: $(READY)  ## log one launch with the trackers' own SDKs, and read it: a gigabyte of packages
	@sh tests/trackers/install.sh .venv-trackers
	@$(BIN)/python -m tests.trackers.record .venv-trackers build/trackers
	@RLBOT_TRACKERS=build/trackers RLBOT_MLFLOW=$(CURDIR)/.venv-trackers/new/bin/mlflow RLBOT_SWANLAB=$(CURDIR)/.venv-trackers/new/bin/python $(BIN)/python -m pytest -q tests/trackers

pyodide: $(READY)  ## the tests of lint, resolve, estimate and recommend in a browser's Python; needs node
	@sh tests/pyodide/install.sh build/pyodide .venv
	@RLBOT_PYODIDE=build/pyodide $(BIN)/python -m pytest -q -s -p no:cacheprovider tests/pyodide/check.py

clean:  ## remove what make made
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
