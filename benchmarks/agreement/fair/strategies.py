"""What organizations gain by presenting their jobs otherwise: split, merged, delayed, or padded.

    python -m benchmarks.agreement.fair.strategies --count 1000 --seed 0

In a fixed schedule: each job that starts in REF's schedule is split in two pieces that run one right after the other,
merged with the next job where that follows right after it, presented one moment later (and started no sooner), or made
one unit longer; what do ψ_sp, the flow time and the completed work of its organization say? Splitting, merging or
delaying must never pay by ψ_sp (section 4 of the fair scheduling paper): exit code 3 if it does.

On line: an organization does so with one job drawn by lot, or with all of its jobs, the others as before; what does it
gain by ψ_sp of its *real* work, in which padding counts nothing, under REF and under policies? Pieces presented
together may run side by side, which a whole job cannot; so a job is also split *in turn*, its second piece presented at
the moment at which the first one ended when the job was whole, behind the organization's jobs presented before then.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.generate.fair.tiny import random_instance
from oas.problems.fair.instance import FairInstance
from oas.problems.fair.problem import FAIR
from oas.problems.fair.runs import starts_from_schedule
from oas.problems.fair.ticks import FairTicks
from oas.problems.fair.utilities import completed_work, flow_time, strategy_proof
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from numpy.typing import NDArray

STRATEGIES = ("split", "merge", "delay", "pad")
IN_TURN = "split in turn"
ON_LINE = ("REF", "DIRECTCONTR", "ROUNDROBIN", "FCFS")
UTILITIES: dict[str, tuple[Callable[[FairTicks, NDArray[np.int64]], list[int]], int]] = {
    "ψ_sp": (strategy_proof, 1),
    "flow time": (flow_time, -1),
    "completed work": (completed_work, 1),
}
"""What each organization has, and whether that is to be large."""


@dataclass(frozen=True)
class Presented:
    """Jobs that an organization presents.

    Attributes
    ----------
    jobs
        In its order.
    real
        How long each really runs; the rest of it is padding.
    """

    jobs: tuple[RigidJob, ...]
    real: tuple[int, ...]


@dataclass
class Tally:
    """How often something pays, and how much.

    Attributes
    ----------
    pays, same, costs
        How often.
    share
        What each that pays gains, over what it has otherwise; without those that have nothing otherwise.
    net
        What all gain together, over what they have otherwise: numerator and denominator.
    """

    pays: int = 0
    same: int = 0
    costs: int = 0
    share: list[Fraction] = field(default_factory=list)
    net: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, before: int, after: int) -> None:
        """Count one case."""
        self.pays += after > before
        self.same += after == before
        self.costs += after < before
        if after > before and before:
            self.share.append(Fraction(after - before, abs(before)))
        self.net[0] += after - before
        self.net[1] += abs(before)

    @property
    def count(self) -> int:
        """How many were counted."""
        return self.pays + self.same + self.costs

    @property
    def cells(self) -> str:
        """A row's columns: cases, pays, costs, mean and greatest gain where it pays, net gain."""
        if not self.count:
            return "0 | – | – | – | – | –"
        percent = [f"{100 * number / self.count:.1f} %" for number in (self.pays, self.costs)]
        mean = f"{float(100 * sum(self.share) / len(self.share)):.1f} %" if self.share else "–"
        most = f"{float(100 * max(self.share)):.0f} %" if self.share else "–"
        net = f"{100 * self.net[0] / self.net[1]:+.2f} %".replace("-", "−") if self.net[1] else "–"
        return f"{self.count:,} | {percent[0]} | {percent[1]} | {mean} | {most} | {net}"


