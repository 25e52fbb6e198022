"""The parts of fair sharing that the test kit uses: instances, smaller ones, and checks of on-line behaviour.

Causality: what a method has started by a moment must not depend on what happens after it.

A method is given a whole instance, so nothing but its word keeps it from reading the running times in it. A single
schedule cannot show that it did. Two can: take a random instance and the method's schedule, choose a moment t, and
change what has not happened by t. Jobs released after t come at other moments after t, or never, or are wider; jobs
that run at t end at other moments after t; jobs that wait take other times. On the changed instance the method must
start the same jobs at the same moments up to and including t. Where it does not, it looks ahead.

References that are clairvoyant by definition say so (`Method.clairvoyant`) and are left out: REF and RAND follow
virtual schedules of coalitions, in which a job may end while it still runs, or waits, in the real one. Policies of
`heuristics.fair.policy` are never told of the future, and pass unless they reach for it in another way.

A method that draws by lot must do so as events come: one that shuffles all jobs before the first starts depends on how
many there will be, and is found to look ahead.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.formats import show_count
from oas.generate.fair import arrivals, random_instance
from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob
from oas.testing.parts import KitParts, shrunk_name, without_one_part
from oas.testing.report import Finding, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from heuristics.method import Method
    from oas.core.schedule import Schedule
    from oas.testing.parts import Call

    Changes = Mapping[str, RigidJob | None]
    """Jobs that are another, by id; None for one that is never presented."""

MOMENTS = 4  # of each instance
FUTURES = 3  # of each moment
REPEATS = 3  # before it is said that a future, and not another run, makes the difference
REDUCED = 40  # changes up to which a future that shows something is reduced to few
NAMED = 3  # changes that a message names


@dataclass(frozen=True)
class Past:
    """What has happened in a schedule up to and including a moment."""

    instance: FairInstance  # what the schedule is of
    moment: int  # a whole number
    begun: Mapping[str, int]  # start of each job that has started

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

        Raises `InputError` if it is none: an organization without jobs, or with releases that decrease.
        """
        organizations = [
            Organization(one.id, one.processors, filter(None, (changes.get(job.id, job) for job in one.jobs)))
            for one in self.instance.organizations
        ]
        return FairInstance(organizations, self.instance.horizon, self.instance.name)


def keeps_state(_method: Method, call: Call, instance: FairInstance, schedule: Schedule, seed: int) -> Finding | None:
    """Run the method once more on `instance`, where it has just been run, and compare the schedules."""
    again = call(instance, seed)
    if again.schedule == schedule:
        return None
    said = again.finding or again.refusal or "another schedule"
    return Finding(Kind.UNSTEADY, f"run again in the same process: {said}; it keeps something from run to run")


def looks_ahead(method: Method, call: Call, instance: FairInstance, schedule: Schedule, seed: int) -> Finding | None:
    """Change the future of `instance` at moments of its schedule, and compare what the method has started by them.

    `call` calls the method; the schedule is its verified one of the instance. The seed is of the call, and of the
    futures, which depend on the instance too. Return None for a method that is clairvoyant by definition.
    """
    if method.clairvoyant:
        return None
    draw = random.Random(f"{seed} {instance.digest}")
    moments = sorted({int(one.start) for one in schedule.placements})  # a decision is made at each
    for moment in sorted(draw.sample(moments, min(MOMENTS, len(moments)))):
        past = Past.of(instance, schedule, moment)
        for _ in range(FUTURES):
            changes = past.other_future(draw)
            seen = _seen(call, past, changes, seed)
            if isinstance(seen, Finding):
                return replace(seen, message=f"with other jobs after {moment}: {seen.message}")
            if seen is not None and seen.begun != past.begun:
                return _explained(method, call, schedule, past, changes, seen, seed)
    return None


def _explained(
    method: Method, call: Call, schedule: Schedule, past: Past, changes: Changes, other: Past, seed: int
) -> Finding:
    """Return a finding for a future that makes a difference, unless another run alone makes one too."""
    for _ in range(REPEATS):
        unsteady = keeps_state(method, call, past.instance, schedule, seed)
        if unsteady is not None:
            return unsteady
        _seen(call, past, changes, seed)
    return _finding(past, *_reduced(call, past, changes, other, seed))


