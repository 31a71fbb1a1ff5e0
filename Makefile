# `make demo` and `make test` need nothing but Python >= 3.9: they make their own environment in .venv
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check bench clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@

demo: .venv/installed
	$(BIN)/npuscope demo

test: .venv/installed
	$(BIN)/python -m pytest -q

check: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q

bench: .venv/installed
	$(BIN)/python benchmarks/all.py

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
