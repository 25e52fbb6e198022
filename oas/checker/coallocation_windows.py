"""The bound *windows* of co-allocation: the log of a search by windows of starts that has refuted a makespan.

A job's modes are its levels: at level l it runs on nodes of level l or faster, and its duration is that of level l.
The documentation of certificates describes the format and says why each rule is right. Times are in units of the
greatest common divisor of all durations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Any

from oas.checker.coallocation_heaviest import read_weightings
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationInstance, CoallocationTicks
from oas.checker.coallocation_levels import fastest_levels
from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.packed_bytes import unpacked_bytes
from oas.checker.reading import fields_of, integer_of, list_of
from oas.checker.windows_log import MOST_WINDOWS_ROWS, StartWindow, WindowsRules, WindowsWalk

WINDOWS_FIELDS = ("version", "makespan", "mirrored", "weights", "apart", "conflicts", "log")
WINDOWS_STEPS = 400_000_000  # three quarters of a minute: as long as a log of some 40 MB may take
MOST_WINDOWS_BYTES = 2**28  # of a log
MOST_WINDOWS_SETS = 2**17  # of jobs that cannot run together
MOST_WINDOWS_WEIGHTINGS = 64
MOST_WINDOWS_ENERGY = 2**61
MOST_WINDOWS_CELLS = 20_000_000
MOST_CONFLICTS, MOST_CONFLICT_PAIRS, MOST_CONFLICT_MOMENTS = 1000, 40, 100
MOST_CONFLICT_CHOICES = 2_000_000  # of nodes; after as many, the search for nodes gives up

LevelWeighting = tuple[list[list[int]], int]
NodeConflict = tuple[list[LeveledJob], list[list[int]]]


def check_coallocation_windows(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if its log refutes nothing.

    Raises
    ------
    Refused
        If it is malformed, if one of its statements is false, or if checking it would take too long.
    """
    fields = fields_of(certificate, "certificate", *WINDOWS_FIELDS)
    if type(fields["version"]) is not int or fields["version"] != 1:
        raise refused("certificate.version", "must be 1", fields["version"])
    scaled, unit = _in_units(instance.scaled())
    jobs, levels = scaled.job_count, len(scaled.powers)
    if (3 * MOST_WINDOWS_ROWS + jobs * levels) * jobs * max(jobs, levels) > MOST_WINDOWS_CELLS:
        raise refused("certificate", f"{jobs} jobs of {levels} levels are too many")
    makespan = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=scaled.job_count - 1)
    log = unpacked_bytes(fields["log"], "certificate.log", MOST_WINDOWS_BYTES)
    effort = Effort(WINDOWS_STEPS)
    together, fastest = Together(scaled, effort), fastest_levels(scaled)
    weightings = read_weightings(scaled, makespan, fastest, together, fields["weights"])
    sets = _read_sets(scaled, together, fields["apart"])
    conflicts = _read_conflicts(scaled, effort, fields["conflicts"])
    weightings += _level_weightings(scaled, together)
    weightings += [_set_weighting(scaled, items) for items in sets if len(items) > 2]
    _check_size(scaled, makespan, weightings)
    rules = WindowsRules(
        horizon=makespan,
        times=scaled.durations,
        windows=_windows(scaled, makespan, fastest, mirrored),
        weightings=weightings,
        apart=_apart_bits(scaled, [items for items in sets if len(items) == 2]),
        conflicts=[(dict(items), _pairs_of(moments)) for items, moments in conflicts],
    )
    if WindowsWalk(rules, log, effort).refutes():
        return instance.scaled().to_time((makespan + 1) * unit)
    return Fraction(0)


