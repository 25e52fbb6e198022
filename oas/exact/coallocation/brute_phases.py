"""Brute force in continuous time: every sequence of phases, and how long each has to last."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.exact.coallocation.brute_choices import Choices, Run, Running


@dataclass
class PhaseSearch:
    """Depth-first search over sequences of phases; the set of running jobs is constant within a phase.

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

    choices: Choices
    best: Fraction
    runs: list[Run]
    _mirrored: int | None = field(init=False)

    def __post_init__(self) -> None:
        jobs = range(len(self.choices.of))
        alone = [job for job in jobs if sum(self.choices.alike(job, other) for other in jobs) <= 1]
        self._mirrored = alone[0] if alone else None

    def run(self) -> None:
        """Look at every sequence."""
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
        for kept in _subsets(last):
            ended = [one for one in last if one not in kept]
            then = max([now, *(begun[job] + self._least_time(before, job) for job, _ in ended)])
            for phase in self.choices.starts(kept, waiting):
                started = [job for job, _ in phase if job not in begun]
                still = [job for job in waiting if job not in started]
                if not phase or phase == last or (still and left == 1):
                    continue
                self.choices.step()
                since = {**begun, **dict.fromkeys(started, then)}
                phases = [*before, phase]
                if self._least_end(phase, still, since, then) < self.best and not self._late(phases, left - 1):
                    self._extend(phases, left - 1, still, since, then)

    def _least_end(
        self, phase: Running, waiting: Sequence[int], begun: Mapping[int, Fraction], then: Fraction
    ) -> Fraction:
        """Return a lower bound on the end of all sequences with this phase, which starts at `then` or later."""
        ends = [begun[job] + choice.least for job, choice in phase]
        ends += [then + self.choices.least[job] for job in waiting]
        return max(ends)

    def _late(self, phases: Sequence[Running], left: int) -> bool:
        """Whether the middle of the mirrored job is in the second half of all phases, including the remaining ones."""
        own = [index for index, phase in enumerate(phases) if any(job == self._mirrored for job, _ in phase)]
        if self._mirrored is None:
            return False
        first, last = (own[0], own[-1]) if own else (len(phases), len(phases))
        return first + last > len(phases) + left - 1

    def _least_time(self, phases: Sequence[Running], job: int) -> Fraction:
        """The job runs at least so long, if it runs in none but these phases."""
        return 1 / max(speed for phase in phases for speed in [self._speed(phase, job)] if speed)

    def _speed(self, phase: Running, job: int) -> Fraction:
        pairs = zip(phase, self.choices.rates(phase), strict=True)
        return next((speed for (own, _), speed in pairs if own == job), Fraction(0))

    def _settle(self, phases: Sequence[Running]) -> None:
        """Let the phases last as their equations say, and keep them if the last ends before the best so far."""
        rows = [[self._speed(phase, job) for phase in phases] for job in range(len(self.choices.of))]
        lengths = solution(rows)
        if lengths is None or min(lengths) <= 0 or sum(lengths) >= self.best:
            return
        self.best = sum(lengths, Fraction(0))
        moments = [sum(lengths[:index], Fraction(0)) for index in range(len(phases) + 1)]
        self.runs = []
        for job in range(len(self.choices.of)):
            own = [index for index, row in enumerate(rows[job]) if row]
            choice = dict(phases[own[0]])[job]
            self.runs.append((moments[own[0]], moments[own[-1] + 1], job, choice))


def _subsets(last: Running) -> Iterator[Running]:
    """Yield all subsets of the jobs, which continue to run, starting with the complete set."""
    for count in range(len(last), -1, -1):
        yield from combinations(last, count)


def solution(rows: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Return the only y with Σ rows[j][e]·y[e] = 1 for every j, by elimination; None if there is none, or several."""
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
                left[row] = [one - scale * other for one, other in zip(left[row], head, strict=True)]
    if any(row[-1] for row in left[columns:]):
        return None
    return [left[column][-1] / left[column][column] for column in range(columns)]
