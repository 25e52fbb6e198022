"""The levels at which a job is worth running, and what weights of the jobs at these levels prove.

The certificate is ``{"tree": [node, …]}``, a tree over the jobs' levels in preorder: inner nodes
``{"job": j, "parts": [[level, …], …]}`` and leaves. `docs/api/certificates.rst` describes it and says why it proves its
bound; `oas.checker.coallocation_configurations` checks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InfeasibleError
from oas.problems.coallocation.allocations import fastest_level

if TYPE_CHECKING:
    from oas.problems.coallocation.ticks import ScaledCoallocation


class Mode(NamedTuple):
    """A job may use every node of this level or faster, and runs for so many ticks."""

    level: int
    ticks: int


# Modes of each job, fastest first.
Modes = tuple[tuple[Mode, ...], ...]
# For each job, the indices of the modes that it may have.
Allowed = tuple[frozenset[int], ...]
# weights[j][m]: of job j in its mode m.
ModeWeights = Sequence[Sequence[int]]


def job_modes(scaled: ScaledCoallocation) -> Modes:
    """Return each job's modes: its durations from the fastest level that it can have on an empty grid.

    Of levels with equal durations the slowest is kept: it allows more nodes. Every run of a job in a schedule takes
    one of these durations, on nodes that the mode of that duration allows.

    Raises
    ------
    InfeasibleError
        If a job has no allocation.
    """
    found = []
    for job, ticks in enumerate(scaled.durations):
        fastest = fastest_level(scaled, job)
        if fastest is None:
            raise InfeasibleError(f"job {job} has no allocation")
        slowest = {ticks[level]: level for level in range(fastest, len(ticks))}
        found.append(tuple(Mode(level, time) for time, level in sorted(slowest.items())))
    return tuple(found)


def mode_of_level(modes: tuple[Mode, ...], ticks: tuple[int, ...], level: int) -> int | None:
    """Return the index of the mode with the duration that a job has at `level`; None below its fastest mode."""
    return next((index for index, mode in enumerate(modes) if mode.ticks == ticks[level]), None)


def every_mode(modes: Modes) -> Allowed:
    """Return all modes of all jobs."""
    return tuple(frozenset(range(len(row))) for row in modes)


def longest(modes: Modes, allowed: Allowed) -> int:
    """Return the ticks of the longest job, each in its fastest allowed mode."""
    return max(min(row[index].ticks for index in kept) for row, kept in zip(modes, allowed, strict=True))


def leaf(weights: ModeWeights, capacity: int) -> dict[str, object]:
    """Return a leaf of a certificate: no set of jobs that can run together weighs more than `capacity`."""
    return {"weights": weights, "capacity": capacity}


def quotient(modes: Modes, allowed: Allowed, weights: ModeWeights, capacity: int) -> Fraction:
    """Return Farley's bound in ticks: the weight that all jobs must work off, divided by the capacity of one tick."""
    if capacity == 0:
        return Fraction(0)
    work = sum(
        min(row[index].ticks * own[index] for index in kept)
        for row, own, kept in zip(modes, weights, allowed, strict=True)
    )
    return Fraction(work, capacity)
