"""Rigid jobs, reservations and organizations, for MOSP and fair sharing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from oas.core.errors import InputError, unknown_name
from oas.core.instances import MAX_CLUSTERS, MAX_JOBS, MAX_NODES, MAX_RESERVATIONS, check_count
from oas.core.numbers import Exact, comparable, exact, identifier, integer, is_less, tuple_of
from oas.core.verifier import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.core.schedule import Placement

Time = TypeVar("Time", int, Fraction)

AN_ORGANIZATION = 'Organization("O1", 4, [RigidJob("J1", 60, 2)])'


@dataclass(frozen=True)
class RigidJob:
    """A rigid job: q processors of one cluster for p time units, without a break.

    Parameters
    ----------
    id
        The job's name, unique in the instance.
    time
        p, above 0.
    processors
        q, at least 1.
    release
        Earliest start, at least 0.
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
    """Processors of a cluster that are unavailable in [start, end).

    Parameters
    ----------
    start, end
        0 ≤ start < end.
    processors
        Number of processors, at least 1; which ones is not specified.
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
        Name of the organization and its cluster, unique in the instance.
    processors
        Number m_k ≥ 1 of identical processors of the cluster.
    jobs
        I_k; each needs at most m_k processors, so that it can run on the cluster.
    reservations
        Reservations of the cluster, which together never exceed its processors.
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
    """Yield each start and end of blocks (start, end, processors), ascending, with the processors used from then on."""
    events = [event for start, end, processors in blocks for event in ((start, processors), (end, -processors))]
    keys = comparable([moment for moment, _ in events])
    order: list[int] = sorted(range(len(events)), key=keys.__getitem__)
    usage = 0
    for index, following in pairwise([*order, -1]):
        usage += events[index][1]
        if following < 0 or keys[following] != keys[index]:
            yield events[index][0], usage


def free_steps(processors: int, blocks: Iterable[tuple[Time, Time, int]], zero: Time) -> tuple[tuple[Time, int], ...]:
    """Return (moment, processors): the number that blocks (start, end, processors) leave free until the next moment.

    The first moment is `zero`, 0 in the type of the times; moments ascend, and neighbouring numbers differ. The last
    step has no end.
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
    """Check that a job holds q `distinct` processors, each named once, from its release or later, for exactly p."""
    if distinct != job.processors or placement.tasks != distinct:
        held = f"{distinct} distinct ({placement.tasks} named)"
        message = f"job {job.id} needs {job.processors} processors but holds {held}"
        yield Violation("tasks", (job.id,), message)
    if placement.start.numerator < 0 or is_less(placement.start, job.release):
        earliest = max(Fraction(0), job.release)
        yield Violation("start", (job.id,), f"job {job.id} starts at {placement.start}, before {earliest}")
    start, end, time = placement.start, placement.end, job.time
    if start.denominator == end.denominator == time.denominator == 1:  # fast; the other way is right for these too
        lasts = end.numerator - start.numerator == time.numerator
    else:
        lasts = placement.duration == time
    if not lasts:
        message = f"job {job.id} runs for {placement.duration} but needs exactly {job.time}"
        yield Violation("duration", (job.id,), message)


