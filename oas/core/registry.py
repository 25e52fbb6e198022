"""Registry of the problems: those of the toolkit and further registered ones."""

from __future__ import annotations

import os
from typing import Any

from oas.core.errors import InputError, unknown_name
from oas.core.problem import Problem, import_object

FORBID, SLOWDOWN, MAX_MIN = "forbid", "slowdown", "slowdown, max-min"
"""Variants of co-allocation: the treatment of links whose load exceeds their bandwidth. The first is the paper's."""

COALLOCATION = Problem(
    name="coallocation",
    title="co-allocation",
    instance="oas.coallocation.instance:CoallocationInstance",
    rules="oas.coallocation.rules:coallocation_violations",
    document="oas.coallocation.document:FORMAT",
    exact="oas.coallocation.exact.parts:PARTS",
    formulations="oas.coallocation.models:FORMULATIONS",
    bounds="oas.coallocation.bounds",
    heuristics="heuristics.coallocation",
    figures="oas.coallocation.metrics:figures",
    execution="oas.coallocation.metrics:executed_if_short",
    tables="oas.coallocation.tables:TABLES",
    chart="oas.coallocation.plots:STYLE",
    plots=(
        "oas.coallocation.plots.link_chart:execution_figure",
        "oas.coallocation.plots.link_chart:link_load",
        "oas.coallocation.plots.study_charts:saturation_price_chart",
        "oas.coallocation.plots.study_charts:slot_size_figure",
    ),
    generators="oas.coallocation.generate",
    page="oas.campaigns.report.frame:COALLOCATION",
    kernels="oas.coallocation.exact.first_runs:run",
    testing="oas.testing.parts:COALLOCATION",
    variants=(FORBID, SLOWDOWN, MAX_MIN),
)

MOSP = Problem(
    name="mosp",
    title="organizations",
    cluster="organization",
    nodes="processors",
    instance="oas.mosp.instance:MospInstance",
    rules="oas.mosp.rules:mosp_violations",
    document="oas.mosp.document:FORMAT",
    exact="oas.mosp.exact.search:PARTS",
    formulations="oas.mosp.models:FORMULATIONS",
    bounds="oas.mosp.bounds",
    heuristics="heuristics.mosp",
    figures="oas.mosp.bounds.simple:figures",
    tables="oas.mosp.tables:TABLES",
    chart="oas.mosp.plots:STYLE",
    plots=(
        "oas.mosp.plots.study_charts:list_ratio_chart",
        "oas.mosp.plots.study_charts:placement_figure",
        "oas.mosp.plots.study_charts:price_figure",
    ),
    generators="oas.mosp.generate",
    page="oas.campaigns.report.frame:MOSP",
    kernels="oas.mosp.exact.first_runs:run",
    testing="oas.testing.parts:MOSP",
)

FAIR = Problem(
    name="fair",
    title="fair sharing",
    cluster="organization",
    nodes="processors",
    instance="oas.fair.instance:FairInstance",
    rules="oas.fair.rules:fair_violations",
    certificates="oas.fair.search.certificate:confirm",
    document="oas.fair.document:FORMAT",
    heuristics="heuristics.fair",
    chart="oas.fair.plots:STYLE",
    plots=("oas.fair.plots.charts:ledger_chart", "oas.fair.plots.charts:ledger_figure"),
    generators="oas.fair.generate",
    kernels="oas.fair.exact.first_runs:run",
    testing="oas.testing.fair:PARTS",
    instead="oas fair FILE",
)

OWN = (COALLOCATION, MOSP, FAIR)
"""The toolkit's own problems."""
VARIABLE = "OAS_PROBLEMS"
"""Environment variable: import paths of further problems, ``package.module:NAME``, separated by commas."""


def register(place: str) -> Problem:
    """Register a problem by its name, for this process and its child processes; return the problem.

    `place` is the import path ``package.module:NAME`` of the `Problem`.

    Raises `InputError` if there is no problem at this path, or another problem has its name.
    """
    problem = import_object(place)
    if not isinstance(problem, Problem):
        raise InputError("is no Problem", field="problem", value=place)
    known = {one.name: one for one in problems()}
    if known.setdefault(problem.name, problem) is not problem:
        raise InputError("another problem has this name", field="problem", value=problem.name)
    places = _places()
    if problem not in OWN and place not in places:
        os.environ[VARIABLE] = ",".join([*places, place])
    return problem


def problems() -> tuple[Problem, ...]:
    """Return all registered problems, the toolkit's own first."""
    return (*OWN, *(import_object(place) for place in _places()))


def problem_names() -> tuple[str, ...]:
    """Return the names of all registered problems."""
    return tuple(problem.name for problem in problems())


def problem_named(name: str) -> Problem:
    """Return the problem called `name`; an unknown name raises `InputError`."""
    for problem in problems():
        if problem.name == name:
            return problem
    raise unknown_name(name, problem_names(), "problem")


def adapted(instance: Any, field: str, value: Any) -> Any:
    """Return the instance with another value of a field such as slot or locality, by its ``with_`` method.

    Raises `InputError` if instances of this problem have no such field, or the value is invalid.
    """
    change = getattr(instance, f"with_{field}", None)
    if change is None:
        owners = " and ".join(one.title for one in problems() if hasattr(one.instance_type, f"with_{field}"))
        raise InputError(f"is for {owners} only", field=field, value=str(value))
    return change(value)


def _places() -> list[str]:
    return [place for place in os.environ.get(VARIABLE, "").split(",") if place]
