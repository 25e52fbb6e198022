"""The bound *windows* of co-allocation: a search by windows of starts that has refuted a makespan, walked by its log.

A job's modes are its levels: at level l it takes nodes of level l or faster, and as long as on the slowest of these.
The format and why each rule is right stand in the documentation of certificates. Times are in units of the greatest
common divisor of all durations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Any

from oas.standalone.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationInstance, CoallocationTicks
from oas.standalone.coallocation_levels import fastest_levels
from oas.standalone.coallocation_log_rules import read_log_weights
from oas.standalone.coallocation_together import LeveledJob, Together
from oas.standalone.effort import Effort
from oas.standalone.errors import refused
from oas.standalone.packed_bytes import unpacked_bytes
from oas.standalone.reading import fields_of, integer_of, list_of
from oas.standalone.windows_log import MOST_WINDOWS_ROWS, StartWindow, WindowsRules, WindowsWalk

WINDOWS_FIELDS = ("version", "makespan", "mirrored", "weights", "apart", "conflicts", "log")
WINDOWS_STEPS = 400_000_000  # three quarters of a minute: as long as a log of some 40 MB may take
MOST_WINDOWS_BYTES = 2**28  # of a log
MOST_WINDOWS_SETS = 2**17  # that are apart
MOST_WINDOWS_WEIGHTINGS = 64
MOST_WINDOWS_ENERGY = 2**61
MOST_WINDOWS_CELLS = 20_000_000
MOST_CONFLICTS, MOST_CONFLICT_PAIRS, MOST_CONFLICT_MOMENTS = 1000, 40, 100
MOST_CONFLICT_CHOICES = 2_000_000  # of nodes, after which there may be some

LevelWeighting = tuple[list[list[int]], int]
NodeConflict = tuple[list[LeveledJob], list[list[int]]]


def check_coallocation_windows(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if its log refutes nothing.

    Raises
    ------
    Refused
        If it is malformed, what it names does not hold, or checking it would take too long.
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
    wholes, rows, _ = read_log_weights(scaled, makespan, fastest, together, fields["weights"])
    sets = _read_sets(scaled, together, fields["apart"])
    conflicts = _read_conflicts(scaled, effort, fields["conflicts"])
    weightings = list(zip(rows, wholes, strict=True)) + _level_weightings(scaled, together)
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
    """Return the instance in units of the greatest common divisor of all durations, and that in ticks.

    Rounding starts down to a unit keeps every rule: the jobs that then run in a unit ran in its last moment before.
    """
    unit = gcd(*(ticks for row in scaled.durations for ticks in row))
    return replace(scaled, durations=tuple(tuple(ticks // unit for ticks in row) for row in scaled.durations)), unit


def _windows(
    scaled: CoallocationTicks, makespan: int, fastest: Sequence[int], mirrored: int
) -> list[dict[int, StartWindow]]:
    """Return the windows of each job: of levels that take equally long, of the slowest alone."""
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
    """Return of each level the tasks of jobs that have to be at it or faster, and how many such nodes there are."""
    levels = len(scaled.powers)
    return [
        ([[tasks] * (level + 1) + [0] * (levels - level - 1) for tasks in scaled.tasks], together.capacity[level])
        for level in range(levels)
    ]


def _set_weighting(scaled: CoallocationTicks, items: Sequence[LeveledJob]) -> LevelWeighting:
    """Return weights by which jobs that cannot all run together are one too many."""
    levels, up_to = len(scaled.powers), dict(items)
    weights = [[int(level <= up_to.get(job, -1)) for level in range(levels)] for job in range(scaled.job_count)]
    return weights, len(items) - 1


def _apart_bits(scaled: CoallocationTicks, pairs: Sequence[Sequence[LeveledJob]]) -> list[list[int]]:
    """Return for each job and level the bits of the jobs and levels from which it is apart, faster levels included."""
    levels = len(scaled.powers)
    apart = [[0] * levels for _ in scaled.tasks]
    for one, other in pairs:
        for (job, level), (beside, below) in ((one, other), (other, one)):
            bits = ((2 << below) - 1) << beside * levels
            for faster in range(level + 1):
                apart[job][faster] |= bits
    return apart


def _check_size(scaled: CoallocationTicks, makespan: int, weightings: Sequence[LevelWeighting]) -> None:
    """Refuse what the toolkit does not check either, for its integers have 64 bits."""
    if len(weightings) > MOST_WINDOWS_WEIGHTINGS:
        raise refused("certificate", f"more than {MOST_WINDOWS_WEIGHTINGS} weightings")
    ticks = (scaled.job_count + 1) * (makespan + 1)
    if any(ticks * (capacity + 1) > MOST_WINDOWS_ENERGY for _, capacity in weightings):
        raise refused("certificate", "weights times ticks are too large")


def _read_sets(scaled: CoallocationTicks, together: Together, value: Any) -> list[list[LeveledJob]]:
    """Return the sets of jobs at levels that cannot run together, each confirmed."""
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
    """Return the conflicts: jobs at levels, and the jobs of each moment. A search confirms that no nodes exist."""
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
"""Of each moment: the free nodes of each class, and then what is left of each link."""


class NodesGivenUp(Exception):
    """The search for nodes has taken too many steps."""


class NodeSearch:
    """A search for nodes that jobs keep, so that the jobs of each moment fit.

    Nodes of a class are alike, so that only their numbers matter; these are chosen job by job. What has failed once
    from some job on fails again with as many nodes and as much of the links left.

    Parameters
    ----------
    scaled
        The instance.
    items
        Jobs with their levels.
    moments
        Of each, the jobs that run at it.
    effort
        Of the whole certificate.
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
        """Tell whether there are such nodes; True too where that remains open."""
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
        """Yield the numbers of nodes of each class that the job may take, of its level or faster."""
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