class FreeOverTime:
    """The free amount of a resource over time, in integers.

    `amount`: total amount of the resource. `held`: steps (moment, held amount), ascending; each is valid until the next
    moment, the last forever.
    """

    def __init__(self, amount: int, held: Sequence[tuple[int, int]] = ()) -> None:
        steps = held if held and held[0][0] == 0 else [(0, 0), *held]
        self._moments = [moment for moment, _ in steps]
        self._free = [amount - used for _, used in steps]  # from each moment until the next, the last forever

    def steps(self) -> Iterator[tuple[int, int]]:
        """Yield (moment, free amount from then on), ascending; neighbouring amounts may be equal."""
        return zip(self._moments, self._free, strict=True)

    def at(self, moment: int) -> int:
        """Return the free amount at a moment."""
        return self._free[bisect_right(self._moments, moment) - 1]

    def fits(self, start: int, end: int, amount: int) -> bool:
        """Return whether the amount is free throughout [start, end)."""
        first = bisect_right(self._moments, start) - 1
        return min(self._free[first : max(first + 1, bisect_left(self._moments, end))]) >= amount

    def earliest(self, start: int, time: int, amount: int) -> int:
        """Return the first moment from `start` on at which the amount is free for this time.

        For more than the total amount, this is the moment at which everything becomes free.
        """
        moments, free = self._moments, self._free
        index, last = bisect_right(moments, start) - 1, len(moments) - 1
        while index < last and moments[index] < start + time:
            enough, index = free[index] >= amount, index + 1
            if not enough:
                start = moments[index]
        return start

    def take(self, start: int, end: int, amount: int) -> None:
        """Hold the amount in [start, end)."""
        for index in range(self._cut(start), self._cut(end)):
            self._free[index] -= amount

    def _cut(self, moment: int) -> int:
        """Return the index of the step that begins at `moment`; insert it if there is none."""
        index = bisect_left(self._moments, moment)
        if index == len(self._moments) or self._moments[index] != moment:
            self._moments.insert(index, moment)
            self._free.insert(index, self._free[index - 1])
        return index


class OrganizationsBase:
    """Base class of instances with organizations."""

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
        """Number m of processors of all organizations."""
        return sum(organization.processors for organization in self.organizations)

    @property
    def cluster_sizes(self) -> list[tuple[str, int]]:
        """Id and number of processors of each organization."""
        return [(organization.id, organization.processors) for organization in self.organizations]

    def _check_members(self) -> None:
        """Raise `InputError` if there are too few or too many members, or ids are not unique."""
        if not self.organizations:
            raise InputError("at least one organization is needed", field="organizations")
        for noun, limit, count in (
            ("organizations", MAX_CLUSTERS, len(self.organizations)),
            ("jobs", MAX_JOBS, len(self.jobs)),
            ("processors", MAX_NODES, self.node_count),
            ("reservations", MAX_RESERVATIONS, sum(len(one.reservations) for one in self.organizations)),
        ):
            check_count(count, limit, noun, "organizations")
        names: set[str] = set()
        jobs: set[str] = set()
        for k, organization in enumerate(self.organizations):
            if organization.id in names:
                raise InputError("the id is taken", field=f"organizations[{k}].id", value=organization.id)
            names.add(organization.id)
            for index, job in enumerate(organization.jobs):
                if job.id in jobs:
                    raise InputError("the id is taken", field=f"organizations[{k}].jobs[{index}].id", value=job.id)
                jobs.add(job.id)


Split = Literal["uniform", "zipf"]


def split_processors(processors: int, organizations: int, split: Split) -> list[int]:
    """Divide processors among organizations, at least one for each, as `split_by_weights`.

    The paper only names the distributions. Our choice: ``uniform`` gives equal shares, ``zipf`` shares proportional to
    1/u for the organizations u = 1, 2, ….

    Raises `InputError` naming the parameter if there are fewer processors than organizations, or no organization.
    """
    count = integer(organizations, "organizations", least=1)
    if split not in get_args(Split):
        raise unknown_name(split, get_args(Split), "machines")
    return split_by_weights(processors, [Fraction(1, rank if split == "zipf" else 1) for rank in range(1, count + 1)])


def split_by_weights(processors: int, weights: Sequence[Fraction]) -> list[int]:
    """Divide processors among organizations in proportion to positive weights, at least one for each.

    Shares are rounded down, and the remaining processors go to the largest remainders, in case of ties to the first
    organizations. An organization without a processor takes one from the last of the largest organizations.

    Raises `InputError` if there are fewer processors than organizations.
    """
    count = len(weights)
    total = integer(processors, "processors", least=1)
    if total < count:
        reason = f"must be at least {count}, one for each organization"
        raise InputError(reason, field="processors", value=total)
    shares = [total * weight / sum(weights) for weight in weights]
    sizes = [int(share) for share in shares]
    remainders = sorted(range(count), key=lambda k: sizes[k] - shares[k])  # stable
    for k in remainders[: total - sum(sizes)]:
        sizes[k] += 1
    for k in range(count):
        if not sizes[k]:
            sizes[max(range(count), key=lambda index: (sizes[index], index))] -= 1
            sizes[k] = 1
    return sizes
