"""Causality: what a method has started by a moment must not depend on what happens after it.

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
from dataclasses import replace
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.formats import show_count
from oas.testing.fair.future import Past
from oas.testing.fair.repeats import keeps_state
from oas.testing.findings import Finding, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heuristics.method import Method
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance
    from oas.problems.rigid import RigidJob
    from oas.testing.fair.future import Changes
    from oas.testing.parts import Call

MOMENTS = 4  # of each instance
FUTURES = 3  # of each moment
REPEATS = 3  # before it is said that a future, and not another run, makes the difference
REDUCED = 40  # changes up to which a future that shows something is reduced to few
NAMED = 3  # changes that a message names


def looks_ahead(method: Method, call: Call, instance: FairInstance, schedule: Schedule, seed: int) -> Finding | None:
    """Change the future of `instance` at moments of its schedule, and compare what the method has started by them.

    Parameters
    ----------
    method, call
        What is tested, and a call of it.
    instance, schedule
        An instance and the method's verified schedule of it.
    seed
        Of the call, and of the futures, which depend on the instance too.

    Returns
    -------
    Finding or None
        None for a method that is clairvoyant by definition.
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
