"""Local search for instances whose saturated links slow jobs down.

A schedule is an order of the jobs, an allocation for each, and for each whether it waits until all jobs before it in
the order have started. At 0 and at each end, jobs start in this order if they fit. Schedules are compared in
floats; the result is a list of starts, recomputed in Fractions, which the caller must verify.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, exp
from operator import add, gt, sub
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.rates import slowdowns
from oas.coallocation.running import RunningJobs, StartedRun
from oas.core.clock import check_clock
from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.bounds.saturated.options import Option, Options

_ROUNDING = 1e-12
_HEAT = 0.03  # initial temperature, as a share of the best makespan


@dataclass(frozen=True)
class _State:
    """Order of the jobs, option of each, and whether it waits for those before it."""

    order: tuple[int, ...]
    options: tuple[int, ...]
    patient: tuple[bool, ...]


class _Times(NamedTuple):
    """An option in floats: `need` of each class of nodes and link, and the links that it loads."""

    computing: float
    sending: float
    need: tuple[int, ...]
    loads: tuple[int, ...]
    links: tuple[int, ...]


def _times(option: Option) -> _Times:
    counts, loads = option.allocation.counts, option.allocation.loads
    links = tuple(link for link, load in enumerate(loads) if load)
    return _Times(float(option.computing), float(option.sending), (*counts, *loads), loads, links)


class LocalSearch:
    """Resumable simulated annealing over such schedules."""

    def __init__(self, options: Options, seed: int) -> None:
        self.options, self.random = options, Random(seed)
        self.times = [[_times(option) for option in row] for row in options.rows]
        self.whole: Sequence[int] = [*options.sizes, *options.capacity]
        fastest = [min(range(len(row)), key=lambda index: (row[index].alone, index)) for row in options.rows]
        longest = sorted(range(options.job_count), key=lambda job: -options.rows[job][fastest[job]].alone)
        self.state = _State(tuple(longest), tuple(fastest), (False,) * options.job_count)
        self.value = self._evaluate(self.state)[0]
        self.best, self.best_state = self.value, self.state

    def improve(self, steps: int, stop: Callable[[], bool]) -> list[StartedRun]:
        """Perform up to `steps` steps; return the starts of the best schedule so far."""
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

    def restart(self, runs: Sequence[StartedRun]) -> None:
        """Continue from a schedule if that is shorter than the best so far: its order of starts and its allocations."""
        order = tuple(run.job for run in sorted(runs, key=lambda run: (run.start, run.job)))
        options = [0] * len(order)
        for run in runs:
            counts = [option.allocation.counts for option in self.options.rows[run.job]]
            options[run.job] = counts.index(run.allocation.counts)
        for patient in (False, True):
            state = _State(order, tuple(options), (patient,) * len(order))
            value, _ = self._evaluate(state)
            if value < self.best * (1 - _ROUNDING):
                self.state = self.best_state = state
                self.value = self.best = value

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
        options = self.options
        chosen = [row[option] for row, option in zip(self.times, state.options, strict=True)]
        room = list(self.whole)
        waiting, running = list(state.order), [0] * 0
        left = [1.0] * len(chosen)
        now, event = 0.0, 0
        started = []
        step = float(options.step)
        while True:
            check_clock()
            passed: list[int] = []
            for job in waiting:
                need = chosen[job].need
                if (passed and state.patient[job]) or any(map(gt, need, room)):
                    passed.append(job)
                    continue
                room = list(map(sub, room, need))
                running.append(job)
                started.append((job, event))
            waiting = passed
            if not running:
                return now, started
            slowed = self._slowdowns([chosen[job] for job in running], room)
            times = [
                chosen[job].computing + chosen[job].sending * factor
                for job, factor in zip(running, slowed, strict=True)
            ]
            spans = [left[job] * time for job, time in zip(running, times, strict=True)]
            if options.slotted:
                spans = [max(1, ceil(span / step - 1e-9)) * step for span in spans]
            span = min(spans)
            now += span
            event += 1
            ended = span * (1 + 1e-9)
            continuing = []
            for job, time, own_span in zip(running, times, spans, strict=True):
                if own_span <= ended:
                    room = list(map(add, room, chosen[job].need))
                else:
                    left[job] -= span / time
                    continuing.append(job)
            running = continuing

    def _slowdowns(self, running: Sequence[_Times], room: Sequence[int]) -> Sequence[float]:
        """Return the communication slowdown of each running job for the given free capacities."""
        options = self.options
        if not options.shares_alike:
            return list(map(float, slowdowns("max-min", options.bandwidth, [times.loads for times in running])))
        unused = room[len(options.sizes) :]
        used = [capacity - rest for capacity, rest in zip(options.capacity, unused, strict=True)]
        degrees = [load / most if load > most else 1.0 for load, most in zip(used, options.bandwidth, strict=True)]
        return [max([degrees[link] for link in times.links], default=1.0) for times in running]

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
