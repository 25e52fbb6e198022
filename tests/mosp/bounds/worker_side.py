"""What the worker runs in these tests; importable there by name. It loads HiGHS: no test imports it."""

import random
from functools import partial

from oas.lp.program import LinearProgram
from oas.mosp.bounds import start_tree
from oas.mosp.bounds.configurations import find_weights
from oas.mosp.bounds.covering import Covering
from oas.mosp.bounds.partitions import find_partition
from oas.mosp.bounds.two_dimensional import find_scales


def replaced(owner, name, value, search, request, session):
    """Search with another attribute of a module or class."""
    honest = getattr(owner, name)
    setattr(owner, name, value)
    try:
        return search(request, session)
    finally:
        setattr(owner, name, honest)


def lying(search, request, session):
    """Search with linear programs whose duals are noise, most of them far from feasible."""
    draw = random.Random(1)
    honest = Covering.solve

    def solve(covering):
        value, weights, rooms = honest(covering)
        noise = [dual * draw.choice((-1, 0.5, 1, 3)) + draw.uniform(-0.2, 0.4) for dual in weights]
        return value * draw.choice((1, 2)), noise, rooms

    return replaced(Covering, "solve", solve, search, request, session)


def broken(search, request, session):
    """Hand over what is right, then fail."""
    search(request, session)
    raise ZeroDivisionError


lying_weights = partial(lying, find_weights)
lying_scales = partial(lying, find_scales)
lying_partitions = partial(lying, find_partition)

broken_weights = partial(broken, find_weights)
broken_scales = partial(broken, find_scales)


def backwards_tree(request, session):
    """Grow a tree backwards in time, and no other."""
    one = start_tree.Search(request, session)
    one.grow(one.upper - 1, 100_000, mirrored=True, priced=False)
    return one.found


def lying_tree(request, session):
    """Grow trees by prices that are noise."""
    draw = random.Random(1)
    honest = LinearProgram.duals
    noise = lambda self: [-draw.uniform(0, 2) for _ in honest(self)]  # noqa: E731
    return replaced(LinearProgram, "duals", noise, start_tree.find_tree, request, session)
