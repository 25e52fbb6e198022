"""Rigid jobs, reservations and organizations: the parts of the problems of organizations."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import MAX_DIGITS, Exact, common_denominator, exact, identifier, integer, tuple_of
from oas.core.verifier import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.core.schedule import Placement

Time = TypeVar("Time", int, Fraction)

MAX_UNIT = 10 ** (2 * MAX_DIGITS)
AN_ORGANIZATION = 'Organization("O1", 4, [RigidJob("J1", 60, 2)])'


@dataclass(frozen=True)
class RigidJob:
    """A rigid job: q processors of one cluster for p time units, without a break.

    Parameters
    ----------
    id
        Its name, unique in the instance.
    time
        p, above 0.
    processors
        q, at least 1.
    release
        The job starts no earlier; at least 0.
    """

    id: str
    time: Fraction
    processors: int
    release: Fraction

    def __init__(self, id: str, time: Exact, processors: int, release: Exact = 0) -> None:
        object.__setattr__(self, "id", identifier(id, "id"))
        object.__setattr__(self, "time", exact(time, "time"))
        object.__setattr__(self, "processors", integer(processors, "processors", least=1))
        object.__setattr__(self, "release", exact(release, "release"))
        if self.time <= 0:
            raise InputError("must be above 0", field="time", value=str(self.time))
        if self.release < 0:
            raise InputError("must not be negative", field="release", value=str(self.release))


@dataclass(frozen=True)
class Reservation:
    """Processors of a cluster that are not to be had in [start, end).

    Parameters
    ----------
    start, end
        0 ≤ start < end.
    processors
        How many, at least 1; no matter which.
    """

    start: Fraction
    end: Fraction
    processors: int

    def __init__(self, start: Exact, end: Exact, processors: int) -> None:
        object.__setattr__(self, "start", exact(start, "start"))
        object.__setattr__(self, "end", exact(end, "end"))
        object.__setattr__(self, "processors", integer(processors, "processors", least=1))
        if self.start < 0:
            raise InputError("must not be negative", field="start", value=str(self.start))
        if self.end <= self.start:
            raise InputError(f"must be after the start, {self.start}", field="end", value=str(self.end))


@dataclass(frozen=True)
class Organization:
    """An organization: its cluster and its jobs.

    Parameters
    ----------
    id
        Its name, unique in the instance; also its cluster's.
    processors
        m_k, at least 1: identical processors of its cluster.
    jobs
        I_k, any number; each at most m_k processors wide, so that it can run on its own cluster.
    reservations
        Of its cluster; never more at once than it has processors.
    """

    id: str
    processors: int
    jobs: tuple[RigidJob, ...] = field(repr=False)
    reservations: tuple[Reservation, ...] = field(default=(), repr=False)

    def __init__(
        self, id: str, processors: int, jobs: Iterable[RigidJob] = (), reservations: Iterable[Reservation] = ()
    ) -> None:
        object.__setattr__(self, "id", identifier(id, "id"))
        object.__setattr__(self, "processors", integer(processors, "processors", least=1))
        object.__setattr__(self, "jobs", tuple_of(jobs, RigidJob, "jobs", 'RigidJob("J1", 60, 2)'))
        reserved = tuple_of(reservations, Reservation, "reservations", "Reservation(0, 60, 2)")
        object.__setattr__(self, "reservations", reserved)
        for index, job in enumerate(self.jobs):
            if job.processors > self.processors:
                reason = f"wider than the organization's own cluster of {self.processors} processors"
                raise InputError(reason, field=f"jobs[{index}].processors", value=job.processors)
        usage = usage_over_time((one.start, one.end, one.processors) for one in self.reservations)
        too_many = {moment: held for moment, held in usage if held > self.processors}
        for index, one in enumerate(self.reservations):
            if too_many and one.start in too_many:
                reason = f"{too_many[one.start]} processors are reserved at {one.start}, of {self.processors}"
                raise InputError(reason, field=f"reservations[{index}].processors", value=one.processors)


def usage_over_time(blocks: Iterable[tuple[Time, Time, int]]) -> Iterator[tuple[Time, int]]:
    """Yield each moment at which a block (start, end, processors) begins or ends, ascending, and what is used then."""
    events = [event for start, end, processors in blocks for event in ((start, processors), (end, -processors))]
    moments = [moment for moment, _ in events]
    unit = common_denominator(moments, MAX_UNIT)
    # Integers are sorted many times faster than fractions; moments without a common unit stay as they are.
    keys: Sequence[Any] = moments if unit > MAX_UNIT else [one.numerator * (unit // one.denominator) for one in moments]
    order: list[int] = sorted(range(len(events)), key=keys.__getitem__)
    usage = 0
    for place, following in pairwise([*order, -1]):
        usage += events[place][1]
        if following < 0 or keys[following] != keys[place]:
            yield moments[place], usage


def free_steps(processors: int, blocks: Iterable[tuple[Time, Time, int]], zero: Time) -> tuple[tuple[Time, int], ...]:
    """Return (moment, processors): so many are free of blocks (start, end, processors) from then until the next moment.

    The first moment is 0, `zero` in the type of times; moments ascend, and neighbours differ. The last is for ever.
    """
    steps = [(zero, processors)]
    for moment, used in usage_over_time(blocks):
        free = processors - used
        if free != steps[-1][1]:
            if moment == steps[-1][0]:
                steps.pop()
            steps.append((moment, free))
    return tuple(steps)


def rigid_violations(job: RigidJob, placement: Placement, distinct: int) -> Iterator[Violation]:
    """A job holds q `distinct` processors, each named once, from its release or 0 on, for exactly p."""
    if distinct != job.processors or placement.tasks != distinct:
        held = f"{distinct} distinct ({placement.tasks} named)"
        message = f"job {job.id} needs {job.processors} processors but holds {held}"
        yield Violation("tasks", (job.id,), message)
    if placement.start < 0 or placement.start < job.release:
        earliest = max(Fraction(0), job.release)
        yield Violation("start", (job.id,), f"job {job.id} starts at {placement.start}, before {earliest}")
    took = placement.end - placement.start
    if took != job.time:
        yield Violation("duration", (job.id,), f"job {job.id} runs for {took} but needs exactly {job.time}")


class FreeOverTime:
    """How much of a resource is free over time, in integers.

    Parameters
    ----------
    amount
        All of it.
    held
        (moment, amount): so much is held from then until the next moment, the last for ever; moments ascend.
    """

    def __init__(self, amount: int, held: Sequence[tuple[int, int]] = ()) -> None:
        steps = held if held and held[0][0] == 0 else [(0, 0), *held]
        self._moments = [moment for moment, _ in steps]
        self._free = [amount - used for _, used in steps]  # from each moment until the next, the last for ever

    def steps(self) -> Iterator[tuple[int, int]]:
        """Yield (moment, free from then on) in time; neighbours may have equally much free."""
        return zip(self._moments, self._free, strict=True)

    def at(self, moment: int) -> int:
        """Return how much is free at a moment."""
        return self._free[bisect_right(self._moments, moment) - 1]

    def fits(self, start: int, end: int, amount: int) -> bool:
        """Whether that much is free throughout [start, end)."""
        first = bisect_right(self._moments, start) - 1
        return min(self._free[first : max(first + 1, bisect_left(self._moments, end))]) >= amount

    def earliest(self, start: int, time: int, amount: int) -> int:
        """Return the first moment from `start` on from which that much is free for so long.

        Where there is not as much in all, that is when all others have ended.
        """
        moments, free = self._moments, self._free
        at, last = bisect_right(moments, start) - 1, len(moments) - 1
        while at < last and moments[at] < start + time:
            enough, at = free[at] >= amount, at + 1
            if not enough:
                start = moments[at]
        return start

    def take(self, start: int, end: int, amount: int) -> None:
        """Hold that much from `start` until `end`."""
        for at in range(self._cut(start), self._cut(end)):
            self._free[at] -= amount

    def _cut(self, moment: int) -> int:
        """Return the place of a moment, at which a piece begins from now on."""
        at = bisect_left(self._moments, moment)
        if at == len(self._moments) or self._moments[at] != moment:
            self._moments.insert(at, moment)
            self._free.insert(at, self._free[at - 1])
        return at


class OfOrganizations:
    """What follows from the organizations of an instance."""

    organizations: tuple[Organization, ...]

    @cached_property
    def jobs(self) -> tuple[RigidJob, ...]:
        """All jobs, by organization."""
        return tuple(chain.from_iterable(organization.jobs for organization in self.organizations))

    @cached_property
    def owner(self) -> Mapping[str, int]:
        """Index of each job's organization, by job id."""
        return {job.id: k for k, organization in enumerate(self.organizations) for job in organization.jobs}

    @cached_property
    def node_count(self) -> int:
        """m: processors of all organizations."""
        return sum(organization.processors for organization in self.organizations)

    @property
    def cluster_sizes(self) -> list[tuple[str, int]]:
        """Id and number of processors of each organization."""
        return [(organization.id, organization.processors) for organization in self.organizations]

    def _check_ids(self) -> None:
        """Refuse no organizations, and an id that is taken."""
        if not self.organizations:
            raise InputError("at least one organization is needed", field="organizations")
        names: set[str] = set()
        seen: set[str] = set()
        for k, organization in enumerate(self.organizations):
            if organization.id in names:
                raise InputError("the id is taken", field=f"organizations[{k}].id", value=organization.id)
            names.add(organization.id)
            for index, job in enumerate(organization.jobs):
                if job.id in seen:
                    raise InputError("the id is taken", field=f"organizations[{k}].jobs[{index}].id", value=job.id)
                seen.add(job.id)


