# Two commands: `make study` opens the app, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.PHONY: study test
.DEFAULT_GOAL := study

# A torch the machine already has is reused (your CUDA build stays); else the tested one is installed.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "studyapp needs Python 3.11 or newer: make study PYTHON=python3.12"; exit 1; }
	@if $(PYTHON) -c 'import torch' 2>/dev/null; then \
		echo "reusing the torch of $(PYTHON)"; $(PYTHON) -m venv --system-site-packages $(VENV); \
	else $(PYTHON) -m venv $(VENV); fi

$(VENV)/.study: pyproject.toml constraints.txt | $(BIN)/python
	@if $(BIN)/python -c 'import torch' 2>/dev/null; then \
		grep -v '^torch==' constraints.txt > $(VENV)/constraints.txt; \
	else cp constraints.txt $(VENV)/constraints.txt; fi
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e .
	@touch $@

$(VENV)/.test: $(VENV)/.study
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[test]'
	@touch $@

study: $(VENV)/.study
	@$(BIN)/studyapp

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest
