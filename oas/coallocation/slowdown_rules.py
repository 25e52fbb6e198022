"""The verifier's rules for saturated links that slow jobs down: the progress of each job is recomputed.

Like `oas.coallocation.rules`, they share no code with other computations of rates, ends or loads: equations
(2) to (7) and progressive filling are restated here, the latter by another algorithm.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import shorten
from oas.core.verifier import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.coallocation.instance import Cluster, CoallocationInstance, Job
    from oas.core.schedule import Placement


@dataclass(frozen=True, eq=False)
class _Run:
    """A job's run, its load on each link that it uses (equation 4), and the Γ of its slowest node."""

    job: Job
    start: Fraction
    end: Fraction
    loads: Mapping[str, Fraction]
    power: Fraction


_Users = dict[str, dict[int, _Run]]  # runs that load a link, by the link's cluster and `id`, in the order of starts


class _Change(NamedTuple):
    """A moment at which runs start or end."""

    moment: Fraction
    started: list[_Run]
    links: set[str]  # links with other users than before
    users: _Users  # of all links from this moment on; later changes alter it


def slowdown_violations(instance: CoallocationInstance, sound: Iterable[tuple[Job, Placement]]) -> list[Violation]:
    """Return the violations of the rules ``link`` and ``duration`` if saturated links slow jobs down.

    ``link``: the load of a link never exceeds MBW / threshold, and is 0 if MBW is 0. ``duration``: a run ends exactly
    when the job's progress is 1; with slots at the first multiple of η at which it is at least 1. The job loads its
    links until that end.

    `sound` are jobs and their placements, on existing nodes.
    """
    clusters = {cluster.id: cluster for cluster in instance.clusters}
    runs = [_run(clusters, job, placement) for job, placement in sound if placement.nodes]
    return [*_links(instance, runs), *_durations(instance, runs)]


def _run(clusters: Mapping[str, Cluster], job: Job, placement: Placement) -> _Run:
    loads: dict[str, Fraction] = {}
    by_count: dict[int, Fraction] = {}  # load of a link, by the number of tasks inside: many clusters have the same
    powers: dict[int, Fraction] = {}  # by identity: the nodes of a group share one object, and comparing is slow
    for name, numbers in placement.nodes.items():
        cluster, inside = clusters[name], set(numbers)
        powers |= {id(cluster.node_powers[number]): cluster.node_powers[number] for number in inside}
        outside = job.tasks - len(inside)
        if outside > 0 and job.bandwidth:
            if len(inside) not in by_count:
                by_count[len(inside)] = job.bandwidth * len(inside) * outside / (job.tasks - 1)
            loads[name] = by_count[len(inside)]
    return _Run(job, placement.start, placement.end, loads, min(powers.values()))


def _changes(runs: Iterable[_Run]) -> Iterator[_Change]:
    """Yield the starts and ends in the order of time."""
    starting: dict[Fraction, list[_Run]] = defaultdict(list)
    ending: dict[Fraction, list[_Run]] = defaultdict(list)
    for run in runs:
        if run.start < run.end:
            starting[run.start].append(run)
            ending[run.end].append(run)
    users: _Users = defaultdict(dict)
    for moment in sorted({*starting, *ending}):
        started, ended = starting.get(moment, []), ending.get(moment, [])
        for run in ended:
            for name in run.loads:
                del users[name][id(run)]
        for run in started:
            for name in run.loads:
                users[name][id(run)] = run
        yield _Change(moment, started, {name for run in (*started, *ended) for name in run.loads}, users)


def _links(instance: CoallocationInstance, runs: Iterable[_Run]) -> Iterator[Violation]:
    threshold = instance.saturation.threshold
    for begin, started, _, users in _changes(runs):
        rising = {name for run in started for name in run.loads}
        for cluster in (cluster for cluster in instance.clusters if cluster.id in rising):
            using = users[cluster.id].values()
            total = sum((run.loads[cluster.id] for run in using), Fraction(0))
            if cluster.bandwidth == 0:
                limit = "its 0"
            elif threshold is not None and total * threshold > cluster.bandwidth:
                limit = f"{cluster.bandwidth / threshold}, its {cluster.bandwidth} by the threshold {threshold}"
            else:
                continue
            names = tuple(run.job.id for run in using)
            message = (
                f"the load of the link of cluster {cluster.id} is {shorten(total)} at {begin}, "
                f"above {limit} (jobs {', '.join(names)})"
            )
            yield Violation("link", names, message)


