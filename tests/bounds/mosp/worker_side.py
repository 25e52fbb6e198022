"""What the worker runs in these tests; importable there by name. It loads HiGHS: no test imports it."""

from __future__ import annotations

import random

from oas.bounds.mosp.cluster_sets.generation import find_weights as find_set_weights
from oas.bounds.mosp.configurations.generation import find_weights
from oas.bounds.mosp.covering import Covering
from oas.bounds.mosp.two_dimensional.alternation import find_scales


def lying(function, search, session):
    """Call `function` with linear programs whose duals are noise, most of them far from feasible."""
    draw = random.Random(1)
    honest = Covering.solve

    def solve(covering):
        value, weights, rooms = honest(covering)
        noise = [dual * draw.choice((-1, 0.5, 1, 3)) + draw.uniform(-0.2, 0.4) for dual in weights]
        return value * draw.choice((1, 2)), noise, rooms

    Covering.solve = solve
    try:
        return function(search, session)
    finally:
        Covering.solve = honest


def lying_weights(search, session):
    """Find weights with linear programs that lie."""
    return lying(find_weights, search, session)


def broken_weights(search, session):
    """Hand over what is right so far, then fail."""
    find_weights(search, session)
    raise ZeroDivisionError


def lying_scales(search, session):
    """Find scales with linear programs that lie."""
    return lying(find_scales, search, session)


def broken_scales(search, session):
    """Hand over what is right so far, then fail."""
    find_scales(search, session)
    raise ZeroDivisionError


def forged_scales(search, session):
    """Claim what no weights prove."""
    count = search.scaled.job_count
    return {"makespan": search.upper - 1, "times": [0] * count, "heights": [0] * count, "mirrored": False}


def lying_sets(search, session):
    """Find sets with linear programs that lie."""
    return lying(find_set_weights, search, session)


def broken_sets(search, session):
    """Hand over what is right so far, then fail."""
    find_set_weights(search, session)
    raise ZeroDivisionError
