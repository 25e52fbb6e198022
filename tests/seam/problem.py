"""Identical parallel machines as one object."""

from oas.core.problem import Problem

MACHINES = Problem(
    name="machines",
    title="identical machines",
    cluster="machine park",
    nodes="machines",
    instance="tests.seam.instance:Machines",
    rules="tests.seam.parts:violations",
    document="tests.seam.parts:FORMAT",
    exact="tests.seam.exact:PARTS",
    formulations="tests.seam.model:FORMULATIONS",
    bounds="tests.seam.bounds",
    heuristics="tests.seam.heuristics",
    chart="tests.seam.parts:STYLE",
    testing="tests.seam.parts:PARTS",
)
