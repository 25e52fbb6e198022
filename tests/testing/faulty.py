"""Heuristics that go wrong, each in its own way."""

import os
import time
from functools import partial

from heuristics.coallocation import list_scheduling
from heuristics.coallocation.list_engine import list_schedule
from heuristics.mosp import list_scheduling as mosp_list_scheduling
from oas import Schedule

fcfs = partial(list_scheduling.schedule, "FCFS")
lpt = partial(mosp_list_scheduling.schedule, "LPT")


def forgets(instance, *, seed=0):
    """Leaves the last job out where there are two or more."""
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
