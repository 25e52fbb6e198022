# Every target works on a fresh machine with Python >= 3.11, pip and make; each creates .venv where needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := $(VENV)/.installed-oas
STAMP := $(VENV)/.installed
PROSE := oas heuristics benchmarks docs README.md CONTRIBUTING.md ARCHITECTURE.md SECURITY.md CHANGELOG.md
QUICK_TESTS := tests/core tests/docs/test_lists.py tests/io tests/test_package.py

# On all processors instead of by pip, and without the packages' own tests, which are a quarter of all modules.
define install
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile --editable '$(1)' $(2)
	$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' $(VENV)/lib || true
endef

# With it, which images of containers set, every process would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: check demo dist docs notebooks test test-all test-browser lint types rest-of-lint ready warm-up clean

# Installs the package alone: what the tests need in addition is as large again.
demo: $(DEMO)
	mkdir -p build
	$(BIN)/oas compare examples/grid.json --check cbc --time-limit 120 --output build/demo.json --gantt build/demo.png
	$(BIN)/oas plot examples/grid.json build/demo.json --output build/demo-links.png

docs: $(STAMP)
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/trees . build/site

notebooks: export JUPYTER_PLATFORM_DIRS := 1
notebooks: $(STAMP)
	mkdir -p build/notebooks
	$(BIN)/jupyter execute --timeout=600 --output='../build/notebooks/{notebook_name}' notebooks/*.ipynb
	if [ -x $(BIN)/jupyter-nbconvert ]; then $(BIN)/jupyter nbconvert --to html build/notebooks/*.ipynb; fi

# Before a commit: lint, and tests that answer within a minute: numbers, rules, files, lists in pages, the package.
check: lint
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow and not browser" $(QUICK_TESTS)

# What is published, checked as the package index does.
dist: $(STAMP)
	rm -rf build/dist
	$(BIN)/python -c "from hatchling.build import build_sdist, build_wheel; build_sdist('build/dist'), build_wheel('build/dist')"
	$(BIN)/twine check --strict build/dist/*

# Lint and the tests that are neither slow nor in need of a browser: about eight minutes on two cores.
test: ready
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow and not browser"

# Lint and every test, as continuous integration runs them: about a quarter of an hour on two cores. Beyond `make test`:
# all seeds and sizes, the papers' experiments, the notebooks and the tutorial, the site, kills and time limits.
# Where Chromium is missing, the browser's tests are skipped, and that is said.
test-all: ready
	$(BIN)/python -m pytest -q -n auto --dist worksteal

# The report page in a real Chromium; a part of `make test-all`.
test-browser: $(STAMP)
	$(BIN)/python -m pytest -q -m browser tests/browser

# Types, which take longest, beside the rest.
lint: $(STAMP)
	$(MAKE) --no-print-directory --jobs 2 types rest-of-lint

# Lint, and compiled kernels for the tests.
ready: $(STAMP)
	$(MAKE) --no-print-directory --jobs 2 types rest-of-lint warm-up

warm-up: $(STAMP)
	$(BIN)/oas warm-up --quiet

types: $(STAMP)
	$(BIN)/mypy

rest-of-lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m tests.prose $(PROSE)
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive oas heuristics benchmarks

$(DEMO): pyproject.toml
	$(call install,.)
	touch $@

# The package is among them: the demo that follows the tests installs nothing.
$(STAMP): pyproject.toml
	$(call install,.[test],--quiet)
	touch $(DEMO) $@

clean:
	rm -rf $(VENV) build
