"""Instances and schedules of fair sharing as arrays of integers, for engines, policies and kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from oas.core.errors import InputError, TooLargeError
from oas.core.numbers import integer
from oas.core.schedule import Placement, Schedule
from oas.queueing.stream import NEVER, whole_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from oas.fair.instance import FairInstance
    from oas.queueing.stream import JobStream

    Numbers = NDArray[np.int64]
    from collections.abc import Mapping

NOT_STARTED = -1
"""In a row of starts: a job that does not start before the horizon."""
MAX_PROCESSORS = 2**31
"""Upper limit, exclusive, of the total number of processors, so that sums over many jobs fit in 64 bits."""


@dataclass(frozen=True, eq=False)
class FairTicks:
    """Organizations and jobs in the order of presentation: by release, then organization, then position in it.

    The jobs of an organization start in this order (FIFO). All arrays are read-only int64 arrays with numbers below
    2^62. An organization may have no jobs, as in a window of a log.

    Raises `InputError` for an invalid column, naming the place and the value, and `TooLargeError` if the horizon is
    2^62 or more, or there are 2^31 processors or more.
    """

    machines: Numbers  #: processors of each organization, ≥ 1
    owner: Numbers  #: organization of each job
    release: Numbers  #: release of each job, ≥ 0, ascending
    time: Numbers  #: p of each job, ≥ 1
    width: Numbers  #: q of each job, from 1 to the processors of its owner
    horizon: int  #: t_end ≥ 1; no job starts at or after it
    order: Numbers | None = None  #: position of each job in `FairInstance.jobs` or in the stream; None without either

    tick: ClassVar[Fraction] = Fraction(1)

    def __post_init__(self) -> None:
        least = {"machines": 1, "owner": 0, "release": 0, "time": 1, "width": 1, "order": 0}
        given = [name for name in least if name != "order" or self.order is not None]
        for name in given:
            object.__setattr__(self, name, whole_numbers(getattr(self, name), name, least[name]))
        for name in given:
            shape = self.machines.shape if name == "machines" else self.owner.shape
            if len(shape) != 1 or getattr(self, name).shape != shape:
                item = "organization" if name == "machines" else "job"
                raise InputError(f"must be one row of numbers, one for each {item}", field=name)
        object.__setattr__(self, "horizon", integer(self.horizon, "horizon", least=1))
        if not self.organization_count:
            raise InputError("at least one organization is needed", field="machines")
        _check_size(self.horizon, sum(self.machines.tolist()))
        self._refuse(self.owner >= self.organization_count, "owner", "there is no such organization")
        self._refuse(np.diff(self.release, prepend=0) < 0, "release", "must ascend")
        self._refuse(self.width > self.machines[self.owner], "width", "wider than the organization's own processors")

    def _refuse(self, wrong: NDArray[np.bool_], column: str, reason: str) -> None:
        if wrong.any():
            place = int(np.argmax(wrong))
            raise InputError(reason, field=f"{column}[{place}]", value=int(getattr(self, column)[place]))

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return int(self.owner.size)

    @property
    def organization_count(self) -> int:
        """Number k of organizations."""
        return int(self.machines.size)

    @property
    def total(self) -> int:
        """Number of processors of all organizations."""
        return int(self.machines.sum())

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit, which is one tick."""
        return Fraction(ticks)


@dataclass(frozen=True, eq=False)
class SharedLog:
    """A part of a log, distributed among organizations."""

    ticks: FairTicks  #: processors and jobs of the organizations; moment 0 is the beginning of the window
    names: tuple[str, ...]  #: ``O1``, ``O2``, … of the organizations
    users: tuple[int, ...]  #: number of users of each in the log
    stream: JobStream  #: the log
    since: int  #: beginning of the window, in ticks of the log
    #: Σ running time × processors of the jobs of the window / (processors × length), or the horizon without a length
    load: Fraction
    noted: Mapping[str, int] = field(default_factory=dict)  #: numbers of jobs with remarks, by remark
    #: the requested load if no window has it, so that this is the busiest one; None otherwise
    lacking: Fraction | None = None


def scale_fair(instance: FairInstance) -> FairTicks:
    """Return `instance` as arrays.

    Raises `TooLargeError` if a time is 2^62 or more, or there are 2^31 processors or more.
    """
    jobs = instance.jobs
    longest = max(max(job.time, job.release) for job in jobs)
    _check_size(max(int(longest), instance.horizon), instance.node_count)
    return _presented(
        [one.processors for one in instance.organizations],
        [instance.owner[job.id] for job in jobs],
        [int(job.release) for job in jobs],
        [int(job.time) for job in jobs],
        [job.processors for job in jobs],
        instance.horizon,
    )


def row_of_starts(ticks: FairTicks, starts: ArrayLike) -> Numbers:
    """Return starts of the jobs as an int64 array; -1 for a job that does not start before the horizon.

    Raises `InputError` if they are not whole numbers ≥ -1, one for each job.
    """
    begins = whole_numbers(starts, "starts", NOT_STARTED)
    if begins.shape != ticks.owner.shape:
        raise InputError(f"must be one row of {ticks.job_count} numbers", field="starts", value=begins.shape)
    return begins


def _check_size(time: int, processors: int) -> None:
    if time >= NEVER:
        raise TooLargeError(f"times must be below 2^62, not {time}")
    if processors >= MAX_PROCESSORS:
        raise TooLargeError(f"{processors} processors in all; there must be fewer than 2^31")


def stream_ticks(stream: JobStream, machines: ArrayLike, horizon: int) -> FairTicks:
    """Return the jobs of a stream; starts are ignored.

    `stream`: jobs whose owners are the indices of the organizations. `machines`: processors of each organization.
    `horizon`: t_end, in the stream's ticks.

    Raises `InputError` if a job's owner is unknown, or a job is wider than its owner's processors.
    """
    return _presented(machines, stream.owner, stream.submit, stream.time, stream.processors, horizon)


def _presented(
    machines: ArrayLike, owner: ArrayLike, release: ArrayLike, time: ArrayLike, width: ArrayLike, horizon: int
) -> FairTicks:
    """Sort jobs, in which each organization's are in its order, into the order of presentation."""
    owners = whole_numbers(owner, "owner", 0)
    order = np.lexsort((owners, np.asarray(release)))  # stable

    def ordered(column: ArrayLike) -> Numbers:
        values: Numbers = np.asarray(column)[order]
        return values

    return FairTicks(
        whole_numbers(machines, "machines", 1),
        owners[order],
        ordered(release),
        ordered(time),
        ordered(width),
        horizon,
        order,
    )


def schedule_from_starts(
    instance: FairInstance, starts: ArrayLike, method: str = "", certificate: Mapping[str, object] | None = None
) -> Schedule:
    """Assign processors to jobs: idle ones with the lowest numbers, of the first organizations first.

    `starts`: of the jobs of `FairInstance.scaled`, as in `row_of_starts`. `method`, `certificate`: the schedule's.

    Raises `InputError` as `row_of_starts` does, or if jobs need more processors than there are.
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
        nodes: dict[str, list[int]] = {}
        for organization, number in map(places.__getitem__, taken):
            nodes.setdefault(organization, []).append(number)
        placements.append(Placement(name, begin, end, nodes))
    return Schedule(placements, method, certificate)


def starts_from_schedule(instance: FairInstance, schedule: Schedule) -> NDArray[np.int64]:
    """Return the start of each job of `FairInstance.scaled` in a verified schedule; -1 for a missing job.

    Raises `InputError` for a job that the instance does not have, or a start that is not a whole number.
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
