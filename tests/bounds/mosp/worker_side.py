"""What the worker runs in these tests; importable there by name. It loads HiGHS: no test imports it."""

from __future__ import annotations

import random

from oas.bounds.mosp.cluster_sets.generation import find_weights as find_set_weights
from oas.bounds.mosp.configurations.generation import find_weights
from oas.bounds.mosp.covering import Covering
from oas.bounds.mosp.pair_tree import search as pair_search
from oas.bounds.mosp.pair_tree.diving import Diving
from oas.bounds.mosp.pair_tree.search import find_packing
from oas.bounds.mosp.partitions.generation import find_partition
from oas.bounds.mosp.start_tree import search as tree_search
from oas.bounds.mosp.start_tree.certificate import write_codes
from oas.bounds.mosp.start_tree.search import find_tree
from oas.bounds.mosp.two_dimensional.alternation import find_scales
from oas.solvers.lp import LinearProgram


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
    zeros = [0] * count
    return {"certificate": {"makespan": search.upper - 1, "times": zeros, "heights": zeros, "mirrored": False}}


def lying_sets(search, session):
    """Find sets with linear programs that lie."""
    return lying(find_set_weights, search, session)


def lying_partitions(search, session):
    """Share jobs out with linear programs that lie."""
    return lying(find_partition, search, session)


def broken_sets(search, session):
    """Hand over what is right so far, then fail."""
    find_set_weights(search, session)
    raise ZeroDivisionError


def backwards_tree(search, session):
    """Grow a tree backwards in time, and no other."""
    one = tree_search.Search(search, session)
    one.grow(one.upper - 1, 100_000, mirrored=True, priced=False)
    return one.found()


def lying_tree(search, session):
    """Grow trees by prices that are noise."""
    draw = random.Random(1)
    honest = LinearProgram.duals
    LinearProgram.duals = lambda self: [-draw.uniform(0, 2) for _ in honest(self)]
    try:
        return find_tree(search, session)
    finally:
        LinearProgram.duals = honest


def forged_tree(search, session):
    """Claim what no tree proves."""
    count = search.scaled.job_count
    part = {"weights": [1] * count, "prices": [[0, 1, 1]]}
    certificate = {"makespan": search.upper - 1, "mirrored": False, "order": list(range(count)), "measures": [[part]]}
    return {"certificate": certificate | {"codes": write_codes(b"\x03")}, "runs": None}


def lying_pairs(search, session):
    """Pack bins with linear programs that lie, not for long."""
    honest, pair_search.MOST_DIVES = pair_search.MOST_DIVES, 7
    try:
        return lying(find_packing, search, session)
    finally:
        pair_search.MOST_DIVES = honest


def broken_pairs(search, session):
    """Hand over what is right so far, then fail."""
    find_packing(search, session)
    raise ZeroDivisionError


def forged_pairs(search, session):
    """Claim what no weights prove."""
    weights = [[1] * search.scaled.job_count]
    return {"certificate": {"makespan": search.upper - 1, "cuts": [], "weights": weights, "tree": [0]}}


def pooled_pairs(search, session):
    """Pack bins by a tree over a pool, without dives."""
    honest, Diving.dive = Diving.dive, lambda *_: None
    try:
        return find_packing(search, session)
    finally:
        Diving.dive = honest
