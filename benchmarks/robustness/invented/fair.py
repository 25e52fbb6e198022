"""Attack on the certificates of REF: claims about other greedy schedules, other values and other decisions.

REF is computed here by its definition, moment by moment: contributions are averages over all orderings of a coalition.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.robustness.invented.targets import Attempt
from oas.core.errors import InputError, VerificationError
from oas.core.rigid import Organization, RigidJob
from oas.core.schedule import Schedule
from oas.fair.instance import FairInstance
from oas.fair.search.certificate import Decision, ReferenceCertificate
from oas.fair.ticks import schedule_from_starts
from oas.solving.recheck import recheck_schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    Coalition = frozenset[int]
    Pick = Callable[["Coalition", Mapping[int, int], int], int]

CLAIMS = 12  # for each instance


def draw_fair(draw: Random) -> FairInstance:
    """Return two or three organizations, sometimes alike, with up to three jobs each."""
    organizations: list[Organization] = []
    rows: list[tuple[int, int, int]] = []
    size = 0
    for number in range(draw.choice((2, 2, 3))):
        if number == 0 or draw.random() >= 0.3:
            size, release, rows = draw.randint(1, 2), 0, []
            for _ in range(draw.randint(1, 3)):
                release += draw.choice((0, 0, 1, 2))
                rows.append((draw.randint(1, 4), draw.randint(1, size), release))
        jobs = [RigidJob(f"J{number}.{place}", *row) for place, row in enumerate(rows)]
        organizations.append(Organization(f"O{number}", size, jobs))
    first = min(int(one.jobs[0].release) for one in organizations)
    return FairInstance(organizations, max(first + 1, draw.randint(3, 9)))


class Claim(NamedTuple):
    """The claims of a file: starts in submission order, -1 for none, v of the coalitions, and all decisions."""

    starts: list[int]
    values: list[int]
    decisions: list[Decision]
    stride: int = 1


class Definition:
    """All coalitions' schedules of an instance, by the definition of REF, unless `others` picks for all together."""

    def __init__(self, instance: FairInstance, others: Callable[[Mapping[int, int]], int] | None = None) -> None:
        rows = [
            (int(job.release), owner, place, job)
            for owner, one in enumerate(instance.organizations)
            for place, job in enumerate(one.jobs)
        ]
        rows.sort(key=lambda row: row[:3])
        self.jobs = [(owner, release, int(job.time), job.processors) for release, owner, _, job in rows]
        self.sizes = [one.processors for one in instance.organizations]
        self.everyone = frozenset(range(len(self.sizes)))
        self.coalitions = [
            frozenset(one)
            for size in range(1, len(self.sizes) + 1)
            for one in combinations(range(len(self.sizes)), size)
        ]
        self.starts: dict[Coalition, dict[int, int]] = {one: {} for one in self.coalitions}
        self.decisions: list[Decision] = []
        self.others = others
        for now in range(instance.horizon):
            for coalition in self.coalitions:
                self._fill(coalition, now)
        self.horizon = instance.horizon

    def claim(self) -> Claim:
        starts = [self.starts[self.everyone].get(job, -1) for job in range(len(self.jobs))]
        values = [0] * 2 ** len(self.sizes)
        for coalition in self.coalitions:
            values[sum(1 << u for u in coalition)] = self._value(coalition, self.horizon)
        return Claim(starts, values, self.decisions)

    def _fill(self, coalition: Coalition, now: int) -> None:
        begun = self.starts[coalition]
        while True:
            idle = sum(self.sizes[u] for u in coalition)
            idle -= sum(self.jobs[job][3] for job, start in begun.items() if start <= now < start + self.jobs[job][2])
            heads: dict[int, int] = {}
            for job, (owner, release, _, _) in enumerate(self.jobs):
                if owner in coalition and release <= now and job not in begun:
                    heads.setdefault(owner, job)
            heads = {u: job for u, job in heads.items() if self.jobs[job][3] <= idle}
            if not heads:
                return
            begun[heads[self._pick(coalition, heads, now + 1) if len(heads) > 1 else min(heads)]] = now

    def _pick(self, coalition: Coalition, heads: Mapping[int, int], moment: int) -> int:
        owed = {u: self._contribution(coalition, u, moment) - self._utility(coalition, u, moment) for u in coalition}
        ranked = sorted(heads, key=lambda u: (-owed[u], u))
        if coalition != self.everyone:
            return ranked[0]
        if self.others is not None:
            best = self.others(heads)
            ranked = [best, *[u for u in ranked if u != best]]
        self.decisions.append(Decision(heads[ranked[0]], ranked[0], ranked[1], owed[ranked[0]] - owed[ranked[1]]))
        return ranked[0]

    def _contribution(self, coalition: Coalition, u: int, moment: int) -> F:
        value = cache(lambda members: self._value(members, moment))
        orders = list(permutations(coalition))
        before = [frozenset(order[: order.index(u)]) for order in orders]
        return F(sum(value(one | {u}) - value(one) for one in before), len(orders))

    def _value(self, coalition: Coalition, moment: int) -> int:
        return sum(self._utility(coalition, u, moment) for u in coalition)

    def _utility(self, coalition: Coalition, u: int, moment: int) -> int:
        return sum(
            self.jobs[job][3] * (moment - unit)
            for job, start in self.starts[coalition].items()
            if self.jobs[job][0] == u
            for unit in range(start, min(start + self.jobs[job][2], moment))
        )


