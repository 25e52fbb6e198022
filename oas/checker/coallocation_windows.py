"""The bound *windows* of co-allocation: the log of a search by windows of starts that has refuted a makespan.

**Theorem.** If the log closes every row of the search by the rules of `oas.checker.windows_log`, then no schedule ends
by C, the field ``makespan``, and one unit more is a lower bound. Times are in units of the greatest common divisor of
all durations.

**Proof.** Starts may be restricted to whole units: if all are rounded down, the jobs that run during a unit ran
together at its last moment before, so they still fit together. A job's modes are its levels: at level l it runs on
nodes of level l or faster ones, and its duration is that of level l. Of levels that take equally long only the slowest
is a mode, and none faster than the job can have on an empty grid. The rules ask for weightings, pairs that are apart
and conflicts; that they hold is confirmed here. *Weightings:* those of ``weights``, by searching for the heaviest set;
for each level l the tasks of jobs at it or a faster one, at most the number of such nodes; and 1 for each job of a set
of ``apart`` with more than two, one less than its size. *Sets* of ``apart`` cannot run together, by an exact search.
*Conflicts:* if the jobs of each list of ``moments`` run at one moment, no nodes let every job keep its nodes, by a
search over all choices of nodes. *Mirrored:* read backwards, a schedule is one too, so that this job may be taken to
start in the first half of its window.

The package `oas.bounds.coallocation.windows` describes the fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import gcd
from operator import sub
from typing import Any

from oas.checker.coallocation_heaviest import read_weightings
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationInstance, CoallocationTicks
from oas.checker.coallocation_spread import fastest_levels, node_counts
from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.effort import Effort
from oas.checker.reading import check_version, fields_of, integer_of, list_of, refused, rows_of, unpacked_bytes
from oas.checker.windows_log import MOST_WINDOWS_ROWS, StartWindow, WindowsRules, WindowsWalk

WINDOWS_FIELDS = ("version", "makespan", "mirrored", "weights", "apart", "conflicts", "log")
WINDOWS_STEPS = 400_000_000  # three quarters of a minute: as long as a log of some 40 MB may take
MOST_WINDOWS_BYTES = 2**28  # of a log
MOST_WINDOWS_SETS = 2**17  # of jobs that cannot run together
MOST_WINDOWS_WEIGHTINGS = 64
MOST_WINDOWS_CELLS = 20_000_000
MOST_CONFLICTS, MOST_CONFLICT_PAIRS, MOST_CONFLICT_MOMENTS = 1000, 40, 100


def check_coallocation_windows(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    fields = fields_of(certificate, "certificate", *WINDOWS_FIELDS)
    check_version(fields["version"], "certificate.version")
    scaled = instance.scaled()
    unit = gcd(*(ticks for row in scaled.durations for ticks in row))
    scaled = replace(scaled, durations=tuple(tuple(ticks // unit for ticks in row) for row in scaled.durations))
    jobs, levels = scaled.job_count, len(scaled.powers)
    if (3 * MOST_WINDOWS_ROWS + jobs * levels) * jobs * max(jobs, levels) > MOST_WINDOWS_CELLS:
        raise refused("certificate", f"{jobs} jobs of {levels} levels are too many")
    makespan = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=jobs - 1)
    log = unpacked_bytes(fields["log"], "certificate.log", MOST_WINDOWS_BYTES)
    effort = Effort(WINDOWS_STEPS)
    together, fastest = Together(scaled, effort), fastest_levels(scaled)
    weightings = read_weightings(fields["weights"], fastest, together)
    for level, nodes in enumerate(together.capacity):
        weightings.append(([[tasks * (own <= level) for own in range(levels)] for tasks in scaled.tasks], nodes))
    sets = _read_sets(scaled, together, fields["apart"])
    for slowest in (dict(items) for items in sets if len(items) > 2):
        weights = [[int(level <= slowest.get(job, -1)) for level in range(levels)] for job in range(jobs)]
        weightings.append((weights, len(slowest) - 1))
        if len(weightings) > MOST_WINDOWS_WEIGHTINGS:
            raise refused("certificate", f"more than {MOST_WINDOWS_WEIGHTINGS} weightings")
    rules = WindowsRules(
        horizon=makespan,
        times=scaled.durations,
        windows=_level_windows(scaled, makespan, fastest, mirrored),
        weightings=weightings,
        apart=_apart_bits(jobs, levels, [items for items in sets if len(items) == 2]),
        conflicts=_read_conflicts(scaled, effort, fields["conflicts"]),
    )
    refuted = WindowsWalk(rules, log, effort).refutes()
    return scaled.to_time((makespan + 1) * unit) if refuted else Fraction(0)


def _level_windows(
    scaled: CoallocationTicks, makespan: int, fastest: Sequence[int], mirrored: int
) -> list[dict[int, StartWindow]]:
    """Return the windows of each job by level."""
    found = []
    for job, row in enumerate(scaled.durations):
        windows = {}
        for level in range(fastest[job], len(row)):
            last = makespan - row[level]
            if last >= 0 and row[level] not in row[level + 1 : level + 2]:
                windows[level] = (0, last // 2 if job == mirrored else last)
        found.append(windows)
    return found


def _apart_bits(jobs: int, levels: int, pairs: Sequence[Sequence[LeveledJob]]) -> list[list[int]]:
    """Return for each job and level the bits of the jobs and levels from which it is apart, including faster levels."""
    apart = [[0] * levels for _ in range(jobs)]
    for one, other in pairs:
        for (job, level), (beside, below) in ((one, other), (other, one)):
            bits = ((2 << below) - 1) << beside * levels
            for faster in range(level + 1):
                apart[job][faster] |= bits
    return apart


def _read_sets(scaled: CoallocationTicks, together: Together, value: Any) -> list[list[LeveledJob]]:
    """Return the sets of (job, level) that cannot run together, each confirmed."""
    found = []
    for one, where in rows_of(value, "certificate.apart", MOST_WINDOWS_SETS):
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


def _read_conflicts(
    scaled: CoallocationTicks, effort: Effort, value: Any
) -> list[tuple[dict[int, int], list[tuple[int, int]]]]:
    """Return of each conflict the slowest level of each job, and its pairs; a search confirms that no nodes exist."""
    found = []
    for one, where in rows_of(value, "certificate.conflicts", MOST_CONFLICTS):
        fields_of(one, where, "jobs", "moments")
        items, moments = _read_items(scaled, one["jobs"], f"{where}.jobs"), []
        for jobs in list_of(one["moments"], f"{where}.moments", most=MOST_CONFLICT_MOMENTS):
            members = [integer_of(job, f"{where}.moments") for job in list_of(jobs, f"{where}.moments")]
            if len(set(members)) < len(members) or not set(members) <= set(dict(items)):
                raise refused(f"{where}.moments", "must hold jobs of the conflict, each once", jobs)
            moments.append(members)
        pairs = sorted({pair for jobs in moments for pair in combinations(sorted(jobs), 2)})
        if len(pairs) > MOST_CONFLICT_PAIRS:
            raise refused(f"{where}.moments", f"more than {MOST_CONFLICT_PAIRS} pairs")
        if can_keep_nodes(scaled, items, moments, effort):
            raise refused(where, "there are nodes for these jobs")
        found.append((dict(items), pairs))
    return found


def can_keep_nodes(
    scaled: CoallocationTicks, items: Sequence[LeveledJob], moments: Sequence[Sequence[int]], effort: Effort
) -> bool:
    """Tell whether jobs can have nodes that they keep at all moments, such that those of each moment fit together.

    Nodes of a class are alike, so only their numbers matter; the search chooses them job by job. If the remaining jobs
    do not fit into the free nodes and links, this is remembered: they do not fit the next time either. `items` are the
    jobs with their levels, `moments` the jobs that run at each moment.
    """
    order = sorted(items, key=lambda item: (item[1], -scaled.tasks[item[0]], item))
    runs = [(item, places) for item in order if (places := [at for at, jobs in enumerate(moments) if item[0] in jobs])]
    classes = scaled.classes
    failed: set[tuple[int, tuple[tuple[int, ...], ...]]] = set()

    def fits(number: int, free: tuple[tuple[int, ...], ...]) -> bool:
        """Tell it of the jobs from this number on, by what is free at each moment: nodes by class, then links."""
        if number == len(runs):
            return True
        if (number, free) in failed:
            return False
        (job, level), places = runs[number]
        least = [min(own) for own in zip(*(free[at] for at in places), strict=True)]
        most = [own if one.level <= level else 0 for one, own in zip(classes, least[: len(classes)], strict=True)]
        for counts, asked in node_counts(classes, scaled.link_loads[job], most, least[len(classes) :], effort):
            effort.spend((5 + len(classes)) * (1 + len(moments)))
            left = list(free)
            for at in places:
                left[at] = tuple(map(sub, free[at], (*counts, *asked)))
            if fits(number + 1, tuple(left)):
                return True
        failed.add((number, free))
        return False

    return fits(0, ((*(one.count for one in classes), *scaled.link_capacity),) * len(moments))
