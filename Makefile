# Two commands: `make study` opens the program, `make test` checks everything. A third, `make pictures`, draws all
# screens. Each first makes .venv, and touches it again only when pyproject.toml or constraints.txt changed. Another
# Python: `make study PYTHON=python3.12`.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TESTED := constraints.txt
PINS := $(VENV)/constraints.txt
REST := $(VENV)/without-torch.txt

# Prints the version of a torch that is there, works and is new enough; fails otherwise.
FIND_TORCH := import torch; v = torch.__version__; assert tuple(map(int, v.split(".")[:2])) >= (2, 6); print(v)
# The folder of the torch of an active virtual environment, which --system-site-packages does not reach.
FOLDER := import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])
SITE := import sysconfig; print(sysconfig.get_path("purelib"))
OTHERS := import tomllib; found = tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]; \
	print(*(name for name in found if not name.startswith("torch")), sep="\n")

.DEFAULT_GOAL := study
.PHONY: study test pictures
.DELETE_ON_ERROR:

# An environment is bound to its place and to its Python: if this checkout moved or that Python went, make it anew.
ifneq ($(wildcard $(VENV)/.place),)
ifneq ($(shell cat $(VENV)/.place; $(BIN)/python -c "" 2>&1),$(CURDIR))
$(shell rm -rf $(VENV))
endif
endif

study: $(VENV)/.study
	@exec $(BIN)/python -m studyapp

# Two files of tests at a time: torch's own threads want the other cores.
test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Every screen in every theme, from the program itself, as build/pictures/index.html; renews the few in the docs.
pictures: $(VENV)/.test
	$(BIN)/python -m pictures build/pictures --docs

$(VENV)/.test: $(VENV)/.study
	$(PIP) install --quiet -c $(PINS) -e '.[test]'
	@touch $@

# A torch that is there is pinned as it is, so that pip leaves it alone. Where there is none for this machine (an
# Intel Mac, musl), all but the experiments works without.
$(VENV)/.study: pyproject.toml $(TESTED) | $(VENV)/.place
	@if version=$$($(BIN)/python -c '$(FIND_TORCH)' 2>/dev/null); then \
		sed "s/^torch==.*/torch==$$version/" $(TESTED) >$(PINS); echo "Keeping torch $$version."; \
	else cp $(TESTED) $(PINS); echo "Installing $$(grep ^torch== $(TESTED)): this can take minutes."; fi
	@$(PIP) install -c $(PINS) -e . || { \
		echo "Trying without torch: experiments will not run until it is installed into $(VENV)."; \
		$(BIN)/python -c '$(OTHERS)' >$(REST) && $(PIP) install -c $(PINS) -r $(REST) && $(PIP) install --no-deps -e .; }
	@touch $@

# A torch that the machine already has is seen from .venv (your CUDA build stays). A .venv of yours is used as it is.
$(VENV)/.place:
	@python=; for name in $(PYTHON); do \
		if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	done; \
	if $(BIN)/python -m ensurepip >/dev/null 2>&1; then echo "Using the $(VENV) that is here."; exit 0; fi; \
	test -n "$$python" || { echo "studyapp needs Python 3.11 or newer and found none under the name $(PYTHON)." \
		"Install one, or say where it is: make study PYTHON=/path/to/python3.12" >&2; exit 1; }; \
	$$python -c 'import ensurepip, venv' 2>/dev/null || { echo "$$python cannot make virtual environments:" \
		"its venv module is missing. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }; \
	if $$python -c '$(FIND_TORCH)' >/dev/null 2>&1; then seen=--system-site-packages; else seen=; fi; \
	$$python -m venv --clear $$seen $(VENV) || { rm -rf $(VENV); exit 1; }; \
	if test -n "$$seen" && ! $(BIN)/python -c 'import torch' 2>/dev/null; then \
		$$python -c '$(FOLDER)' >"$$($(BIN)/python -c '$(SITE)')/torch.pth"; fi
	@echo "$(CURDIR)" >$@
