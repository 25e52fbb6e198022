"""Identical parallel machines as one object."""

from oas.core.problem import Problem

MACHINES = Problem(
    name="machines",
    title="identical machines",
    cluster="machine park",
    nodes="machines",
    instance="tests.example_problem.instance:Machines",
    rules="tests.example_problem.parts:violations",
    document="tests.example_problem.parts:FORMAT",
    exact="tests.example_problem.exact:PARTS",
    formulations="tests.example_problem.model:FORMULATIONS",
    bounds="tests.example_problem.bounds",
    heuristics="tests.example_problem.heuristics",
    chart="tests.example_problem.parts:STYLE",
    testing="tests.example_problem.parts:PARTS",
)
