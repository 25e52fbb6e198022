"""The rules that narrow the windows of a row or close it, and the branchings: plain functions over arrays.

`oas.checker.windows_log` says why each rule is right. Of a branching the first part becomes the next row, the second
one stays in the row that is branched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

CLOSED, ENERGY, ORDER, FIRST, EARLY, MODES, CONFLICT = 0, 1, 2, 3, 4, 5, 6  # codes of the log
NEVER = 2**62

Numbers = Any  # an int64 array, or a bool one


class Rules(NamedTuple):
    """The problem that is searched."""

    times: Numbers  # [job, mode]: processing times
    weights: Numbers  # [job, mode, weighting]
    capacity: Numbers  # [weighting]: the maximum weight of jobs that run at the same moment
    apart: Numbers  # [job, mode, job, mode]: whether these two never run at the same moment
    slowest: Numbers  # [conflict, job]: the greatest mode that is part of the conflict; -1 for a job that is not
    pairs: Numbers  # [conflict, 2 · pair]: the two jobs of each pair, one pair after another; -1 after the last
    sizes: Numbers  # [2]: the numbers of weightings and of conflicts


class Rows(NamedTuple):
    """A stack of rows: the current row is on top, the second branches that are still open are below it."""

    # first, last: [row, job, mode]: the window of starts; empty if the last start is before the first
    first: Numbers
    last: Numbers
    before: Numbers  # [row, job, other]: whether a branching lets the job end before the other begins
    separate: Numbers  # [row, job, other]: whether a conflict keeps the two from running at the same moment


def has_mode(first: Numbers, last: Numbers, job: int) -> bool:
    """Return whether the job has a mode left."""
    for mode in range(first.shape[1]):  # noqa: SIM110  (compiled)
        if first[job, mode] <= last[job, mode]:
            return True
    return False


def keep_out(first: Numbers, last: Numbers, job: int, mode: int, early: int, late: int) -> bool:
    """Remove the starts strictly between `early` and `late` where they begin or end a window; return if it changed."""
    changed = False
    if early < first[job, mode] < late:
        first[job, mode] = late
        changed = True
    if early < last[job, mode] < late:
        last[job, mode] = early
        changed = True
    return changed


# Energy


def moments_inside(time: int, first: int, last: int, begin: int, end: int) -> int:
    """Return the minimum number of moments of [begin, end) at which a job with this window runs."""
    return max(0, min(min(time, end - begin), min(first + time - begin, end - last)))


def need_of(rules: Rules, first: Numbers, last: Numbers, job: int, weighting: int, begin: int, end: int) -> int:
    """Return the need of a job in [begin, end): the minimum over its modes of weight times moments."""
    least = -1
    for mode in range(first.shape[1]):
        if first[job, mode] <= last[job, mode]:
            moments = moments_inside(rules.times[job, mode], first[job, mode], last[job, mode], begin, end)
            need = moments * rules.weights[job, mode, weighting]
            if least < 0 or need < least:
                least = need
    return max(least, 0)


def narrow_by_energy(
    rules: Rules, first: Numbers, last: Numbers, weighting: int, begin: int, end: int, job: int, mode: int
) -> bool:
    """Narrow a window by the capacity that the other jobs leave in [begin, end); return whether it changed."""
    weight, time = rules.weights[job, mode, weighting], rules.times[job, mode]
    if weight == 0:
        return False
    room = rules.capacity[weighting] * (end - begin)
    for other in range(len(first)):
        if other != job:
            room -= need_of(rules, first, last, other, weighting, begin, end)
    if room < 0:
        last[job, mode] = first[job, mode] - 1
        return True
    most = room // weight  # moments of [begin, end) at which the job can run
    if most >= min(time, end - begin):
        return False
    return keep_out(first, last, job, mode, begin + most - time, end - most)


# Order


def narrow_by_order(rules: Rules, rows: Rows, row: int, job: int, mode: int, other: int) -> bool:
    """Narrow a window because the job in this mode runs before or after another one; return whether it changed."""
    first, last, before, separate = rows.first[row], rows.last[row], rows.before[row], rows.separate[row, job, other]
    first_end, last_start = NEVER, -1
    for other_mode in range(first.shape[1]):
        if first[other, other_mode] <= last[other, other_mode]:
            if not (separate or rules.apart[job, mode, other, other_mode]):
                return False
            first_end = min(first_end, first[other, other_mode] + rules.times[other, other_mode])
            last_start = max(last_start, last[other, other_mode])
    early = -1 if before[other, job] else last_start - rules.times[job, mode]
    late = NEVER if before[job, other] else first_end
    return keep_out(first, last, job, mode, early, late)


def are_apart(rules: Rules, rows: Rows, row: int, job: int, other: int) -> bool:
    """Return whether two jobs are apart in all modes that they have left."""
    first, last = rows.first[row], rows.last[row]
    if rows.separate[row, job, other]:
        return True
    for mode in range(first.shape[1]):
        if first[job, mode] <= last[job, mode]:
            for other_mode in range(first.shape[1]):
                is_left = first[other, other_mode] <= last[other, other_mode]
                if is_left and not rules.apart[job, mode, other, other_mode]:
                    return False
    return True


# Conflicts


def apply_conflict(rules: Rules, rows: Rows, row: int, conflict: int) -> int:
    """Apply a conflict: -1 if it closes the row, 1 if it separates two jobs or takes modes from a job, 0 otherwise."""
    first, last = rows.first[row], rows.last[row]
    job = next_slower_job(rules, first, last, conflict, 0)
    if job >= 0 and next_slower_job(rules, first, last, conflict, job + 1) >= 0:
        return 0
    place = next_open_pair(rules, first, last, conflict, 0)
    if place >= 0 and (job >= 0 or next_open_pair(rules, first, last, conflict, place + 2) >= 0):
        return 0
    if place >= 0:
        return int(separate_pair(rows, row, rules.pairs[conflict, place], rules.pairs[conflict, place + 1]))
    if job >= 0:
        return int(remove_modes(first, last, job, rules.slowest[conflict, job]))
    return -1


def next_slower_job(rules: Rules, first: Numbers, last: Numbers, conflict: int, job: int) -> int:
    """Return the next job, from `job` on, that may have a mode beyond those of the conflict; -1 if there is none."""
    for member in range(job, len(first)):
        if rules.slowest[conflict, member] >= 0:
            for mode in range(rules.slowest[conflict, member] + 1, first.shape[1]):
                if first[member, mode] <= last[member, mode]:
                    return member
    return -1


def next_open_pair(rules: Rules, first: Numbers, last: Numbers, conflict: int, place: int) -> int:
    """Return the place of the next pair, from `place` on, that may not overlap; -1 if there is none."""
    for at in range(place, rules.pairs.shape[1], 2):
        if rules.pairs[conflict, at] < 0:
            return -1
        if not overlap(rules, first, last, rules.pairs[conflict, at], rules.pairs[conflict, at + 1]):
            return at
    return -1


def overlap(rules: Rules, first: Numbers, last: Numbers, job: int, other: int) -> bool:
    """Return whether two jobs run at the same moment, whatever their starts in their windows."""
    for mode in range(first.shape[1]):
        for other_mode in range(first.shape[1]):
            if first[job, mode] <= last[job, mode] and first[other, other_mode] <= last[other, other_mode]:
                if last[job, mode] >= first[other, other_mode] + rules.times[other, other_mode]:
                    return False
                if last[other, other_mode] >= first[job, mode] + rules.times[job, mode]:
                    return False
    return True


def separate_pair(rows: Rows, row: int, job: int, other: int) -> bool:
    """Note that two jobs never run at the same moment; return whether that is new."""
    if rows.separate[row, job, other]:
        return False
    rows.separate[row, job, other] = rows.separate[row, other, job] = True
    return True


def remove_modes(first: Numbers, last: Numbers, job: int, slowest: int) -> bool:
    """Empty the windows of a job in the modes up to `slowest`; return whether one of them was left."""
    changed = False
    for mode in range(slowest + 1):
        if first[job, mode] <= last[job, mode]:
            last[job, mode] = first[job, mode] - 1
            changed = True
    return changed


# Branching


def tightest_pair(rules: Rules, rows: Rows, row: int) -> tuple[int, int]:
    """Return two jobs that are apart and whose order is open, the more constrained order first; -1 if there are none.

    Of all such pairs it is the one with the least room for both orders, compared with the energy of the smaller job.
    """
    first, last, before = rows.first[row], rows.last[row], rows.before[row]
    chosen, chosen_other, least = -1, -1, 0.0
    for job in range(len(first)):
        _, end, start, energy = summarize(rules, first, last, job)
        for other in range(job):
            if before[job, other] or before[other, job] or not are_apart(rules, rows, row, job, other):
                continue
            _, other_end, other_start, other_energy = summarize(rules, first, last, other)
            room_before, room_after = other_start - end, start - other_end  # if the job runs before the other, or after
            if room_before < 0 or room_after < 0:
                continue  # the windows admit one order only
            smaller = float(min(energy, other_energy))
            room = (room_before + 1.0) * (room_after + 1.0) / (smaller * smaller)
            if chosen < 0 or room < least:
                least = room
                chosen, chosen_other = (job, other) if room_before <= room_after else (other, job)
    return chosen, chosen_other


def widest_window(rules: Rules, first: Numbers, last: Numbers) -> tuple[int, int]:
    """Return the job with the greatest product of energy and windows, and its modes; -1 if all starts are known."""
    chosen, modes, most = -1, 0, 0.0
    for job in range(len(first)):
        start, _, last_start, energy = summarize(rules, first, last, job)
        count = 0
        for mode in range(first.shape[1]):
            if first[job, mode] <= last[job, mode]:
                count += 1
        size = (last_start - start + (count > 1)) * float(energy)
        if size > most:
            chosen, modes, most = job, count, size
    return chosen, modes


def summarize(rules: Rules, first: Numbers, last: Numbers, job: int) -> tuple[int, int, int, int]:
    """Return a job's first start, first end and last start over its modes, and its energy in the first weighting.

    The energy is the maximum over the modes, plus one so that it is positive.
    """
    first_start, first_end, last_start, energy = NEVER, NEVER, -1, 0
    for mode in range(first.shape[1]):
        if first[job, mode] <= last[job, mode]:
            first_start = min(first_start, first[job, mode])
            first_end = min(first_end, first[job, mode] + rules.times[job, mode])
            last_start = max(last_start, last[job, mode])
            energy = max(energy, rules.times[job, mode] * rules.weights[job, mode, 0])
    return first_start, first_end, last_start, energy + 1


def copy_row(rows: Rows, row: int) -> None:
    """Copy a row to the next one."""
    for job in range(rows.first.shape[1]):
        for mode in range(rows.first.shape[2]):
            rows.first[row + 1, job, mode] = rows.first[row, job, mode]
            rows.last[row + 1, job, mode] = rows.last[row, job, mode]
        for other in range(rows.first.shape[1]):
            rows.before[row + 1, job, other] = rows.before[row, job, other]
            rows.separate[row + 1, job, other] = rows.separate[row, job, other]


def branch_on_order(rows: Rows, row: int, job: int, other: int) -> None:
    """Let `job` end before `other` begins in the next row, and the reverse in this one."""
    copy_row(rows, row)
    rows.before[row + 1, job, other] = True
    rows.before[row, other, job] = True


def branch_on_starts(rows: Rows, row: int, job: int, moment: int) -> None:
    """Let `job` start at `moment` or before in the next row, and later in this one."""
    copy_row(rows, row)
    for mode in range(rows.first.shape[2]):
        rows.last[row + 1, job, mode] = min(rows.last[row, job, mode], moment)
        rows.first[row, job, mode] = max(rows.first[row, job, mode], moment + 1)


def branch_on_modes(rows: Rows, row: int, job: int, last: int) -> None:
    """Let `job` have the modes up to `last` in the next row, and the others in this one."""
    copy_row(rows, row)
    for mode in range(rows.first.shape[2]):
        out = row if mode <= last else row + 1
        rows.last[out, job, mode] = rows.first[out, job, mode] - 1
