"""Heuristics, and policies of fair sharing, that go wrong, each in its own way."""

import os
import time
from functools import partial

from heuristics.coallocation import list_scheduling
from heuristics.coallocation.list_engine import list_schedule
from heuristics.mosp import list_scheduling as mosp_list_scheduling
from oas import Schedule
from oas.core.registry import FAIR
from oas.fair.search.engine import run_policy
from oas.fair.search.policy import Watcher
from oas.fair.ticks import schedule_from_starts
from oas.solving.method import Method

fcfs = partial(list_scheduling.schedule, "FCFS")
lpt = partial(mosp_list_scheduling.schedule, "LPT", name="LPT", engine="LIST")


def forgets(instance, *, seed=0):
    """Omit the last job if there are at least two."""
    whole = fcfs(instance)
    return Schedule(whole.placements[: max(1, len(whole.placements) - 1)])


def raises(instance, *, seed=0):
    if len(instance.clusters) > 1:
        raise RuntimeError("out of ideas")
    return fcfs(instance)


def exits(instance, *, seed=0):
    raise SystemExit("enough")


def junk(instance, *, seed=0):
    return 42


def unsteady(instance, *, seed=0):
    """The order of a set of texts is another in each process."""
    names = [job.id for job in instance.jobs]
    return list_schedule(instance, [names.index(name) for name in set(names)], overtaking=False)


def changes(instance, *, seed=0):
    schedule = fcfs(instance)
    object.__setattr__(instance, "slot", instance.slot + 1)
    return schedule


def hangs(instance, *, seed=0):
    while len(instance.jobs) > 1:
        time.sleep(0.01)
    return fcfs(instance)


def dies(instance, *, seed=0):
    os.closerange(3, 256)  # the pipes close before the process is gone, as in a crash
    time.sleep(0.1)
    os._exit(9)


class Heads(Watcher):
    """Picks by data that it must not know."""

    def __init__(self, ticks, key):
        self.ticks = ticks
        self.key = key
        self.queues = {}
        self.begun = {}

    def released(self, now, organization, job, width):
        self.queues.setdefault(organization, []).append(job)

    def started(self, now, organization, job, width):
        self.begun[self.queues[organization].pop(0)] = now

    def pick(self, now, waiting):
        return min(waiting, key=lambda one: (self.key(self.ticks, self, one, now), one))


def informed(key):
    """Return a scheduler that looks at the whole instance."""

    def schedule(instance, *, seed=0):
        ticks = instance.scaled()
        return schedule_from_starts(instance, run_policy(ticks, lambda seed: Heads(ticks, key), seed))

    return schedule


def waiting_time(ticks, heads, one, now):
    """The running time of the job that would start."""
    return int(ticks.time[heads.queues[one][0]])


def running_time(ticks, heads, one, now):
    """How long the organization's jobs that run now will still run."""
    own = [(job, begun) for job, begun in heads.begun.items() if ticks.owner[job] == one]
    return sum(max(0, begun + int(ticks.time[job]) - now) for job, begun in own)


def next_release(ticks, heads, one, now):
    """When the organization presents its next job."""
    own = ticks.release[ticks.owner == one]
    return min((int(when) for when in own if when > now), default=0)


def number_of_jobs(ticks, heads, one, now):
    """How many jobs the organization will have presented at the end."""
    return int((ticks.owner == one).sum())


def widest(ticks, heads, one, now):
    """The widest of the organization's jobs that are still to come."""
    return max((int(width) for width in ticks.width[(ticks.owner == one) & (ticks.release > now)]), default=0)


AHEAD = {
    one.__name__: Method(one.__name__, informed(one), "", problem=FAIR)
    for one in (waiting_time, running_time, next_release, number_of_jobs, widest)
}


class Wrong(Watcher):
    """From the moment 3 on picks an organization that does not exist."""

    def __init__(self, seed): ...

    def pick(self, now, waiting):
        return waiting[0] if now < 3 else 99


class Raises(Watcher):
    """Has no answer where two wait."""

    def __init__(self, seed): ...

    def pick(self, now, waiting):
        (only,) = waiting
        return only


_one = Wrong(0)


def the_same(seed):
    """Makes nothing."""
    return _one


def idles(instance, *, seed=0):
    """Leaves the last job that could start before the horizon out."""
    starts = run_policy(instance.scaled(), lambda seed: Heads(instance.scaled(), lambda *_: 0))
    starts[starts.argmax()] = -1
    return schedule_from_starts(instance, starts)