def attack_reference(draw: Random, _steps: int) -> Iterator[Attempt]:
    """REF's own claim, and claims about it and about other greedy schedules."""
    instance = draw_fair(draw)
    true = Definition(instance).claim()
    for number in range(CLAIMS):
        claim = true if number == 0 else false_claim(draw, instance, true)
        holds = claim[:2] == true[:2] and claim.decisions == true.decisions[:: claim.stride]
        stated = ReferenceCertificate(tuple(claim.values), tuple(claim.decisions), claim.stride)
        schedule = schedule_from_starts(instance, claim.starts, "REF", stated.to_data())
        try:
            recheck_schedule(instance, Schedule(schedule.placements, schedule.method, schedule.certificate))
            confirmed = True
        except (InputError, VerificationError):
            confirmed = False
        fault = "" if confirmed == holds else f"confirmed: {confirmed}, true: {holds}, {claim} {instance.to_frame()}"
        yield Attempt(confirmed, holds, fault)


def false_claim(draw: Random, instance: FairInstance, true: Claim) -> Claim:
    """Return a claim that is mostly false."""
    claim = true
    if draw.random() < 0.6:
        other = Definition(instance, lambda heads: draw.choice(sorted(heads))).claim()
        values_of, decisions_of = (draw.choice((true, other)) for _ in range(2))
        claim = Claim(other.starts, values_of.values, decisions_of.decisions)
    values, decisions = list(claim.values), list(claim.decisions)
    kind = draw.randrange(5)
    if kind == 0:
        values[draw.randrange(len(values))] += draw.choice((-1, 1))
    elif kind == 1 and decisions:
        at = draw.randrange(len(decisions))
        job, chosen_one, rival, margin = (getattr(decisions[at], name) for name in ("job", "chosen", "rival", "margin"))
        change = draw.choice(
            ((job, rival, chosen_one, -margin), (job, chosen_one, rival, margin + draw.choice((-1, F(1, 6)))))
        )
        decisions[at] = Decision(*change)
    elif kind == 2:
        stride = draw.choice((2, 3, 2**70))
        return claim._replace(decisions=decisions[::stride], stride=stride)
    elif kind == 3 and decisions:
        decisions.pop(draw.randrange(len(decisions)))
    return claim._replace(values=values, decisions=decisions)
