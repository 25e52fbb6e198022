"""The best schedules of a small instance of fair sharing by enumeration: the reference for models and bounds.

It shares no code with them: it reads the instance, not its arrays, and counts costs unit by unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, product
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError, VerificationError
from oas.core.formats import show_count
from oas.core.schedule import Placement, Schedule
from oas.fair.objectives import Objective, ScheduleClass, class_violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.fair.instance import FairInstance

MAX_STATES = 50_000

_Runs = tuple[tuple[int, int], ...]
_State = tuple[tuple[int, ...], _Runs, int]
"""Before a moment: number of started jobs of each organization; end and width of each job that continues; number of
processors in use just before."""


@dataclass(frozen=True)
class _Way:
    """A path to a state: the cost of all units so far, and its last starts as (organization, place, moment)."""

    cost: int
    starts: tuple[tuple[int, int, int], ...] = ()
    before: _Way | None = None


def brute_force(
    instance: FairInstance, objective: Objective, schedule_class: ScheduleClass, limit: int = MAX_STATES
) -> tuple[int, Schedule] | None:
    """Return the best value of `objective` among the schedules of a class, and a verified schedule that has it.

    Moment by moment, all numbers of starting jobs of each organization are enumerated. In the class ``greedy``, no
    first waiting job that fits is left. In the class ``any``, all numbers that fit are tried, but no job starts that
    could have started one unit earlier; a best schedule with the minimum sum of starts has no such job. Of the partial
    schedules that lead to the same state, only a cheapest one is kept, because their continuations cost the same.

    Greedy schedules of 20 jobs of three organizations are enumerated quickly; `limit` is the maximum number of states.

    Returns
    -------
    tuple
        None if the makespan does not apply: no schedule of the class ends every job by the horizon.

    Raises
    ------
    TooLargeError
        If there are more states than `limit`.
    """
    search = _Search(instance, objective, schedule_class is ScheduleClass.GREEDY, limit)
    best = search.best()
    if best is None:
        return None
    schedule = search.schedule(best)
    violations = class_violations(instance, schedule, schedule_class)
    if violations:
        raise VerificationError("the brute-force schedule breaks a rule:", tuple(violations))
    return objective.sign * best.cost, schedule


class _Search:
    """Enumeration of the states moment by moment, each with a cheapest path to it."""

    def __init__(self, instance: FairInstance, objective: Objective, greedy: bool, limit: int) -> None:
        self.instance = instance
        self.objective = objective
        self.greedy = greedy
        self.limit = limit
        self.horizon = instance.horizon
        self.queues = [
            [(int(job.release), int(job.time), job.processors) for job in owner.jobs]
            for owner in instance.organizations
        ]
        self.machines = sum(owner.processors for owner in instance.organizations)
        self.count = sum(map(len, self.queues))

    def best(self) -> _Way | None:
        """Return a cheapest path to the horizon; None if the makespan does not apply."""
        ways: dict[_State, _Way] = {(tuple(0 for _ in self.queues), (), 0): _Way(0)}
        met = 0
        for now in range(self.horizon):
            following: dict[_State, _Way] = {}
            for state_before, way in ways.items():
                for chosen in self._choices(now, *state_before):
                    state, after = self._after(now, state_before, way, chosen)
                    if state not in following or after.cost < following[state].cost:
                        following[state] = after
                if met + len(following) > self.limit:
                    raise TooLargeError(f"brute force meets more than {show_count(self.limit, 'state')}")
            ways, met = following, met + len(following)
        if self.objective is Objective.MAKESPAN:  # which is defined if every job has ended at the horizon
            ways = {state: way for state, way in ways.items() if sum(state[0]) == self.count and not state[1]}
        return min(ways.values(), key=lambda way: way.cost, default=None)

    def _choices(self, now: int, started: tuple[int, ...], running: _Runs, used: int) -> Iterator[tuple[int, ...]]:
        """Yield every allowed combination of numbers of starting jobs, one number for each organization."""
        idle = self.machines - sum(width for _, width in running)
        waiting = [
            [(release, width) for release, _, width in queue[done:] if release <= now]
            for queue, done in zip(self.queues, started, strict=True)
        ]
        held = [
            [total for total in accumulate((width for _, width in jobs), initial=0) if total <= idle]
            for jobs in waiting
        ]
        for totals, jobs in zip(held, waiting, strict=True):
            if jobs and jobs[0][0] < now and used + jobs[0][1] <= self.machines:
                del totals[1:]  # the first could have started before
        for chosen in product(*(range(len(totals)) for totals in held)):
            left = idle - sum(totals[count] for totals, count in zip(held, chosen, strict=True))
            heads = (jobs[count][1] for jobs, count in zip(waiting, chosen, strict=True) if count < len(jobs))
            if left >= 0 and not (self.greedy and any(width <= left for width in heads)):
                yield chosen

    def _after(self, now: int, before: _State, way: _Way, chosen: tuple[int, ...]) -> tuple[_State, _Way]:
        started, running, _ = before
        begun = tuple(
            (k, place, now)
            for k, (done, count) in enumerate(zip(started, chosen, strict=True))
            for place in range(done, done + count)
        )
        runs = running + tuple((now + self.queues[k][place][1], self.queues[k][place][2]) for k, place, _ in begun)
        done = tuple(map(sum, zip(started, chosen, strict=True)))
        going_on = tuple(sorted(run for run in runs if run[0] > now + 1))
        used = sum(width for _, width in runs)
        return (done, going_on, used), _Way(way.cost + self._unit_cost(now, done, runs), begun, way)

    def _unit_cost(self, now: int, started: tuple[int, ...], running: _Runs) -> int:
        """Return the cost of the unit [now, now + 1).

        For ψ_sp, −(t_end − now) for each processor in use; for the flow, 1 for each released job that has not ended;
        for the makespan, 1 if some job has not ended.
        """
        if self.objective is Objective.STRATEGY_PROOF:
            return -sum(width for _, width in running) * (self.horizon - now)
        ended = sum(started) - len(running)
        if self.objective is Objective.FLOW:
            return sum(release <= now for queue in self.queues for release, _, _ in queue) - ended
        return int(ended < self.count)

    def schedule(self, best: _Way) -> Schedule:
        """Return the schedule of a path, with processors assigned by first fit in the order of starts."""
        begun: list[tuple[int, int, int]] = []
        way: _Way | None = best
        while way is not None:
            begun[:0] = way.starts
            way = way.before
        free_at = {(owner.id, number): 0 for owner in self.instance.organizations for number in range(owner.processors)}
        placements = []
        for k, place, start in begun:
            job = self.instance.organizations[k].jobs[place]
            nodes: dict[str, list[int]] = {}
            for name, number in [node for node, moment in free_at.items() if moment <= start][: job.processors]:
                free_at[name, number] = start + int(job.time)
                nodes.setdefault(name, []).append(number)
            placements.append(Placement(job.id, start, start + int(job.time), nodes))
        return Schedule(placements, "brute force")


def in_worker(given: tuple[FairInstance, Objective, ScheduleClass], _session: object) -> Schedule | None:
    """Return only the best schedule; `oas.solvers.isolation.client.call` calls this function in the worker."""
    best = brute_force(*given)
    return None if best is None else best[1]