Split = Literal["uniform", "zipf"]


def split_processors(processors: int, organizations: int, split: Split) -> list[int]:
    """Divide processors among organizations, each of which gets one at least.

    The paper names the distributions only. Chosen here: ``uniform`` gives each the same, ``zipf`` organization number
    u, counted from 1, a share in proportion to 1/u; shares are rounded down, and what is left goes to the largest
    remainders, the first organizations first among equals. An organization that would get none takes one
    from the last of the largest.

    Raises `InputError` naming the parameter.

    Parameters
    ----------
    processors
        Of all, at least one for each organization.
    organizations
        k, at least 1.
    split
        ``uniform`` or ``zipf``.
    """
    count = integer(organizations, "organizations", least=1)
    total = integer(processors, "processors", least=1)
    if split not in get_args(Split):
        raise unknown_name(split, get_args(Split), "machines")
    if total < count:
        reason = f"must be at least {count}, one for each organization"
        raise InputError(reason, field="processors", value=total)
    weights = [Fraction(1, rank if split == "zipf" else 1) for rank in range(1, count + 1)]
    shares = [total * weight / sum(weights) for weight in weights]
    sizes = [int(share) for share in shares]
    remainders = sorted(range(count), key=lambda k: sizes[k] - shares[k])  # stable
    for k in remainders[: total - sum(sizes)]:
        sizes[k] += 1
    for k in range(count):
        if not sizes[k]:
            sizes[max(range(count), key=lambda other: (sizes[other], other))] -= 1
            sizes[k] = 1
    return sizes
