"""Fair scheduling by contribution as a `Problem` object."""

from __future__ import annotations

from oas.core.problem import Problem

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
    kernels="oas.exact.fair.warm_up:run_kernels",
    testing="oas.testing.fair:PARTS",
    instead="oas fair FILE",
)
