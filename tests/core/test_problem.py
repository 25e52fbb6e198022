"""A problem's parts are found by name; a variant that a part does not implement is refused at every entry."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

import oas
from heuristics import methods
from oas.coallocation.metrics import executed
from oas.coallocation.slot_sizes.study import slot_study
from oas.core.errors import InputError
from oas.core.problem import Problem, import_object, problem_of
from oas.core.registry import COALLOCATION, FAIR, MOSP, problem_named, problems
from oas.core.result import Bound
from oas.generate import tiny
from oas.plots import gantt
from oas.solvers.task import Limits, Settings
from oas.solving.evidence import Evidence
from oas.solving.formulation import formulations
from oas.solving.lower_bound import best_bound, lower_bounds
from oas.solving.model_run import run_model
from oas.solving.parts import exact_parts
from oas.solving.recheck import recheck

# The parts that fair sharing has no part in.
FOR_A_MAKESPAN = {"exact", "formulations", "bounds", "figures", "tables", "page"}
PARTS = {one.name for one in fields(Problem)} - {"name", "title", "cluster", "nodes", "variants", "instead", "plots"}
ROOT = Path(__file__).resolve().parents[2]


def test_every_part_of_our_problems_is_there():
    assert problems()[:3] == (COALLOCATION, MOSP, FAIR)
    for problem in (COALLOCATION, MOSP, FAIR):
        assert problem_named(problem.name) is problem
        parts = {part for part in PARTS if problem.has(part)}
        assert all(problem.part(part) is not None for part in parts)
        assert all(import_object(place) is not None for place in problem.plots)
        assert PARTS - parts - {"execution"} == (FOR_A_MAKESPAN if problem is FAIR else {"certificates"})
        assert problem_of(problem.instance_type) is problem
        assert methods(problem) == methods(problem.instance_type)
        assert problem is FAIR or lower_bounds(problem)


@pytest.mark.parametrize("entry", [oas.solve, oas.compare])
def test_what_has_no_makespan_is_not_solved(entry):
    instance = oas.load_example("fair")
    for options in ({}, {"formulation": "nonsense"}, {"solver": "cbc"}, {"threads": 0}):
        with pytest.raises(InputError) as caught:
            entry(instance, **options)
        said = "problem: fair sharing has no makespan to minimise; use: oas fair FILE (got 'fair')"
        assert str(caught.value) == said
    with pytest.raises(InputError, match=re.escape(said)):
        oas.model(instance)


def test_a_part_that_is_not_there_is_named():
    bare = Problem("bare", "bare things", "")
    with pytest.raises(InputError, match="bare things has no chart"):
        bare.part("chart")
    with pytest.raises(InputError, match="cannot be imported"):
        Problem("bare", "bare things", "", chart="oas.core.numbers:nothing").part("chart")
    with pytest.raises(InputError, match="a problem is needed"):
        problem_of(int)


@pytest.fixture
def sound():
    instance = tiny(seed=1)
    return instance, oas.solve(instance).schedule


@pytest.fixture
def slowed(sound, monkeypatch):
    """An instance of a variant of the rules that nothing implements, and a schedule."""
    monkeypatch.setattr(oas.CoallocationInstance, "variant", "reroute")
    return sound


ENTRIES = {
    "verify": lambda instance, schedule: oas.verify(instance, schedule),
    "solve": lambda instance, _: oas.solve(instance),
    "compare": lambda instance, _: oas.compare(instance, time_limit=5),
    "brute force": lambda instance, _: exact_parts(instance).brute_force(instance),
    "execution": executed,
    "slot sizes": lambda instance, _: slot_study(instance),
    "chart": gantt,
    "model": lambda instance, _: run_model(
        Evidence(instance), formulations(COALLOCATION)["literal"], Settings("highs"), Limits(5), lambda *_: None
    ),
    "export": lambda instance, _: oas.model(instance, "literal"),
    **{
        f"heuristic {one.name}": lambda instance, _, one=one: one(instance) for one in methods(oas.CoallocationInstance)
    },
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_policy_that_nothing_implements_is_refused_everywhere(entry, slowed):
    with pytest.raises(InputError, match=r"saturation: .* does not implement it; it knows: forbid.* \(got 'reroute'\)"):
        ENTRIES[entry](*slowed)


def test_no_bound_is_claimed_for_it(slowed):
    instance, _ = slowed
    assert best_bound(instance).value == 0
    assert not recheck(instance, Bound(lower_bounds(COALLOCATION)[0].name, 0, {}))


def dispatches():
    """Where an instance's type is asked for: isinstance, or `is` with a type of instances.

    The stand-alone checker has types of its own, and no objects that stand for problems.
    """
    types = {"CoallocationInstance", "FairInstance", "MospInstance", "Machines"}
    for top in ("oas", "heuristics", "benchmarks"):
        for file in sorted((ROOT / top).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if file.is_relative_to(ROOT / "oas" / "checker") or not any(kind in text for kind in types):
                continue
            for node in ast.walk(ast.parse(text)):
                asked = []
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                    asked = list(ast.walk(node.args[1]))
                elif isinstance(node, ast.Compare):
                    asked = [node.left, *node.comparators]
                names = {getattr(one, "id", "") for one in asked}
                if names & types:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}"


def test_no_room_asks_for_the_type_of_an_instance():
    assert list(dispatches()) == []
