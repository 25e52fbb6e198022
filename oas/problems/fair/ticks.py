"""An instance of fair scheduling as arrays of integers, as engines, policies and compiled loops use it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from oas.core.errors import InputError, TooLargeError
from oas.core.numbers import integer
from oas.core.stream import NEVER, whole_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from oas.core.stream import JobStream
    from oas.problems.fair.instance import FairInstance

    Numbers = NDArray[np.int64]

NOT_STARTED = -1
"""In a row of starts: not before the horizon."""
MAX_PROCESSORS = 2**31
"""Fewer there are in all, so that what many jobs hold can be added up in 64 bits."""


@dataclass(frozen=True, eq=False)
class FairTicks:
    """Organizations and jobs in the order of presentation: by release, then organization, then place in it.

    Within an organization this is the order in which its jobs start (FIFO). All arrays are int64, cannot be written to,
    and hold numbers below 2^62. An organization may be without jobs here, as in a window of a log.

    Attributes
    ----------
    machines
        Processors of each organization, ≥ 1.
    owner
        Organization of each job.
    release
        Of each job, ≥ 0, ascending.
    time
        p of each job, ≥ 1.
    width
        q of each job, from 1 to the processors of its owner.
    horizon
        t_end ≥ 1: what is not started before it is not started at all.
    order
        Position of each job in `FairInstance.jobs`, or in the stream that the jobs are from; None without either.

    Raises
    ------
    InputError
        Naming the column, the place and the value.
    TooLargeError
        If the horizon is 2^62 or more, or there are 2^31 processors or more.
    """

    machines: Numbers
    owner: Numbers
    release: Numbers
    time: Numbers
    width: Numbers
    horizon: int
    order: Numbers | None = None

    tick: ClassVar[Fraction] = Fraction(1)

    def __post_init__(self) -> None:
        least = {"machines": 1, "owner": 0, "release": 0, "time": 1, "width": 1, "order": 0}
        given = [name for name in least if name != "order" or self.order is not None]
        for name in given:
            object.__setattr__(self, name, whole_numbers(getattr(self, name), name, least[name]))
        for name in given:
            shape = self.machines.shape if name == "machines" else self.owner.shape
            if len(shape) != 1 or getattr(self, name).shape != shape:
                what = "organization" if name == "machines" else "job"
                raise InputError(f"must be one row of numbers, one for each {what}", field=name)
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
        """k: number of organizations."""
        return int(self.machines.size)

    @property
    def total(self) -> int:
        """Processors of all organizations."""
        return int(self.machines.sum())

    def to_time(self, ticks: int) -> Fraction:
        """Return `ticks` in the instance's time unit, which is one tick."""
        return Fraction(ticks)


def scale_fair(instance: FairInstance) -> FairTicks:
    """Return `instance` as arrays.

    Raises
    ------
    TooLargeError
        If a time is 2^62 or more, or there are 2^31 processors or more.
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
    """Return starts of the jobs as an int64 array: -1 for a job that does not start before the horizon.

    Raises
    ------
    InputError
        If they are not whole numbers from -1 on, one for each job.
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
    """Return the jobs of a stream as arrays, without an object for each job; starts, if it has any, do not count.

    Parameters
    ----------
    stream
        Its owners are the indices of the organizations.
    machines
        Processors of each organization.
    horizon
        t_end, in the stream's ticks.

    Raises
    ------
    InputError
        If a job's owner is unknown, or a job is wider than its owner's processors.
    """
    return _presented(machines, stream.owner, stream.submit, stream.time, stream.processors, horizon)


def _presented(
    machines: ArrayLike, owner: ArrayLike, release: ArrayLike, time: ArrayLike, width: ArrayLike, horizon: int
) -> FairTicks:
    """Put jobs, those of each organization in its order, into the order of presentation."""
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
