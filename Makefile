# palimpsest: long-term memory for LLM agents. Python 3.11+ is all that has to be here.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[embedded,dev]'
	touch $@

install: $(VENV)/installed  ## make the virtual environment

demo: install  ## start everything, tell a conversation, ask it questions, stop
	$(BIN)/palimpsest demo

check: install  ## lint, types, layers
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

test: install  ## the whole suite against real servers of its own
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

soak: install  ## the same laws at their full size
	$(BIN)/python -m pytest --soak

.PHONY: help install demo check test soak
