"""The multi-organization scheduling problem as a `Problem` object."""

from __future__ import annotations

from oas.core.problem import Problem

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
    page="oas.campaigns.report.page_parts:MOSP",
    kernels="oas.exact.mosp.warm_up:run_kernels",
    testing="oas.testing.parts:MOSP",
)
