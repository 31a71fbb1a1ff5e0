# `make demo` and `make test` need nothing but Python >= 3.9: they make their own environment in .venv
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint check bench wheelhouse clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@

demo: .venv/installed
	$(BIN)/npuscope demo

test: .venv/installed
	$(BIN)/python -m pytest -q -n auto

lint: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

bench: .venv/installed
	$(BIN)/python benchmarks/all.py

# wheels for boxes without a network, for both kinds of processor; PYTHON must be of the box's version
wheelhouse:
	rm -rf wheelhouse && $(PYTHON) -m venv wheelhouse/.venv
	wheelhouse/.venv/bin/pip wheel -q --no-deps -w wheelhouse .
	for arch in aarch64 x86_64; do \
	  wheelhouse/.venv/bin/pip download -q -d wheelhouse/$$arch --only-binary :all: --platform manylinux2014_$$arch \
	    --platform manylinux_2_17_$$arch --platform manylinux_2_28_$$arch wheelhouse/npuscope-*.whl || exit 1; \
	done
	rm -rf wheelhouse/.venv wheelhouse/*.whl

clean:
	rm -rf .venv wheelhouse dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
