"""Searches without slowdown, for an instance with slots whose saturated links slow jobs down.

Two instances of the plain variant lie on either side of it:

- *forbidden*: no link may be saturated. Its schedules are schedules of the instance, so its search gives schedules.
- *unslowed*: links may be asked for as much as in the instance, and slow no job down. Cut each run of a schedule of the
  instance to the slots that the job takes at full speed: what runs at a moment ran then before the cut, so nodes and
  links have room. So no schedule of the instance is shorter than the optimum, and its search gives bounds. In ticks it
  is the same as the instance, so certificates of its bounds hold for the instance as they are. Its schedules become
  schedules of the instance by executing them.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import best_bound
from oas.core.errors import InputError
from oas.core.result import Termination
from oas.exact.coallocation.search import CoallocationExactSearch
from oas.exact.evidence import Evidence
from oas.exact.search import StopSearch
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.execution import execute
from oas.problems.coallocation.ticks import link_load
from oas.problems.registry import FORBID

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.result import Claim
    from oas.core.schedule import Schedule
    from oas.exact.search import ExactSearch
    from oas.problems.coallocation.instance import CoallocationInstance


def unslowed(instance: CoallocationInstance) -> CoallocationInstance:
    """Return the instance with links that carry all that they may be asked for."""
    total = sum((link_load(job, job.tasks // 2) for job in instance.jobs), Fraction(0))
    limits = [instance.saturation.limit(one.bandwidth) for one in instance.clusters]
    clusters = [
        replace(cluster, bandwidth=total if limit is None else limit)
        for cluster, limit in zip(instance.clusters, limits, strict=True)
    ]
    return replace(instance, clusters=clusters, saturation=FORBID)  # type: ignore[arg-type]


class PlainSearch:
    """A search of an instance of the plain variant, a slice of time after the other.

    Parameters
    ----------
    instance
        Of the plain variant.
    plan
        A schedule of the instance under slowdown, from which the search starts.
    seed
        Of its local search.
    is_over
        Tells whether further results of the search are useless.
    report
        Called after each step.
    threads
        For the search and its parallel stages, which continue between the slices.

    Raises
    ------
    InputError
        If the plan cannot be executed.
    """

    def __init__(
        self,
        instance: CoallocationInstance,
        plan: Schedule,
        seed: int,
        is_over: Callable[[], bool],
        report: Callable[[], None],
        threads: int = 1,
    ) -> None:
        if jobs_without_allocation(instance.scaled()):
            raise InputError("a job has no allocation", field="jobs")
        self.evidence = Evidence(instance)
        violation = self.evidence.offer(execute(instance, plan).schedule, plan.method)
        if violation:
            raise InputError(violation, field="plan")
        self.evidence.bound = best_bound(instance)
        self._is_over, self._end = is_over, 0.0
        self.exact = CoallocationExactSearch(self.evidence, seed, self._time_left, report, threads)
        self._began = False

    @property
    def over(self) -> bool:
        """Whether there is nothing left to search for."""
        return self.evidence.closed or self._is_over()

    def resume(self, seconds: float, memory: int | None) -> None:
        """Continue for some seconds.

        Raises `StopSearch` if the user has interrupted it.
        """
        if self.over:
            return
        self._end = time.monotonic() + seconds
        termination = self.exact.resume(memory) if self._began else self.exact.close(memory)
        self._began = True
        if termination is Termination.INTERRUPTED:
            raise StopSearch(termination)

    def _time_left(self) -> float:
        return 0.0 if self.over else self._end - time.monotonic()


class PlainSearches:
    """Both searches, which contribute to the evidence of the instance under slowdown.

    `search`: of the instance. Its threads are those of the search of the unslowed instance.
    """

    def __init__(self, search: ExactSearch) -> None:
        self._evidence, self._report = search.evidence, search.report
        self._instance: CoallocationInstance = search.evidence.instance  # type: ignore[assignment]
        self._claims: list[Claim] = []  # taken over
        self._executed: Schedule | None = None
        seed, threads = search.seed, search.threads
        self._unslowed = self._begin(unslowed(self._instance), seed, self._is_over, self._take_unslowed, threads)
        if self._unslowed is not None:
            self._unslowed.exact.time_for_stages = search.time_left
        forbidden = self._instance.with_saturation(FORBID)
        self._forbidden = self._begin(forbidden, seed, self._forbidden_is_over, self._take_forbidden)

    def _begin(
        self,
        instance: CoallocationInstance,
        seed: int,
        is_over: Callable[[], bool],
        take: Callable[[], None],
        threads: int = 1,
    ) -> PlainSearch | None:
        assert self._evidence.schedule is not None
        try:
            return PlainSearch(instance, self._evidence.schedule, seed, is_over, take, threads)
        except InputError:  # a job alone saturates a link
            return None

    @property
    def over(self) -> bool:
        """Whether neither has anything left to search for."""
        return all(one is None or one.over for one in (self._unslowed, self._forbidden))

    def resume(self, seconds: float, memory: int | None) -> None:
        """Continue each for some seconds; errors as those of `PlainSearch.resume`."""
        if self._unslowed is not None:
            self._unslowed.resume(seconds, memory)
            self._take_unslowed()
        if self._forbidden is not None:
            self._forbidden.resume(seconds, memory)
            self._take_forbidden()

    def end_stages(self) -> None:
        """End the parallel stages."""
        if self._unslowed is not None:
            self._unslowed.exact.end_stages()

    def _is_over(self) -> bool:
        return self._evidence.enough

    def _forbidden_is_over(self) -> bool:
        """Whether no schedule without saturation is shorter than the incumbent, or the other search can find it too.

        Every schedule shorter than the incumbent is also a schedule of the unslowed instance.
        """
        if self._evidence.enough:
            return True
        best = self._evidence.makespan
        assert best is not None
        if self._unslowed is not None:
            plan = self._unslowed.evidence.makespan
            if plan is not None and plan >= best and not self._unslowed.evidence.closed:
                return True
        lowest = None if self._forbidden is None else self._forbidden.evidence.lower_bound
        return lowest is not None and lowest >= best

    def _take_unslowed(self) -> None:
        """Take over the bound and the claims; execute a new schedule."""
        if self._unslowed is None:
            return
        own = self._unslowed.evidence
        assert own.bound is not None and self._evidence.bound is not None
        if own.bound.value > self._evidence.bound.value:
            self._evidence.bound = own.bound
        if own.claims != self._claims:
            kept = [one for one in self._evidence.claims if one not in self._claims]
            self._evidence.claims = kept + own.claims
            self._claims = list(own.claims)
        if own.schedule is not None and own.schedule is not self._executed:
            self._executed = own.schedule
            self._evidence.offer(execute(self._instance, own.schedule).schedule, own.schedule.method)
        self._report()

    def _take_forbidden(self) -> None:
        """Take over the schedule."""
        if self._forbidden is not None and self._forbidden.evidence.schedule is not None:
            schedule = self._forbidden.evidence.schedule
            self._evidence.offer(schedule, schedule.method)
        self._report()
