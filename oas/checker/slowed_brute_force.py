"""Enumeration of every schedule of a tiny co-allocation instance whose saturated links slow jobs down.

With slots, all starts are enumerated slot by slot, except for slots in which no job runs before all are complete, since
later jobs could be moved forward. A state (the waiting jobs; the running jobs with their nodes and progress) is skipped
if it was reached before in the same or an earlier slot. Of identical jobs the first starts no later, because they can
exchange their names.

In continuous time, all sequences of phases are enumerated; in a phase the same jobs run. For a given sequence, the
durations y of the phases are the solutions of a linear program, Σ r_j(S)·y_S = 1 for each job j. Some optimum has at
most as many positive y as there are jobs, with linearly independent columns. Without the other phases, each job still
has a single run. So it is sufficient to enumerate sequences of at most as many phases as jobs with a unique solution.
A phase without jobs has the column 0, and neighbouring phases with the same jobs have equal columns; so neither occurs.
A reversed sequence has the same length, since progress depends only on the jobs that run together; so the middle of the
phases of one job, the mirrored one, is restricted to the first half. No other job is identical to it: in the reversed
sequence identical jobs exchange their names, so that again the first starts no later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_spread import OptionItem, SlowedOptions, node_pools
from oas.checker.effort import Effort, TooCostly
from oas.checker.schedules import PlacedJob, on_nodes

MOST_SLOWED_JOBS = 4
MOST_SLOWED_CLUSTERS = 4
MOST_SLOWED_NODES = 12

SlowedPhase = tuple[OptionItem, ...]  # jobs that run together, ascending, with their options


def slowed_schedule_before(instance: CoallocationInstance, limit: Fraction, effort: Effort) -> list[PlacedJob] | None:
    """Return a shortest schedule if it ends before `limit`; None if there is none. `effort` limits the phases."""
    sizes = len(instance.jobs), len(instance.clusters), instance.node_count
    limits = MOST_SLOWED_JOBS, MOST_SLOWED_CLUSTERS, MOST_SLOWED_NODES
    if any(size > most for size, most in zip(sizes, limits, strict=True)):
        raise TooCostly("enumeration takes at most {} jobs, {} clusters and {} nodes".format(*limits))
    search = SlowedEnumeration(SlowedOptions(instance, Effort()), limit, effort)
    search.run()
    return search.schedule(node_pools(instance))


class SlowedEnumeration:
    """A search for schedules that end before `limit`, in slots, or in units of time without slots.

    The limit becomes the makespan of the best schedule found; `best` has its phases and their durations.
    """

    def __init__(self, options: SlowedOptions, limit: Fraction, effort: Effort) -> None:
        self.options, self.limit, self.steps = options, limit / options.span, effort
        self.tasks, self.nodes = options.scaled.tasks, options.instance.node_count
        # By job and option: the job's time with unsaturated links.
        self.times = [[one.fastest for one in row] for row in options.rows]
        self.kinds = [one[1:] for one in options.instance.jobs]
        self.mirrored = next((job for job, kind in enumerate(self.kinds) if self.kinds.count(kind) == 1), None)
        self.known_progress: dict[SlowedPhase, dict[int, Fraction]] = {}
        self.known_starts: dict[object, list[SlowedPhase]] = {}
        self.met: dict[object, int] = {}
        self.best: list[tuple[SlowedPhase, Fraction]] = []

    def run(self) -> None:
        """Examine all schedules."""
        waiting = tuple(range(len(self.times)))
        if self.options.slotted:
            self._by_slots([], waiting, (), {})
        else:
            self._by_phases([], waiting, {}, Fraction(0))

    def schedule(self, pools: Sequence[tuple[str, Sequence[int]]]) -> list[PlacedJob] | None:
        """Return the best schedule on nodes of these pools; None if there is none."""
        if not self.best:
            return None
        runs: dict[int, tuple[int, Fraction, Fraction, Sequence[int]]] = {}
        end = Fraction(0)
        for phase, length in self.best:
            start, end = end, end + length * self.options.span
            for job, option in phase:
                first = runs[job][1] if job in runs else start
                runs[job] = (job, first, end, self.options.rows[job][option].counts)
        return on_nodes([job.id for job in self.options.instance.jobs], pools, list(runs.values()))

    def _by_slots(
        self,
        before: list[SlowedPhase],
        waiting: Sequence[int],
        running: SlowedPhase,
        progress: dict[int, Fraction],
    ) -> None:
        """Examine all schedules that continue from the slots `before`."""
        now = len(before)
        if not waiting and not running:
            self.limit, self.best = Fraction(now), [(phase, Fraction(1)) for phase in before]
            return
        state = (tuple(waiting), running, tuple(progress[job] for job, _ in running))
        if state in self.met and self.met[state] <= now:
            return
        self.met[state] = now
        for phase in self._starts(running, waiting):
            if not phase or self._least_end(now, waiting, phase, progress) >= self.limit:
                continue
            self.steps.spend(1)
            reached = {job: progress.get(job, Fraction(0)) + rate for job, rate in self._progress(phase).items()}
            incomplete = tuple(one for one in phase if reached[one[0]] < 1)
            still_waiting = [job for job in waiting if job not in reached]
            self._by_slots([*before, phase], still_waiting, incomplete, reached)

    def _least_end(
        self, now: int, waiting: Sequence[int], phase: SlowedPhase, progress: dict[int, Fraction]
    ) -> Fraction:
        """Return a lower bound on the makespan of schedules with this phase in slot `now`: links are unsaturated."""
        current = [(job, self.times[job][option] * (1 - progress.get(job, Fraction(0)))) for job, option in phase]
        later = [(job, min(self.times[job])) for job in set(waiting).difference(dict(phase))]
        work = sum((self.tasks[job] * time for job, time in current + later), Fraction(0))
        ends = [now + ceil(time) for _, time in current] + [now + 1 + ceil(time) for _, time in later]
        return max(Fraction(max(ends)), now + work / self.nodes)

    def _by_phases(
        self, before: list[SlowedPhase], waiting: Sequence[int], begun: dict[int, Fraction], now: Fraction
    ) -> None:
        """Examine all schedules that begin with the phases `before`.

        `begun` has lower bounds on the starts of jobs, `now` on the start of the last phase.
        """
        jobs = len(self.times)
        if not waiting and not self._is_late(before, len(before)):
            rows = [[self._progress(phase).get(job, Fraction(0)) for phase in before] for job in range(jobs)]
            lengths = only_solution(rows)
            if lengths is not None and min(lengths) > 0 and sum(lengths) < self.limit:
                self.limit, self.best = sum(lengths, Fraction(0)), list(zip(before, lengths, strict=True))
        if len(before) == jobs:
            return
        last = before[-1] if before else ()
        for kept in (subset for count in range(len(last), -1, -1) for subset in combinations(last, count)):
            then = now
            for job, _ in set(last).difference(kept):  # all phases of the job are in `before`
                then = max(then, begun[job] + 1 / max(self._progress(phase).get(job, Fraction(0)) for phase in before))
            for phase in self._starts(kept, waiting):
                since = {**{job: then for job, _ in phase}, **begun}
                still_waiting = [job for job in waiting if job not in since]
                if not phase or phase == last or (still_waiting and len(before) + 1 == jobs):
                    continue
                ends = [since[job] + self.times[job][option] for job, option in phase]
                ends += [then + min(self.times[job]) for job in still_waiting]
                phases = [*before, phase]
                if max(ends) < self.limit and not self._is_late(phases, jobs):
                    self.steps.spend(1)
                    self._by_phases(phases, still_waiting, since, then)

    def _is_late(self, phases: Sequence[SlowedPhase], count: int) -> bool:
        """Return whether the middle of the mirrored job is in the second half of all `count` phases."""
        if self.mirrored is None:
            return False
        places = [place for place, phase in enumerate(phases) if any(job == self.mirrored for job, _ in phase)]
        first, last = (places[0], places[-1]) if places else (len(phases), len(phases))
        return first + last > count - 1

    def _progress(self, phase: SlowedPhase) -> dict[int, Fraction]:
        """Return the progress of each job of the phase in a slot or unit of time."""
        if phase not in self.known_progress:
            progress = self.options.progress([self.options.rows[job][option].user for job, option in phase])
            self.known_progress[phase] = dict(zip(dict(phase), progress, strict=True))
        return self.known_progress[phase]

    def _starts(self, running: SlowedPhase, waiting: Sequence[int]) -> list[SlowedPhase]:
        key = (running, tuple(waiting))
        if key not in self.known_starts:
            self.known_starts[key] = list(self._started(running, waiting))
        return self.known_starts[key]

    def _started(self, running: SlowedPhase, waiting: Sequence[int]) -> Iterator[SlowedPhase]:
        """Yield the phases that result from starting some of the waiting jobs, or none."""
        if not waiting:
            yield running
            return
        job, rest = waiting[0], waiting[1:]
        for option in range(len(self.times[job])):
            more = tuple(sorted((*running, (job, option))))
            if self._fits(more):
                yield from self._started(more, rest)
        # The first of jobs that differ only in their names starts no later than the others.
        others = [member for member in rest if self.kinds[member] != self.kinds[job]]
        yield from self._started(running, others)

    def _fits(self, phase: SlowedPhase) -> bool:
        """Return whether there are enough nodes for all jobs, and no link exceeds its limit."""
        chosen = [self.options.rows[job][option] for job, option in phase]
        needs = map(sum, zip(*[(*one.counts, *one.loads) for one in chosen], strict=True))
        return all(map(int.__le__, needs, (*self.options.sizes, *self.options.scaled.link_capacity)))


def only_solution(rows: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Return the unique y with Σ rows[j][e]·y[e] = 1 for every j, by elimination; None if there is none or several."""
    left = [[*row, Fraction(1)] for row in rows]
    columns = len(rows[0])
    for column in range(columns):
        pivot = next((row for row in range(column, len(left)) if left[row][column]), None)
        if pivot is None:
            return None
        left[column], left[pivot] = left[pivot], left[column]
        head = left[column]
        for row in range(len(left)):
            if row != column and left[row][column]:
                scale = left[row][column] / head[column]
                left[row] = [value - scale * pivot_value for value, pivot_value in zip(left[row], head, strict=True)]
    if any(row[-1] for row in left[columns:]):
        return None
    return [left[column][-1] / left[column][column] for column in range(columns)]
