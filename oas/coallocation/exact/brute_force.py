"""The optimum of a tiny instance by brute force, under any saturation policy: the reference for models and bounds.

With models, bounds, searches and heuristics it shares only the scaled instance and the rates of progress
(`oas.coallocation.rates`). The verifier, which uses neither, checks the schedule.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from operator import gt
from typing import TYPE_CHECKING

from oas.coallocation.exact.brute_choices import Choices
from oas.core.errors import TooLargeError
from oas.core.numbers import ceil_to
from oas.core.verifier import check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.coallocation.exact.brute_choices import Choice, Placements, Run, Running
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.schedule import Schedule

    State = tuple[tuple[int, ...], tuple[tuple[int, Choice, Fraction], ...]]

# Maximum numbers of jobs, clusters and nodes: if saturation is forbidden, and under slowdown.
MOST_FORBIDDEN, MOST_SLOWED = (6, 8, 8), (4, 4, 12)
MAX_STEPS = 2_000_000


class StepSearch:
    """Depth-first search: at each step some jobs start, and all running jobs make progress.

    If saturation is forbidden, a step lasts until the next job ends: in an optimum with the minimum sum of starts, no
    job can start earlier, so each starts at 0 or at the end of another. Under slowdown a step is a slot; in continuous
    time it lasts until the next job ends. This omits schedules in which a job starts between two ends; as such a
    schedule may be better, `PhaseSearch` examines them.

    Idle times before the end are omitted, because later jobs could start earlier. A branch is pruned if its state
    (waiting jobs; running jobs with their nodes and progress) was reached before at the same time or earlier, or if
    some job or the total work cannot end before the incumbent, as no job runs faster than without saturation. Neither
    rule assumes that a job is at least as fast if fewer jobs run.

    `best`: finally the minimum makespan, in the instance's time unit. `runs`: of a schedule with this makespan.
    """

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.best = choices.serial + 1
        self.runs: list[Run] = []
        self._slot = choices.instance.slot
        self._slotwise = self._slot > 0 and choices.instance.saturation.slows  # whether a step is a slot
        self._met: dict[State, Fraction] = {}

    def run(self) -> None:
        """Examine all schedules.

        Raises `TooLargeError` if a sequence of steps is too long, or too many steps are tried.
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
        """Try all continuations at the start of a step; the running jobs have the given progress."""
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
            continuing = tuple(run for run in phase if reached[run[0]] < 1)
            done = [(since[job], now + step, job, choice) for job, choice in phase if reached[job] >= 1]
            left = [job for job in waiting if job not in since]
            self._extend(now + step, left, continuing, reached, since, [*ended, *done])

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


