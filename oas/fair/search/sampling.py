"""RAND(N): contributions estimated from N orderings of the organizations (Algorithm 3, section 5.1).

The contribution of an organization is its average marginal value in N random orderings, drawn with replacement.
Whenever all organizations together can start a job, it is the next one of the organization with the greatest difference
of estimated contribution and utility; the first organization wins ties. For jobs of one unit the value of a coalition
does not depend on its schedule (proposition 5.4), so RAND with all k! orderings is REF.

There are four deviations from the paper. Line 19 must add to ψ, not to φ. Line 28 must use the waiting jobs of all
members of the sampled coalition C'. Line 35 must process each ordering once: the organizations before u, with and
without u, counted as often as they are drawn. For jobs of other times, for which the paper also uses the algorithm, it
does not define how a coalition schedules: here it starts the earliest submitted job that fits (FCFS), also for the
coalition of all organizations but the last one. Comparisons refer to t + 1, as in lines 27 to 33.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.fair.search.coalition_kernels import SAMPLE
from oas.fair.search.coalitions import CoalitionRun, Rule, check_organizations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from oas.fair.ticks import FairTicks

MOST = 62  # maximum number of organizations
MOST_ORDERINGS = 10**6


def random_orderings(organizations: int, count: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Draw orderings of organizations with replacement; `InputError` if `count` is not from 1 to 10^6."""
    number = integer(count, "orderings", least=1)
    if number > MOST_ORDERINGS:
        raise InputError(f"must be at most {MOST_ORDERINGS:,}", field="orderings", value=number)
    draw = Random(seed)
    return [tuple(draw.sample(range(organizations), organizations)) for _ in range(number)]


def sampled_starts(
    ticks: FairTicks,
    orderings: Sequence[Sequence[int]],
    *,
    on_progress: Callable[[int], None] | None = None,
    memory_limit: int | None = None,
    compiled: bool | None = None,
) -> NDArray[np.int64]:
    """Return the start of each job under RAND, -1 for not before the horizon.

    `orderings` is a non-empty sequence of permutations of the organizations, with repetitions allowed. Other arguments
    are as in `oas.fair.search.reference.reference`. Raises `InputError` for more than 62 organizations or an invalid
    permutation.
    """
    k = ticks.organization_count
    check_organizations(k, MOST, "RAND keeps coalitions as the bits of a number")
    run = CoalitionRun(ticks, _rule(k, orderings), memory_limit, compiled)
    run.up_to(ticks.horizon, on_progress)
    return run.starts


def _rule(k: int, orderings: Sequence[Sequence[int]]) -> Rule:
    everyone = (1 << k) - 1
    adds: dict[int, list[int]] = {}  # by coalition and organization: additions to its φ̂ minus subtractions
    for place, ordering in enumerate(orderings):
        if sorted(ordering) != list(range(k)):
            raise InputError(f"must hold each of {k} organizations once", field=f"orderings[{place}]", value=ordering)
        before = 0
        for u in ordering:
            if before:
                adds.setdefault(before, [0] * k)[u] -= 1
            before |= 1 << u
            adds.setdefault(before, [0] * k)[u] += 1
    if not adds:
        raise InputError("at least one is needed", field="orderings")
    masks = np.array([*sorted(adds), everyone], dtype=np.int64)
    weight = np.array([adds[mask] for mask in sorted(adds)], dtype=np.int64)
    return Rule(masks, np.arange(len(masks)), SAMPLE, weight, len(orderings))
