"""The certificate of a configuration bound, and its re-check in integers.

The certificate is a tree over the jobs' levels: ``{"tree": [node, …]}`` in preorder. An inner node
``{"job": j, "parts": [[level, …], …]}`` splits the levels that job j still has there into parts, one child for each;
a leaf ``{"weights": [[w, …], …], "capacity": M}`` weighs each job in each of its modes, 0 in those it no longer has. If
no set of jobs that can run together weighs more than M, then no moment of a schedule of the leaf's choices works off
more than M, and Σ_j min_l ticks(j, l)·w(j, l) must be worked off: its makespan is at least their quotient (Farley's
bound). It is at least the longest job as well. The least leaf bounds every schedule.

Exact pricing looks for a set that weighs more than M. To find none is much faster than to find the heaviest set, so the
certificate states M. A set that weighs more is no error: its weight takes the place of M. Certificates of earlier
versions have no capacity; it is 0 then.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from oas.bounds.budget import Budget
from oas.bounds.coallocation.configurations.modes import Modes, job_modes
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import Weights, heaviest
from oas.bounds.reading import fields_of, integer_of, list_of
from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance

MAX_NODES = 20_000
MAX_WEIGHT = 2**100
MAX_CAPACITY = 2**200  # no set of jobs weighs as much
MAX_CELLS = 20_000_000  # nodes × jobs: each node has its own list of what jobs have there

# For each job, the indices of the modes it still has.
Allowed = tuple[frozenset[int], ...]


def value(instance: CoallocationInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`, on its grid.

    Raises
    ------
    InputError
        If the certificate is malformed, its tree does not cover every choice of levels, or it takes too long to check.
    InfeasibleError
        If a job has no allocation.
    """
    scaled = instance.scaled()
    return scaled.to_time(ticks(Packing(scaled, Budget()), job_modes(scaled), certificate))


def ticks(packing: Packing, modes: Modes, certificate: Mapping[str, object]) -> int:
    """Return the lower bound that `certificate` proves, in ticks; raise `InputError` as `value` does."""
    return min(leaf_ticks(packing, modes, *leaf) for leaf in _leaves(certificate, modes))


def every_mode(modes: Modes) -> Allowed:
    """All that the jobs have at the root."""
    return tuple(frozenset(range(len(row))) for row in modes)


def leaf_ticks(packing: Packing, modes: Modes, allowed: Allowed, weights: Weights, claimed: int = 0) -> int:
    """Return what these weights, and a claimed capacity, prove of schedules with each job in an allowed mode."""
    capacity = heaviest(packing, modes, weights, floor=claimed).weight
    return max(longest(modes, allowed), ceil(quotient(modes, allowed, weights, capacity)))


def leaf(weights: Weights, capacity: int) -> dict[str, object]:
    """Return a leaf of the certificate's tree."""
    return {"weights": weights, "capacity": capacity}


def longest(modes: Modes, allowed: Allowed) -> int:
    """Ticks of the longest job, each in its fastest allowed mode."""
    return max(min(row[index].ticks for index in kept) for row, kept in zip(modes, allowed, strict=True))


def quotient(modes: Modes, allowed: Allowed, weights: Weights, capacity: int) -> Fraction:
    """Farley's bound in ticks: the weight to be worked off by what one tick can hold at most."""
    if capacity == 0:
        return Fraction(0)
    work = sum(
        min(row[index].ticks * own[index] for index in kept)
        for row, own, kept in zip(modes, weights, allowed, strict=True)
    )
    return Fraction(work, capacity)


def _leaves(certificate: Mapping[str, object], modes: Modes) -> list[tuple[Allowed, Weights, int]]:
    """Read the tree: modes left, weights and capacity of each leaf.

    What it covers follows from the instance and the splits, not from what a leaf says.
    """
    nodes = list_of(fields_of(certificate, "certificate", "tree")["tree"], "certificate.tree")
    if len(nodes) > MAX_NODES:
        raise InputError(f"more than {MAX_NODES} nodes", field="certificate.tree", value=len(nodes))
    if len(nodes) * len(modes) > MAX_CELLS:
        reason = f"more than {MAX_CELLS:,} nodes × jobs"
        raise InputError(reason, field="certificate.tree", value=len(nodes) * len(modes))
    leaves: list[tuple[Allowed, Weights, int]] = []
    open_nodes = [every_mode(modes)]
    for index, node in enumerate(nodes):
        field = f"certificate.tree[{index}]"
        if not open_nodes:
            raise InputError("no choice of levels is left for it", field=field)
        allowed = open_nodes.pop()
        if isinstance(node, Mapping) and "weights" in node:
            entries = fields_of(node, field, "weights", *(("capacity",) if "capacity" in node else ()))
            weights = _weights(entries["weights"], modes, allowed, f"{field}.weights")
            leaves.append((allowed, weights, integer_of(entries.get("capacity", 0), f"{field}.capacity", MAX_CAPACITY)))
        else:
            split = fields_of(node, field, "job", "parts")
            open_nodes += reversed(_children(split["job"], split["parts"], modes, allowed, field))
    if open_nodes:
        raise InputError("does not cover every choice of levels", field="certificate.tree")
    return leaves


def _children(job: object, parts: object, modes: Modes, allowed: Allowed, field: str) -> list[Allowed]:
    job = integer_of(job, f"{field}.job", len(modes) - 1)
    index_of = {mode.level: index for index, mode in enumerate(modes[job])}
    left = set(allowed[job])
    children = []
    for number, part in enumerate(list_of(parts, f"{field}.parts")):
        kept = set()
        place = f"{field}.parts[{number}]"
        for level in list_of(part, place):
            index = index_of.get(integer_of(level, place, MAX_WEIGHT))
            if index not in left:
                raise InputError("a level that the job does not have here", field=place, value=level)
            left.remove(index)
            kept.add(index)
        if not kept:
            raise InputError("no levels", field=place)
        children.append((*allowed[:job], frozenset(kept), *allowed[job + 1 :]))
    if left:
        raise InputError("the parts leave out a level", field=f"{field}.parts")
    if len(children) < 2:
        raise InputError("at least two parts are needed", field=f"{field}.parts")
    return children


def _weights(value: object, modes: Modes, allowed: Allowed, field: str) -> Weights:
    rows = list_of(value, field, len(modes))
    weights = []
    for job, row in enumerate(rows):
        place = f"{field}[{job}]"
        weights.append([integer_of(one, place, MAX_WEIGHT) for one in list_of(row, place, len(modes[job]))])
        if any(weight for index, weight in enumerate(weights[-1]) if index not in allowed[job]):
            raise InputError("a weight for a level that the job does not have here", field=place)
    return weights
