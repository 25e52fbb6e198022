"""The optimum of a tiny instance by brute force, under any saturation policy: the reference for models and bounds.

It shares no code with models, bounds, searches or heuristics. How fast jobs run is that of
`oas.problems.coallocation.rates`; the verifier, which shares none of it, has the last word on the schedule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from operator import gt
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.core.numbers import ceil_to
from oas.core.verifier import check
from oas.exact.coallocation.brute_choices import Choices
from oas.exact.coallocation.brute_phases import PhaseSearch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.core.schedule import Schedule
    from oas.exact.coallocation.brute_choices import Choice, Placements, Run, Running
    from oas.problems.coallocation.instance import CoallocationInstance

    State = tuple[tuple[int, ...], tuple[tuple[int, Choice, Fraction], ...]]

# Jobs, clusters and nodes at most: where saturation is forbidden, and under slowdown.
MOST_FORBIDDEN, MOST_SLOWED = (6, 8, 8), (4, 4, 12)
MAX_STEPS = 2_000_000


@dataclass
class StepSearch:
    """Depth-first search: at each step some jobs start, and all that run make progress.

    Where saturation is forbidden, a step lasts until the next job ends: some optimum starts every job at 0 or at the
    end of another, since no job of one with the least sum of starts can start earlier. Under slowdown a step is a slot.
    In continuous time it also lasts until the next job ends there. This omits schedules in which a job starts in
    between, and one of them may be better: `PhaseSearch` examines these.

    Idle times before the end are omitted, because later jobs could start earlier. A branch is pruned if its state
    (waiting jobs; running jobs with their nodes and progress) was reached before at the same time or earlier, or if
    some job or the total work cannot end before the incumbent, as no job runs faster than without saturation. Neither
    rule assumes that a job is at least as fast if fewer jobs run.
    """

    choices: Choices
    best: Fraction = field(init=False)  # the least makespan, in the instance's time unit
    runs: list[Run] = field(init=False, default_factory=list)  # of a schedule that has it
    _slot: Fraction = field(init=False)
    _slotwise: bool = field(init=False)  # whether a step is a slot
    _met: dict[State, Fraction] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._slot = self.choices.instance.slot
        self._slotwise = self._slot > 0 and self.choices.instance.saturation.slows
        self.best = self.choices.serial + 1

    def run(self) -> None:
        """Look at every schedule.

        Raises `TooLargeError` if too many steps follow one another, or are tried.
        """
        try:
            self._extend(Fraction(0), tuple(range(len(self.choices.of))), (), {}, {}, [])
        except RecursionError:
            raise TooLargeError("more steps follow one another than brute force can go back") from None

    def _extend(
        self,
        now: Fraction,
        waiting: Sequence[int],
        running: Running,
        progress: Mapping[int, Fraction],
        begun: Mapping[int, Fraction],
        ended: list[Run],
    ) -> None:
        """Try all continuations at the begin of a step; the running jobs have started and have the given progress."""
        if not waiting and not running:
            self.best, self.runs = now, ended
            return
        state = (tuple(waiting), tuple((job, choice, progress[job]) for job, choice in running))
        if state in self._met and self._met[state] <= now:
            return
        self._met[state] = now
        for phase in self.choices.starts(running, waiting):
            if not phase or self._least_end(now, waiting, phase, progress) >= self.best:
                continue
            self.choices.step()
            since = {job: begun.get(job, now) for job, _ in phase}
            before = {job: progress.get(job, Fraction(0)) for job, _ in phase}
            speeds = {job: speed for (job, _), speed in zip(phase, self.choices.rates(phase), strict=True)}
            step = self._slot
            if not self._slotwise:
                step = min(ceil_to((1 - before[job]) / speeds[job], self._slot) for job in since)
            reached = {job: before[job] + speeds[job] * step for job in since}
            going = tuple(one for one in phase if reached[one[0]] < 1)
            done = [(since[job], now + step, job, choice) for job, choice in phase if reached[job] >= 1]
            still = [job for job in waiting if job not in since]
            self._extend(now + step, still, going, reached, since, [*ended, *done])

    def _least_end(
        self, now: Fraction, waiting: Sequence[int], phase: Running, progress: Mapping[int, Fraction]
    ) -> Fraction:
        """Return a lower bound on the makespan of all continuations."""
        left = {job: choice.least * (1 - progress.get(job, Fraction(0))) for job, choice in phase}
        ends = [now + ceil_to(time, self._slot) for time in left.values()]
        work = sum((time * self.choices.instance.jobs[job].tasks for job, time in left.items()), Fraction(0))
        for job in waiting:
            if job not in left:
                ends.append(now + self._slot + ceil_to(self.choices.least[job], self._slot))
                work += self.choices.least[job] * self.choices.instance.jobs[job].tasks
        return max(*ends, now + work / self.choices.instance.node_count)


def brute_force(
    instance: CoallocationInstance, limit: int = MAX_STEPS, *, placements: Placements | None = None
) -> tuple[Fraction, Schedule]:
    """Return the least makespan of `instance` and a verified schedule that has it.

    Every start that some optimum needs is looked at, see `StepSearch`; under slowdown in continuous time every sequence
    of phases, see `PhaseSearch`, after all schedules that start jobs at 0 or at ends only.

    Parameters
    ----------
    instance
        At most 6 jobs and 8 nodes; under slowdown at most 4 jobs, 4 clusters and 12 nodes.
    limit
        How many steps to take at most: phases tried.
    placements
        Prescribed nodes by job id, as in `Placement.nodes`; only the starts are then chosen.

    Raises
    ------
    TooLargeError
        If the instance is beyond these sizes, or the search beyond `limit`.
    InfeasibleError
        If a job has no allocation even on an empty grid, or cannot run on the nodes that it is given.
    """
    slows = instance.saturation.slows
    size = len(instance.jobs), len(instance.clusters), instance.node_count
    most = MOST_SLOWED if slows else MOST_FORBIDDEN
    if any(map(gt, size, most)):
        known = f"{most[0]} jobs, {most[1]} clusters and {most[2]} nodes"
        raise TooLargeError(
            f"brute force takes at most {known}, not {size[0]:,} jobs on {size[1]:,} clusters and {size[2]:,} nodes"
        )
    choices = Choices(instance, placements, limit)
    search: StepSearch | PhaseSearch = StepSearch(choices)
    search.run()
    if slows and instance.slot == 0:
        search = PhaseSearch(choices, search.best, search.runs)
        search.run()
    schedule = check(instance, choices.schedule(search.runs), "the brute-force schedule")
    return search.best, schedule
