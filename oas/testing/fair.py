"""Fair sharing in the test kit: instances, and checks of on-line behaviour.

Causality: the jobs that a method has started by a moment must not depend on later events. A method receives the whole
instance and could read running times in it, which a single schedule cannot reveal. The check therefore compares two
schedules: for a random instance and a moment t, it changes everything that has not happened by t. Jobs released after t
are released at other moments after t, or never, or are wider; running jobs end at other moments after t; waiting jobs
have other running times. On the changed instance the method must start the same jobs at the same moments up to t;
otherwise it looks ahead.

Methods that are clairvoyant by definition (`Method.clairvoyant`) are not checked: REF and RAND follow virtual schedules
of coalitions. Policies of `oas.fair.search.policy` are never given future data and pass unless they access it in
another way. Randomized methods must draw as events occur: a method that shuffles all jobs in advance depends on their
number, and is reported.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.formats import show_count
from oas.core.rigid import Organization, RigidJob
from oas.fair.generate import arrivals, draw_tiny, random_instance
from oas.fair.instance import FairInstance
from oas.testing.parts import KitParts
from oas.testing.report import Finding, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.schedule import Schedule
    from oas.solving.method import Method
    from oas.testing.parts import Call

    Changes = Mapping[str, RigidJob | None]
    """Changed jobs by id; None for a job that is never released."""

MOMENTS = 4  # per instance
FUTURES = 6  # per moment
MAX_NAMED = 3  # changes listed in a message


@dataclass(frozen=True)
class Past:
    """The events of a schedule up to and including a moment."""

    instance: FairInstance
    moment: int
    begun: Mapping[str, int]  # start of each started job

    @classmethod
    def of(cls, instance: FairInstance, schedule: Schedule, moment: int) -> Past:
        begun = {run.job: int(run.start) for run in schedule.placements if run.start <= moment}
        return cls(instance, moment, begun)

    def is_open(self, job: RigidJob) -> bool:
        return job.id not in self.begun or self.begun[job.id] + job.time > self.moment

    def other_future(self, draw: random.Random) -> Changes:
        """Draw another time for each open job, and another release, width or absence for each unreleased one."""
        changes: dict[str, RigidJob | None] = {}
        for organization in self.instance.organizations:
            after = self.moment + 1  # releases of one organization never decrease
            for job in filter(self.is_open, organization.jobs):
                time = self._other_time(job, draw)
                other: RigidJob | None = RigidJob(job.id, time, job.processors, job.release)
                if job.release > self.moment:
                    after += draw.choice([0, max(0, int(job.release) - after), draw.randint(0, self._longest)])
                    width = draw.choice([job.processors, draw.randint(1, organization.processors)])
                    other = draw.choice([None, RigidJob(job.id, time, width, after)])
                if other != job:
                    changes[job.id] = other
        return changes

    def _other_time(self, job: RigidJob, draw: random.Random) -> int:
        """Draw a time of an open job: the shortest possible, the original, or up to twice the longest time more."""
        least = self.moment - self.begun[job.id] + 1 if job.id in self.begun else 1
        return draw.choice([least, int(job.time), least + draw.randint(0, 2 * self._longest)])

    @property
    def _longest(self) -> int:
        return max(int(job.time) for job in self.instance.jobs)

    def changed(self, changes: Changes) -> FairInstance:
        """Return the instance with changed jobs.

        Raises `InputError` if it is invalid: an organization without jobs, or with decreasing releases.
        """
        organizations = [
            Organization(owner.id, owner.processors, filter(None, (changes.get(job.id, job) for job in owner.jobs)))
            for owner in self.instance.organizations
        ]
        return FairInstance(organizations, self.instance.horizon, self.instance.name)


def keeps_state(_method: Method, call: Call, instance: FairInstance, schedule: Schedule, seed: int) -> Finding | None:
    """Run the method again in the same process and compare the schedules."""
    again = call(instance, seed)
    if again.schedule == schedule:
        return None
    answer = again.finding or again.refusal or "another schedule"
    return Finding(Kind.UNSTEADY, f"run again in the same process: {answer}; it keeps state between runs")


def looks_ahead(method: Method, call: Call, instance: FairInstance, schedule: Schedule, seed: int) -> Finding | None:
    """Change the future of `instance` at moments of its verified schedule, and compare the jobs started by then.

    `seed` is the seed of the calls and, with the digest of the instance, of the futures. Clairvoyant methods are not
    checked.
    """
    if method.clairvoyant:
        return None
    draw = random.Random(f"{seed} {instance.digest}")
    moments = sorted({int(run.start) for run in schedule.placements})  # the moments of decisions
    for moment in sorted(draw.sample(moments, min(MOMENTS, len(moments)))):
        past = Past.of(instance, schedule, moment)
        for _ in range(FUTURES):
            changes = past.other_future(draw)
            try:
                changed = past.changed(changes)
            except InputError:  # an organization is left without jobs
                continue
            answer = call(changed, seed)
            if answer.finding is not None:
                message = f"with other jobs after {moment}: {answer.finding.message}"
                return replace(answer.finding, message=message)
            if answer.schedule is None:  # it refuses the changed instance
                continue
            other = Past.of(changed, answer.schedule, moment)
            if other.begun != past.begun:
                # A method that keeps state may differ for that reason.
                return keeps_state(method, call, instance, schedule, seed) or _finding(past, changes, other)
    return None


def _finding(past: Past, changes: Changes, replayed: Past) -> Finding:
    begun = past.begun.keys() | replayed.begun.keys()
    differing = {job for job in begun if past.begun.get(job) != replayed.begun.get(job)}
    first = min(differing, key=lambda job: (min(run.begun.get(job, past.moment + 1) for run in (past, replayed)), job))
    jobs = {job.id: job for job in past.instance.jobs}
    texts = [
        f"job {job} {_data(jobs[job])} {'never comes' if other is None else f'changes to {_data(other)}'}"
        for job, other in changes.items()
    ]
    if len(texts) > MAX_NAMED:
        texts[MAX_NAMED:] = [f"{show_count(len(texts) - MAX_NAMED, 'more job')} would change"]
    message = f"job {first} {_start(past, first)}, but {_start(replayed, first)} if {'; '.join(texts)}"
    return Finding(Kind.AHEAD, f"{message}; unknown at {past.moment}")


def _start(past: Past, job: str) -> str:
    return f"starts at {past.begun[job]}" if job in past.begun else f"does not start by {past.moment}"


def _data(job: RigidJob) -> str:
    return f"(release {job.release}, time {job.time}, {show_count(job.processors, 'processor')})"


def medium(seed: int) -> FairInstance:
    """Return about 65 jobs of five organizations with 17 processors, with a load of 1.1 (section 6.2)."""
    return arrivals(seed=seed, organizations=5, processors=17, horizon=40, load="11/10", widest=3 if seed % 2 else 1)


PARTS = KitParts(draw_tiny, random_instance, medium, checks=(keeps_state, looks_ahead), template="fair.py.txt")
