# Two commands are all a learner or a contributor needs: `make lab` and `make test`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKSPACE ?= workspace
# JupyterLab refuses to run as root, as containers do, unless it is told to.
LAB_OPTIONS ?= $(if $(filter 0,$(shell id -u)),--allow-root)
# A machine without an NVIDIA GPU takes PyTorch's CPU build from here (Linux's default build brings
# gigabytes of CUDA). An index that cannot be reached is passed over.
TORCH_CPU_INDEX ?= https://download.pytorch.org/whl/cpu

# Tests over all cores, the longest first (tests/spread.py). Two workers more than cores: some tests
# wait, for a browser or for ranks, while others compute.
SPREAD := -n $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 2))) --no-loadscope-reorder

# A folder with Pyodide for the site of `make lite`; without one, browsers take it from its own address.
PYODIDE ?=

.PHONY: help lab lab-light lite book test demo prove-all experiments conformance gpu build lint bench update clean

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

lab: $(VENV)/ready ## set up, and open JupyterLab in your own copy of the lessons
lab-light: $(VENV)/ready-light ## the same without Numba and PyTorch: enough for the lessons on kernels
lab lab-light:
	@$(BIN)/gpuedu start "$(WORKSPACE)"
	@cd "$(WORKSPACE)" && exec env PATH="$(CURDIR)/$(BIN):$$PATH" "$(CURDIR)/$(BIN)/jupyter" lab \
		--ServerApp.root_dir="$$PWD" \
		--LabApp.default_url=/lab/tree/00_welcome/00_welcome.ipynb $(LAB_OPTIONS) 00_welcome/00_welcome.ipynb

lite: $(VENV)/ready-lite ## build the site that runs in a browser, in site/ (PYODIDE=folder: with its own Pyodide)
	@$(BIN)/gpuedu build --lite site $(if $(PYODIDE),--pyodide "$(PYODIDE)")

book: $(VENV)/ready-book ## build the course as a site to read, in book/ (lessons that have changed are run first)
	@$(BIN)/gpuedu build --book book

update: $(VENV)/ready ## pull a newer release, and bring it into your copy; every answer is kept
	@$(BIN)/python -m gpuedu.course.pull
	@$(MAKE) --no-print-directory $(VENV)/ready
	@$(BIN)/gpuedu update "$(WORKSPACE)"

test: $(VENV)/ready-dev ## set up, and run every test
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/gpuedu build --check
	@$(BIN)/gpuedu lint
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest $(SPREAD)

demo: $(VENV)/ready ## walk a class of three through nbgrader and show their grades
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m gpuedu.course.demo

prove-all: $(VENV)/ready-dev ## every test whole, where CI samples; every verdict a hundred times, and by the grader; mutants; 200 launches with failures; a class killed 20 times; a hosted session; every lesson as given, hosted; the machine in a tab's Python; every lesson of the site in a browser
	@PYTHONPATH=. $(BIN)/python -m tests.tab.parts build/pyodide
	@GPUEDU_WHOLE=1 GPUEDU_PYODIDE="$(CURDIR)/build/pyodide" PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest $(SPREAD)
	@PYTHONPATH=. $(BIN)/python -m tests.multi.launch.trials 200
	@$(BIN)/gpuedu prove --repeats 100
	@$(BIN)/gpuedu prove --mutants
	@PYTHONPATH=. $(BIN)/python -m tests.grading.batch.trial --learners 120 --kills 20
	@PYTHONPATH=. $(BIN)/python -m tests.course.hosted.trial
	@PYTHONPATH=. $(BIN)/python -m tests.course.hosted.given colab
	@PYTHONPATH=. $(BIN)/python -m tests.course.hosted.given binder
	@PYTHONPATH=. GPUEDU_PYODIDE=build/pyodide $(BIN)/python -m tests.tab.machine
	@PYTHONPATH=. GPUEDU_PYODIDE=build/pyodide $(BIN)/python -m tests.tab.lessons

experiments: $(VENV)/ready ## compute the lessons' long experiments again (hours)
	@$(BIN)/python -m gpuedu.experiments

conformance: $(VENV)/ready-dev ## run Numba-CUDA's own tests on the SIMT machine
	@$(BIN)/python tests/conformance/run.py

gpu: ## hold machine, arrays, ladder and lessons against a real GPU, ncu, compute-sanitizer, CuPy
	@PYTHONPATH=. $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m tests.gpu
	@PYTHONPATH=. $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m tests.gpu_checks.arrays
	@PYTHONPATH=. $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m tests.gpu_checks.ladder
	@PYTHONPATH=. $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m tests.gpu_checks.lessons

build: $(VENV)/ready-dev ## rebuild the notebooks from the lessons' sources
	@$(BIN)/gpuedu build

lint: $(VENV)/ready-dev ## format and lint the code and the lessons
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/gpuedu lint

bench: $(VENV)/ready-dev ## measure set-up, import, check, build and the lessons
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python benchmarks/spine.py

clean: ## remove the environment; your workspace stays
	rm -rf $(VENV)

# The stamps are newer than what they were made from, so a second call does nothing.
$(VENV)/ready: pyproject.toml constraints.txt
	@PYTHON="$(PYTHON)" VENV="$(VENV)" TORCH_CPU_INDEX="$(TORCH_CPU_INDEX)" ./setup.sh
	@touch $@

$(VENV)/ready-light: pyproject.toml constraints.txt
	@PYTHON="$(PYTHON)" VENV="$(VENV)" ./setup.sh light
	@touch $@

$(VENV)/ready-lite: $(VENV)/ready
	@PYTHON="$(PYTHON)" VENV="$(VENV)" TORCH_CPU_INDEX="$(TORCH_CPU_INDEX)" ./setup.sh lite
	@touch $@

$(VENV)/ready-book: $(VENV)/ready
	@PYTHON="$(PYTHON)" VENV="$(VENV)" TORCH_CPU_INDEX="$(TORCH_CPU_INDEX)" ./setup.sh book
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
	@PYTHON="$(PYTHON)" VENV="$(VENV)" TORCH_CPU_INDEX="$(TORCH_CPU_INDEX)" ./setup.sh dev
	@touch $@
