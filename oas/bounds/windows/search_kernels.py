"""The search by windows: plain functions over arrays, run as they are or compiled.

Each row is narrowed by all rules. Then it is closed, or branched, or it is a leaf: the start of each job is known.
Every step is written to the log. `oas.checker.windows_log` explains the rules and the log.
"""

from __future__ import annotations

from typing import NamedTuple

from oas.bounds.windows.rules_kernels import (
    CLOSED,
    CONFLICT,
    EARLY,
    ENERGY,
    FIRST,
    MODES,
    NEVER,
    ORDER,
    Numbers,
    Rows,
    Rules,
    apply_conflict,
    branch_on_modes,
    branch_on_order,
    branch_on_starts,
    has_mode,
    moments_inside,
    narrow_by_energy,
    narrow_by_order,
    summarize,
    tightest_pair,
    widest_window,
)
from oas.core.compiling import short_kernel

REFUTED, LEAF, UNDECIDED, TOO_DEEP = 0, 1, 2, 3  # outcomes
BYTES_AN_ENTRY = 64  # at most: a code and five numbers of 62 bits
PASSES = 20  # over all intervals at a row; then it branches, though windows may still be narrowed


class Work(NamedTuple):
    """Working memory of the search; an interval begins at one of `begins` and ends at one of `ends`."""

    # begins, ends: [2 · jobs + 1]: the number of moments, and then the moments in increasing order
    begins: Numbers
    ends: Numbers
    # [mode]: minimum number of moments at which the job runs in the interval; -1 for a mode that is out.
    inside: Numbers
    need: Numbers  # [job, weighting]: the need of the job in the interval
    room: Numbers  # [weighting]: the capacity in the interval less the needs of all jobs


# The log


def write(log: Numbers, length: Numbers, number: int) -> None:
    """Add a number to the log, lowest seven bits first."""
    while number > 127:
        log[length[0]] = 128 + (number & 127)
        length[0] += 1
        number >>= 7
    log[length[0]] = number
    length[0] += 1


def write_entry(log: Numbers, length: Numbers, code: int, a: int, b: int, c: int, d: int, e: int) -> None:
    """Add an entry to the log, numbers of -1 left out; if the log is full, set `length[1]` instead."""
    if length[0] + BYTES_AN_ENTRY > len(log):
        length[1] = 1
        return
    write(log, length, code)
    for number in (a, b, c, d, e):
        if number >= 0:
            write(log, length, number)


# Narrowing all windows of a row until nothing changes


def insert(moments: Numbers, moment: int) -> None:
    """Insert a moment into an increasing list without repetitions; the first entry is the number of moments."""
    place = moments[0]
    while place > 0 and moments[place] > moment:
        place -= 1
    if place > 0 and moments[place] == moment:
        return
    for other in range(moments[0], place, -1):
        moments[other + 1] = moments[other]
    moments[place + 1] = moment
    moments[0] += 1


def list_moments(rules: Rules, first: Numbers, last: Numbers, work: Work) -> None:
    """List where intervals begin and end: at the first and last starts and the first and last ends of the jobs."""
    work.begins[0] = 0
    work.ends[0] = 0
    for job in range(len(first)):
        first_start, first_end, last_start, last_end = NEVER, NEVER, -1, -1
        for mode in range(first.shape[1]):
            if first[job, mode] <= last[job, mode]:
                first_start = min(first_start, first[job, mode])
                first_end = min(first_end, first[job, mode] + rules.times[job, mode])
                last_start = max(last_start, last[job, mode])
                last_end = max(last_end, last[job, mode] + rules.times[job, mode])
        insert(work.begins, first_start)
        insert(work.begins, last_start)
        insert(work.ends, last_end)
        insert(work.ends, first_end)


def propagate_order(rules: Rules, rows: Rows, row: int, log: Numbers, length: Numbers) -> bool:
    """Apply conflicts and the order rule until nothing changes; return whether the row is closed."""
    first, last = rows.first[row], rows.last[row]
    changed = True
    while changed:
        changed = False
        for conflict in range(rules.sizes[1]):
            effect = apply_conflict(rules, rows, row, conflict)
            if effect != 0:
                write_entry(log, length, CONFLICT, conflict, -1, -1, -1, -1)
                changed = True
            if effect < 0:
                return True
        for job in range(len(first)):
            for other in range(len(first)):
                for mode in range(first.shape[1] if other != job else 0):
                    if first[job, mode] > last[job, mode]:
                        continue
                    if narrow_by_order(rules, rows, row, job, mode, other):
                        write_entry(log, length, ORDER, job, mode, other, -1, -1)
                        changed = True
                        if not has_mode(first, last, job):
                            return True
    return False


