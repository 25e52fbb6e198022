"""Schedules of fair sharing as arrays of starts, and back."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.problems.fair.ticks import NOT_STARTED, row_of_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from oas.problems.fair.instance import FairInstance


def schedule_from_starts(
    instance: FairInstance, starts: ArrayLike, method: str = "", certificate: Mapping[str, object] | None = None
) -> Schedule:
    """Give jobs concrete processors: the lowest-numbered that are idle, those of the first organizations first.

    Parameters
    ----------
    instance
        Of which the jobs are.
    starts
        When each job of `FairInstance.scaled` starts, in the order of presentation; -1 for not before the horizon.
    method, certificate
        The schedule's.

    Raises
    ------
    InputError
        If they are not one whole number from -1 on for each job, or at some moment more processors are asked for than
        there are.
    """
    ticks = instance.scaled()
    begins = row_of_starts(ticks, starts).tolist()
    places = [(one.id, number) for one in instance.organizations for number in range(one.processors)]
    idle = list(range(len(places)))  # a heap: ascending
    busy: list[tuple[int, list[int]]] = []  # a heap by end
    placements = []
    ran = [job for job, begin in enumerate(begins) if begin != NOT_STARTED]
    for job in sorted(ran, key=begins.__getitem__):  # stable: then by the order of presentation
        begin, width = begins[job], int(ticks.width[job])
        while busy and busy[0][0] <= begin:
            for place in heappop(busy)[1]:
                heappush(idle, place)
        name = _name(instance, job)
        if len(idle) < width:
            raise InputError(f"job {name} finds {len(idle)} of {width} processors idle at {begin}", field="starts")
        taken = [heappop(idle) for _ in range(width)]
        end = begin + int(ticks.time[job])
        heappush(busy, (end, taken))
        placements.append(Placement(name, begin, end, _by_organization(places[one] for one in taken)))
    return Schedule(placements, method, certificate)


def starts_from_schedule(instance: FairInstance, schedule: Schedule) -> NDArray[np.int64]:
    """Return when each job of `FairInstance.scaled` starts in a verified schedule; -1 for a job that it does not hold.

    Raises
    ------
    InputError
        If it holds a job that the instance does not have, or a start that is not a whole number.
    """
    ticks = instance.scaled()
    place = {_name(instance, job): job for job in range(ticks.job_count)}
    starts = np.full(ticks.job_count, NOT_STARTED, dtype=np.int64)
    for placement in schedule.placements:
        if placement.job not in place:
            raise InputError("no job has this id", field="schedule", value=placement.job)
        if placement.start.denominator != 1:
            raise InputError("must be a whole number", field=f"start of {placement.job}", value=str(placement.start))
        starts[place[placement.job]] = int(placement.start)
    return starts


def _name(instance: FairInstance, job: int) -> str:
    order = instance.scaled().order
    assert order is not None
    return instance.jobs[order[job]].id


def _by_organization(places: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name, number in places:
        found.setdefault(name, []).append(number)
    return found
