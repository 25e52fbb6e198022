"""REF: the fair schedule, in which each decision follows the contributions (Algorithms 1 and 2, section 3).

Every coalition has its own schedule of its members' jobs on its members' processors, also made by REF. Whenever a
coalition can start a job, it starts the next one of the organization with the greatest φ_u − ψ_u, contribution minus
utility. φ_u is the Shapley value of the game v, in which the value of a coalition is the sum of the utilities ψ_sp of
its members in its own schedule.

There are two corrections of the paper and one extension. Algorithms 1 and 2 compare at the moment t of the start, where
the start has no effect yet, so that every decision would be a tie, or one organization would receive all processors.
Here the values at t + 1 are compared, as definition 3.1 requires for decisions at t and as Algorithm 3 does, including
the starts of sub-coalitions at t and of the coalition itself at t so far. In line 11 of Algorithm 1 the sum must omit
u. Extension: jobs may need several processors, which all count; a first job that does not fit may be overtaken by jobs
of other organizations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.fair.search.certificate import Decision, ReferenceCertificate, potential_weights
from oas.fair.search.coalition_kernels import CONTENDED, CONTRIBUTION, SETTLED, SHIFT
from oas.fair.search.coalitions import CoalitionRun, Rule, check_organizations
from oas.fair.ticks import schedule_from_starts
from oas.fair.utilities import strategy_proof_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from oas.core.schedule import Schedule
    from oas.fair.instance import FairInstance
    from oas.fair.ticks import FairTicks

REF = "REF"  # name of the method
MOST = 20  # maximum number of organizations
DECISIONS = 128  # approximate number of recorded decisions, for at least as many jobs


@dataclass(frozen=True, eq=False)
class ReferenceRun:
    """The result of REF."""

    # Start of each job, -1 for not before the horizon: int64, in submission order
    starts: NDArray[np.int64]
    # v of each coalition in its own schedule at the horizon; the index of a coalition is Σ 2^u over its members
    values: NDArray[Any]
    # ψ and φ of each organization at the horizon, in the grand coalition
    utilities: tuple[int, ...]
    contributions: tuple[Fraction, ...]
    # The requested moments, and ψ and φ of each organization at each of them
    moments: tuple[int, ...]
    utilities_at: tuple[tuple[int, ...], ...] = field(repr=False)
    contributions_at: tuple[tuple[Fraction, ...], ...] = field(repr=False)
    # Decisions of all coalitions between at least two organizations, and those settled by an earlier φ
    contended: int
    settled: int
    # Every `stride`-th contended decision of the grand coalition, including the first one
    decisions: tuple[Decision, ...] = field(repr=False)
    stride: int

    @property
    def certificate(self) -> ReferenceCertificate:
        """The claims that `oas.fair.search.certificate.verify_reference` checks."""
        return ReferenceCertificate(tuple(self.values.tolist()), self.decisions, self.stride)

    def schedule(self, instance: FairInstance) -> Schedule:
        """Return the schedule of the instance that was run, with its certificate."""
        return schedule_from_starts(instance, self.starts, REF, self.certificate.to_data())


def reference(
    ticks: FairTicks,
    moments: Iterable[int] = (),
    *,
    on_progress: Callable[[int], None] | None = None,
    memory_limit: int | None = None,
    compiled: bool | None = None,
) -> ReferenceRun:
    """Run REF.

    Time and memory grow with 2^k × jobs. `oas.fair.search.coalition_kernels` explains the algorithm and its exactness.
    φ and ψ are returned for `moments`, from 0 to the horizon, in any order; `on_progress` is called regularly with the
    current moment. Arrays may use `memory_limit` bytes; None for 2 GiB. `compiled` does not affect the outcome; None
    depends on the size.

    Raises `InputError` if there are more than 20 organizations, with the required resources, or if a moment is not an
    integer from 0 to the horizon; `TooLargeError` if the memory limit is exceeded, or if numbers may exceed 64 bits and
    there are too many starts for Python integers.
    """
    k = ticks.organization_count
    check_organizations(
        k,
        MOST,
        f"REF schedules each of the 2^{k} - 1 coalitions, at most {(1 << k - 1) * ticks.job_count:.1e} starts, and an"
        " exact decision adds up as many values",
    )
    requested = [integer(moment, "moments", least=0) for moment in moments]
    for moment in requested:
        if moment > ticks.horizon:
            raise InputError(f"must not be after the horizon, {ticks.horizon}", field="moments", value=moment)
    rule = reference_rule(k, max(1, ticks.job_count // DECISIONS))
    run = CoalitionRun(ticks, rule, memory_limit, compiled)
    gaps = {}
    for moment in sorted({*requested, ticks.horizon}):
        run.up_to(moment, on_progress)
        gaps[moment] = [Fraction(gap, 2 * rule.half_scale) for gap in run.gaps]
    starts = run.starts
    every_moment = [*requested, ticks.horizon]
    utilities = [tuple(row) for row in strategy_proof_over_time(ticks, starts, every_moment).T.tolist()]
    contributions = [
        tuple(gap + value for gap, value in zip(gaps[moment], row, strict=True))
        for moment, row in zip(every_moment, utilities, strict=True)
    ]
    decisions = tuple(
        Decision(job, chosen, rival, Fraction((high << SHIFT) + low, 2 * rule.half_scale))
        for job, chosen, rival, high, low in run.notes()
    )
    return ReferenceRun(
        starts,
        run.values,
        utilities[-1],
        contributions[-1],
        tuple(requested),
        tuple(utilities[:-1]),
        tuple(contributions[:-1]),
        run.counted(CONTENDED),
        run.counted(SETTLED),
        decisions,
        rule.stride,
    )


def reference_rule(k: int, stride: int = 0) -> Rule:
    """Return REF for k organizations as a rule of all their coalitions."""
    masks = np.arange(1 << k)
    size = np.array([mask.bit_count() for mask in range(1 << k)])
    scale, weights = potential_weights(k)
    return Rule(masks, np.lexsort((masks, size))[1:], CONTRIBUTION, np.array(weights, dtype=np.int64), scale, stride)
