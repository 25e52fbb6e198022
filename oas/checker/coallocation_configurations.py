"""The bound *configurations* of co-allocation: weights of jobs by level, in a tree over the levels.

``{"tree": [node, …]}`` in preorder. ``{"job": j, "parts": [[level, …], …]}`` splits the levels that job j still has
there into parts, one child for each. ``{"weights": [[w, …], …], "capacity": M}`` weighs each job in each of its modes
(a mode: of levels that take equally long the slowest), 0 in those that it no longer has. If no set of jobs that can run
together weighs more than M, a schedule of the leaf takes at least Σ_j min_l ticks(j, l)·w(j, l) / M, and at least as
long as its longest job. The least leaf counts. If a set weighs more than the stated M, or none is stated, the weight of
the heaviest set takes its place.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.checker.coallocation_heaviest import heaviest_together
from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_levels import JobModes, modes_of_jobs
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.reading import fields_of, integer_of, list_of

MOST_TREE_NODES = 20_000
MOST_LEVEL_WEIGHT = 2**100
MOST_LEVEL_CAPACITY = 2**200

LevelsLeft = dict[int, frozenset[int]]
"""Of jobs that have lost modes: the indices of those that they still have."""


def check_coallocation_configurations(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`.

    Raises
    ------
    Refused
        If it is malformed, does not cover every choice of levels, or would take too long to check.
    """
    scaled = instance.scaled()
    modes = modes_of_jobs(scaled)
    effort = Effort()
    leaves = _level_leaves(certificate, modes, effort)
    together = Together(scaled, effort)
    shortest = [row[0].ticks for row in modes]
    proven = [_leaf_ticks(together, modes, shortest, *leaf) for leaf in leaves]
    return scaled.to_time(min(proven))


def _leaf_ticks(
    together: Together, modes: JobModes, shortest: list[int], left: LevelsLeft, weights: list[list[int]], claimed: int
) -> int:
    """Return what weights and stated capacity prove of schedules in which each job runs in a mode that is left."""
    together.effort.spend(len(modes))
    longest = max(shortest)
    for job, kept in left.items():
        longest = max(longest, min(modes[job][index].ticks for index in kept))
    capacity = heaviest_together(together, modes, weights, claimed)
    if not capacity:
        return longest
    work = 0
    for job, (row, own) in enumerate(zip(modes, weights, strict=True)):
        here = left.get(job)
        work += min(mode.ticks * own[index] for index, mode in enumerate(row) if here is None or index in here)
    return max(longest, -(-work // capacity))


def _level_leaves(certificate: Any, modes: JobModes, effort: Effort) -> list[tuple[LevelsLeft, list[list[int]], int]]:
    """Read the tree: what its leaves cover follows from the parts, not from what a leaf says."""
    nodes = list_of(fields_of(certificate, "certificate", "tree")["tree"], "certificate.tree", most=MOST_TREE_NODES)
    leaves: list[tuple[LevelsLeft, list[list[int]], int]] = []
    waiting: list[LevelsLeft] = [{}]
    for index, node in enumerate(nodes):
        where = f"certificate.tree[{index}]"
        if not waiting:
            raise refused(where, "no choice of levels is left for it")
        left = waiting.pop()
        if type(node) is dict and "weights" in node:
            rows = fields_of(node, where, "weights", optional=("capacity",))["weights"]
            claimed = integer_of(node.get("capacity", 0), f"{where}.capacity", most=MOST_LEVEL_CAPACITY)
            leaves.append((left, _leaf_weights(rows, modes, left, f"{where}.weights"), claimed))
        else:
            fields_of(node, where, "job", "parts")
            waiting += reversed(_level_children(node["job"], node["parts"], modes, left, where, effort))
    if waiting:
        raise refused("certificate.tree", "does not cover every choice of levels")
    return leaves


def _level_children(
    job: Any, parts: Any, modes: JobModes, left: LevelsLeft, where: str, effort: Effort
) -> list[LevelsLeft]:
    integer_of(job, f"{where}.job", most=len(modes) - 1)
    index_of = {mode.level: index for index, mode in enumerate(modes[job])}
    rest = set(left.get(job, range(len(modes[job]))))
    children = []
    for number, part in enumerate(list_of(parts, f"{where}.parts", most=len(modes[job]))):
        place = f"{where}.parts[{number}]"
        kept = set()
        for level in list_of(part, place, most=len(modes[job])):
            mode = index_of.get(integer_of(level, place))
            if mode is None or mode not in rest:
                raise refused(place, "a level that the job does not have here", level)
            rest.remove(mode)
            kept.add(mode)
        if not kept:
            raise refused(place, "no levels")
        effort.hold(64 * (len(left) + 1))
        children.append({**left, job: frozenset(kept)})
    if rest or len(children) < 2:
        raise refused(f"{where}.parts", "must be at least two parts that leave out no level")
    return children


def _leaf_weights(value: Any, modes: JobModes, left: LevelsLeft, where: str) -> list[list[int]]:
    rows = list_of(value, where, count=len(modes))
    for job, (row, own) in enumerate(zip(rows, modes, strict=True)):
        place = f"{where}[{job}]"
        for weight in list_of(row, place, count=len(own)):
            integer_of(weight, place, most=MOST_LEVEL_WEIGHT)
        kept = left.get(job)
        if kept is not None and any(weight for index, weight in enumerate(row) if index not in kept):
            raise refused(place, "a weight for a level that the job does not have here")
    return rows
