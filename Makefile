# For contributors. Users install with pipx: see README.md.
PYTHON ?= python3
# Windows, where GitHub's runners have make and bash, is not proved.
BIN := $(if $(filter Windows_NT,$(OS)),.venv/Scripts,.venv/bin)
STAMP := .venv/.stamp
# Each worker loads and collects all tests, which takes as long as some hundred of them, and starts
# servers of its own; the type check beside them fills the waits.
WORKERS ?= $(shell getconf _NPROCESSORS_ONLN)

# Memory instead of the disk, if it has 2 GB free: tests that kill processes sync often.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 2000000 { print "/dev/shm" }')
ifneq ($(MEMORY),)
export TMPDIR ?= $(MEMORY)
endif

# The tests start hundreds of processes, which must not compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check docs quick quick-check quick-tests tests wheel-check dist release-check lock torture fuzz findings generate format bench clean

demo: $(STAMP)
	$(BIN)/unlatch demo

# In parallel: the type check uses one core, and installing the wheel mostly waits.
test: $(STAMP)
	$(MAKE) --no-print-directory --jobs=3 --output-sync=target check wheel-check tests

# Static checks, and drift of generated files.
check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/published.py
	$(BIN)/python tools/vague_names.py
	$(BIN)/python tools/generate.py --check
	@$(MAKE) --no-print-directory docs

# Build the documentation; check links and anchors.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --clean

# Checks and tests that take less than 30 seconds: no HTTP, few examples per property.
QUICK := $(addprefix tests/,worklog spi increments config sync lifecycle doctor unlatch_specweave project delivery)
quick: $(STAMP)
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target quick-check quick-tests

quick-check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python tools/published.py
	$(BIN)/python tools/vague_names.py
	$(BIN)/mypy

quick-tests: $(STAMP)
	env -u UNLATCH_SPECS -u UNLATCH_CORPUS -u UNLATCH_SAMPLES \
	  $(BIN)/python -m pytest -q --no-network -m 'not sweep and not connects' \
	  --hypothesis-profile=quick $(QUICK)

tests: $(STAMP)
	$(BIN)/python tests/servers/install.py
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=20 --durations-min=0.5

wheel-check: $(STAMP)
	$(BIN)/python tools/wheel_check.py

# Build the packages in dist/, with nothing but what tools/requirements/build.txt locks.
dist:
	rm -rf dist
	$(call locked,build)
	build/build/bin/python -I -m build --no-isolation --outdir dist .

# Check the packages in dist/; TAG=v1.2.3 also checks the version (docs/releasing.md).
release-check:
	$(call locked,release)
	build/release/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	build/release/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml
	build/release/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	build/release/bin/zizmor --offline --quiet .github action.yml
	@# Of the scripts of these packages only the one that puts the program in place.
	npm ci --prefix tools/validators --ignore-scripts --no-audit --no-fund --silent
	cd tools/validators && node node_modules/@anthropic-ai/claude-code/install.cjs
	PATH="$(CURDIR)/tools/validators/node_modules/.bin:$$PATH" \
	  build/release/bin/python tools/release_check.py $${TAG:+--tag "$$TAG"}

# A virtual environment in build/ with the tools of a lock.
define locked
$(PYTHON) -I -m venv --clear build/$(1)
build/$(1)/bin/python -I -m pip install --quiet --require-hashes --only-binary :all: \
  --requirement tools/requirements/$(1).txt
endef

# Lock again what the action and a release install, after a change of pyproject.toml.
lock: $(STAMP)
	$(BIN)/python -I -m pip install --quiet --group lock
	$(BIN)/python tools/lock.py

# Long tests, run nightly; see docs/reliability.md. Two programs run at a time, the longest first.
torture: $(STAMP)
	$(BIN)/python -I -m pip install --quiet --group fuzz
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile=thorough -m 'sweep or hypothesis'
	$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target $(TORTURE)

TORTURE := $(addprefix torture/, \
  fuzz machines.two_machines crash.fault_matrix security.hostile_tracker crash.run_kill \
  nodes/crash.run_kill crash.run_crashes \
  crash.disturbed crash.both_sides crash.random_life crash.box_kill crash.effort_kill \
  crash.item_kill outside/crash.item_kill earlier/crash.item_kill validators/crash.item_kill crash.regression_kill note/crash.regression_kill crash.kill_matrix crash.crowd \
  crash.at_once fleet.load limits/fleet.load plain/fleet.load)
.PHONY: $(TORTURE)
torture/crash.fault_matrix torture/crash.kill_matrix: OPTIONS := --both
torture/crash.run_kill: OPTIONS := --every 3 --twice 100
torture/nodes/crash.run_kill: OPTIONS := --every 5 --nodes 2
torture/crash.disturbed: OPTIONS := interrupt full full-for-good read-only
torture/crash.both_sides: OPTIONS := --examples 100 --steps 25 --random
torture/crash.random_life: OPTIONS := --examples 200 --steps 30 --random
torture/crash.effort_kill: OPTIONS := --twice 5
torture/outside/crash.item_kill: OPTIONS := --outside
torture/earlier/crash.item_kill: OPTIONS := --earlier
torture/validators/crash.item_kill: OPTIONS := --validators
torture/note/crash.regression_kill: OPTIONS := --note
torture/crash.crowd: OPTIONS := --processes 50 --commands 6
torture/crash.at_once: OPTIONS := --processes 20 --rounds 5
torture/limits/fleet.load: OPTIONS := --limits-decide --repositories 40 --items 15 --tasks 0
torture/plain/fleet.load: OPTIONS := --plain --repositories 60 --items 7 --webhooks 0 --blows 30 --sample 0
$(TORTURE): $(STAMP)
	$(BIN)/python -m tests.$(@F) $(OPTIONS)

# Fuzz the readers of outside text, as OPTIONS="toml mcp --seconds 600". It may be stopped at any time;
# the next call continues with the inputs in .fuzz.
fuzz: $(STAMP)
	$(BIN)/python -I -m pip install --quiet --group fuzz
	$(BIN)/python -m tests.fuzz $(OPTIONS)

# What the tools around unlatch really do, at recorded versions; needs node, npm and the indexes.
findings:
	$(PYTHON) findings/run.py

generate: $(STAMP)
	$(BIN)/python tools/generate.py

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv dist build site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache tools/validators/node_modules tests/servers/node_modules tests/coding_agents/packages/*/node_modules tests/coding_agents/packages/*/.venv tests/increments/layouts/openspec/cli/node_modules tests/increments/layouts/backlog_md/cli/node_modules tests/unlatch_github/octokit/node_modules

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo 'unlatch needs Python 3.11 or newer: install python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("unlatch needs Python 3.11 or newer: install python3.12, and add PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo 'the venv module of Python is missing: install python3-venv' >&2; exit 1; }
	@command -v git >/dev/null || { echo 'git is missing: install git' >&2; exit 1; }
	$(PYTHON) -I -m venv .venv
	$(BIN)/python -I -m pip install --quiet --upgrade 'pip>=25.1'
	@# Libraries are compiled when they are loaded: that of Azure DevOps has a hundred times what is used.
	$(BIN)/python -I -m pip install --quiet --no-compile --editable '.[all,fleet]' --group dev
	@# With PYTHONDONTWRITEBYTECODE, as in many containers, each start would compile again.
	$(BIN)/python -I -m compileall -q core plugins
	touch $(STAMP)
