# For contributors. Users install with pipx: see README.md.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.stamp
WORKERS ?= auto

.PHONY: demo test check tests wheel-check torture generate format bench clean

demo: $(STAMP)
	$(BIN)/unlatch demo

test: check tests wheel-check

# Everything that reads the code without running it, and what is generated from it.
check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/generate.py --check

tests: $(STAMP)
	$(BIN)/python tests/servers/install.py
	$(BIN)/python -m pytest -n $(WORKERS)

wheel-check: $(STAMP)
	$(BIN)/python tools/wheel_check.py

# The longer sweeps; docs/reliability.md says what they find.
torture: $(STAMP)
	$(BIN)/python -m tests.crash.kill_matrix --both
	$(BIN)/python -m tests.crash.fault_matrix --both

generate: $(STAMP)
	$(BIN)/python tools/generate.py

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache tests/servers/node_modules

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("unlatch needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[all]' --group dev
	touch $(STAMP)