def _in_units(scaled: CoallocationTicks) -> tuple[CoallocationTicks, int]:
    """Return the instance in units of the greatest common divisor of all durations, and the ticks of a unit.

    Schedules may be restricted to starts at whole units. If all starts are rounded down, the jobs that run during a
    unit ran together at its last moment before, so they still fit together.
    """
    unit = gcd(*(ticks for row in scaled.durations for ticks in row))
    return replace(scaled, durations=tuple(tuple(ticks // unit for ticks in row) for row in scaled.durations)), unit


def _windows(
    scaled: CoallocationTicks, makespan: int, fastest: Sequence[int], mirrored: int
) -> list[dict[int, StartWindow]]:
    """Return the windows of each job; of several levels with the same duration, only the slowest has one."""
    found = []
    for job, row in enumerate(scaled.durations):
        windows = {}
        for level in range(fastest[job], len(row)):
            last = makespan - row[level]
            if last >= 0 and row[level] not in row[level + 1 : level + 2]:
                windows[level] = (0, last // 2 if job == mirrored else last)
        found.append(windows)
    return found


def _level_weightings(scaled: CoallocationTicks, together: Together) -> list[LevelWeighting]:
    """Return a weighting for each level: tasks of jobs at it or a faster one, at most the number of such nodes."""
    levels = len(scaled.powers)
    return [
        ([[tasks] * (level + 1) + [0] * (levels - level - 1) for tasks in scaled.tasks], together.capacity[level])
        for level in range(levels)
    ]


def _set_weighting(scaled: CoallocationTicks, items: Sequence[LeveledJob]) -> LevelWeighting:
    """Return the weighting by which jobs that cannot all run together exceed the capacity by one."""
    levels, up_to = len(scaled.powers), dict(items)
    weights = [[int(level <= up_to.get(job, -1)) for level in range(levels)] for job in range(scaled.job_count)]
    return weights, len(items) - 1


def _apart_bits(scaled: CoallocationTicks, pairs: Sequence[Sequence[LeveledJob]]) -> list[list[int]]:
    """Return for each job and level the bits of the jobs and levels from which it is apart, including faster levels."""
    levels = len(scaled.powers)
    apart = [[0] * levels for _ in scaled.tasks]
    for one, other in pairs:
        for (job, level), (beside, below) in ((one, other), (other, one)):
            bits = ((2 << below) - 1) << beside * levels
            for faster in range(level + 1):
                apart[job][faster] |= bits
    return apart


def _check_size(scaled: CoallocationTicks, makespan: int, weightings: Sequence[LevelWeighting]) -> None:
    """Refuse certificates that the toolkit refuses too, because its integers have 64 bits."""
    if len(weightings) > MOST_WINDOWS_WEIGHTINGS:
        raise refused("certificate", f"more than {MOST_WINDOWS_WEIGHTINGS} weightings")
    ticks = (scaled.job_count + 1) * (makespan + 1)
    if any(ticks * (capacity + 1) > MOST_WINDOWS_ENERGY for _, capacity in weightings):
        raise refused("certificate", "weights times ticks are too large")


def _read_sets(scaled: CoallocationTicks, together: Together, value: Any) -> list[list[LeveledJob]]:
    """Return the sets of (job, level) that cannot run together, each confirmed."""
    found = []
    for number, one in enumerate(list_of(value, "certificate.apart", most=MOST_WINDOWS_SETS)):
        where = f"certificate.apart[{number}]"
        items = _read_items(scaled, one, where)
        if together.fits(items):
            raise refused(where, "these can run together", one)
        found.append(items)
    return found


def _read_items(scaled: CoallocationTicks, value: Any, where: str) -> list[LeveledJob]:
    items = []
    for item in list_of(value, where):
        job, level = list_of(item, where, count=2)
        most = len(scaled.powers) - 1
        items.append((integer_of(job, where, most=scaled.job_count - 1), integer_of(level, where, most=most)))
    if len(items) < 2 or len({job for job, _ in items}) < len(items):
        raise refused(where, "must hold two or more jobs, each once")
    return items


def _read_conflicts(scaled: CoallocationTicks, effort: Effort, value: Any) -> list[NodeConflict]:
    """Return the conflicts: (job, level) and the jobs of each moment; a search confirms that no nodes exist."""
    found = []
    for number, one in enumerate(list_of(value, "certificate.conflicts", most=MOST_CONFLICTS)):
        where = f"certificate.conflicts[{number}]"
        fields_of(one, where, "jobs", "moments")
        items, moments = _read_items(scaled, one["jobs"], f"{where}.jobs"), []
        for jobs in list_of(one["moments"], f"{where}.moments", most=MOST_CONFLICT_MOMENTS):
            members = [integer_of(job, f"{where}.moments") for job in list_of(jobs, f"{where}.moments")]
            if len(set(members)) < len(members) or not set(members) <= set(dict(items)):
                raise refused(f"{where}.moments", "must hold jobs of the conflict, each once", jobs)
            moments.append(members)
        if len(_pairs_of(moments)) > MOST_CONFLICT_PAIRS:
            raise refused(f"{where}.moments", f"more than {MOST_CONFLICT_PAIRS} pairs")
        if NodeSearch(scaled, items, moments, effort).may_find():
            raise refused(where, "there may be nodes for these jobs")
        found.append((items, moments))
    return found


def _pairs_of(moments: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    return sorted({pair for jobs in moments for pair in combinations(sorted(jobs), 2)})


FreeNodes = tuple[tuple[int, ...], ...]
"""For each moment: the free nodes of each class, and then the free capacity of each link."""


class NodesGivenUp(Exception):
    """The search for nodes has taken too many steps."""


class NodeSearch:
    """A search for nodes of jobs such that the jobs of each moment fit; each job keeps its nodes at all its moments.

    Nodes of a class are alike, so only their numbers matter; the search chooses them job by job. If the remaining jobs
    do not fit into the free nodes and links, this is remembered: they do not fit the next time either.

    Parameters
    ----------
    scaled
        The instance.
    items
        The jobs with their levels.
    moments
        For each moment, the jobs that run at it.
    effort
        The limit of the cost of the whole check.
    """

    def __init__(
        self, scaled: CoallocationTicks, items: Sequence[LeveledJob], moments: Sequence[Sequence[int]], effort: Effort
    ) -> None:
        self.scaled, self.effort, self.choices = scaled, effort, 0
        self.items = sorted(items, key=lambda item: (item[1], -scaled.tasks[item[0]], item))
        self.runs = [[at for at, jobs in enumerate(moments) if job in jobs] for job, _ in self.items]
        self.classes = len(scaled.classes)
        self.start = ((*(len(one.nodes) for one in scaled.classes), *scaled.link_capacity),) * len(moments)
        self.failed: set[tuple[int, FreeNodes]] = set()

    def may_find(self) -> bool:
        """Return whether there may be such nodes: False only if the complete search has found none."""
        try:
            return self._found(0, self.start)
        except NodesGivenUp:
            return True

    def _found(self, number: int, free: FreeNodes) -> bool:
        if number == len(self.items):
            return True
        if (number, free) in self.failed:
            return False
        job, _ = self.items[number]
        for counts in self._splits(number, free):
            asked = list(counts) + [0] * len(self.scaled.link_capacity)
            held = [0] * len(self.scaled.link_capacity)
            for one, count in zip(self.scaled.classes, counts, strict=True):
                held[one.cluster] += count
            for cluster, count in enumerate(held):
                asked[self.classes + cluster] = self.scaled.link_loads[job][count]
            left = list(free)
            for at in self.runs[number]:
                left[at] = tuple([own - more for own, more in zip(free[at], asked, strict=True)])
            if all(min(left[at]) >= 0 for at in self.runs[number]) and self._found(number + 1, tuple(left)):
                return True
        self.failed.add((number, free))
        return False

    def _splits(self, number: int, free: FreeNodes) -> Iterator[tuple[int, ...]]:
        """Yield the ways to choose nodes of the job: the number from each class, of its level or faster."""
        job, level = self.items[number]
        tasks = self.scaled.tasks[job]
        most = [
            min([tasks, *(free[at][place] for at in self.runs[number])]) if one.level <= level else 0
            for place, one in enumerate(self.scaled.classes)
        ]
        later = [sum(most[place:]) for place in range(self.classes + 1)]
        stack: list[tuple[tuple[int, ...], int]] = [((), tasks)]
        while stack:
            counts, rest = stack.pop()
            self._spend(5 + self.classes)
            if len(counts) == self.classes:
                yield counts
                continue
            place = len(counts)
            for count in range(max(0, rest - later[place + 1]), min(most[place], rest) + 1):
                stack.append(((*counts, count), rest - count))

    def _spend(self, steps: int) -> None:
        self.effort.spend(steps * (1 + len(self.start)))
        self.choices += 1
        if self.choices > MOST_CONFLICT_CHOICES:
            raise NodesGivenUp
