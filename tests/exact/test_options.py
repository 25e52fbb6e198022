"""The arguments of `oas.solve` and `oas.compare`: an error names the argument that it is about."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import oas
from heuristics import FCFS
from oas.core.errors import InputError
from oas.exact.options import Options
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.problem import COALLOCATION

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


@pytest.mark.parametrize("wrong", [{"time_limit": "3"}, {"threads": 0}, {"on_progress": 3}], ids=str)
def test_a_comparison_refuses_its_arguments_before_a_heuristic_runs(wrong):
    ran = []

    def mine(instance, *, seed=0):
        ran.append(seed)
        return FCFS(instance)

    with pytest.raises(InputError):
        oas.compare(INSTANCE, heuristics=mine, **wrong)
    assert not ran


def test_numbers_of_numpy_and_fractions_are_taken():
    asked = {"time_limit": np.int64(3), "memory_limit": np.int64(10**9), "threads": np.int32(1), "seed": np.uint8(7)}
    options = Options.of(COALLOCATION, **asked, gap=np.float64(0.25), check="highs", solver_options=None)
    assert (options.time_limit, options.memory_limit) == (3.0, 10**9)
    assert (options.threads, options.seed, options.gap) == (1, 7, Fraction(1, 4))
    assert type(options.time_limit) is float and type(options.memory_limit) is int
    assert options.check == ("highs",) and options.solver_options == {}
    assert Options.of(COALLOCATION, time_limit=Fraction(3, 2)).time_limit == 1.5
    assert Options.of(COALLOCATION, time_limit=None, memory_limit=None) == Options(problem=COALLOCATION)