def _seen(call: Call, past: Past, changes: Changes, seed: int) -> Past | Finding | None:
    """Return what the method does by the moment with another future, or what goes wrong; None if it refuses it."""
    try:
        instance = past.changed(changes)
    except InputError:  # not every part of a future is one by itself
        return None
    seen = call(instance, seed)
    return seen.finding if seen.schedule is None else Past.of(instance, seen.schedule, past.moment)


def _reduced(call: Call, past: Past, changes: Changes, other: Past, seed: int) -> tuple[Changes, Past]:
    """Leave out one change after the other as long as there is still a difference."""
    for job in changes if len(changes) <= REDUCED else ():
        fewer = {one: change for one, change in changes.items() if one != job}
        seen = _seen(call, past, fewer, seed)
        if isinstance(seen, Past) and seen.begun != past.begun:
            changes, other = fewer, seen
    return changes, other


def _finding(past: Past, changes: Changes, other: Past) -> Finding:
    differing = {job for job in past.begun.keys() | other.begun.keys() if past.begun.get(job) != other.begun.get(job)}
    first = min(differing, key=lambda job: (min(one.begun.get(job, past.moment + 1) for one in (past, other)), job))
    named = [_change(past, job, change) for job, change in changes.items()]
    more = [f"{show_count(len(named) - NAMED, 'more job')} would change"] if len(named) > NAMED else []
    told = "; ".join([*named[:NAMED], *more])
    message = f"job {first} {_start(past, first)}, but {_start(other, first)} if {told}; unknown at {past.moment}"
    return Finding(Kind.AHEAD, message, example=(message, *_example(past, other)))


def _start(past: Past, job: str) -> str:
    return f"starts at {past.begun[job]}" if job in past.begun else f"does not start by {past.moment}"


def _change(past: Past, job: str, change: RigidJob | None) -> str:
    """Say how one job is another; only what differs."""
    (old,) = (one for one in past.instance.jobs if one.id == job)
    begun = past.begun.get(job, past.moment)
    if begun < past.moment and change is not None:
        return f"job {job}, which runs since {begun}, ends at {begun + change.time}, not {begun + old.time}"
    known = "" if job in past.begun else ", which waits,"  # its start at the moment is what is judged
    who = f"job {job}{known if past.is_known(old) else f', which comes at {old.release},'}"
    if change is None:
        return f"{who} never comes"
    facts = (
        ("comes at {}", change.release, old.release),
        ("takes {}", change.time, old.time),
        ("needs {} processors", change.processors, old.processors),
    )
    return f"{who} " + " and ".join(f"{text.format(new)}, not {was}," for text, new, was in facts if new != was)[:-1]


def _example(past: Past, other: Past) -> Iterator[str]:
    """Yield the instance and what is started in both, in lines."""
    for one in past.instance.organizations:
        jobs = (f"{job.id} at {job.release} takes {job.time} on {job.processors}" for job in one.jobs)
        yield f"{one.id} ({show_count(one.processors, 'processor')}): {', '.join(jobs)}"
    for name, seen in (("as it is", past), ("changed", other)):
        starts = sorted((start, job) for job, start in seen.begun.items())
        yield f"{name}, started by {past.moment}: {', '.join(f'{job} at {start}' for start, job in starts)}"


def medium(seed: int) -> FairInstance:
    """Return some 65 jobs of five organizations with 17 processors, a little more than they can do (section 6.2)."""
    return arrivals(seed=seed, organizations=5, processors=17, horizon=40, load="11/10", widest=3 if seed % 2 else 1)


def smaller(instance: FairInstance) -> Iterator[Callable[[], FairInstance]]:
    """Yield what makes the instance without one organization, or without one job."""
    for organizations in without_one_part(instance.organizations):
        yield partial(FairInstance, organizations, instance.horizon, shrunk_name(instance))


PARTS = KitParts(random_instance, medium, smaller, checks=(keeps_state, looks_ahead), template="fair.py.txt")
