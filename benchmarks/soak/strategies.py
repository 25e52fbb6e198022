"""Gains of organizations that manipulate their jobs: split, merge, delay, or pad them.

In a fixed schedule, each job that starts in REF's schedule is split in two consecutive pieces, merged with the next job
if that follows immediately, submitted one moment later (and started no earlier), or made one unit longer. The effect is
measured by ψ_sp, the flow time and the completed work of the organization. Splitting, merging or delaying must never
pay by ψ_sp (section 4 of the fair scheduling paper).

On line, an organization manipulates one random job, or all of its jobs, and the others do not. Its gain is measured by
ψ_sp of its *real* work, without padding, under REF and under policies. Pieces that are submitted together may run in
parallel, in contrast to a whole job. Therefore a job is also split *in turn*: its second piece is submitted at the end
of the first piece in the original schedule, behind earlier jobs of the organization. Findings count how often a
manipulation pays; their values are gains over the utility without manipulation.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.soak.drawing import Drawn
from benchmarks.soak.findings import MISMATCH, Finding
from benchmarks.soak.presented import STRATEGIES, in_turn, outcome, presented
from oas.core.registry import FAIR
from oas.fair.generate import random_instance
from oas.fair.ticks import FairTicks, starts_from_schedule
from oas.fair.utilities import completed_work, flow_time, strategy_proof
from oas.solving.methods import find_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from benchmarks.soak.findings import Asked
    from oas.fair.instance import FairInstance

METHODS = ("REF", "DIRECTCONTR", "ROUNDROBIN", "FCFS")
PAYS, SAME, COSTS = "pays", "same", "costs"
UTILITIES: dict[str, tuple[Callable[[FairTicks, NDArray[np.int64]], list[int]], int]] = {
    "ψ_sp": (strategy_proof, 1),
    "flow time": (flow_time, -1),
    "completed work": (completed_work, 1),
}
"""The utilities of an organization, and 1 if large values are better."""
Run = tuple[int, int, int, int]
"""Release, start, time and width of a job of one organization."""


def draw(seed: int) -> Drawn | None:
    """Return the instance of `seed`; None if it has one organization."""
    instance = random_instance(seed)
    return Drawn(seed, "fair", "random", instance) if len(instance.organizations) > 1 else None


def examine(instance: FairInstance, asked: Asked) -> Iterator[Finding]:
    """Yield for each manipulation whether it pays."""
    yield from _in_fixed_schedule(instance)
    yield from _on_line(instance, Random(f"strategies {asked.number}"))


def _compared(participant: str, before: int, after: int, never: bool = False) -> Finding:
    """Return whether a manipulation pays; a mismatch if it must never pay."""
    verdict = SAME if after == before else COSTS if after < before else MISMATCH if never else PAYS
    detail = f"{after}, before {before}" if verdict == MISMATCH else ""
    return Finding(participant, verdict, detail, (after - before) / abs(before) if after > before and before else None)


# In a fixed schedule


def _in_fixed_schedule(instance: FairInstance) -> Iterator[Finding]:
    """Manipulate each job of each organization in REF's schedule."""
    ticks = instance.scaled()
    starts = starts_from_schedule(instance, find_method("REF", FAIR)(instance, seed=0))
    columns = (ticks.owner, ticks.release, starts, ticks.time, ticks.width)
    jobs = list(zip(*(column.tolist() for column in columns), strict=True))
    for owner in range(ticks.organization_count):
        runs = [job[1:] for job in jobs if job[0] == owner and job[2] >= 0]
        for name in UTILITIES:
            before = utility(name, runs, ticks.horizon)
            for strategy in STRATEGIES:
                never = name == "ψ_sp" and strategy != "pad"
                for changed in manipulated(runs, strategy, ticks.horizon):
                    after = utility(name, changed, ticks.horizon)
                    yield _compared(f"fixed schedule, {strategy}: {name}", before, after, never)


def manipulated(runs: Sequence[Run], strategy: str, horizon: int) -> Iterator[list[Run]]:
    """Yield the organization's schedules after the manipulation of each single job."""
    for place, (release, start, time, width) in enumerate(runs):
        others = [run for other, run in enumerate(runs) if other != place]
        if strategy == "split":
            for first in range(1, time):
                pieces = ((release, start, first, width), (release, start + first, time - first, width))
                # The second piece must start before the horizon, because the schedule ends there.
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


def utility(name: str, runs: Sequence[Run], horizon: int) -> int:
    """Return a utility of one organization for these runs, negated if smaller values are better."""
    function, sign = UTILITIES[name]
    release, start, time, width = np.array(sorted(runs), dtype=np.int64).reshape(-1, 4).T
    most = np.array([max(width.tolist(), default=1)])
    ticks = FairTicks(most, np.zeros_like(release), release, time, width, horizon)
    return sign * function(ticks, start)[0]


# On line


def _on_line(instance: FairInstance, rng: Random) -> Iterator[Finding]:
    """Let each organization manipulate one random job, or all jobs."""
    for place, own in enumerate(instance.organizations):
        one = rng.randrange(len(own.jobs))
        scopes = {"one": {one}, "all": set(range(len(own.jobs)))}
        named = {
            f"{strategy} {scope}": presented(own, strategy, scopes[scope])
            for strategy in STRATEGIES
            for scope in scopes
        }
        for method in METHODS:
            before = outcome(instance, method, place, None)
            if before is None:
                continue
            for what, changed in {**named, "split in turn one": in_turn(own, one, before.starts[one])}.items():
                after = outcome(instance, method, place, changed) if changed else None
                if after is not None:
                    yield _compared(f"on line, {method}: {what}", before.value, after.value)