def compute_needs(rules: Rules, first: Numbers, last: Numbers, work: Work, begin: int, end: int) -> int:
    """Compute the needs of all jobs in [begin, end); return a weighting whose capacity they exceed, or -1."""
    for weighting in range(rules.sizes[0]):
        work.room[weighting] = rules.capacity[weighting] * (end - begin)
    for job in range(len(first)):
        least = NEVER
        for mode in range(first.shape[1]):
            work.inside[mode] = -1
            if first[job, mode] <= last[job, mode]:
                work.inside[mode] = moments_inside(
                    rules.times[job, mode], first[job, mode], last[job, mode], begin, end
                )
                least = min(least, work.inside[mode])
        for weighting in range(rules.sizes[0]):
            need = NEVER if least > 0 else 0
            for mode in range(first.shape[1] if least > 0 else 0):
                if work.inside[mode] > 0:
                    need = min(need, work.inside[mode] * rules.weights[job, mode, weighting])
            work.need[job, weighting] = need
            work.room[weighting] -= need
    for weighting in range(rules.sizes[0]):
        if work.room[weighting] < 0:
            return weighting
    return -1


def propagate_energy(
    rules: Rules, first: Numbers, last: Numbers, work: Work, begin: int, end: int, log: Numbers, length: Numbers
) -> int:
    """Apply the energy rule to [begin, end): -1 if that closes the row, 1 if a window changed, 0 otherwise."""
    weighting = compute_needs(rules, first, last, work, begin, end)
    if weighting >= 0:
        write_entry(log, length, CLOSED, weighting, begin, end, -1, -1)
        return -1
    changed = 0
    for job in range(len(first)):
        for mode in range(first.shape[1]):
            if first[job, mode] > last[job, mode]:
                continue
            time = rules.times[job, mode]
            most = max(
                moments_inside(time, first[job, mode], first[job, mode], begin, end),
                moments_inside(time, last[job, mode], last[job, mode], begin, end),
            )
            if most == 0:
                continue
            for weighting in range(rules.sizes[0]):
                if (
                    rules.weights[job, mode, weighting] * most > work.room[weighting] + work.need[job, weighting]
                    and first[job, mode] <= last[job, mode]
                    and narrow_by_energy(rules, first, last, weighting, begin, end, job, mode)
                ):
                    write_entry(log, length, ENERGY, weighting, begin, end, job, mode)
                    changed = 1
                    if first[job, mode] > last[job, mode] and not has_mode(first, last, job):
                        return -1
    return changed


def propagate(rules: Rules, rows: Rows, row: int, work: Work, log: Numbers, length: Numbers) -> bool:
    """Apply all rules to a row; return whether that closes it."""
    first, last = rows.first[row], rows.last[row]
    for _ in range(PASSES):
        if propagate_order(rules, rows, row, log, length):
            return True
        list_moments(rules, first, last, work)
        changed = False
        for x in range(1, work.begins[0] + 1):
            for y in range(1, work.ends[0] + 1):
                if work.ends[y] > work.begins[x]:
                    found = propagate_energy(rules, first, last, work, work.begins[x], work.ends[y], log, length)
                    if found < 0:
                        return True
                    changed = changed or found > 0
        if not changed:
            return False
    return False


# Branching and search


def branch(rules: Rules, rows: Rows, row: int, log: Numbers, length: Numbers) -> bool:
    """Branch on an order, or on modes, or on a window; return False if all starts are known."""
    first, last = rows.first[row], rows.last[row]
    job, other = tightest_pair(rules, rows, row)
    if job >= 0:
        write_entry(log, length, FIRST, job, other, -1, -1, -1)
        branch_on_order(rows, row, job, other)
        return True
    job, modes = widest_window(rules, first, last)
    if job < 0:
        return False
    start, _, last_start, _ = summarize(rules, first, last, job)
    if modes > 1 and last_start - start <= 2:
        mode, left = -1, (modes + 1) // 2
        while left > 0:
            mode += 1
            left -= first[job, mode] <= last[job, mode]
        write_entry(log, length, MODES, job, mode, -1, -1, -1)
        branch_on_modes(rows, row, job, mode)
        return True
    middle = (start + last_start) // 2
    write_entry(log, length, EARLY, job, middle, -1, -1, -1)
    branch_on_starts(rows, row, job, middle)
    return True


@short_kernel
def search(rules: Rules, rows: Rows, work: Work, count: int, log: Numbers, length: Numbers, state: Numbers) -> int:
    """Search up to `count` more rows, or until the log is half full; return REFUTED, LEAF, UNDECIDED or TOO_DEEP.

    `state` is (current row, number of rows closed or branched so far), kept between calls. At a leaf, the caller may
    add weightings and conflicts to the rules; the next call then applies them to the same row.
    """
    for _ in range(count):
        row = state[0]
        if 2 * length[0] > len(log):
            return UNDECIDED
        if propagate(rules, rows, row, work, log, length):
            state[1] += 1
            if row == 0:
                return REFUTED
            state[0] -= 1
        elif row + 1 == len(rows.first):
            return TOO_DEEP
        elif branch(rules, rows, row, log, length):
            state[1] += 1
            state[0] += 1
        else:
            return LEAF
    return UNDECIDED
