"""Identical parallel machines as one object."""

from oas.core.problem import Problem

MACHINES = Problem(
    name="machines",
    title="identical machines",
    cluster="machine park",
    nodes="machines",
    instance="tests.seam.instance:Machines",
    rules="tests.seam.rules:violations",
    document="tests.seam.document:FORMAT",
    exact="tests.seam.exact:PARTS",
    formulations="tests.seam.model:FORMULATIONS",
    bounds="tests.seam.bounds",
    heuristics="tests.seam.heuristics",
    chart="tests.seam.chart:STYLE",
    testing="tests.seam.kit:PARTS",
)
