"""The arguments of `oas.solve` and `oas.compare`: an error names the argument that it is about."""

from __future__ import annotations

import pytest

import oas
from oas.core.errors import InputError
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

INSTANCE = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], [Job("a", 1, 5), Job("b", 2, 3)], slot=1)
SHARED = {
    "solver": [3, None, ""],
    "formulation": [3, None, ["literal"]],
    "check": [3, None, [3], "", "highs:", "highs:magic"],
    "time_limit": ["3", True, [3], 0, -1, float("nan"), float("inf"), 10**400],
    "memory_limit": ["3", True, 1.5, 0, -1, float("inf")],
    "gap": ["x", None, [1], -1],
    "threads": ["2", 1.5, True, 0],
    "seed": ["0", None, 1.5, -1, 2**31],
    "solver_options": [3, "a", [1], {3: 1}],
    "start": [3, "s.json"],
    "on_progress": [3, "line"],
    "display": ["no", 3, None],
}
OF_SOLVE = SHARED | {"schedules": [3, ["FCFS"], {"FCFS": 3}]}
OF_COMPARE = SHARED | {"heuristics": [3, [3], "FCSF", [None]], "extra": [3, [3], "no_such_module:f", None]}


def cases(call, wrong):
    for argument, values in wrong.items():
        for value in values:
            yield pytest.param(call, argument, value, id=f"{call.__name__} {argument} {value!r}")


@pytest.mark.parametrize(("call", "argument", "value"), [*cases(oas.solve, OF_SOLVE), *cases(oas.compare, OF_COMPARE)])
def test_an_argument_that_is_wrong_is_named(call, argument, value):
    with pytest.raises(InputError) as refused:
        call(INSTANCE, **{argument: value})
    assert refused.value.field == argument
