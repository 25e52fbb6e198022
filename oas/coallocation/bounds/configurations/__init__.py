"""The configuration bound: jobs may be preempted, but the jobs of each moment must fit on nodes and links.

The certificate is ``{"tree": [node, …]}``, a tree over the jobs' levels in preorder: inner nodes
``{"job": j, "parts": [[level, …], …]}`` and leaves. `docs/api/certificates.rst` describes it and says why it proves its
bound; `oas.checker.coallocation_configurations` checks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.allocations import fastest_level
from oas.core.errors import InfeasibleError
from oas.core.registry import FORBID, MAX_MIN, SLOWDOWN
from oas.core.result import Bound
from oas.solving.lower_bound import CertifiedBound, search_in_worker

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.ticks import ScaledCoallocation
    from oas.core.result import Termination

BOUND = CertifiedBound("configurations", variants=(FORBID, SLOWDOWN, MAX_MIN))


class Mode(NamedTuple):
    """A mode of a job: it may use nodes of this level or faster, and runs for `ticks` ticks."""

    level: int
    ticks: int


Modes = tuple[tuple[Mode, ...], ...]  # modes of each job, fastest first
Allowed = tuple[frozenset[int], ...]  # for each job, the indices of the permitted modes
ModeWeights = Sequence[Sequence[int]]  # [job][mode]


def job_modes(scaled: ScaledCoallocation) -> Modes:
    """Return each job's modes: its durations from the fastest level that it can have on an empty grid.

    Of levels with equal durations the slowest is kept: it allows more nodes. Every run of a job in a schedule takes
    one of these durations, on nodes that the mode of that duration allows.

    Raises `InfeasibleError` if a job has no allocation.
    """
    modes = []
    for job, ticks in enumerate(scaled.durations):
        fastest = fastest_level(scaled, job)
        if fastest is None:
            raise InfeasibleError(f"job {job} has no allocation")
        slowest = {ticks[level]: level for level in range(fastest, len(ticks))}
        modes.append(tuple(Mode(level, time) for time, level in sorted(slowest.items())))
    return tuple(modes)


def mode_of_level(modes: tuple[Mode, ...], ticks: tuple[int, ...], level: int) -> int | None:
    """Return the index of the mode with the duration that a job has at `level`; None below its fastest mode."""
    return next((index for index, mode in enumerate(modes) if mode.ticks == ticks[level]), None)


def every_mode(modes: Modes) -> Allowed:
    """Return all modes of all jobs."""
    return tuple(frozenset(range(len(row))) for row in modes)


def longest(modes: Modes, allowed: Allowed) -> int:
    """Return the ticks of the longest job, each in its fastest allowed mode."""
    return max(min(row[index].ticks for index in indices) for row, indices in zip(modes, allowed, strict=True))


def leaf(weights: ModeWeights, capacity: int) -> dict[str, object]:
    """Return a leaf of a certificate: no set of jobs that can run together weighs more than `capacity`."""
    return {"weights": weights, "capacity": capacity}


def quotient(modes: Modes, allowed: Allowed, weights: ModeWeights, capacity: int) -> Fraction:
    """Return Farley's bound in ticks: the weight that all jobs must work off, divided by the capacity of one tick."""
    if capacity == 0:
        return Fraction(0)
    work = sum(
        min(row[index].ticks * weight_row[index] for index in indices)
        for row, weight_row, indices in zip(modes, weights, allowed, strict=True)
    )
    return Fraction(work, capacity)


@dataclass(frozen=True)
class Weights:
    """A dual solution in integers: Σ ticks·weight of all jobs is at most makespan · whole."""

    # y[j][l], at least 0: weight of job j at level l. Levels below the job's fastest level weigh 0.
    weights: tuple[tuple[int, ...], ...]
    whole: int  # M: no set of (job, level) that can run together weighs more


@dataclass(frozen=True)
class ConfigurationBound:
    """The bound, and the weights that a subsequent search can use."""

    bound: Bound  # with its certificate, by exact pricing
    duals: tuple[Weights, ...]  # valid for every choice of levels, all proving the bound of the root; may be empty
    termination: Termination  # ``finished``: the bound reached `upper`, or branching on levels cannot prove more
    message: str = ""  # for people


def configuration_bound(
    instance: CoallocationInstance,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    alternatives: int = 0,
) -> ConfigurationBound:
    """Bound the makespan of a feasible instance by the configurations in which its jobs can run.

    A configuration is a set of (job, level) that can run at the same moment. The bound permits preemption and
    migration, but packs nodes and links exactly at each moment and gives each job one level. The worker generates
    columns, then branches on levels. The bounds that weights prove are priced exactly, so a faulty solver cannot make
    them wrong.

    `upper`: the makespan of a known schedule; the search ends when the bound reaches it. `seconds`, `memory`: limits of
    the search; None for no limit. `alternatives`: number of further weights of the root to look for; fewer may exist.
    Raises `InfeasibleError` if a job has no allocation.
    """
    scaled = instance.scaled()
    modes = job_modes(scaled)
    bound, answer, outcome = search_in_worker(
        BOUND,
        "oas.coallocation.bounds.configurations.generation:generate",
        instance,
        Fraction(0),
        upper,
        seconds=seconds,
        memory=memory,
        alternatives=alternatives,
    )
    duals: list[Weights] = []
    if bound is None:
        zeros = leaf([[0] * len(row) for row in modes], 0)
        bound = Bound(BOUND.name, scaled.to_time(longest(modes, every_mode(modes))), {"tree": [zeros]})
    elif answer["root"]["capacity"]:
        for solution in (answer["root"], *answer["alternatives"]):
            rows = []  # each level has the weight of the mode of its duration
            for weights, row, times in zip(solution["weights"], modes, scaled.durations, strict=True):
                indices = [mode_of_level(row, times, level) for level in range(len(times))]
                rows.append(tuple(0 if index is None else weights[index] for index in indices))
            duals.append(Weights(tuple(rows), solution["capacity"]))
    return ConfigurationBound(bound, tuple(duals), outcome.termination, outcome.message)
