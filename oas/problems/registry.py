"""The problems by name: those of the toolkit, and those registered with it."""

from __future__ import annotations

import os
from typing import Any

from oas.core.errors import InputError, unknown_name
from oas.core.problem import Problem, find_place

FORBID, SLOWDOWN, MAX_MIN = "forbid", "slowdown", "slowdown, max-min"
"""Variants of co-allocation: what becomes of links asked for more than they have. The first is the paper's."""

COALLOCATION = Problem(
    name="coallocation",
    title="co-allocation",
    instance="oas.problems.coallocation.instance:CoallocationInstance",
    rules="oas.problems.coallocation.rules:coallocation_violations",
    document="oas.io.coallocation:FORMAT",
    exact="oas.exact.coallocation.parts:PARTS",
    formulations="oas.models.coallocation:FORMULATIONS",
    bounds="oas.bounds.coallocation",
    heuristics="heuristics.coallocation",
    figures="oas.studies.comparison:coallocation_figures",
    tables="oas.show.coallocation:TABLES",
    chart="oas.plots.coallocation:STYLE",
    page="oas.campaigns.report.frame:COALLOCATION",
    kernels="oas.exact.first_runs:run_coallocation",
    testing="oas.testing.parts:COALLOCATION",
    variants=(FORBID, SLOWDOWN, MAX_MIN),
)

MOSP = Problem(
    name="mosp",
    title="organizations",
    cluster="organization",
    nodes="processors",
    instance="oas.problems.mosp.instance:MospInstance",
    rules="oas.problems.mosp.rules:mosp_violations",
    document="oas.io.mosp:FORMAT",
    exact="oas.exact.mosp.search:PARTS",
    formulations="oas.models.mosp:FORMULATIONS",
    bounds="oas.bounds.mosp",
    heuristics="heuristics.mosp",
    figures="oas.studies.comparison:mosp_figures",
    tables="oas.show.mosp:TABLES",
    chart="oas.plots.mosp:STYLE",
    page="oas.campaigns.report.frame:MOSP",
    kernels="oas.exact.first_runs:run_mosp",
    testing="oas.testing.parts:MOSP",
)

FAIR = Problem(
    name="fair",
    title="fair sharing",
    cluster="organization",
    nodes="processors",
    instance="oas.problems.fair.instance:FairInstance",
    rules="oas.problems.fair.rules:fair_violations",
    certificates="heuristics.fair.certificate:confirm",
    document="oas.io.fair:FORMAT",
    heuristics="heuristics.fair",
    chart="oas.plots.fair:STYLE",
    kernels="oas.exact.first_runs:run_fair",
    testing="oas.testing.fair:PARTS",
    instead="oas fair FILE",
)

OWN = (COALLOCATION, MOSP, FAIR)
"""The toolkit's own problems."""
VARIABLE = "OAS_PROBLEMS"
"""Environment variable: places of further problems, ``package.module:NAME``, separated by commas."""


def register(place: str) -> Problem:
    """Make a problem known by its name, in this process and those that it starts; return it.

    `place` is ``package.module:NAME`` of the `Problem`.

    Raises `InputError` if there is none, or another problem has its name.
    """
    given = find_place(place)
    if not isinstance(given, Problem):
        raise InputError("is no Problem", field="problem", value=place)
    known = {problem.name: problem for problem in problems()}
    if known.setdefault(given.name, given) is not given:
        raise InputError("another problem has this name", field="problem", value=given.name)
    places = _places()
    if given not in OWN and place not in places:
        os.environ[VARIABLE] = ",".join([*places, place])
    return given


def problems() -> tuple[Problem, ...]:
    """Return every known problem, the toolkit's own first."""
    return (*OWN, *(find_place(place) for place in _places()))


def problem_names() -> tuple[str, ...]:
    """Return the name of every problem that is known."""
    return tuple(problem.name for problem in problems())


def problem_named(name: str) -> Problem:
    """Return the problem called `name`.

    Raises `InputError` if there is none.
    """
    for problem in problems():
        if problem.name == name:
            return problem
    raise unknown_name(name, problem_names(), "problem")


def adapted(instance: Any, field: str, value: Any) -> Any:
    """Return the instance with another slot size, locality or the like, by its ``with_`` method.

    Raises `InputError` if instances of this problem have no such field, or cannot take the value.
    """
    change = getattr(instance, f"with_{field}", None)
    if change is None:
        owners = " and ".join(one.title for one in problems() if hasattr(one.instance_type, f"with_{field}"))
        raise InputError(f"is for {owners} only", field=field, value=str(value))
    return change(value)


def _places() -> list[str]:
    return [place for place in os.environ.get(VARIABLE, "").split(",") if place]
