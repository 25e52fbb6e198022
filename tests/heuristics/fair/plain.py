"""Reference engines and policies that step through time unit by unit, and REF by definition, without toolkit code."""

from fractions import Fraction as F
from functools import partial
from itertools import combinations
from math import factorial
from random import Random

import numpy as np

from oas.fair.ticks import FairTicks


def stepped(ticks, policy):
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
            heads = {}
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

    def __init__(self, policy):
        self.policy = policy
        self.events = []

    def begin(self, machines):
        self.events.append(("begin", tuple(machines)))
        self.policy.begin(machines)

    def released(self, *event):
        self.events.append(("released", *event))
        self.policy.released(*event)

    def started(self, *event):
        self.events.append(("started", *event))
        self.policy.started(*event)

    def ended(self, *event):
        self.events.append(("ended", *event))
        self.policy.ended(*event)

    def pick(self, now, waiting):
        picked = self.policy.pick(now, waiting)
        self.events.append(("pick", now, tuple(waiting), picked))
        return picked


class Told:
    """State of all plain policies: release, start, end and width of each job."""

    def __init__(self, seed=0):
        self.rng = Random(seed)
        self.queues = {}
        self.runs = {}  # job -> organization, width, start, and end once it has one
        self.machines = ()

    def begin(self, machines):
        self.machines = machines
        self.queues = {one: [] for one in range(len(machines))}

    def released(self, now, organization, job, width):
        self.queues[organization].append(job)

    def started(self, now, organization, job, width):
        self.queues[organization].remove(job)
        self.runs[job] = [organization, width, now]

    def ended(self, now, organization, job, width):
        self.runs[job].append(now)

    def units(self, organization, until):
        """Begin of each unit of the organization's jobs that is over at `until`, once for each processor."""
        return [
            unit
            for owner, width, start, *end in self.runs.values()
            if owner == organization
            for unit in range(start, min(end[0], until) if end else until)
            for _ in range(width)
        ]


class ByLot(Told):
    """Select a random waiting organization."""

    def pick(self, now, waiting):
        return self.rng.choice(list(waiting))


class PlainFirst(Told):
    """FCFS: a search through all jobs for the least number."""

    def pick(self, now, waiting):
        return min((self.queues[one][0], one) for one in waiting)[1]


class PlainTurns(Told):
    """ROUNDROBIN: organizations one by one, from the one after the last."""

    turn = -1

    def pick(self, now, waiting):
        while True:
            self.turn = (self.turn + 1) % len(self.machines)
            if self.turn in waiting:
                return self.turn


