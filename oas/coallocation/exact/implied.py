"""Constraints from the configuration bound, for a solver that decides whether a makespan is possible."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

from oas.coallocation.models.counts_cpsat import Implied, Weighting
from oas.solving.formulation import MOST_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.bounds.configurations import Weights
    from oas.coallocation.bounds.configurations.packing import Packing
    from oas.coallocation.models.counts_cpsat import CountsSpec


def implied(spec: CountsSpec, duals: Sequence[Weights], packing: Packing, most: int = MOST_WEIGHT) -> Implied:
    """Return constraints that no schedule within the horizon of `spec` violates, up to symmetry.

    Weights are rounded down to at most `most`, which keeps them valid.
    """
    modes = [(job, level) for job, levels in enumerate(spec.levels) for level in levels]
    pairs = [pair for pair in combinations(modes, 2) if pair[0][0] != pair[1][0] and not packing.fits(pair)]
    excluded = set(pairs)
    jobs = range(spec.scaled.job_count)
    apart = {
        (first, second)
        for first, second in combinations(jobs, 2)
        if all(
            ((first, lower), (second, upper)) in excluded
            for lower, upper in product(spec.levels[first], spec.levels[second])
        )
    }
    return Implied(
        weightings=tuple(
            Weighting(tuple(tuple(weight * most // dual.whole for weight in row) for row in dual.weights), most)
            for dual in duals
            if dual.whole > 0
        ),
        exclusive=tuple(pair for pair in pairs if (pair[0][0], pair[1][0]) not in apart),
        apart=_cliques(jobs, apart),
        reversible=_reversible(spec),
    )


def _cliques(jobs: Sequence[int], apart: set[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return cliques of jobs that are pairwise `apart`; every such pair is in at least one of them."""
    cliques: list[tuple[int, ...]] = []
    left = set(apart)
    while left:
        clique = list(min(left))
        for job in jobs:
            if job not in clique and all((min(job, other), max(job, other)) in apart for other in clique):
                clique.append(job)
        cliques.append(tuple(sorted(clique)))
        left -= set(combinations(sorted(clique), 2))
    return tuple(cliques)


def _reversible(spec: CountsSpec) -> int | None:
    """Return the job with most work among those without an identical twin, whose order is not fixed."""
    ordered = {job for group in spec.identical_jobs for job in group}
    free = [job for job in range(spec.scaled.job_count) if job not in ordered]
    return max(free, key=lambda job: spec.scaled.tasks[job] * spec.scaled.durations[job][0], default=None)
