"""Fair scheduling by contribution: organizations pool their processors and benefit in proportion to their contribution.

Source: Skowron, Rzadca, *Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*, SPAA 2013, section 2. Jobs
of several processors are an extension; the paper names them as future work.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, ClassVar

from oas.core.errors import InputError, within
from oas.core.formats import call_by_path
from oas.core.instances import CommonInstance
from oas.core.numbers import exact, identifier, integer, tuple_of
from oas.core.registry import FAIR
from oas.core.rigid import AN_ORGANIZATION, Organization, OrganizationsBase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    import pandas

    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.core.rigid import RigidJob
    from oas.fair.ticks import FairTicks  # noqa: F401  (named in a base class; it imports numpy)


@dataclass(frozen=True, repr=False)
class FairInstance(OrganizationsBase, CommonInstance["FairTicks"]):
    """Organizations that pool their processors and present jobs over time, up to a horizon.

    The scheduler is on-line: it knows a job when it is released, and its running time when it has ended. It starts the
    jobs of each organization in their order, and leaves no processor idle that a waiting job could use. Times are
    integers. A schedule consists of the jobs that start before the horizon, each with its full time. There is no
    objective, so no optimum.

    Raises `InputError` for an invalid value, naming the field.

    Parameters
    ----------
    organizations
        At least one, each with at least one job and without reservations. Times and releases of jobs are whole
        numbers; an organization presents its jobs in the order given, so their releases never decrease.
    horizon
        t_end: an integer, at least 1. Some job is released before it.
    name, provenance
        Information for people; not included in `digest`.
    """

    problem: ClassVar[Problem] = FAIR
    variant: ClassVar[str] = ""  #: empty, as `variant_field`: the rules have no variants
    variant_field: ClassVar[str] = ""
    scaling: ClassVar[str] = "oas.fair.ticks:scale_fair"
    display: ClassVar[str] = "oas.fair.tables"

    organizations: tuple[Organization, ...]
    horizon: int
    name: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)

    def __init__(
        self,
        organizations: Iterable[Organization],
        horizon: int,
        name: str = "",
        provenance: Mapping[str, str] | None = None,
    ) -> None:
        members = tuple_of(organizations, Organization, "organizations", AN_ORGANIZATION)
        object.__setattr__(self, "organizations", members)
        object.__setattr__(self, "horizon", integer(horizon, "horizon", least=1))
        exact(self.horizon, "horizon")  # limits the number of digits
        object.__setattr__(self, "name", identifier(name, "name") if name else "")
        object.__setattr__(self, "provenance", dict(provenance or {}))
        self._validate()

    def _validate(self) -> None:
        self._check_members()
        for k, organization in enumerate(self.organizations):
            with within(f"organizations[{k}]"):
                if organization.reservations:
                    raise InputError("there are none in fair sharing; remove them", field="reservations")
                if not organization.jobs:
                    raise InputError("at least one job is needed", field="jobs")
                check_whole(organization.jobs)
                for index, (before, job) in enumerate(pairwise(organization.jobs), start=1):
                    if job.release < before.release:
                        reason = f"must not be before the release of its predecessor {before.id}, {before.release}"
                        raise InputError(reason, field=f"jobs[{index}].release", value=str(job.release))
        if all(job.release >= self.horizon for job in self.jobs):
            raise InputError("no job is released before it", field="horizon", value=self.horizon)

    def with_horizon(self, horizon: int) -> FairInstance:
        """Return the same instance with another horizon.

        Parameters
        ----------
        horizon
            t_end, as in the constructor.
        """
        return replace(self, horizon=horizon)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each job: job, organization, time, processors, release, as integers."""
        return call_by_path("oas.fair.tables:jobs_frame", self)

    def clusters_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each organization: organization, processors, jobs, work, and load.

        The work is Σ q·p of the jobs released before the horizon; the load is work / (processors × horizon).
        """
        return call_by_path("oas.fair.tables:organizations_frame", self)

    def _data(self) -> list[object]:
        parts: list[object] = ["fair", 1, self.horizon]
        for organization in self.organizations:
            parts += ["organization", organization.processors]
            for job in organization.jobs:
                parts += ["job", job.time, job.processors, job.release]
        return parts


def check_whole(jobs: tuple[RigidJob, ...]) -> None:
    """Raise `InputError` for a time or release that is not a whole number, naming the job's index."""
    for index, job in enumerate(jobs):
        for field_name, value in (("time", job.time), ("release", job.release)):
            if value.denominator != 1:
                raise InputError("must be a whole number", field=f"jobs[{index}].{field_name}", value=str(value))


def fair_instance(
    organizations: tuple[Organization, ...],
    ends_alone: tuple[Fraction, ...],
    horizon: int | None,
    source: Instance,
) -> FairInstance:
    """Return an instance of fair sharing with these organizations, the name and the provenance of `source`.

    Each organization presents its jobs in the order of their releases, ties as given. `ends_alone` are the local
    makespans; the default horizon is the least integer at or after all of these.

    Raises `InputError` if an organization is invalid in fair sharing, or no job is released before the horizon.
    """
    for index, one in enumerate(organizations):
        with within(f"organizations[{index}]"):
            check_whole(one.jobs)  # before sorting, so that the message has the index in the source
    if horizon is None:
        horizon = max(1, ceil(max(ends_alone)))
    ordered = [replace(one, jobs=tuple(sorted(one.jobs, key=lambda job: job.release))) for one in organizations]
    return FairInstance(ordered, horizon, source.name, source.provenance)
