"""A certificate's tree must cover every choice of levels: three levels, of which parts can forget one."""

from __future__ import annotations

from itertools import combinations

import pytest

from oas.bounds.coallocation.configurations.certificate import value
from oas.core.errors import InputError
from oas.exact.coallocation.brute_force import brute_force
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

# Nodes that take 6, 12 and 18 for each of two jobs: best are 6 beside 12.
INSTANCE = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1), NodeGroup(1, "1/2"), NodeGroup(1, "1/3")], 0)],
    [Job("a", 1, 6), Job("b", 1, 6)],
    slot=1,
)
LEVELS = (0, 1, 2)
# All the weight on b at its fastest level, or wherever a may be.
LEAF = {"weights": [[0, 0, 0], [1, 0, 0]]}


def test_the_figures_these_tests_rest_on():
    assert brute_force(INSTANCE)[0] == 12
    assert value(INSTANCE, {"tree": [LEAF]}) == 6


@pytest.mark.parametrize("parts", [[[0], [1], [2]], [[0, 1], [2]], [[2], [1, 0]], [[1], [0, 2]]])
def test_parts_that_cover_all(parts):
    assert value(INSTANCE, {"tree": [{"job": 0, "parts": parts}, *[LEAF] * len(parts)]}) == 6


@pytest.mark.parametrize("kept", [kept for size in (1, 2) for kept in combinations(LEVELS, size)], ids=str)
def test_parts_that_forget_a_level(kept):
    for parts in ([[level] for level in kept], [list(kept)]):
        with pytest.raises(InputError, match="parts"):
            value(INSTANCE, {"tree": [{"job": 0, "parts": parts}, *[LEAF] * len(parts)]})


def test_forgetting_the_fast_level_would_pass_the_optimum():
    # One job takes 6; on the slower nodes it takes 12 or 18, which the leaves would prove.
    alone = CoallocationInstance(INSTANCE.clusters, INSTANCE.jobs[:1], slot=1)
    assert brute_force(alone)[0] == value(alone, {"tree": [{"weights": [[0, 0, 0]]}]}) == 6
    forged = {"tree": [{"job": 0, "parts": [[1], [2]]}, {"weights": [[0, 1, 0]]}, {"weights": [[0, 0, 1]]}]}
    with pytest.raises(InputError, match="leave out a level"):
        value(alone, forged)


@pytest.mark.parametrize("times", [[0, 0], [1, 2, 1], [0, 1, 2, 0]], ids=str)
def test_a_level_in_two_parts(times):
    with pytest.raises(InputError, match="a level that the job does not have here"):
        value(INSTANCE, {"tree": [{"job": 0, "parts": [[level] for level in times]}, *[LEAF] * len(times)]})
