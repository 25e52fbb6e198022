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
from fractions import Fraction
from itertools import combinations
from math import gcd
from operator import sub
from typing import Any

from oas.checker.coallocation_heaviest import read_apart, read_leveled_jobs, read_weightings
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationInstance
from oas.checker.coallocation_spread import node_counts
from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.effort import Effort
from oas.checker.reading import check_version, fields_of, integer_of, list_of, refused, rows_of, unpacked_bytes
from oas.checker.windows_log import MOST_WINDOWS_ROWS, StartWindow, WindowsConflict, WindowsRules, WindowsWalk

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
    times = [[ticks // unit for ticks in row] for row in scaled.durations]
    jobs, levels = len(times), range(len(scaled.powers))
    if (3 * MOST_WINDOWS_ROWS + jobs * len(levels)) * jobs * max(jobs, len(levels)) > MOST_WINDOWS_CELLS:
        raise refused("certificate", f"{jobs} jobs of {len(levels)} levels are too many")
    makespan = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=jobs - 1)
    log = unpacked_bytes(fields["log"], "certificate.log", MOST_WINDOWS_BYTES)
    together = Together(scaled, Effort(WINDOWS_STEPS))
    weightings = read_weightings(fields["weights"], together)
    for level, nodes in enumerate(together.capacity):
        weightings.append(([[tasks * (own <= level) for own in levels] for tasks in scaled.tasks], nodes))
    apart = [[0] * len(levels) for _ in times]
    for value, where in rows_of(fields["apart"], "certificate.apart", MOST_WINDOWS_SETS):
        items = read_apart(together, value, where)
        if len(items) == 2:
            for (job, level), (other, below) in (items, items[::-1]):
                for faster in range(level + 1):
                    apart[job][faster] |= ((2 << below) - 1) << other * len(levels)
        else:
            slowest = dict(items)
            weights = [[int(level <= slowest.get(job, -1)) for level in levels] for job in range(jobs)]
            weightings.append((weights, len(items) - 1))
            if len(weightings) > MOST_WINDOWS_WEIGHTINGS:
                raise refused("certificate", f"more than {MOST_WINDOWS_WEIGHTINGS} weightings")
    windows = [
        _level_windows(row, first, makespan, 2 if job == mirrored else 1)
        for job, (row, first) in enumerate(zip(times, together.fastest, strict=True))
    ]
    conflicts = _read_conflicts(together, fields["conflicts"])
    rules = WindowsRules(makespan, times, windows, weightings, apart, conflicts)
    refuted = WindowsWalk(rules, log, together.effort).refutes()
    return scaled.to_time((makespan + 1) * unit) if refuted else Fraction(0)


def _level_windows(times: Sequence[int], fastest: int, makespan: int, parts: int) -> dict[int, StartWindow]:
    """Return the windows of a job by level, each the first of so many parts of all its starts."""
    windows = {}
    for level in range(fastest, len(times)):
        last = makespan - times[level]
        if last >= 0 and times[level] not in times[level + 1 : level + 2]:
            windows[level] = (0, last // parts)
    return windows


def _read_conflicts(together: Together, value: Any) -> list[WindowsConflict]:
    """Return the conflicts; a search confirms of each that no nodes exist."""
    found: list[WindowsConflict] = []
    for one, where in rows_of(value, "certificate.conflicts", MOST_CONFLICTS):
        fields_of(one, where, "jobs", "moments")
        items, moments = read_leveled_jobs(together, one["jobs"], f"{where}.jobs"), []
        for jobs in list_of(one["moments"], f"{where}.moments", most=MOST_CONFLICT_MOMENTS):
            members = [integer_of(job, f"{where}.moments") for job in list_of(jobs, f"{where}.moments")]
            if len(set(members)) < len(members) or not set(members) <= set(dict(items)):
                raise refused(f"{where}.moments", "must hold jobs of the conflict, each once", jobs)
            moments.append(members)
        pairs = sorted({pair for jobs in moments for pair in combinations(sorted(jobs), 2)})
        if len(pairs) > MOST_CONFLICT_PAIRS:
            raise refused(f"{where}.moments", f"more than {MOST_CONFLICT_PAIRS} pairs")
        if can_keep_nodes(together, items, moments):
            raise refused(where, "there are nodes for these jobs")
        found.append((dict(items), pairs))
    return found


def can_keep_nodes(together: Together, items: Sequence[LeveledJob], moments: Sequence[Sequence[int]]) -> bool:
    """Tell whether jobs can have nodes that they keep at all moments, such that those of each moment fit together.

    Nodes of a class are alike, so only their numbers matter; the search chooses them job by job. If the remaining jobs
    do not fit into the free nodes and links, this is remembered: they do not fit the next time either. `items` are the
    jobs with their levels, `moments` the jobs that run at each moment.
    """
    scaled, classes, effort = together.scaled, together.scaled.classes, together.effort
    order = sorted(items, key=lambda item: (item[1], -scaled.tasks[item[0]], item))
    runs = [(item, places) for item in order if (places := [at for at, jobs in enumerate(moments) if item[0] in jobs])]
    failed: set[tuple[int, tuple[tuple[int, ...], ...]]] = set()

    def fits(number: int, free: tuple[tuple[int, ...], ...]) -> bool:
        """Tell it of the jobs from this number on, by what is free at each moment: nodes by class, then links."""
        if number == len(runs):
            return True
        if (number, free) in failed:
            return False
        (job, level), places = runs[number]
        least = [min(own) for own in zip(*(free[at] for at in places), strict=True)]
        most = [own if one.level <= level else 0 for one, own in zip(classes, least, strict=False)]
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
