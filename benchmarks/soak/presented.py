"""Manipulations of an organization's jobs, and their effect on line on its utility."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.core.registry import FAIR
from oas.core.rigid import Organization, RigidJob
from oas.fair.instance import FairInstance
from oas.fair.ticks import starts_from_schedule
from oas.fair.utilities import strategy_proof
from oas.solving.methods import find_method

if TYPE_CHECKING:
    from collections.abc import Collection

STRATEGIES = ("split", "merge", "delay", "pad")


@dataclass(frozen=True)
class Presented:
    """Jobs that an organization submits, in its order, and their real running times; the rest is padding."""

    jobs: tuple[RigidJob, ...]
    real: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """An organization's ψ_sp of its real work on line, and the start of each of its jobs (-1 for none)."""

    value: int
    starts: tuple[int, ...]


def outcome(instance: FairInstance, method: str, place: int, changed: Presented | None) -> Outcome | None:
    """Return the outcome of the organization at `place`; None if no job would be released before the horizon."""
    own = instance.organizations[place]
    given = changed or Presented(own.jobs, tuple(int(job.time) for job in own.jobs))
    organizations = list(instance.organizations)
    organizations[place] = Organization(own.id, own.processors, given.jobs)
    try:
        altered = FairInstance(organizations, instance.horizon)
    except InputError:  # the delayed job was the only one before the horizon
        return None
    ticks = altered.scaled()
    starts = starts_from_schedule(altered, find_method(method, FAIR)(altered, seed=0))
    real = dict(zip((job.id for job in given.jobs), given.real, strict=True))
    assert ticks.order is not None
    times = [real.get(altered.jobs[one].id, int(altered.jobs[one].time)) for one in ticks.order]
    value = strategy_proof(replace(ticks, time=np.array(times)), starts)[place]
    return Outcome(value, tuple(starts[ticks.owner == place].tolist()))


def presented(own: Organization, strategy: str, chosen: Collection[int]) -> Presented | None:
    """Return the jobs of an organization that manipulates the jobs at these places; None if there is no change.

    A job of at least two units is split in halves, the shorter first. A job is merged with the next one if both need
    equally many processors; the merged job has the later submission. A delay is one unit and also delays the next jobs
    if necessary. Padding is one unit.
    """
    jobs: list[RigidJob] = []
    real: list[int] = []
    merged = False
    for place, job in enumerate(own.jobs):
        if merged:
            merged = False
            continue
        time = int(job.time)
        after = own.jobs[place + 1] if place + 1 < len(own.jobs) else None
        pieces = [(time, time, job.release)]
        if place in chosen:
            if strategy == "split" and time > 1:
                pieces = [(half, half, job.release) for half in (time // 2, time - time // 2)]
            elif strategy == "merge" and after is not None and after.processors == job.processors:
                merged = True
                pieces = [(time + int(after.time), time + int(after.time), after.release)]
            elif strategy == "delay":
                pieces = [(time, time, job.release + 1)]
            elif strategy == "pad":
                pieces = [(time + 1, time, job.release)]
        for number, (length, truly, release) in enumerate(pieces):
            name = f"{job.id}.{number}" if number else job.id
            jobs.append(RigidJob(name, length, job.processors, max(release, jobs[-1].release if jobs else 0)))
            real.append(truly)
    same = [(job.time, job.release) for job in jobs] == [(job.time, job.release) for job in own.jobs]
    return None if same else Presented(tuple(jobs), tuple(real))


def in_turn(own: Organization, chosen: int, start: int) -> Presented | None:
    """Return the jobs with one split that would start at `start`; None if it is of one unit, or does not start."""
    job = own.jobs[chosen]
    time = int(job.time)
    if time == 1 or start < 0:
        return None
    first = RigidJob(job.id, time // 2, job.processors, job.release)
    second = RigidJob(f"{job.id}.1", time - time // 2, job.processors, start + time // 2)
    jobs = sorted([*own.jobs[:chosen], first, *own.jobs[chosen + 1 :], second], key=lambda one: one.release)  # stable
    return Presented(tuple(jobs), tuple(int(one.time) for one in jobs))
