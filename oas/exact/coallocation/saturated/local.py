"""Local search for schedules where saturated links slow jobs down.

A schedule is an order of the jobs, an allocation for each, and for each whether it waits until all jobs before it in
the order have started. At 0 and at each end, jobs are started in this order where they fit. What is found is a list of
starts; floats decide between schedules, and whoever takes one recomputes it in Fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp
from random import Random
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.core.errors import InputError
from oas.problems.coallocation.progress import StartedRun, ends_of
from oas.problems.coallocation.rates import slowdowns
from oas.problems.coallocation.running import RunningJobs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.bounds.coallocation.saturated.options import Options

_ROUNDING = 1e-12
_HEAT = 0.03  # how much longer a schedule may be that is accepted at first, as a share


@dataclass(frozen=True)
class _State:
    """Order of the jobs, option of each, and whether it waits for those before it."""

    order: tuple[int, ...]
    options: tuple[int, ...]
    patient: tuple[bool, ...]


class LocalSearch:
    """Annealing over such schedules; goes on where it stood."""

    def __init__(self, options: Options, seed: int) -> None:
        self.options, self.random = options, Random(seed)
        self.times = [[(float(one.computing), float(one.sending)) for one in row] for row in options.rows]
        fastest = [min(range(len(row)), key=lambda one: (row[one].alone, one)) for row in options.rows]
        longest = sorted(range(options.job_count), key=lambda job: -options.rows[job][fastest[job]].alone)
        self.state = _State(tuple(longest), tuple(fastest), (False,) * options.job_count)
        self.value = self._evaluate(self.state)[0]
        self.best, self.best_state = self.value, self.state

    def improve(self, steps: int, stop: Callable[[], bool]) -> list[StartedRun]:
        """Take so many steps; return the best schedule so far as starts."""
        for step in range(steps):
            if stop():
                break
            nearby = self._neighbour(self.state)
            value, _ = self._evaluate(nearby)
            heat = self.best * _HEAT * (1 - step / steps) + 1e-300
            if value <= self.value or self.random.random() < exp((self.value - value) / heat):
                self.state, self.value = nearby, value
            if value < self.best * (1 - _ROUNDING):
                self.best, self.best_state = value, nearby
        self.state, self.value = self.best_state, self.best
        return self._runs(self.best_state)

    def _neighbour(self, state: _State) -> _State:
        jobs, kind = len(state.order), self.random.random()
        if kind < 0.45 and jobs > 1:
            order = list(state.order)
            order.insert(self.random.randrange(jobs), order.pop(self.random.randrange(jobs)))
            return replace(state, order=tuple(order))
        job = self.random.randrange(jobs)
        if kind < 0.9:
            options = list(state.options)
            options[job] = self.random.randrange(len(self.options.rows[job]))
            return replace(state, options=tuple(options))
        patient = list(state.patient)
        patient[job] = not patient[job]
        return replace(state, patient=tuple(patient))

    def _evaluate(self, state: _State) -> tuple[float, list[tuple[int, int]]]:
        """Return the makespan in floats, and the jobs by the event, 0 or the number of the end, at which they start."""
        own = self.options
        chosen = [own.rows[job][option].allocation for job, option in enumerate(state.options)]
        free, room = list(own.sizes), list(own.capacity)
        waiting, running = list(state.order), [0] * 0
        left = [1.0] * len(chosen)
        now, event = 0.0, 0
        started = []
        step = float(own.step)
        while True:
            check_clock()
            passed = False
            for job in list(waiting):
                counts, loads = chosen[job].counts, chosen[job].loads
                if (state.patient[job] and passed) or any(
                    need > have for need, have in zip((*counts, *loads), (*free, *room), strict=True)
                ):
                    passed = True
                    continue
                free = [have - need for have, need in zip(free, counts, strict=True)]
                room = [have - need for have, need in zip(room, loads, strict=True)]
                waiting.remove(job)
                running.append(job)
                started.append((job, event))
            if not running:
                return now, started
            slowed = slowdowns(own.instance.saturation.sharing, own.bandwidth, [chosen[job].loads for job in running])
            rates = [
                1 / (self.times[job][state.options[job]][0] + self.times[job][state.options[job]][1] * float(one))
                for job, one in zip(running, slowed, strict=True)
            ]
            spans = [left[job] / rate for job, rate in zip(running, rates, strict=True)]
            if own.slotted:
                spans = [max(1, ceil(span / step - 1e-9)) * step for span in spans]
            span = min(spans)
            for job, rate in zip(running, rates, strict=True):
                left[job] -= rate * span
            now += span
            event += 1
            for job, own_span in list(zip(running, spans, strict=True)):
                if own_span <= span * (1 + 1e-9):
                    running.remove(job)
                    free = [have + need for have, need in zip(free, chosen[job].counts, strict=True)]
                    room = [have + need for have, need in zip(room, chosen[job].loads, strict=True)]

    def _runs(self, state: _State) -> list[StartedRun]:
        """Return the exact starts: jobs that start at the n-th event do so at the n-th of the different ends."""
        _, started = self._evaluate(state)
        runs: list[StartedRun] = []
        running, passed = RunningJobs(self.options.instance), 0
        for job, event in started:
            while passed < event:
                until = running.next_end()
                if until is None:
                    raise InputError("ends that differ by less than floats tell apart")
                running.pass_until(until)
                passed += 1
            runs.append(StartedRun(job, running.now, self.options.rows[job][state.options[job]].allocation))
            running.start(job, runs[-1].allocation)
        return runs


def serial(options: Options) -> Sequence[StartedRun]:
    """Return each job alone on its fastest allocation, one after another."""
    now, runs = Fraction(0), []
    for job, row in enumerate(options.rows):
        best = min(row, key=lambda one: one.alone)
        run = StartedRun(job, now, best.allocation)
        (now,) = ends_of(options.instance, [run])
        runs.append(run)
    return runs