def _durations(instance: CoallocationInstance, runs: Sequence[_Run]) -> Iterator[Violation]:
    slot = instance.slot
    shares = _shares(instance, runs)
    for run in runs:
        progress = before = Fraction(0)  # at the end, and one slot before it
        for (begin, share), (end, _) in pairwise([*shares[id(run)], (run.end, Fraction(0))]):
            speed = _speed(run, share)
            progress += speed * (end - begin)
            before += speed * max(min(end, run.end - slot) - begin, Fraction(0))
        span = f"its run from {run.start} to {run.end}"
        if slot and run.end % slot:
            message = f"job {run.job.id} ends at {run.end}, not a multiple of the slot {slot}"
        elif slot and progress >= 1 and before >= 1:
            early = f"has progress {shorten(before)} at {run.end - slot}, a slot before {span} ends"
            message = f"job {run.job.id} {early}; 1 is enough"
        elif progress < 1 or (progress > 1 and not slot):
            needed = "at least 1" if slot else "exactly 1"
            message = f"job {run.job.id} has progress {shorten(progress)} as {span} ends; {needed} is needed"
        else:
            continue
        yield Violation("duration", (run.job.id,), message)


def _speed(run: _Run, share: Fraction) -> Fraction:
    """Return the progress in a unit of time, equations (1) to (3), of a job that gets this share of its demand."""
    job = run.job
    if share == 0 and job.sigma < 1:
        return Fraction(0)
    communicating = (1 - job.sigma) / share if job.sigma < 1 else Fraction(0)
    return 1 / (job.base_time * (job.sigma / run.power + communicating))


def _shares(instance: CoallocationInstance, runs: Sequence[_Run]) -> dict[int, list[tuple[Fraction, Fraction]]]:
    """Return 1 / SC of each run, by its `id`: the share of its demand that it gets, at most 1.

    Each list holds the moments at which the share may change, and the share from then on.
    """
    bandwidths = {cluster.id: cluster.bandwidth for cluster in instance.clusters}
    shares: dict[int, list[tuple[Fraction, Fraction]]] = {id(run): [] for run in runs}
    levels: dict[str, Fraction] = {}
    for moment, started, links, users in _changes(runs):
        if instance.saturation.sharing == "max-min":
            links = _connected(links, users)
            levels |= _max_min_levels(bandwidths, {name: [*users[name].values()] for name in links})
        else:
            for name in links:
                load = sum(run.loads[name] for run in users[name].values())
                levels[name] = bandwidths[name] / load if load else Fraction(1)
        for run in {
            id(run): run for run in (*started, *(run for name in links for run in users[name].values()))
        }.values():
            shares[id(run)].append((moment, min([Fraction(1), *(levels[name] for name in run.loads)])))
    return shares


def _connected(links: Iterable[str], users: _Users) -> set[str]:
    """Return the links, and all whose levels depend on theirs: they are connected by common users."""
    found, new = set(links), list(links)
    while new:
        reached = {name for run in users[new.pop()].values() for name in run.loads} - found
        found |= reached
        new += reached
    return found


def _max_min_levels(bandwidths: Mapping[str, Fraction], users: Mapping[str, list[_Run]]) -> dict[str, Fraction]:
    """Return the maximum share of their demand that each link grants its users: a fixed point.

    In each round, every link sets its level for the shares that the other links grant its users. From the second round
    on the lowest level is that of progressive filling, two rounds later the next lowest, and so on.
    """
    levels = dict.fromkeys(users, Fraction(1))
    while True:
        new_levels = {}
        for name, members in users.items():
            caps = [min([Fraction(1), *(levels[link] for link in run.loads if link != name)]) for run in members]
            demands = sorted((cap, run.loads[name]) for cap, run in zip(caps, members, strict=True))
            new_levels[name] = _level(bandwidths[name], demands)
        if new_levels == levels:
            return levels
        levels = new_levels


def _level(bandwidth: Fraction, users: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the share at which users (maximum share, load), sorted, fill a link; 1 if they do not fill it."""
    weight = sum((load for _, load in users), Fraction(0))
    for cap, load in users:
        if cap * weight >= bandwidth:
            return bandwidth / weight
        bandwidth -= cap * load
        weight -= load
    return Fraction(1)
