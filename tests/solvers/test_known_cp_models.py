"""The optima of the known models for CP-SAT, by enumeration or by a solution that every constraint accepts."""

from itertools import product
from math import prod

import pytest

from oas.core.errors import SolverMissingError
from oas.solvers import discovery
from oas.solvers.known.known_cp_models import MODELS

MOST_POINTS = 300_000


def holds(model, values):
    """Whether an assignment satisfies every constraint."""

    def number(one):
        return values[one] if isinstance(one, str) else one

    if any(sum(factor * values[name] for name, factor in row.items()) < right for row, right in model.rows):
        return False
    if any(tuple(values[name] for name in names) not in pairs for names, pairs in model.tables):
        return False
    for packing in model.packings:
        optional = packing.optional or (None,) * len(packing.activities)
        running = [
            (number(start), number(start) + number(time), number(demand))
            for (start, time, demand), name in zip(packing.activities, optional, strict=True)
            if name is None or values[name]
        ]
        for moment, _, _ in running:
            if sum(demand for start, end, demand in running if start <= moment < end) > packing.capacity:
                return False
    return True


@pytest.mark.parametrize("model", [model for model in MODELS if len(model.values) < 20], ids=lambda model: model.name)
def test_small_models_have_the_stated_optimum(model):
    assert prod(map(len, model.values.values())) <= MOST_POINTS
    points = (dict(zip(model.values, point, strict=True)) for point in product(*model.values.values()))
    assert min((point["cost"] for point in points if holds(model, point)), default=None) == model.optimum


def test_the_model_with_large_weights_has_a_solution_of_the_lowest_cost():
    (model,) = [model for model in MODELS if model.name == "large weights"]
    assert all(value in model.values[name] for name, value in model.solution.items())
    assert set(model.solution) == set(model.values) and holds(model, model.solution)
    assert model.optimum == model.solution["cost"] == min(model.values["cost"])


def test_the_model_that_is_too_heavy_has_no_solution():
    """Each time fixes one of its levels, so the lightest choice weighs one more than the capacity."""
    (model,) = [model for model in MODELS if model.name == "too heavy"]
    row, right = model.rows[-1]
    lightest = sum(
        min(-row[name] for name in row if name.startswith(group)) for group in "bcegij"
    )  # of job f, neither level has to be chosen
    assert -right == lightest - 1 and model.optimum is None
    times = {"b": (680, 799, 1_156), "c": (2_040, 2_295, 3_060), "e": (1_920, 2_160, 2_880)}
    for group, levels in times.items():
        sums = [sum(chosen) for chosen in product(*((0, time) for time in levels))]
        assert all(sums.count(time) == 1 for time in levels) and model.values[f"time {group}"] == levels


@pytest.mark.parametrize(("number", "refused"), [("9.15.6755", True), ("9.14.6206", False), ("9.150.1", False)])
def test_a_version_of_or_tools_that_is_known_to_be_wrong_is_refused(number, refused, monkeypatch):
    monkeypatch.setattr(discovery, "version", lambda _: number)
    assert discovery.usable("cpsat") != refused
    if refused:
        with pytest.raises(SolverMissingError, match=r"ortools 9\.15\.6755 calls feasible models infeasible; install"):
            discovery.executable_for("cpsat")
    else:
        assert discovery.executable_for("cpsat") is None