class PhaseSearch:
    """Depth-first search over sequences of phases in continuous time; the same jobs run throughout a phase.

    Some optimum has at most as many phases as jobs. For a given sequence, the durations y of the phases are a linear
    program with the equations Σ r_j(S) y_S = 1 for each job j. Some optimum has no more positive y than equations, with
    linearly independent columns. Without the other phases, each job still has one contiguous run. Therefore the
    equations determine the durations of every relevant sequence.

    A branch is pruned if jobs that follow one another cannot end before the incumbent, since no job runs faster than
    without saturation, or, once it has ended, than in the best of its phases. A reversed sequence has the same length,
    so the middle of the phases of one job is restricted to the first half. This job has no identical copy, because of
    identical jobs the first starts first.

    `choices`: of an instance with η = 0. `best`: a feasible makespan, finally the optimum. `runs`: of a schedule with
    this makespan.
    """

    def __init__(self, choices: Choices, best: Fraction, runs: list[Run]) -> None:
        self.choices, self.best, self.runs = choices, best, runs
        jobs = range(len(choices.of))
        alone = (job for job in jobs if sum(choices.alike(job, other) for other in jobs) <= 1)
        self._mirrored = next(alone, None)

    def run(self) -> None:
        """Examine all sequences of phases."""
        jobs = len(self.choices.of)
        for phases in range(1, jobs + 1):
            self._extend([], phases, tuple(range(jobs)), {}, Fraction(0))

    def _extend(
        self,
        before: list[Running],
        left: int,
        waiting: Sequence[int],
        begun: dict[int, Fraction],
        now: Fraction,
    ) -> None:
        """Try every next phase.

        `before`: the phases so far. `left`: number of further phases. `waiting`: jobs that have not started. `begun`: a
        lower bound on the start of each started job. `now`: a lower bound on the start of the last phase.
        """
        if not left:
            if not waiting:
                self._settle(before)
            return
        last = before[-1] if before else ()
        # All subsets of the jobs continue to run, the complete set first.
        for continued in chain.from_iterable(combinations(last, count) for count in range(len(last), -1, -1)):
            ended = [run for run in last if run not in continued]
            then = max([now, *(begun[job] + self._least_time(before, job) for job, _ in ended)])
            for phase in self.choices.starts(continued, waiting):
                started = [job for job, _ in phase if job not in begun]
                unstarted = [job for job in waiting if job not in started]
                if not phase or phase == last or (unstarted and left == 1):
                    continue
                self.choices.step()
                since = {**begun, **dict.fromkeys(started, then)}
                phases = [*before, phase]
                if self._least_end(phase, unstarted, since, then) < self.best and not self._late(phases, left - 1):
                    self._extend(phases, left - 1, unstarted, since, then)

    def _least_end(
        self, phase: Running, waiting: Sequence[int], begun: Mapping[int, Fraction], then: Fraction
    ) -> Fraction:
        """Return a lower bound on the end of all sequences with this phase, which starts at `then` or later."""
        ends = [begun[job] + choice.least for job, choice in phase]
        ends += [then + self.choices.least[job] for job in waiting]
        return max(ends)

    def _late(self, phases: Sequence[Running], left: int) -> bool:
        """Whether the middle of the mirrored job is in the second half of all phases, including the remaining ones."""
        if self._mirrored is None:
            return False
        indices = [index for index, phase in enumerate(phases) if any(job == self._mirrored for job, _ in phase)]
        first, last = (indices[0], indices[-1]) if indices else (len(phases), len(phases))
        return first + last > len(phases) + left - 1

    def _least_time(self, phases: Sequence[Running], job: int) -> Fraction:
        """Return a lower bound on the running time of a job that runs only in these phases."""
        return 1 / max(speed for phase in phases for speed in [self._speed(phase, job)] if speed)

    def _speed(self, phase: Running, job: int) -> Fraction:
        pairs = zip(phase, self.choices.rates(phase), strict=True)
        return next((speed for (running, _), speed in pairs if running == job), Fraction(0))

    def _settle(self, phases: Sequence[Running]) -> None:
        """Compute the durations of the phases from their equations; store the schedule if it improves on `best`."""
        rows = [[self._speed(phase, job) for phase in phases] for job in range(len(self.choices.of))]
        lengths = _solution(rows)
        if lengths is None or min(lengths) <= 0 or sum(lengths) >= self.best:
            return
        self.best = sum(lengths, Fraction(0))
        moments = [sum(lengths[:index], Fraction(0)) for index in range(len(phases) + 1)]
        self.runs = []
        for job in range(len(self.choices.of)):
            indices = [index for index, speed in enumerate(rows[job]) if speed]
            choice = dict(phases[indices[0]])[job]
            self.runs.append((moments[indices[0]], moments[indices[-1] + 1], job, choice))


def _solution(rows: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Return the unique y with Σ rows[j][e]·y[e] = 1 for every j, by elimination; None if there are none or several."""
    left = [[*row, Fraction(1)] for row in rows]
    columns = len(rows[0])
    for column in range(columns):
        pivot = next((row for row in range(column, len(left)) if left[row][column]), None)
        if pivot is None:
            return None
        left[column], left[pivot] = left[pivot], left[column]
        head = left[column]
        for row in range(len(left)):
            factor = left[row][column]
            if row != column and factor:
                scale = factor / head[column]
                left[row] = [value - scale * first for value, first in zip(left[row], head, strict=True)]
    if any(row[-1] for row in left[columns:]):
        return None
    return [left[column][-1] / left[column][column] for column in range(columns)]


def brute_force(
    instance: CoallocationInstance, limit: int = MAX_STEPS, *, placements: Placements | None = None
) -> tuple[Fraction, Schedule]:
    """Return the minimum makespan of `instance` and a verified schedule with this makespan.

    `StepSearch` examines all starts that an optimum may need. Under slowdown in continuous time it examines only starts
    at 0 and at ends; `PhaseSearch` then examines all sequences of phases.

    Parameters
    ----------
    instance
        At most 6 jobs and 8 nodes; under slowdown at most 4 jobs, 4 clusters and 12 nodes.
    limit
        Maximum number of steps (phases tried).
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
