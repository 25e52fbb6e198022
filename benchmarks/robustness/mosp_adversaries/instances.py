"""Random tiny MOSP instances as documents, and their optima by an enumeration that shares no code with the checker.

*Enumeration.* For each cluster, all sequences of jobs are placed, each job at the first tick at which it fits, also
between jobs placed before. This yields every schedule in which no job of the cluster can start earlier while the others
stay: placing its jobs in the order of their starts reproduces it. Such schedules are sufficient, because moving a job
to an earlier start violates no rule. So the least makespan of each set on each cluster is known, infinite if a deadline
is always missed, and the optimum is the least maximum over all partitions of the jobs among the clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm
from typing import TYPE_CHECKING, Any

from oas.checker.mosp_document import read_mosp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from oas.checker.mosp_instance import MospInstance

LOCALITIES = (None, None, Fraction(1), Fraction(1), Fraction(5, 4), Fraction(3, 2))
UNITS = (Fraction(1), Fraction(1), Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(3))
# Sort key of each policy, with the job as (time, processors, release); HF if a file states none.
POLICIES = {
    "HF": lambda job: -job[1],
    "LPT": lambda job: -job[0],
    "SPT": lambda job: job[0],
    "FCFS": lambda job: job[2],
    "SJF": lambda job: job[1],
    "BJF": lambda job: -job[1],
}

Job = tuple[int, int, int]  # time, processors, release
Held = list[tuple[int, int, int]]  # start, end and processors of reservations


@dataclass(frozen=True)
class Specimen:
    """An instance as a document and as the checker reads it, and its optimum in the document's time unit."""

    document: dict[str, Any]
    instance: MospInstance
    optimum: Fraction

    @property
    def ticks(self) -> int:
        """The optimum in the checker's ticks, rounded down."""
        return int(self.optimum / self.instance.ticks.tick)


def draw_specimen(draw: Random, **kind: Any) -> Specimen:
    """Draw an instance as `draw_document` does."""
    document = draw_document(draw, **kind)
    return Specimen(document, read_mosp(document), optimum_of(document))


def draw_document(
    draw: Random,
    *,
    clusters: int = 3,
    most_jobs: int = 6,
    static: bool = False,
    tied: bool = True,
) -> dict[str, Any]:
    """Draw an instance; all features occur at random, also reservations of whole clusters and equal jobs.

    `static`: no reservations, and releases only without locality. Without `tied` there is
    no locality. So the optimum is that of the relaxation which a certificate refers to.
    """
    unit, count = draw.choice(UNITS), draw.randint(1, clusters)
    size, equal = draw.randint(1, 4), draw.random() < 0.5
    sizes = [size if equal else draw.randint(1, 4) for _ in range(count)]
    locality = draw.choice(LOCALITIES) if tied else None
    releases = draw.random() < 0.5 and not (static and locality is not None)
    reservations = draw.random() < 0.4 and not static
    longest = draw.randint(1, 4)
    jobs: list[list[Job]] = [[] for _ in sizes]
    held: list[Held] = [[] for _ in sizes]
    if draw.random() < 0.5:
        _cut(draw, sizes, most_jobs, jobs, held if reservations else None, releases=releases)
    else:
        widest = draw.randint(1, 4)
        for _ in range(draw.randint(2, most_jobs)):
            owner = draw.randrange(count)
            time = draw.randint(1, longest)
            release = draw.randint(0, 4) if releases and draw.random() < 0.6 else 0
            shape = (time, draw.randint(1, min(widest, sizes[owner])), release)
            alike = [one for own in jobs for one in own if one[1] <= sizes[owner]]
            jobs[owner].append(draw.choice(alike) if alike and draw.random() < 0.35 else shape)
        if reservations:
            held = [_draw_held(draw, one) for one in sizes]
    if equal and draw.random() < 0.4:
        held = [held[0]] * count
    document: dict[str, Any] = {"format": "oas-instance", "version": 1, "problem": "mosp"}
    document["locality"] = None if locality is None else str(locality)
    document["organizations"] = [
        {
            "id": f"O{k}",
            "processors": sizes[k],
            "jobs": [
                {"id": f"J{k}.{n}", "time": str(p * unit), "processors": q, "release": str(r * unit)}
                for n, (p, q, r) in enumerate(jobs[k])
            ],
            "reservations": [{"start": str(s * unit), "end": str(e * unit), "processors": q} for s, e, q in held[k]],
        }
        for k in range(count)
    ]
    if draw.random() < 0.5:
        document["local"] = draw.choice(list(POLICIES))
    else:  # starts, also some that are on no grid of the other times
        later = draw.choice((0, 0, 0, Fraction(1, 2), Fraction(1, 3), 1)) * unit
        document["local"] = {
            f"J{k}.{n}": str(start * unit + (0 if held[k] else later))
            for k in range(count)
            for n, start in enumerate(placed(sizes[k], jobs[k], held[k], draw.sample(jobs[k], len(jobs[k]))))
        }
    return document


