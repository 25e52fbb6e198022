"""What could run code out of a file is in a few known modules, none of which reads files of strangers."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RISKY = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "subprocess", "urllib.request", "requests"}
# Messages between a process and the one that it started, over private pipes; copies of instances in the test kit.
PICKLE = {
    "oas/core/compile_processes.py",
    "oas/core/compiled_code.py",  # the cache of compiled code, as numba's own
    "oas/solvers/isolation/protocol.py",
    "oas/solvers/isolation/supervise.py",
    "oas/solvers/isolation/worker.py",
    "oas/testing/running.py",
}
# Our own worker processes, CBC, and git for the commit of a checkout.
SUBPROCESS = {
    "oas/campaigns/methods.py",
    "oas/core/compile_processes.py",
    "oas/solvers/cbc.py",
    "oas/solvers/isolation/process.py",
    "oas/solvers/descent.py",
}
EVALUATORS = {"eval", "exec", "compile", "__import__"}
OPTIONS = {"allow_pickle", "shell"}
READERS = {"read_pickle", "read_csv", "read_parquet", "read_html", "read_sql", "loadtxt", "genfromtxt", "fromfile"}


def modules():
    """The path of each module that contains such a word, and the nodes of its syntax tree."""
    words = re.compile("|".join([*RISKY, *EVALUATORS, *READERS, *OPTIONS]))
    for package in ("oas", "heuristics"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if words.search(text := path.read_text(encoding="utf-8")):
                yield path.relative_to(ROOT).as_posix(), list(ast.walk(ast.parse(text)))


def imported(nodes):
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def called(nodes):
    for node in nodes:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in EVALUATORS:
                yield node.func.id
            if isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
                yield node.func.attr
            yield from (one.arg for one in node.keywords if one.arg in OPTIONS)


def test_few_modules_unpickle_or_start_processes_and_none_evaluates_text():
    found = set()
    for path, nodes in modules():
        found |= {(name, path) for name in imported(nodes) if name in RISKY}
        assert list(called(nodes)) == [], path
    assert found == {("pickle", path) for path in PICKLE} | {("subprocess", path) for path in SUBPROCESS}
