"""The start-indexed model of fair sharing before and after the solver: size, warm start, conversion of the answer.

`start_indexed_model` builds it, in the solver's process.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import comb, gcd
from typing import TYPE_CHECKING

from oas.core.errors import SolverError
from oas.fair.models.reductions import MAX_HORIZON, alike, canonical_starts, latest_starts, queues, start_moments
from oas.fair.objectives import Objective, ScheduleClass, class_violations, earliest_starts
from oas.fair.ticks import NOT_STARTED, schedule_from_starts
from oas.solving.formulation import Formulation, Meaning, beyond_meanings, check_size
from oas.solving.model_builder import beyond_values, ticks_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.fair.instance import FairInstance
    from oas.fair.ticks import FairTicks
    from oas.solvers.task import Key

MAX_JOBS = 2_000
MAX_VARIABLES = 300_000
MAX_NONZEROS = 5_000_000


@dataclass(frozen=True)
class FairStartSpec:
    """The data that the model is built from, in ticks; jobs in the order of presentation."""

    total: int  # M: processors of all organizations; their owners do not affect these objectives
    releases: tuple[int, ...]  # of each job
    times: tuple[int, ...]  # of each job
    widths: tuple[int, ...]  # of each job
    queues: tuple[tuple[int, ...], ...]  # the jobs of each organization, in their order
    # No job starts here or later: t_end; for the makespan, that of a known schedule, by which every job ends.
    until: int
    objective: Objective
    greedy: bool  # whether schedules must be
    moments: tuple[int, ...]  # every moment at which something may start, end or be released, ascending
    # Candidate starts of each job, ascending; none for a job that cannot start before t_end.
    starts: tuple[tuple[int, ...], ...]
    certain: tuple[bool, ...]  # whether each job starts in all schedules, so by its last candidate start
    # Pairs of jobs where the first starts no later; by pairs of identical organizations.
    alike: tuple[tuple[tuple[int, int], ...], ...]
    lower_bound: int = 0  # of the makespan: no schedule ends earlier

    def columns(self) -> Iterator[tuple[int, int]]:
        """Yield job and moment of every variable: whether the job has not started at the moment or before."""
        for job, own in enumerate(self.starts):
            for start in own[: len(own) - self.certain[job]]:
                yield job, start

    @property
    def nonzeros(self) -> int:
        """Number of coefficients in the rows of capacity and greed, if all of them bind."""
        running = sum(self._moments_in(own[0], own[-1] + self.times[job]) for job, own in enumerate(self.starts) if own)
        waiting = sum(self._moments_in(release, self.until) for release in self.releases)
        return 2 * (running + self.greedy * (running * len(self.queues) + waiting))

    def _moments_in(self, begin: int, end: int) -> int:
        return bisect_left(self.moments, end) - bisect_left(self.moments, begin)

    def waits(self, job: int, moment: int) -> int | tuple[int, int]:
        """Return whether `job` has not started at `moment` or before: 1, 0, or the variable."""
        place = bisect_right(self.starts[job], moment) - 1
        if place < 0:
            return 1
        if self.certain[job] and place == len(self.starts[job]) - 1:
            return 0
        return job, self.starts[job][place]

    def cost(self, job: int, start: int | None) -> int:
        """Return the cost of a start, or of None; for Σ ψ_sp this is −ψ_sp, by equation (3) of the paper."""
        if self.objective is Objective.FLOW:
            end = self.until if start is None else min(start + self.times[job], self.until)
            return max(0, end - self.releases[job])
        if start is None:
            return 0
        since_start = self.until - start
        since_end = max(0, since_start - self.times[job])
        return -self.widths[job] * (comb(since_start + 1, 2) - comb(since_end + 1, 2))

    @cached_property
    def losses(self) -> dict[tuple[int, int], int]:
        """Cost of the next candidate start (or of none) minus that of this one, by variable; not for the makespan."""
        by_variable = {}
        for job, start in self.columns():
            later = bisect_right(self.starts[job], start)
            after = self.starts[job][later] if later < len(self.starts[job]) else None
            by_variable[job, start] = self.cost(job, after) - self.cost(job, start)
        return by_variable

    @cached_property
    def unit(self) -> int:
        """The greatest common divisor of all losses."""
        return gcd(*self.losses.values()) or 1

    @cached_property
    def least_cost(self) -> int:
        """The cost if every job has its first candidate start; not for the makespan."""
        return sum(self.cost(job, own[0] if own else None) for job, own in enumerate(self.starts))

    @cached_property
    def ends(self) -> list[int]:
        """Every makespan above the lower bound that a schedule may have."""
        ends = {start + time for own, time in zip(self.starts, self.times, strict=True) for start in own}
        return sorted(end for end in ends if end > self.lower_bound)


def prepare(
    instance: FairInstance,
    ticks: FairTicks,
    horizon: int,
    lower_bound: int,
    *,
    objective: Objective,
    schedule_class: ScheduleClass,
    reduced: bool = True,
) -> FairStartSpec:
    """Reduce starts and find symmetries, if `reduced`, and check the model's size before it is built.

    `horizon`: t_end; for the makespan, that of a schedule of the class. `lower_bound`: used for the makespan only.

    Raises `TooLargeError` if there are more than 2,000 jobs, the horizon is above 1,000,000, or there would be more
    than 300,000 variables or 5,000,000 coefficients.
    """
    check_size("start-indexed", "jobs", ticks.job_count, MAX_JOBS)
    greedy, ending = schedule_class is ScheduleClass.GREEDY, objective is Objective.MAKESPAN
    times = ticks.time.tolist()
    check_size("start-indexed", "moments", horizon, MAX_HORIZON)
    moments = start_moments(ticks, horizon) if reduced else list(range(horizon))
    latest = latest_starts(ticks) if greedy and reduced else [horizon] * ticks.job_count
    if ending:
        latest = [min(start, horizon - time) for start, time in zip(latest, times, strict=True)]
    ranges = [
        range(bisect_left(moments, first), bisect_right(moments, last))
        for first, last in zip(earliest_starts(ticks), latest, strict=True)
    ]
    check_size("start-indexed", "variables", sum(map(len, ranges)), MAX_VARIABLES)
    spec = FairStartSpec(
        total=ticks.total,
        releases=tuple(ticks.release.tolist()),
        times=tuple(times),
        widths=tuple(ticks.width.tolist()),
        queues=tuple(map(tuple, queues(ticks))),
        until=horizon,
        objective=objective,
        greedy=greedy,
        moments=tuple(moments),
        starts=tuple(tuple(moments[own.start : own.stop]) for own in ranges),
        certain=tuple(ending or last < horizon for last in latest),
        alike=alike(ticks) if reduced else (),
        lower_bound=lower_bound,
    )
    check_size("start-indexed", "coefficients", spec.nonzeros, MAX_NONZEROS)
    return spec


def read(spec: FairStartSpec, values: Mapping[Key, float]) -> list[int]:
    """Return the start of each job in the incumbent with these nonzero values, -1 for none.

    Raises `SolverError` if some job waits again after it has started.
    """
    waiting = {index for (name, index), value in values.items() if name == "waits" and value}
    starts = []
    for job, own in enumerate(spec.starts):
        waits = [(job, start) in waiting for start in own]
        first = waits.index(False) if False in waits else len(own)
        if any(waits[first:]):
            raise SolverError("the solver's incumbent has a job wait after its start")
        starts.append(own[first] if first < len(own) else NOT_STARTED)
    return starts


def start_values(spec: FairStartSpec, starts: Sequence[int]) -> dict[Key, float] | None:
    """Return the nonzero values of a schedule's variables, after `canonical_starts`.

    None if the model does not contain the schedule; it contains every greedy schedule.
    """
    moved = canonical_starts(spec.alike, [spec.until if start == NOT_STARTED else start for start in starts])
    for job, start in enumerate(moved):
        if not (start in spec.starts[job] or (start == spec.until and not spec.certain[job])):
            return None
    values: dict[Key, float] = {("waits", (job, moment)): 1 for job, moment in spec.columns() if moment < moved[job]}
    if spec.objective is Objective.MAKESPAN:
        makespan = max(start + time for start, time in zip(moved, spec.times, strict=True))
        values |= beyond_values(spec.ends, makespan)
    return values


def cost_of(spec: FairStartSpec, objective: int) -> int:
    """Convert an integer objective value of the model to the cost: the makespan, the flow, or −Σ ψ_sp."""
    if spec.objective is not Objective.MAKESPAN:
        return spec.least_cost + spec.unit * max(objective, 0)
    return ticks_of(spec, objective)


def meanings(instance: FairInstance, spec: FairStartSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable."""
    order = instance.scaled().order
    names = [instance.jobs[job].id for job in ([] if order is None else order.tolist())]
    for job, moment in spec.columns():
        kind = "the job has not started at this moment or before"
        yield ("waits", (job, moment)), Meaning(kind, names[job], start=Fraction(moment))
    yield ("nothing", (0,)), Meaning("none")
    yield from beyond_meanings(spec.ends, Fraction)


def formulation(objective: Objective, schedule_class: ScheduleClass) -> Formulation:
    """Return the model that optimises `objective` over the schedules of a class; its runs are starts."""
    return Formulation(
        name="start-indexed",
        builder="oas.fair.models.start_indexed_model:build",
        prepare=partial(prepare, objective=objective, schedule_class=schedule_class),
        read=read,
        start_values=start_values,
        ticks_of=cost_of,
        summary="one variable for (job, moment): whether the job waits on",
        schedule=schedule_from_starts,
        prepare_full=partial(prepare, objective=objective, schedule_class=schedule_class, reduced=False),
        latest_end=lambda instance: Fraction(instance.horizon),
        meanings=meanings,
        rules=partial(class_violations, schedule_class=schedule_class),
        reductions=(
            "Jobs start only at a release plus a sum of times of other jobs: assumes that no job must wait.",
            "Jobs of the earlier of identical organizations start no later: assumes that nothing tells these apart.",
        ),
    )
