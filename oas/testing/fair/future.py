"""Other futures of an instance: what has happened by a moment stays, all else may be different."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from oas.core.schedule import Schedule

    Changes = Mapping[str, RigidJob | None]
    """Jobs that are another, by id; None for one that is never presented."""


@dataclass(frozen=True)
class Past:
    """What has happened in a schedule up to and including a moment.

    Attributes
    ----------
    instance
        What the schedule is of.
    moment
        A whole number.
    begun
        Start of each job that has started.
    """

    instance: FairInstance
    moment: int
    begun: Mapping[str, int]

    @classmethod
    def of(cls, instance: FairInstance, schedule: Schedule, moment: int) -> Past:
        """Return what has happened in `schedule` by `moment`."""
        begun = {one.job: int(one.start) for one in schedule.placements if one.start <= moment}
        return cls(instance, moment, begun)

    def is_open(self, job: RigidJob) -> bool:
        """Tell whether something of the job has not happened yet: its release, its start or its end."""
        return job.id not in self.begun or self.begun[job.id] + job.time > self.moment

    def is_known(self, job: RigidJob) -> bool:
        """Tell whether the job has been released."""
        return job.release <= self.moment

    def other_future(self, draw: random.Random) -> Changes:
        """Draw another time for each open job; another release, width, or absence for each that is not released."""
        changes: dict[str, RigidJob | None] = {}
        for organization in self.instance.organizations:
            after = self.moment + 1  # releases of one organization never decrease
            for job in filter(self.is_open, organization.jobs):
                time = self._other_time(job, draw)
                other: RigidJob | None = RigidJob(job.id, time, job.processors, job.release)
                if not self.is_known(job):
                    after += draw.choice([0, max(0, int(job.release) - after), draw.randint(0, self._longest)])
                    width = draw.choice([job.processors, draw.randint(1, organization.processors)])
                    other = draw.choice([None, RigidJob(job.id, time, width, after)])
                if other != job:
                    changes[job.id] = other
        return changes

    def _other_time(self, job: RigidJob, draw: random.Random) -> int:
        """Draw a time of an open job: as short as can be, as it is, or up to twice the longest more."""
        least = self.moment - self.begun[job.id] + 1 if job.id in self.begun else 1
        return draw.choice([least, int(job.time), least + draw.randint(0, 2 * self._longest)])

    @property
    def _longest(self) -> int:
        return max(int(job.time) for job in self.instance.jobs)

    def changed(self, changes: Changes) -> FairInstance:
        """Return the instance with these jobs changed.

        Raises
        ------
        InputError
            If it is none: an organization without jobs, or with releases that decrease.
        """
        organizations = [
            Organization(one.id, one.processors, filter(None, (changes.get(job.id, job) for job in one.jobs)))
            for one in self.instance.organizations
        ]
        return FairInstance(organizations, self.instance.horizon, self.instance.name)
