"""An engine that steps through time unit by unit, and policies that count unit by unit: nothing of the toolkit's."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.problems.fair.ticks import FairTicks

if TYPE_CHECKING:
    from collections.abc import Sequence

Event = tuple[Any, ...]
"""What a policy is told, and what it answers: ``("started", now, organization, job, width)``."""


def stepped(ticks: FairTicks, policy: Any) -> list[int]:
    """Run a policy over every moment of time, each with a fresh look at all jobs; return the starts."""
    count = ticks.job_count
    owner, release, time, width = (list(map(int, one)) for one in (ticks.owner, ticks.release, ticks.time, ticks.width))
    starts = [-1] * count
    policy.begin(tuple(map(int, ticks.machines)))
    for now in range(ticks.horizon):
        for job in range(count):
            if starts[job] >= 0 and starts[job] + time[job] == now:
                policy.ended(now, owner[job], job, width[job])
        for job in range(count):
            if release[job] == now:
                policy.released(now, owner[job], job, width[job])
        while True:
            held = sum(width[job] for job in range(count) if 0 <= starts[job] <= now < starts[job] + time[job])
            idle = sum(map(int, ticks.machines)) - held
            heads: dict[int, int] = {}
            for job in range(count):
                if release[job] <= now and starts[job] < 0:
                    heads.setdefault(owner[job], job)
            waiting = sorted(one for one, job in heads.items() if width[job] <= idle)
            if not waiting:
                break
            job = heads[policy.pick(now, waiting)]
            starts[job] = now
            policy.started(now, owner[job], job, width[job])
    return starts


class Recorder:
    """A policy that hands everything on to another, and writes it down."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy
        self.events: list[Event] = []

    def begin(self, machines: Sequence[int]) -> None:
        self.events.append(("begin", tuple(machines)))
        self.policy.begin(machines)

    def released(self, *event: int) -> None:
        self.events.append(("released", *event))
        self.policy.released(*event)

    def started(self, *event: int) -> None:
        self.events.append(("started", *event))
        self.policy.started(*event)

    def ended(self, *event: int) -> None:
        self.events.append(("ended", *event))
        self.policy.ended(*event)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        picked: int = self.policy.pick(now, waiting)
        self.events.append(("pick", now, tuple(waiting), picked))
        return picked


class Told:
    """What all plain policies remember: when each job was released, started and ended, and how wide it is."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = Random(seed)
        self.queues: dict[int, list[int]] = {}
        self.runs: dict[int, list[int]] = {}  # job -> organization, width, start, and end once it has one
        self.machines: Sequence[int] = ()

    def begin(self, machines: Sequence[int]) -> None:
        self.machines = machines
        self.queues = {one: [] for one in range(len(machines))}

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        self.queues[organization].append(job)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        self.queues[organization].remove(job)
        self.runs[job] = [organization, width, now]

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        self.runs[job].append(now)

    def units(self, organization: int, until: int) -> list[int]:
        """Begin of each unit of the organization's jobs that is over at `until`, once for each processor."""
        return [
            unit
            for owner, width, start, *end in self.runs.values()
            if owner == organization
            for unit in range(start, min(end[0], until) if end else until)
            for _ in range(width)
        ]


class ByLot(Told):
    """Any of those that wait."""

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return self.rng.choice(list(waiting))


class PlainFirst(Told):
    """FCFS: a search through all jobs for the least number."""

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return min((self.queues[one][0], one) for one in waiting)[1]


class PlainTurns(Told):
    """ROUNDROBIN: organizations one by one, from the one after the last."""

    turn = -1

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        while True:
            self.turn = (self.turn + 1) % len(self.machines)
            if self.turn in waiting:
                return self.turn


class PlainShare(Told):
    """FAIRSHARE: every unit with its weight, halved for each period that has ended since."""

    def __init__(self, seed: int = 0, half_life: int | None = None, shares: Sequence[F] | None = None) -> None:
        super().__init__(seed)
        self.half_life = half_life
        self.shares = shares

    def usage(self, organization: int, until: int) -> F:
        if self.half_life is None:
            return F(len(self.units(organization, until)))
        last = (until - 1) // self.half_life
        return sum((F(1, 2) ** (last - unit // self.half_life) for unit in self.units(organization, until)), F(0))

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        shares = self.shares or self.machines
        return min(waiting, key=lambda one: (self.usage(one, now + 1) / shares[one], one))


def ticks(machines: Sequence[int], jobs: Sequence[tuple[int, ...]], horizon: int) -> FairTicks:
    """Jobs (organization, release, time, width or 1) in the order of presentation."""
    rows = [(*one, 1)[:4] for one in jobs]
    owner, release, time, width = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return FairTicks(np.array(machines), owner, release, time, width, horizon)
