"""The Multi-Organization Scheduling Problem (MOSP): organizations share clusters without a disadvantage for any.

Sources: Dutot, Pascual, Rzadca, Trystram, *Approximation Algorithms for the Multi-Organization Scheduling Problem*,
IEEE TPDS 2011; Pascual, Rzadca, Trystram, *Cooperation in Multi-organization Scheduling*, Euro-Par 2007. Reservations
as in Eyraud-Dubois, Mounié, Trystram, IPDPS 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from oas.core.errors import InputError, within
from oas.core.formats import call_by_path
from oas.core.instances import CommonInstance
from oas.core.numbers import Exact, exact, identifier, integer, tuple_of
from oas.core.registry import MOSP
from oas.core.rigid import AN_ORGANIZATION, Organization, OrganizationsBase
from oas.mosp.local import check_local, default_policy, local_starts
from oas.mosp.ticks import ScaledMosp

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from oas.core.problem import Problem
    from oas.core.rigid import Reservation


@dataclass(frozen=True, repr=False)
class MospInstance(OrganizationsBase, CommonInstance[ScaledMosp]):
    """Organizations that share their clusters to minimise the makespan, without a disadvantage for any of them.

    Minimise C_max subject to C_max(O_k) ≤ locality · C_loc(O_k), equation (1) of both papers (there locality is 1).
    One organization without locality is RESASCHEDULING of the reservations paper (section 3.1), here with releases.

    Raises `InputError` for an invalid value, naming the field; also if a given local schedule breaks a rule.

    Parameters
    ----------
    organizations
        At least one, with at least one job among them.
    locality
        Rational number ≥ 1, or None for no such constraint.
    local
        The local schedules: a policy of `oas.mosp.local.LOCAL_ORDERS`, or the exact start of every job by
        its id. The instance stores the starts in either case; the policy's name goes into the provenance. None is HF,
        except for one organization without locality: it needs no local schedule, and the attribute is None.
    seed
        Seed for the policy RND.
    name, provenance
        Information for people; not included in `digest`.
    """

    problem: ClassVar[Problem] = MOSP
    variant: ClassVar[str] = ""  #: empty, as `variant_field`: the rules have no variants
    variant_field: ClassVar[str] = ""
    scaling: ClassVar[str] = "oas.mosp.ticks:scale_mosp"
    display: ClassVar[str] = "oas.mosp.tables"

    organizations: tuple[Organization, ...]
    locality: Fraction | None
    local: Mapping[str, Fraction] | None = field(hash=False)
    name: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)

    def __init__(
        self,
        organizations: Iterable[Organization],
        locality: Exact | None = 1,
        local: str | Mapping[str, Exact] | None = None,
        seed: int = 0,
        name: str = "",
        provenance: Mapping[str, str] | None = None,
    ) -> None:
        members = tuple_of(organizations, Organization, "organizations", AN_ORGANIZATION)
        object.__setattr__(self, "organizations", members)
        object.__setattr__(self, "locality", None if locality is None else exact(locality, "locality"))
        object.__setattr__(self, "name", identifier(name, "name") if name else "")
        object.__setattr__(self, "provenance", dict(provenance or {}))
        self._validate()
        object.__setattr__(self, "local", self._local(local, seed))

    def _validate(self) -> None:
        self._check_members()
        if not any(organization.jobs for organization in self.organizations):
            raise InputError("at least one job is needed", field="organizations")
        if self.locality is not None and self.locality < 1:
            raise InputError("must be at least 1, or none", field="locality", value=str(self.locality))

    def _local(self, local: str | Mapping[str, Exact] | None, seed: int) -> dict[str, Fraction] | None:
        if local is None:
            local = default_policy(len(self.organizations), self.locality)
            if local is None:
                return None
        if isinstance(local, str):
            number = seed if type(seed) is int else integer(seed, "seed", least=0)
            starts = {}
            for organization in self.organizations:
                for job, start in zip(organization.jobs, local_starts(organization, local, number), strict=True):
                    starts[job.id] = exact(start, f"local.{job.id}")
            if isinstance(self.provenance, dict):
                self.provenance.setdefault("local", f"{local}, seed {number}" if local == "RND" else local)
            return starts
        if not isinstance(local, Mapping):
            raise InputError("must be a policy or the start of each job", field="local", value=local)
        for name in local:
            if name not in self.owner:
                raise InputError("no job has this id", field="local", value=name)
        starts = {job: exact(start, f"local.{job}") for job, start in local.items()}
        with within("local"):
            for organization in self.organizations:
                check_local(organization, starts)
        return starts

    @property
    def reserved(self) -> list[tuple[Fraction, Fraction, int]]:
        """Start, end and processors of the reservations of all clusters."""
        reservations = chain.from_iterable(organization.reservations for organization in self.organizations)
        return [(one.start, one.end, one.processors) for one in reservations]

    def relaxed(self) -> MospInstance:
        """Return the instance without locality, which heuristics for the global makespan may ignore."""
        return self if self.locality is None else self.with_locality(None)

    @cached_property
    def local_makespans(self) -> tuple[Fraction | None, ...]:
        """C_loc(O_k) of each organization: 0 without jobs, None without local schedules."""
        starts = self.local
        if starts is None:
            return (None,) * len(self.organizations)
        return tuple(
            max((starts[job.id] + job.time for job in organization.jobs), default=Fraction(0))
            for organization in self.organizations
        )

    @property
    def deadlines(self) -> tuple[Fraction | None, ...]:
        """Deadline of the jobs of each organization, locality · C_loc; None without locality."""
        if self.locality is None:
            return (None,) * len(self.organizations)
        return tuple(None if makespan is None else self.locality * makespan for makespan in self.local_makespans)

    def with_locality(self, locality: Exact | None) -> MospInstance:
        """Return the same instance with another locality and the same local schedules.

        An instance without local schedules gets them, by the policy HF, when it gets a locality.

        Parameters
        ----------
        locality
            Rational number ≥ 1, or None for no such constraint; fractional floats raise `InputError`.
        """
        bound = None if locality is None else exact(locality, "locality")
        return replace(self, locality=bound)

    @classmethod
    def from_frame(
        cls,
        jobs: object,
        clusters: object,
        *,
        decimals: int = 3,
        locality: Exact | None = 1,
        local: str | Mapping[str, Exact] | None = None,
        seed: int = 0,
        reservations: Mapping[str, Iterable[Reservation]] | None = None,
        name: str = "",
    ) -> MospInstance:
        """Create an instance from data frames as returned by `to_frame` and `clusters_frame`, or from arrays.

        Raises `InputError` for a missing column or value, a float that is rounded to 0, or an invalid value, naming row
        and column.

        Parameters
        ----------
        jobs
            A data frame, or data for one such as a dict of arrays, with the columns of `to_frame`. The default ids
            (job) are J1, J2, …; the default release is 0; local_start is optional.
        clusters
            The same with the columns organization and processors (others are ignored); or a dict of the number of
            processors by organization.
        decimals
            Number of decimals to which floats in the frames are rounded: 0.7 becomes the Fraction 7/10, and the float
            1/3 becomes 333/1000. Integers, Fractions, Decimals and texts are exact.
        local
            As in the constructor; None uses the column local_start if there is one. Rounded starts and times may
            overlap: then use more decimals, or a policy.
        locality, seed, name
            As in the constructor; fractional floats are not accepted for `locality`.
        reservations
            Reservations by organization, which frames do not contain.
        """
        instance: MospInstance = call_by_path(
            "oas.mosp.frames:mosp_of", jobs, clusters, decimals, locality, local, seed, reservations, name
        )
        return instance

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each job: job, organization, time, processors, release and local_start.

        Times are floats, in the instance's time unit. The column local_start is missing if the instance has no local
        schedules. `from_frame` is the inverse.
        """
        return call_by_path("oas.mosp.frames:rigid_jobs_frame", self)

    def clusters_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each organization.

        Columns: organization, processors, jobs, local_makespan and deadline. Times are floats, in the instance's time
        unit; the deadline is NaN without locality, the local makespan NaN without local schedules.
        """
        return call_by_path("oas.mosp.frames:organizations_frame", self)

    def _data(self) -> list[object]:
        starts = self.local
        parts: list[object] = ["mosp", 2 if starts is None else 1, self.locality]
        for organization in self.organizations:
            parts += ["organization", organization.processors]
            parts += [("r", str(one.start), str(one.end), one.processors) for one in organization.reservations]
            for job in organization.jobs:
                parts += ["job", job.time, job.processors, job.release]
                if starts is not None:
                    parts.append(starts[job.id])
        return parts