def presented(own: Organization, strategy: str, chosen: Collection[int]) -> Presented | None:
    """Return the jobs of an organization that manipulates those at these places; None if that changes nothing.

    A job of at least two units is split in halves, the first the shorter; a job is merged with the one after it if both
    need as many processors, and presented when the later one is; a delay is of one moment, and nothing that follows is
    presented before; padding is one unit.
    """
    jobs: list[RigidJob] = []
    real: list[int] = []
    merged = False
    for place, job in enumerate(own.jobs):
        time = int(job.time)
        if merged:
            merged = False
            continue
        after = own.jobs[place + 1] if place + 1 < len(own.jobs) else None
        if place not in chosen:
            pieces = [(time, time, job.release)]
        elif strategy == "split" and time > 1:
            pieces = [(time // 2, time // 2, job.release), (time - time // 2, time - time // 2, job.release)]
        elif strategy == "merge" and after is not None and after.processors == job.processors:
            merged = True
            both = time + int(after.time)
            pieces = [(both, both, after.release)]
        elif strategy == "delay":
            pieces = [(time, time, job.release + 1)]
        elif strategy == "pad":
            pieces = [(time + 1, time, job.release)]
        else:
            pieces = [(time, time, job.release)]
        for number, (length, truly, release) in enumerate(pieces):
            name = f"{job.id}.{number}" if number else job.id
            jobs.append(RigidJob(name, length, job.processors, max(release, jobs[-1].release if jobs else 0)))
            real.append(truly)
    same = [(job.time, job.release) for job in jobs] == [(job.time, job.release) for job in own.jobs]
    return None if same else Presented(tuple(jobs), tuple(real))


def in_turn(own: Organization, chosen: int, start: int) -> Presented | None:
    """Return the jobs where one is split that would start at `start`; None if it is of one unit, or does not start."""
    job = own.jobs[chosen]
    time = int(job.time)
    if time == 1 or start < 0:
        return None
    first = RigidJob(job.id, time // 2, job.processors, job.release)
    second = RigidJob(f"{job.id}.1", time - time // 2, job.processors, start + time // 2)
    jobs = sorted([*own.jobs[:chosen], first, *own.jobs[chosen + 1 :], second], key=lambda one: one.release)  # stable
    return Presented(tuple(jobs), tuple(int(one.time) for one in jobs))


@dataclass(frozen=True)
class Outcome:
    """What an organization has on line: ψ_sp of its real work, and when each of its jobs starts, -1 for not."""

    value: int
    starts: tuple[int, ...]


def on_line(instance: FairInstance, method: str, place: int, found: Presented | None) -> Outcome | None:
    """Return what the organization at `place` has; None if no job would be released before the horizon."""
    own = instance.organizations[place]
    given = found or Presented(own.jobs, tuple(int(job.time) for job in own.jobs))
    organizations = list(instance.organizations)
    organizations[place] = Organization(own.id, own.processors, given.jobs)
    try:
        changed = FairInstance(organizations, instance.horizon)
    except InputError:  # the delayed job was the only one before the horizon
        return None
    ticks = changed.scaled()
    starts = starts_from_schedule(changed, find_method(method, FAIR)(changed, seed=0))
    real = dict(zip((job.id for job in given.jobs), given.real, strict=True))
    assert ticks.order is not None
    times = [real.get(changed.jobs[one].id, int(changed.jobs[one].time)) for one in ticks.order]
    own_value = strategy_proof(replace(ticks, time=np.array(times)), starts)[place]
    return Outcome(own_value, tuple(starts[ticks.owner == place].tolist()))


Run = tuple[int, int, int, int]  # release, start, time, width of a job of one organization


def fixed(runs: Sequence[Run], strategy: str, horizon: int) -> Iterator[list[Run]]:
    """Yield what becomes of an organization's own schedule by manipulating one job, each in turn."""
    for place, (release, start, time, width) in enumerate(runs):
        others = [run for other, run in enumerate(runs) if other != place]
        if strategy == "split":
            for first in range(1, time):
                pieces = ((release, start, first, width), (release, start + first, time - first, width))
                # The second piece does not start after the horizon, where there is no schedule.
                yield [*others, *(piece for piece in pieces if piece[1] < horizon)]
        elif strategy == "merge":
            for other, (_, begins, length, wide) in enumerate(runs):
                if other != place and begins == start + time and wide == width:
                    rest = [run for number, run in enumerate(runs) if number not in (place, other)]
                    yield [*rest, (release, start, time + length, width)]
        elif strategy == "delay":
            begins = max(start, release + 1)
            yield [*others, (release + 1, begins, time, width)] if begins < horizon else others
        else:
            yield [*others, (release, start, time + 1, width)]


def value(name: str, runs: Sequence[Run], horizon: int) -> int:
    """Return a utility of one organization with these runs; of what is to be small, the negative."""
    utility, sign = UTILITIES[name]
    release, start, time, width = np.array(sorted(runs), dtype=np.int64).reshape(-1, 4).T
    most = np.array([max(width.tolist(), default=1)])
    ticks = FairTicks(most, np.zeros_like(release), release, time, width, horizon)
    return sign * utility(ticks, start)[0]


@dataclass
class Found:
    """What came out: tallies by strategy and utility, and by strategy, scope and method."""

    fixed: dict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    on_line: dict[tuple[str, str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
    instances: int = 0

    @property
    def paid(self) -> Counter[str]:
        """How often a strategy pays by ψ_sp in a fixed schedule that must not."""
        return Counter({one: self.fixed[one, "ψ_sp"].pays for one in STRATEGIES if one != "pad"})


def add_fixed(instance: FairInstance, found: Found) -> None:
    """Manipulate each job of each organization in REF's schedule."""
    ticks = instance.scaled()
    starts = starts_from_schedule(instance, find_method("REF", FAIR)(instance, seed=0))
    columns = (ticks.owner, ticks.release, starts, ticks.time, ticks.width)
    jobs = list(zip(*(column.tolist() for column in columns), strict=True))
    for owner in range(ticks.organization_count):
        runs = [job[1:] for job in jobs if job[0] == owner and job[2] >= 0]
        for name in UTILITIES:
            before = value(name, runs, ticks.horizon)
            for strategy in STRATEGIES:
                for changed in fixed(runs, strategy, ticks.horizon):
                    found.fixed[strategy, name].add(before, value(name, changed, ticks.horizon))


def add_on_line(instance: FairInstance, seed: int, methods: Sequence[str], found: Found) -> None:
    """Let each organization manipulate one job, drawn by lot, or all."""
    rng = Random(f"strategies {seed}")
    for place, own in enumerate(instance.organizations):
        honest = {method: on_line(instance, method, place, None) for method in methods}
        one = rng.randrange(len(own.jobs))
        for strategy in STRATEGIES:
            for scope, chosen in (("one", {one}), ("all", set(range(len(own.jobs))))):
                changed = presented(own, strategy, chosen)
                for method in methods:
                    _add(instance, place, (strategy, scope, method), honest[method], changed, found)
        for method in methods:
            before = honest[method]
            changed = None if before is None else in_turn(own, one, before.starts[one])
            _add(instance, place, (IN_TURN, "one", method), before, changed, found)


def _add(
    instance: FairInstance,
    place: int,
    what: tuple[str, str, str],
    before: Outcome | None,
    changed: Presented | None,
    found: Found,
) -> None:
    after = on_line(instance, what[-1], place, changed) if changed else None
    if before is not None and after is not None:
        found.on_line[what].add(before.value, after.value)


def study(count: int, seed: int, methods: Sequence[str] = ON_LINE) -> Found:
    """Return what is found on instances of at least two organizations, of seeds from `seed` on."""
    found = Found()
    while found.instances < count:
        instance = random_instance(seed)
        seed += 1
        if len(instance.organizations) > 1:
            found.instances += 1
            add_fixed(instance, found)
            add_on_line(instance, seed - 1, methods, found)
            if sys.stderr.isatty():
                print(f"\r{found.instances} of {count}", end="", file=sys.stderr)
    return found


def _place(key: tuple[str, str, str]) -> tuple[int, bool, int]:
    strategy, scope, method = key
    return (*STRATEGIES, IN_TURN).index(strategy), scope == "all", ON_LINE.index(method)


COLUMNS = "cases | pays | costs | mean gain where it pays | greatest | net"


def report(found: Found) -> str:
    """Return the tables in Markdown."""
    lines = [f"{found.instances} instances.", "", "## In a fixed schedule", ""]
    lines += [f"| strategy | utility | {COLUMNS} |", "|---" * 8 + "|"]
    lines += [
        f"| {strategy} | {name} | {found.fixed[strategy, name].cells} |"
        for strategy in STRATEGIES
        for name in UTILITIES
    ]
    lines += [
        "",
        "## On line: ψ_sp of the real work",
        "",
        f"| strategy | jobs | method | {COLUMNS} |",
        "|---" * 9 + "|",
    ]
    lines += [f"| {' | '.join(key)} | {found.on_line[key].cells} |" for key in sorted(found.on_line, key=_place)]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; exit code 3 if by ψ_sp in a fixed schedule something pays that must not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="number of instances")
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others follow")
    options = parser.parse_args(arguments)
    found = study(options.count, options.seed)
    print(report(found), end="")
    return 3 if any(found.paid.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
