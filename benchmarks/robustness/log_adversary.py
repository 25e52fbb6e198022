"""Adversary of the bound *search log*: logs that close every branch by any rule that applies, on tiny instances.

    python -m benchmarks.robustness.log_adversary --trees 1000000 --seed 0

A log is made by a walk through the checker's own tree, until it reaches a schedule, which no rule closes. The checker's
own methods decide whether a rule applies. A branch to which a rule applies is closed: opening it never helps, because
later rows that could refer to its rows can be closed by the same rule. Some walks prefer the rules in a random order,
and leave out one. Weights, sets of jobs that are apart, order of jobs, mirrored job and horizon are drawn; the weights
are as heavy as the checker allows.

The proof claims that no rule closes the branch of the smallest schedule. It is the first one of the tree in which
nothing is closed. So the walk must reach the same one. If it closes the whole tree, the checker receives the
certificate, and must not confirm more than the makespan of a schedule that enumeration has found. Otherwise the exit
code is 1.

Three quarters of the instances are tiny, with any links, powers, slots and rules of saturation, in trees with and
without nodes; jobs fill all nodes in a third of them. The others vary the false log of version 1.

``--former`` draws weights that are valid only for sets that truly fit, as version 1 of the certificate allowed in trees
that do not assign nodes. Its trees are closed although a schedule exists.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from base64 import b64encode
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from oas.checker.brute_force import EnumeratedJob, Enumeration, coallocation_enumeration
from oas.checker.coallocation_instance import (
    CoallocationCluster,
    CoallocationInstance,
    CoallocationJob,
    LinkSaturation,
)
from oas.checker.coallocation_log_rules import ApartSets, RunningJob, log_rules, most_weight
from oas.checker.coallocation_search_log import (
    LOG_LATE,
    LOG_OPEN,
    LOG_SEEN,
    LOG_STOP,
    LOG_VERSION,
    LogRow,
    LogRows,
    LogWalk,
    check_coallocation_search_log,
)
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort, TooCostly
from oas.checker.reading import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.checker.coallocation_log_rules import GridLeft, LogRules
    from oas.checker.coallocation_together import LeveledJob

TREES_AN_INSTANCE, WEIGHTINGS_A_TREE = 20, 3
TINY = 0.75  # share of tiny instances
ENUMERATIONS, MOST_PLACEMENTS = 5, 400  # for a short schedule, each but the first with a random order of jobs
MOST_CODES, MOST_OPEN = (300, 300, 300, 1800), 600  # of a walk, one of these; of a walk that closes nothing
NO_LIMIT = 10**6  # ticks
FORBID = LinkSaturation(False, None, "paper")
ONE, HALF, THIRD, QUARTER = (Fraction(1, number) for number in range(1, 5))
POWERS = ((ONE,), (ONE, HALF), (ONE, THIRD), (ONE, Fraction(2, 3)), (ONE, HALF, QUARTER))

ClusterShape = tuple[int, Fraction, int]  # nodes, power, bandwidth
JobShape = tuple[int, int, bool, Fraction | int]  # tasks, time, whether it may be split, σ

Weighting = tuple[list[list[int]], int]


class Drawn(NamedTuple):
    """An instance with its optimum in ticks, and statements about it that a certificate may contain."""

    instance: CoallocationInstance
    together: Together
    optimum: int
    tiny: bool
    apart: list[list[list[LeveledJob]]]  # selections of sets that cannot run together
    relaxed: list[int]  # by selection: the makespan of a schedule in the tree that assigns no nodes
    weights: list[list[list[int]]]


class Outcome(NamedTuple):
    """A walk that closed its tree, or that contradicts the proof."""

    drawn: Drawn
    certificate: dict[str, object]  # incomplete if the tree is not closed
    closed: bool
    false: bool  # whether the smallest schedule was closed, or the checker confirms too much


class OutOfCodes(Exception):
    """A walk with too many codes."""


class FirstSchedule(LogWalk):
    """A walk that closes nothing, with at most `most` codes, and ends at the first schedule of the tree."""

    def __init__(self, rules: LogRules, most: int) -> None:
        super().__init__(rules, b"", range(most + 1), Effort())
        self.most = most
        self.codes = bytearray()
        self.path: list[tuple[int, RunningJob]] = [(-1, RunningJob(-1, -1, -1, (), ()))] * len(rules.order)

    def starts(self) -> Sequence[tuple[int, RunningJob]] | None:
        """Return the starts of the schedule; none if the whole tree is closed, None if there are too many codes."""
        try:
            return [] if self.refutes() else self.path
        except OutOfCodes:
            return None

    def _starts(self, row: LogRow, job: int, level: int, now: GridLeft) -> Iterator[RunningJob]:
        for begun in super()._starts(row, job, level, now):
            self.path[-row.waiting.bit_count()] = row.time, begun
            yield begun

    def _code_of_end(self) -> int:
        return self._close(LOG_STOP)

    def _code_of_start(self, wasted: Sequence[int]) -> int:
        return self._close(LOG_OPEN)

    def _code_of_next(self, row: LogRow) -> int:
        return self._close(LOG_OPEN)

    def _close(self, code: int, *numbers: int) -> int:
        if len(self.codes) > self.most:
            raise OutOfCodes
        written = b"".join(map(_number, numbers))
        self.codes += bytes([code]) + written
        # The walk reads the numbers after the code.
        self.reader.log, self.reader.at = written, 0
        return code


class Adversary(FirstSchedule):
    """A walk that closes each branch by the first of the `preferred` codes that applies."""

    def __init__(self, rules: LogRules, preferred: Sequence[int], most: int) -> None:
        super().__init__(rules, most)
        self.preferred = preferred
        self.earliest: dict[str, int] = {}  # the row to which a later one with this key should refer
        self.referred_to: set[int] = set()

    def _code_of_start(self, wasted: Sequence[int]) -> int:
        return self._close(self._waste(wasted))

    def _code_of_next(self, row: LogRow) -> int:
        for rule in self.preferred:
            if rule == LOG_LATE:
                for place, job in enumerate(self.rules.order):
                    if self._is_too_late(job, row):
                        return self._close(LOG_LATE, place)
            elif rule == LOG_SEEN:
                number = self.earliest.get(row.key) if self.earliest else None
                if number is not None and self._is_seen(number, row):
                    self.referred_to.add(number)
                    return self._close(LOG_SEEN, number)
            elif code := self._waste(row.wasted):
                return self._close(code)
        # Without the rule, a branch that wastes too much must not be opened.
        return self._close(self._waste(row.wasted))

    def _next_moment(self, row: LogRow) -> LogRows:
        number = self.moments
        yield from super()._next_moment(row)
        time, key = self.left[number]
        if key not in self.earliest or time < self.left[self.earliest[key]][0]:
            self.earliest[key] = number

    def _waste(self, wasted: Sequence[int]) -> int:
        """Return the code that closes a branch with this waste; `LOG_OPEN` if there is none."""
        for code in range(1, len(wasted) + 1):
            if self._is_closed_by(code, wasted):
                return code
        return LOG_OPEN

    def _is_seen(self, number: int, row: LogRow) -> bool:
        """Return whether the checker accepts that the row refers to this one."""
        self.reader.log, self.reader.at = _number(number), 0
        return self._is_next_closed(LOG_SEEN, row)


def drawn_instance(draw: Random) -> CoallocationInstance:
    """Return an instance with jobs that cannot run together although there are enough nodes in all."""
    clusters, jobs = (_any_shape if draw.random() < 0.25 else _twins)(draw)
    return CoallocationInstance(
        tuple(
            CoallocationCluster(f"C{at}", ((size, Fraction(power)),), Fraction(link))
            for at, (size, power, link) in enumerate(clusters)
        ),
        tuple(
            CoallocationJob(f"J{at}", tasks, Fraction(time), Fraction(0 if split else 1), Fraction(sigma))
            for at, (tasks, time, split, sigma) in enumerate(jobs)
        ),
        Fraction(1),
        FORBID,
    )


def tiny_instance(draw: Random) -> CoallocationInstance:
    """Return an instance of up to five jobs and nine nodes, with any links, powers, slots and rule of saturation."""
    linked = draw.random() < 0.3  # all jobs have loads, there are more nodes, and links are full
    tasks_of = [draw.randint(1 + linked, 3) for _ in range(draw.randint(2, 4 if linked else 5))]
    powers = draw.choice(POWERS)
    groups: list[list[tuple[int, Fraction]]] = []
    for _ in range(draw.choice((2, 3) if linked else (1, 2, 2, 3))):
        size, kinds = draw.choice((1, 1, 2, 2, 3)), draw.sample(powers, min(len(powers), draw.choice((1, 1, 2))))
        groups.append([(size, kinds[0]), *((1, power) for power in kinds[1:] if size < 3)])
    nodes = sum(count for row in groups for count, _ in row)
    jobs: list[CoallocationJob] = []
    for tasks in tasks_of:
        shape = CoallocationJob(
            f"J{len(jobs)}",
            min(nodes, tasks + draw.choice((0, 0, 0, 1, 2))),
            Fraction(draw.choice((1, 1, 2, 2, 3))),
            ONE if linked else draw.choice((Fraction(0), ONE, ONE, HALF)),
            draw.choice((Fraction(0), ONE, ONE, HALF, THIRD)),
        )
        jobs.append(jobs[-1]._replace(id=shape.id) if jobs and draw.random() < 0.35 else shape)
    links = [] if linked else [Fraction(0), Fraction(0), Fraction(9)]
    links += [job.link_load(draw.randint(1, job.tasks)) for job in draw.sample(jobs, 2)]  # full links
    slot = draw.choice((Fraction(0), Fraction(0), ONE, Fraction(2), Fraction(3, 2)))
    slows = slot > 0 and draw.random() < 0.4
    return CoallocationInstance(
        tuple(CoallocationCluster(f"C{at}", tuple(row), draw.choice(links)) for at, row in enumerate(groups)),
        tuple(jobs),
        slot,
        LinkSaturation(True, draw.choice((None, ONE, HALF)), draw.choice(("paper", "max-min"))) if slows else FORBID,
    )


def full_instance(draw: Random) -> CoallocationInstance:
    """Return an instance with a schedule without idle nodes: its jobs fill a rectangle, from the left to the right."""
    nodes, ticks = draw.choice(((2, 3), (2, 4), (3, 2), (3, 3), (3, 3), (3, 4), (4, 3)))
    free = [nodes] * ticks
    jobs: list[CoallocationJob] = []
    while any(free):
        start = next(tick for tick, count in enumerate(free) if count)
        tasks = draw.randint(1, free[start])
        longest = next((at for at, count in enumerate(free[start:]) if count < tasks), ticks - start)
        time = draw.randint(1, longest)
        free[start : start + time] = [count - tasks for count in free[start : start + time]]
        jobs.append(CoallocationJob(f"J{len(jobs)}", tasks, Fraction(time), Fraction(draw.random() < 0.2), ONE))
    if len(jobs) < 3:
        return full_instance(draw)
    first = draw.randint(1, nodes)
    sizes = [size for size in (first, nodes - first) if size]
    return CoallocationInstance(
        tuple(CoallocationCluster(f"C{at}", ((size, ONE),), Fraction(0)) for at, size in enumerate(sizes)),
        tuple(jobs),
        draw.choice((Fraction(0), ONE)),
        FORBID,
    )


def _any_shape(draw: Random) -> tuple[list[ClusterShape], list[JobShape]]:
    """Return clusters of different sizes, and jobs of which some are alike."""
    powers = draw.choice(((ONE,), (ONE, HALF), (ONE, QUARTER)))
    sizes = [draw.randint(1, 2) for _ in range(draw.randint(1, 3))]
    sizes += [draw.randint(2, 5) for _ in range(draw.randint(1, 2))]
    links = draw.choice(((0,), (0,), (0, 1), (1, 2)))
    clusters = [(size, draw.choice(powers), draw.choice(links)) for size in sizes]
    jobs: list[JobShape] = []
    for _ in range(draw.randint(4, 7)):
        if jobs and draw.random() < 0.45:
            jobs.append(jobs[-1])
            continue
        split = draw.random() < 0.6
        tasks = draw.randint(1, sum(sizes) if split and draw.random() < 0.4 else max(sizes))
        jobs.append((tasks, draw.choice((1, 1, 1, 2, 2, 3, 4, 6)), split, draw.choice((0, 1, 1, THIRD))))
    return clusters, jobs


def _twins(draw: Random) -> tuple[list[ClusterShape], list[JobShape]]:
    """Return two equal jobs that need the largest cluster, two that may be split, and jobs that fill the grid.

    In an optimal schedule each of the equal jobs runs together with one that may be split. In the relaxed tree, the
    equal jobs may run together, which compensates earlier waste, and the last job fits next to them. This is the false
    log of version 1 of the certificate, with some numbers changed.
    """

    def near(value: int, largest: int = 9) -> int:
        return min(largest, max(1, value + draw.choice((-1, 1)))) if draw.random() < changed else value

    changed = draw.choice((0.0, 0.0, 0.03, 0.1))
    scale = draw.choice((1, 1, 2))
    clusters = [(near(size), ONE, 0) for size in (5, 2)] + [(near(size), QUARTER, 0) for size in (2, 1)]
    nodes = sum(size for size, _, _ in clusters)
    jobs: list[JobShape] = [(near(1), near(2 * scale), True, 1)]
    jobs += [(near(3), near(scale), False, 1)] * 2
    jobs += [(near(4), near(scale), True, draw.choice((0, 0, 0, 1)))] * 2
    jobs.append((near(7, nodes), near(draw.randint(4, 6)), True, 1))
    jobs.append((near(3), near(draw.randint(2, 3)), True, draw.choice((THIRD, THIRD, THIRD, 1, 0))))
    return clusters, jobs


def drawn(draw: Random, former: bool) -> Drawn | None:
    """Return an instance with statements about it; None if a job cannot run, or the enumeration takes too long."""
    tiny = draw.random() < TINY
    instance = (draw.choice((tiny_instance, tiny_instance, full_instance)) if tiny else drawn_instance)(draw)
    try:
        together = Together(instance.ticks, Effort(10**9))
    except Refused:
        return None
    shortest = NO_LIMIT
    for number in range(ENUMERATIONS):
        jobs = draw.sample(instance.jobs, len(instance.jobs)) if number else instance.jobs
        # If links slow jobs down, this is at most the optimum: it is without the slowdown.
        search = coallocation_enumeration(replace(instance, jobs=tuple(jobs)), shortest, Effort(MOST_PLACEMENTS))
        complete = _extended(search)
        shortest = search.limit
        if complete:
            break
    if shortest == NO_LIMIT:
        return None
    levels = range(together.levels)
    refuted: list[list[LeveledJob]] = []
    for _ in range(12):
        members = draw.sample(range(len(together.tasks)), min(len(together.tasks), draw.choice((2, 2, 3, 4))))
        items = [(job, draw.choice(levels)) for job in members]
        if not together.fits(items):
            refuted.append(items)
    apart = [[], refuted, *[[items for items in refuted if draw.random() < 0.5] for _ in range(2)]]
    relaxed = [_relaxed_makespan(together, sets, shortest) if tiny else shortest for sets in apart]
    one = Drawn(instance, together, shortest, tiny, apart, relaxed, [])
    one.weights.extend(_tight_weights(draw, one, former) for _ in range(6))
    return one


def _extended(search: Enumeration) -> bool:
    """Enumerate, and return whether the enumeration is complete."""
    with suppress(TooCostly):
        search.extend()
        return True
    return False


def _relaxed_makespan(together: Together, apart: Sequence[Sequence[LeveledJob]], most: int) -> int:
    """Return the least known makespan of the tree that assigns no nodes, at most `most`, that of a schedule.

    Nested capacities are resources, and so is each set that is apart: all its jobs but one may run together.
    """
    jobs = []
    for job, (tasks, ticks) in enumerate(zip(together.tasks, together.scaled.durations, strict=True)):
        ways = []
        for level in range(together.fastest[job], together.levels):
            nested = [tasks if level <= slowest else 0 for slowest in range(together.levels)]
            members = [any(one == job and level <= slowest for one, slowest in items) for items in apart]
            ways.append((ticks[level], (*nested, *map(int, members))))
        jobs.append(EnumeratedJob(ways, tasks))
    capacity = (*together.capacity, *[len(items) - 1 for items in apart])
    search = Enumeration(jobs, capacity, together.capacity[-1], Effort(MOST_PLACEMENTS), most)
    _extended(search)
    return search.limit


def sets_of(one: Drawn, apart: Sequence[Sequence[LeveledJob]]) -> ApartSets:
    """Return the sets as the checker holds them."""
    sets = ApartSets(len(one.together.tasks), one.together.levels)
    for items in apart:
        sets.add(items)
    return sets


def _tight_weights(draw: Random, one: Drawn, former: bool) -> list[list[int]]:
    """Return weights that prove much: random ones, improved by random changes."""
    together, apart = one.together, None if former else sets_of(one, draw.choice(one.apart))

    def proven(rows: Sequence[Sequence[int]]) -> Fraction:
        work = sum(
            min(time * weight for time, weight in list(zip(ticks, row, strict=True))[first:])
            for ticks, row, first in zip(together.scaled.durations, rows, together.fastest, strict=True)
        )
        return Fraction(work, most_weight(together, rows, apart) or 1)

    levels = range(together.levels)
    kind = draw.random()
    if kind < 0.1:
        rows = [[tasks for _ in levels] for tasks in together.tasks]
    elif kind < 0.2:
        rows = [[draw.randint(0, 5) for _ in levels] for _ in together.tasks]
    else:  # jobs that cannot be split, and wide ones, are heavy
        heavy, wide = draw.randint(2, 5), draw.randint(4, 7)
        rows = [[heavy if job.bandwidth else 1 for _ in levels] for job in one.instance.jobs]
        rows[together.tasks.index(max(together.tasks))] = sorted((draw.randint(1, wide) for _ in levels), reverse=True)
    best = proven(rows)
    for _ in range(draw.choice((0, 5, 10, 20))):
        job, change = draw.randrange(len(rows)), draw.choice((-1, 1))
        level = draw.randrange(-1, together.levels)  # −1: all of them
        other = [list(row) for row in rows]
        other[job] = [max(0, w + change) if level in (-1, at) else w for at, w in enumerate(rows[job])]
        if (value := proven(other)) >= best:
            rows, best = other, value
    return rows


def trees(seed: int, former: bool = False) -> Iterator[Outcome | None]:
    """Yield the outcomes of walks without end; None for a walk that ended at the first schedule, or was too long."""
    draw = Random(seed)
    while True:
        one = drawn(draw, former)
        if one is not None:
            kept: dict[tuple[int, int, bool], int] = {}  # the maximum weight of each weighting
            for _ in range(TREES_AN_INSTANCE):
                yield from _walks(draw, one, kept, former)


def _walks(draw: Random, one: Drawn, kept: dict[tuple[int, int, bool], int], former: bool) -> Iterator[Outcome | None]:
    """Walk through one tree with several weightings."""
    placed = not former and draw.random() < (0.5 if one.tiny else 0.1)
    jobs, selection = len(one.together.tasks), draw.randrange(len(one.apart))
    apart = sets_of(one, one.apart[selection])
    shortest = one.optimum if placed else one.relaxed[selection]
    horizon = draw.choice((shortest, shortest, one.optimum, one.optimum + 1))
    horizon -= draw.random() < 0.05
    order = draw.sample(range(jobs), jobs)
    if draw.random() < 0.3:
        order.sort(key=lambda job: -one.together.tasks[job])
    mirrored = draw.randrange(jobs)
    rules = log_rules(one.together, horizon, placed, order, mirrored, apart, [])
    first = FirstSchedule(rules, MOST_OPEN).starts()
    for _ in range(WEIGHTINGS_A_TREE):
        weightings: list[Weighting] = []
        for number in draw.sample(range(len(one.weights)), draw.choice((0, 1, 1, 1, 2, 3))):
            rows, case = one.weights[number], (number, selection, placed)
            if case not in kept:
                kept[case] = most_weight(one.together, rows, None if placed or former else apart)
            weightings.append((rows, kept[case]))
        rules = log_rules(one.together, horizon, placed, order, mirrored, apart, weightings)
        preferred = draw.sample((1, LOG_LATE, LOG_SEEN), 3)
        if draw.random() < 0.1:
            preferred.pop()
        walk = Adversary(rules, preferred, draw.choice(MOST_CODES))
        impossible = any(budget < 0 for budget in rules.budget)
        starts = [] if impossible else walk.starts()
        closed, false = starts == [], None not in (starts, first) and starts != first
        if not closed and not false:
            yield None
            continue
        # The walk recorded all rows, and the certificate the rows to which it refers.
        numbers = sorted(walk.referred_to)
        certificate = {
            "version": LOG_VERSION,
            "makespan": horizon,
            "placed": placed,
            "order": order,
            "mirrored": mirrored,
            "weights": [
                {"jobs": _written(rows, one.together.fastest, whole), "whole": whole} for rows, whole in weightings
            ],
            "apart": [[list(item) for item in items] for items in one.apart[selection]],
            "codes": _packed(b"" if impossible else walk.codes),
            "seen": _packed(b"".join(_number(after - before) for before, after in pairwise([0, *numbers]))),
        }
        if closed and not former:
            bound = check_coallocation_search_log(one.instance, certificate)
            false = false or bound / one.instance.ticks.tick > shortest
        yield Outcome(one, certificate, closed, false or (closed and horizon >= shortest))


def _written(rows: Sequence[Sequence[int]], fastest: Sequence[int], whole: int) -> list[list[int]]:
    """Return the weights without those of levels that a job never has, which may exceed the maximum."""
    return [
        [weight if level >= first else 0 for level, weight in enumerate(row)]
        for row, first in zip(rows, fastest, strict=True)
    ]


def _number(number: int) -> bytes:
    """Return a number as logs hold it."""
    written = bytearray()
    while number > 127:
        written.append(128 | number & 127)
        number >>= 7
    return bytes([*written, number])


def _packed(data: bytes | bytearray) -> str:
    return b64encode(zlib.compress(bytes(data))).decode("ascii")


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk through trees until their number is reached; print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=10_000, help="number of trees")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--former", action="store_true", help="weights of version 1")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    began = time.monotonic()
    false = 0
    for number, outcome in zip(range(options.trees), trees(options.seed, options.former), strict=False):
        if number % 20_000 == 0:
            print(f"{number:,} trees, {dict(counts)}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        if outcome is None:
            counts["not closed"] += 1
            continue
        counts[("closed" if outcome.closed else "not closed") + (" and false" if outcome.false else " and true")] += 1
        false += outcome.false
        if outcome.false and false == 1:
            print(f"first false tree: number {number}: {outcome.drawn.instance}\n{outcome.certificate}")
    for what, count in sorted(counts.items()):
        print(f"{count:>9,} {what}")
    print(f"seed {options.seed}, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return int(false > 0)


if __name__ == "__main__":
    sys.exit(main())
