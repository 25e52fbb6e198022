"""Searches without slowdown, for an instance with slots whose saturated links slow jobs down.

Two instances without slowdown enclose it:

- *forbidden*: no link may be saturated. Its schedules are schedules of the instance, so its search gives schedules.
- *unslowed*: links permit the same demand as in the instance, and slow no job down. Cut each run of a schedule of the
  instance to the slots that the job takes at full speed: all jobs that run at a moment also ran then before the cut, so
  they fit on nodes and links. Hence no schedule of the instance is shorter than the optimum of *unslowed*, and its
  search gives bounds. Both instances are equal in ticks, so the certificates of these bounds are valid for the
  instance, too. Its schedules become schedules of the instance by execution.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from oas.coallocation.allocations import jobs_without_allocation
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.execution import execute
from oas.coallocation.ticks import link_load
from oas.core.errors import InputError
from oas.core.registry import FORBID
from oas.core.result import Termination
from oas.solving.evidence import Evidence
from oas.solving.lower_bound import best_bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.coallocation.exact.saturated.search import SaturatedExactSearch
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.result import Claim
    from oas.core.schedule import Schedule


def unslowed(instance: CoallocationInstance) -> CoallocationInstance:
    """Return the instance without slowdown, with links as wide as the maximum demand that its policy permits."""
    total = sum((link_load(job, job.tasks // 2) for job in instance.jobs), Fraction(0))
    limits = [instance.saturation.limit(cluster.bandwidth) for cluster in instance.clusters]
    clusters = [
        replace(cluster, bandwidth=total if limit is None else limit)
        for cluster, limit in zip(instance.clusters, limits, strict=True)
    ]
    return replace(instance, clusters=clusters, saturation=FORBID)  # type: ignore[arg-type]


class PlainSearches:
    """Both searches, which contribute to the evidence of the instance under slowdown.

    `search`: the search of the instance, whose threads the search of the unslowed instance uses.

    Attributes
    ----------
    unslowed, forbidden
        The searches; None if a job alone saturates a link.
    """

    def __init__(self, search: SaturatedExactSearch) -> None:
        self._search, self._evidence = search, search.evidence
        self._claims: list[Claim] = []  # taken over from the search of the unslowed instance
        self._executed: Schedule | None = None
        self._end = 0.0  # end of the current time slice
        self.unslowed = self._begin(unslowed(search.instance), self._take_unslowed, search.threads)
        if self.unslowed is not None:
            self.unslowed.time_for_stages = search.time_left
        self.forbidden = self._begin(search.instance.with_saturation(FORBID), self._take_forbidden)

    def _begin(
        self, instance: CoallocationInstance, take: Callable[[Evidence], None], threads: int = 1
    ) -> CoallocationExactSearch | None:
        """Return a search that starts from the best schedule; `take` is called after each step."""
        plan, evidence = self._evidence.schedule, Evidence(instance)
        assert plan is not None
        try:
            if jobs_without_allocation(instance.scaled()) or evidence.offer(
                execute(instance, plan).schedule, plan.method
            ):
                return None
            evidence.bound = best_bound(instance)
        except InputError:
            return None

        def time_left() -> float:
            return 0.0 if self._is_over(evidence) else self._end - time.monotonic()

        return CoallocationExactSearch(evidence, self._search.seed, time_left, partial(take, evidence), threads)

    def resume(self, seconds: float, memory: int | None) -> bool:
        """Continue each search for `seconds`; return whether one of them may contribute more.

        Raises `StopSearch` if the user has interrupted one.
        """
        may_continue = False
        for exact in (self.unslowed, self.forbidden):
            if exact is None:
                continue
            if not self._is_over(exact.evidence):
                self._end = time.monotonic() + seconds
                ended = exact.close(memory)
                exact.raise_if_interrupted(ended)
                may_continue |= ended is Termination.TIME_LIMIT and not self._is_over(exact.evidence)
            exact.report()
        return may_continue

    def _is_over(self, plain: Evidence) -> bool:
        """Whether the search with this evidence has nothing left to contribute.

        The search without saturation is over if no such schedule is shorter than the incumbent, or if the other search
        can find it too: every schedule shorter than the incumbent is also a schedule of the unslowed instance.
        """
        if plain.closed or self._evidence.enough:
            return True
        best, other = self._evidence.makespan, None if self.unslowed is None else self.unslowed.evidence
        assert best is not None
        if plain is other:
            return False
        if other is not None and other.makespan is not None and other.makespan >= best and not other.closed:
            return True
        return plain.lower_bound is not None and plain.lower_bound >= best

    def _take_unslowed(self, plain: Evidence) -> None:
        """Take over the bound and the claims; execute a new schedule."""
        assert plain.bound is not None
        self._search.raise_bound(plain.bound)
        for claim in plain.claims:
            if claim not in self._claims:
                self._claims.append(claim)
                self._evidence.claim(claim)
        for solver, reason in plain.exposed.items():
            self._evidence.expose(solver, reason)
        if plain.schedule is not None and plain.schedule is not self._executed:
            self._executed = plain.schedule
            self._evidence.offer(execute(self._search.instance, plain.schedule).schedule, plain.schedule.method)
        self._search.report()

    def _take_forbidden(self, plain: Evidence) -> None:
        """Take over the schedule."""
        if plain.schedule is not None:
            self._evidence.offer(plain.schedule, plain.schedule.method)
        self._search.report()
