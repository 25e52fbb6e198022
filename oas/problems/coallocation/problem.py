"""The co-allocation problem as a `Problem` object."""

from __future__ import annotations

from oas.core.problem import Problem

FORBID, SLOWDOWN, MAX_MIN = "forbid", "slowdown", "slowdown, max-min"
"""Variants: what becomes of links that are asked for more bandwidth than they have. The first is the paper's model."""

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
    page="oas.campaigns.report.page_parts:COALLOCATION",
    kernels="oas.exact.coallocation.warm_up:run_kernels",
    testing="oas.testing.parts:COALLOCATION",
    variants=(FORBID, SLOWDOWN, MAX_MIN),
)