def _cut(
    draw: Random, sizes: Sequence[int], most: int, jobs: list[list[Job]], held: list[Held] | None, *, releases: bool
) -> None:
    """Cut the time of all clusters up to a moment into jobs and reservations, so that few schedules end by then."""
    end = draw.randint(2, 8)
    pieces = [(k, 0, end, size) for k, size in enumerate(sizes)]
    for _ in range(4 * most):
        if len(pieces) == most:
            break
        k, begin, until, width = piece = draw.choice(pieces)
        middle, first = draw.randint(begin, until), draw.randint(0, width)
        if begin < middle < until and draw.random() < 0.5:
            pieces.remove(piece)
            pieces += [(k, begin, middle, width), (k, middle, until, width)]
        elif 0 < first < width:
            pieces.remove(piece)
            pieces += [(k, begin, until, first), (k, begin, until, width - first)]
    draw.shuffle(pieces)
    for place, (k, begin, until, width) in enumerate(pieces):
        if held is not None and place and draw.random() < 0.3:
            held[k].append((begin, until, width))
        elif not place or draw.random() < 0.95:
            owner = draw.choice([other for other, size in enumerate(sizes) if size >= width])
            release = draw.randint(0, begin) if releases and draw.random() < 0.5 else 0
            jobs[owner].append((until - begin, width, release))


def _draw_held(draw: Random, size: int) -> Held:
    """Draw reservations, of the whole cluster in one case of three, that may overlap while processors are left."""
    held: Held = []
    for _ in range(draw.randint(0, 3)):
        start, width = draw.randint(0, 6), size if draw.random() < 0.35 else draw.randint(1, size)
        one = (start, start + draw.randint(1, 3), width)
        if sum(width for begin, end, width in held if begin < one[1] and one[0] < end) + width <= size:
            held.append(one)
    return held


def profile_of(size: int, held: Held, length: int) -> list[int]:
    """Return the free processors in each tick."""
    return [size - sum(width for start, end, width in held if start <= tick < end) for tick in range(length)]


def first_fit(free: Sequence[int], job: Job, begin: int = 0) -> int:
    """Return the first start from `begin` on."""
    time, width, release = job
    start = max(release, begin)
    while any(one < width for one in free[start : start + time]):
        start += 1
    return start


def placed(size: int, jobs: Sequence[Job], held: Held, order: Sequence[Job]) -> list[int]:
    """Return the starts of list scheduling tick by tick in this order of jobs; equal jobs in the order of the file."""
    length = _length(jobs, held)
    free, starts, waiting = profile_of(size, held, length), [0] * len(jobs), list(range(len(jobs)))
    ranks: list[int] = []
    for job in order:
        ranks.append(next(n for n in waiting if jobs[n] == job and n not in ranks))
    for now in range(length):
        for n in list(ranks):
            time, width, release = jobs[n]
            if release <= now and all(one >= width for one in free[now : now + time]):
                starts[n] = now
                ranks.remove(n)
                free[now : now + time] = [one - width for one in free[now : now + time]]
    return starts


def _length(jobs: Sequence[Job], held: Held) -> int:
    return sum(job[0] for job in jobs) + max([0, *(job[2] for job in jobs), *(end for _, end, _ in held)]) + 1


def optimum_of(document: dict[str, Any]) -> Fraction:
    """Return the optimum, from the document alone."""
    organizations, local = document["organizations"], document["local"]
    moments = [Fraction(job[name]) for one in organizations for job in one["jobs"] for name in ("time", "release")]
    moments += [
        Fraction(held[name]) for one in organizations for held in one["reservations"] for name in ("start", "end")
    ]
    scale = lcm(*(moment.denominator for moment in moments))

    def whole(text: str) -> int:
        return int(Fraction(text) * scale)

    jobs, deadlines, profiles = [], [], []
    reserved: list[Held] = []
    for one in organizations:
        own = [(whole(job["time"]), job["processors"], whole(job["release"])) for job in one["jobs"]]
        held = [(whole(r["start"]), whole(r["end"]), r["processors"]) for r in one["reservations"]]
        reserved.append(held)
        jobs += own
        starts: Sequence[Fraction | int]
        if isinstance(local, str):
            starts = placed(one["processors"], own, held, sorted(own, key=POLICIES[local]))
        else:
            starts = [Fraction(local[job["id"]]) * scale for job in one["jobs"]]
        ends = [start + job[0] for start, job in zip(starts, own, strict=True)]
        locality = document["locality"]
        deadlines += [inf if locality is None or not ends else Fraction(locality) * max(ends)] * len(own)
    length = _length(jobs, [block for held in reserved for block in held])
    profiles = [profile_of(one["processors"], held, length) for one, held in zip(organizations, reserved, strict=True)]
    best: dict[int, float] = {0: 0}
    known: dict[tuple[int, ...], dict[int, float]] = {}
    for one, profile in zip(organizations, profiles, strict=True):
        shortest = known.get(tuple(profile))
        if shortest is None:
            shortest = known[tuple(profile)] = _shortest(one["processors"], jobs, deadlines, profile)
        joined: dict[int, float] = {}
        for before, earlier in best.items():
            for members, makespan in shortest.items():
                if not before & members:
                    both = before | members
                    joined[both] = min(joined.get(both, inf), max(earlier, makespan))
        best = joined
    return Fraction(int(best[(1 << len(jobs)) - 1]), scale)


def _shortest(size: int, jobs: Sequence[Job], deadlines: Sequence[Any], profile: list[int]) -> dict[int, float]:
    """Return the least makespan of each set of jobs, given by bits, that a cluster can run by the deadlines."""
    found: dict[int, float] = {0: 0}

    def extend(members: int, free: list[int], makespan: int) -> None:
        for n, job in enumerate(jobs):
            if members >> n & 1 or job[1] > size:
                continue
            start = first_fit(free, job)
            end = start + job[0]
            if end > deadlines[n]:
                continue
            taken = free[:]
            taken[start:end] = [one - job[1] for one in taken[start:end]]
            both, last = members | 1 << n, max(makespan, end)
            found[both] = min(found.get(both, inf), last)
            extend(both, taken, last)

    extend(0, profile, 0)
    return found
