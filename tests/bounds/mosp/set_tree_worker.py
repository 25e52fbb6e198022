"""What the worker runs in the tests of trees over pairs of jobs; importable there by name. It loads HiGHS."""

from __future__ import annotations

from oas.bounds.mosp.set_tree import search as set_search
from oas.bounds.mosp.set_tree.search import find_tree
from tests.bounds.mosp.worker_side import lying


def honest(search, session):
    """Search as the bound does."""
    return find_tree(search, session)


def careless(search, session):
    """Pack with a single step: most sets are undecided, and must be refuted for good."""
    steps, set_search.STEPS = set_search.STEPS, 1
    try:
        return find_tree(search, session)
    finally:
        set_search.STEPS = steps


def liar(search, session):
    """Search with linear programs that lie, with few dives."""
    honest = set_search.MOST_DIVES, set_search.DIVES
    set_search.MOST_DIVES, set_search.DIVES = 4, 2
    try:
        return lying(find_tree, search, session)
    finally:
        set_search.MOST_DIVES, set_search.DIVES = honest


def broken(search, session):
    """Hand over what is right so far, then fail."""
    find_tree(search, session)
    raise ZeroDivisionError


def forged(search, session):
    """Claim what no tree proves."""
    count = search.scaled.job_count
    tree = {"refuted": [], "cuts": [], "weights": [[1] * count], "tree": [0]}
    return {"certificate": {"makespan": search.upper - 1, "mirrored": False, "steps": 500, **tree}}