class PlainShare(Told):
    """FAIRSHARE: every unit with its weight, halved for each period that has ended since."""

    def __init__(self, seed=0, half_life=None, shares=None):
        super().__init__(seed)
        self.half_life = half_life
        self.shares = shares

    def usage(self, organization, until):
        if self.half_life is None:
            return F(len(self.units(organization, until)))
        last = (until - 1) // self.half_life
        return sum((F(1, 2) ** (last - unit // self.half_life) for unit in self.units(organization, until)), F(0))

    def pick(self, now, waiting):
        shares = self.shares or self.machines
        return min(waiting, key=lambda one: (self.usage(one, now + 1) / shares[one], one))


def ticks(machines, jobs, horizon):
    """Jobs (organization, release, time, width or 1) in the order of presentation."""
    rows = [(*one, 1)[:4] for one in jobs]
    owner, release, time, width = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return FairTicks(np.array(machines), owner, release, time, width, horizon)


def subsets(coalition):
    """All subsets, smaller ones first."""
    members = sorted(coalition)
    return [frozenset(part) for size in range(len(members) + 1) for part in combinations(members, size)]


def shapley(values, coalition):
    """Equation (1)."""
    c = len(coalition)
    return {
        u: sum(
            F(factorial(len(part)) * factorial(c - len(part) - 1), factorial(c)) * (values[part | {u}] - values[part])
            for part in subsets(coalition - {u})
        )
        for u in coalition
    }


class Plain:
    """One coalition's schedule in the making."""

    def __init__(self, ticks, members):
        self.owner, self.release, self.time, self.width = (
            list(map(int, one)) for one in (ticks.owner, ticks.release, ticks.time, ticks.width)
        )
        self.members = members
        self.machines = sum(int(ticks.machines[u]) for u in members)
        self.starts = {}

    def psi(self, u, moment):
        return sum(
            self.width[job] * (moment - unit)
            for job, start in self.starts.items()
            if self.owner[job] == u
            for unit in range(start, min(start + self.time[job], moment))
        )

    def value(self, moment):
        return sum(self.psi(u, moment) for u in self.members)

    def fitting(self, now):
        """The first waiting job of each organization, where it fits."""
        held = sum(self.width[job] for job, start in self.starts.items() if start <= now < start + self.time[job])
        heads = {}
        for job, owner in enumerate(self.owner):
            if owner in self.members and job not in self.starts and self.release[job] <= now:
                heads.setdefault(owner, job)
        return {u: job for u, job in heads.items() if self.width[job] <= self.machines - held}

    def fill(self, now, pick):
        while heads := self.fitting(now):
            self.starts[heads[pick(heads) if len(heads) > 1 else next(iter(heads))]] = now

    def row(self):
        return [self.starts.get(job, -1) for job in range(len(self.owner))]


class PlainReference:
    """REF for all coalitions up to the horizon."""

    def __init__(self, ticks):
        self.everyone = frozenset(range(ticks.organization_count))
        self.runs = {one: Plain(ticks, one) for one in subsets(self.everyone) if one}
        self.decisions = []  # of all together: job, chosen, best of the others, margin
        self.off = []  # decisions that Algorithm 1's line 14 would not allow
        self.contended = 0
        for now in range(ticks.horizon):
            for coalition, run in self.runs.items():
                run.fill(now, lambda heads, one=coalition, at=now + 1: self.pick(one, heads, at))

    def values(self, moment):
        return {frozenset(): 0} | {one: run.value(moment) for one, run in self.runs.items()}

    def pick(self, coalition, heads, moment):
        run = self.runs[coalition]
        values = {frozenset(): 0} | {one: self.runs[one].value(moment) for one in subsets(coalition) if one}
        phi = shapley(values, coalition)
        psi = {u: run.psi(u, moment) for u in coalition}
        ranked = sorted(heads, key=lambda u: (psi[u] - phi[u], u))
        best = ranked[0]
        self.contended += 1
        if coalition == self.everyone:
            margin = phi[best] - psi[best] - phi[ranked[1]] + psi[ranked[1]]
            self.decisions.append((heads[best], best, ranked[1], margin))
        distance = {}
        for u, job in heads.items():  # line 6: psi grows by one for each processor, and all share it
            step = run.width[job]
            after = {w: phi[w] + F(step, len(coalition)) for w in coalition}
            distance[u] = sum(abs(after[w] - psi[w] - (step if w == u else 0)) for w in coalition)
        if distance[best] != min(distance.values()):
            self.off.append((moment, coalition))
        return best


def _farthest(run, phi, moment, heads):
    return min(heads, key=lambda u: (run.psi(u, moment) - phi[u], u))


def plain_sampled(ticks, orderings):
    """RAND: contributions from orderings, the coalitions before each by FCFS."""
    everyone = frozenset(range(ticks.organization_count))
    pairs = [(frozenset(order[:place]), u) for order in orderings for place, u in enumerate(order)]
    sampled = {one: Plain(ticks, one) for before, u in pairs for one in (before, before | {u})}
    run = Plain(ticks, everyone)
    for now in range(ticks.horizon):
        for one in sampled.values():
            one.fill(now, lambda heads: min(heads, key=heads.__getitem__))
        value = {one: plain.value(now + 1) for one, plain in sampled.items()}
        phi = dict.fromkeys(everyone, F(0))
        for before, u in pairs:
            phi[u] += F(value[before | {u}] - value[before], len(orderings))
        run.fill(now, partial(_farthest, run, phi, now + 1))
    return run.row()
