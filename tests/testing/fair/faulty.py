"""Methods and policies of fair sharing that go wrong, each in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heuristics.fair.engine import run_policy
from heuristics.fair.policy import Watcher
from heuristics.method import Method
from oas.problems.fair.problem import FAIR
from oas.problems.fair.ticks import schedule_from_starts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.ticks import FairTicks

    Key = Callable[[FairTicks, "Heads", int, int], object]


class Heads(Watcher):
    """Picks by a function of what it may not know."""

    def __init__(self, ticks: FairTicks, key: Key) -> None:
        self.ticks = ticks
        self.key = key
        self.queues: dict[int, list[int]] = {}
        self.begun: dict[int, int] = {}

    def released(self, now: int, organization: int, job: int, width: int) -> None:
        self.queues.setdefault(organization, []).append(job)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        self.begun[self.queues[organization].pop(0)] = now

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return min(waiting, key=lambda one: (self.key(self.ticks, self, one, now), one))


def informed(key: Key) -> Callable[..., Schedule]:
    """Return a scheduler that looks at the whole instance."""

    def schedule(instance: FairInstance, *, seed: int = 0) -> Schedule:
        ticks = instance.scaled()
        return schedule_from_starts(instance, run_policy(ticks, lambda seed: Heads(ticks, key), seed))

    return schedule


def waiting_time(ticks: FairTicks, heads: Heads, one: int, now: int) -> object:
    """The running time of the job that would start."""
    return int(ticks.time[heads.queues[one][0]])


def running_time(ticks: FairTicks, heads: Heads, one: int, now: int) -> object:
    """How long the organization's jobs that run now will still run."""
    own = [(job, begun) for job, begun in heads.begun.items() if ticks.owner[job] == one]
    return sum(max(0, begun + int(ticks.time[job]) - now) for job, begun in own)


def next_release(ticks: FairTicks, heads: Heads, one: int, now: int) -> object:
    """When the organization presents its next job."""
    own = ticks.release[ticks.owner == one]
    return min((int(when) for when in own if when > now), default=0)


def number_of_jobs(ticks: FairTicks, heads: Heads, one: int, now: int) -> object:
    """How many jobs the organization will have presented at the end."""
    return int((ticks.owner == one).sum())


def widest(ticks: FairTicks, heads: Heads, one: int, now: int) -> object:
    """The widest of the organization's jobs that are still to come."""
    return max((int(width) for width in ticks.width[(ticks.owner == one) & (ticks.release > now)]), default=0)


AHEAD = {
    one.__name__: Method(one.__name__, informed(one), "", problem=FAIR)
    for one in (waiting_time, running_time, next_release, number_of_jobs, widest)
}
reference = Method("reference", informed(waiting_time), "", problem=FAIR, clairvoyant=True)


class Wrong(Watcher):
    """From the moment 3 on picks an organization that does not exist."""

    def __init__(self, seed: int) -> None: ...

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return waiting[0] if now < 3 else 99


class Raises(Watcher):
    """Has no answer where two wait."""

    def __init__(self, seed: int) -> None: ...

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        (only,) = waiting
        return only


_one = Wrong(0)


def the_same(seed: int) -> Any:
    """Makes nothing."""
    return _one


def idles(instance: FairInstance, *, seed: int = 0) -> Schedule:
    """Leaves the last job that could start before the horizon out."""
    starts = run_policy(instance.scaled(), lambda seed: Heads(instance.scaled(), lambda *_: 0))
    starts[starts.argmax()] = -1
    return schedule_from_starts(instance, starts)
