"""The library as one imports it: every public name typed and documented, frames from all, advice to beginners."""

import inspect
import re
import subprocess
import sys

import pytest

import heuristics
import oas
from oas.core.errors import InputError, OasError
from oas.core.registry import OWN
from oas.core.result import Result, Status, Termination
from oas.solving.method import Heuristic
from oas.solving.methods import ALL_VARIANTS, heuristic_names, toolkit_methods

GRID = oas.generate.tiny(seed=4)
SHARED = oas.MospInstance(
    [oas.Organization("O1", 2, [oas.RigidJob("a", 2, 1)]), oas.Organization("O2", 2, [oas.RigidJob("b", "1/2", 2)])]
)
PAIRS = [(GRID, "grid"), (SHARED, "shared")]


def public_functions():
    """Every function and method that a user is meant to call, by name."""
    found = {}
    for room in (oas, oas.generate, oas.plots, heuristics):
        for name in room.__all__:
            one = getattr(room, name)
            if isinstance(one, Heuristic):
                found["heuristics.Heuristic.__call__"] = Heuristic.__call__
            elif inspect.isclass(one):
                found |= {f"{room.__name__}.{name}.{key}": value for key, value in own_methods_of(one)}
            elif callable(one):
                found[f"{room.__name__}.{name}"] = inspect.unwrap(one)
    return found


def own_methods_of(kind):
    pairs = []
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] in ("oas", "heuristics"):
            for name, value in vars(base).items():
                value = getattr(value, "fget", None) or getattr(value, "func", None) or value
                if inspect.isfunction(value) and not name.startswith("_"):
                    pairs.append((name, value))
    return pairs


FUNCTIONS = public_functions()


def parameters_of(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


def documented(text):
    """Parameters that a numpy docstring names."""
    _, _, section = text.partition("Parameters\n----------\n")
    lines = re.split(r"\n\w+\n-+\n", section)[0].splitlines()
    return {name.strip(" *") for line in lines if line[:1].strip() for name in line.split(",")}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_public_functions_are_typed_and_documented(name):
    function = FUNCTIONS[name]
    signature = inspect.signature(function)
    untyped = [
        one for one in parameters_of(function) if signature.parameters[one].annotation is inspect.Parameter.empty
    ]
    assert not untyped and signature.return_annotation is not inspect.Signature.empty
    text = inspect.getdoc(function)
    assert text, "no docstring"
    assert not set(parameters_of(function)) - documented(text)


LIGHT = """
import importlib, pkgutil, sys

def loaded(*names):
    return sorted(one for one in sys.modules if one.startswith(names))

HEAVY = ("rich", "pandas", "numpy", "pyomo", "matplotlib", "numba", "highspy", "ortools", "pulp", "IPython")
import oas, oas.cli.main, oas.generate, oas.io, oas.plots, heuristics
from oas.core.result import Trace
assert not loaded("heuristics.", "oas.generate.", *HEAVY), loaded("heuristics.", "oas.generate.", *HEAVY)
Trace(), oas.generate.tiny(seed=1), oas.generate.section4()
assert not loaded(*HEAVY), loaded(*HEAVY)
from oas.solving.methods import methods
assert methods(oas.MospInstance) and methods(oas.CoallocationInstance)
assert not loaded("numba", "numpy"), loaded("numba", "numpy")
for problem in ("coallocation", "mosp"):
    package = importlib.import_module(f"oas.{problem}.search")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if not module.name.endswith("kernels"):
            importlib.import_module(module.name)
assert loaded("oas.mosp.search.") and not loaded("numba", "matplotlib", "pyomo", "pandas")
"""


def test_importing_loads_nothing_heavy():
    """Import the packages, the registry and the local searches without compiling kernels."""
    run = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 0, run.stderr


def test_every_heuristic_is_available_by_name():
    """The names listed for type checkers are complete."""
    own = {method.name for problem in OWN for method in toolkit_methods(problem, ALL_VARIANTS)}
    assert {*filter(str.isidentifier, own)} == set(heuristics.__all__) - {"find", "methods"}
    for name in heuristic_names():
        assert heuristics.find(name.lower()).name == name
    assert {one.name for one in heuristics.methods(oas.MospInstance)} <= set(heuristic_names())


SCHEDULE = heuristics.FCFS(GRID)
NOTHING = Result(Status.NO_SOLUTION, Termination.KILLED, None, None, None, "d")
CLUSTER = oas.Cluster("c", [oas.NodeGroup(4, 1)], 1)
MISTAKES = {
    "a path is solved": (lambda: oas.solve("grid.json"), "instance: .*oas.load"),
    "a path is scheduled": (lambda: heuristics.FCFS("grid.json"), "instance: .*oas.load"),
    "a file that is not there": (lambda: oas.load("no-such.json"), "no-such.json: cannot be read"),
    "no path": (lambda: oas.load(None), "path"),
    "saved the wrong way round": (lambda: oas.save("x.json", GRID), "path"),
    "verified the wrong way round": (lambda: oas.verify(SCHEDULE, GRID), "comes first"),
    "a result is verified": (lambda: oas.verify(GRID, NOTHING), r"\.schedule is one, or None"),
    "drawn the wrong way round": (lambda: oas.plots.gantt(SCHEDULE, GRID), "comes first"),
    "a float for time": (lambda: oas.Job("a", 1, 2.5), r'rounded; write "2.5" or Fraction\(5, 2\)'),
    "a count for groups": (
        lambda: oas.Cluster("c", 4, bandwidth=1),
        r"^groups: .* such as \[NodeGroup\(4, 1\)\] \(got 4",
    ),
    "a cluster that is no list": (
        lambda: oas.CoallocationInstance(CLUSTER, []),
        "^clusters: must be a list of Cluster",
    ),
    "clusters for jobs": (lambda: oas.CoallocationInstance([CLUSTER], [CLUSTER]), r"^jobs\[0\]: must be of type Job"),
    "a job of another problem": (lambda: oas.Organization("o", 2, [oas.Job("a", 1, 1)]), r"^jobs\[0\]: .* RigidJob"),
    "a count for reservations": (lambda: oas.Organization("o", 2, [], 3), "^reservations: must be a list"),
    "one text for organizations": (lambda: oas.FairInstance("ab", 9), "^organizations: must be a list"),
    "a job for a placement": (lambda: oas.Schedule([oas.Job("a", 1, 1)]), r"^placements\[0\]: must be of type"),
    "a node for nodes": (lambda: oas.Placement("a", 0, 1, {"c": 3}), r"^nodes.c: must be a list of numbers"),
    "nodes without a cluster": (lambda: oas.Placement("a", 0, 1, [3]), "^nodes: must be numbers by cluster"),
    "a text for a limit": (lambda: oas.solve(GRID, time_limit="60"), "time_limit: must be a"),
    "a misspelt option": (lambda: oas.compare(GRID, timelimit=3), "timelimit: no such option"),
    "another problem's heuristic": (lambda: heuristics.MOCCA(GRID), "MOCCA schedules a MospInstance"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_advice(mistake):
    act, said = MISTAKES[mistake]
    with pytest.raises(InputError, match=said) as caught:
        act()
    assert isinstance(caught.value, OasError)
