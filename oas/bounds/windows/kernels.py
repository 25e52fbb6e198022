"""The rules of the search by windows, and the search itself: plain functions over arrays, run as they are or compiled.

See `oas.bounds.windows` for the rules and the log.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import short_kernel

REFUTED, LEAF, UNDECIDED, TOO_DEEP = 0, 1, 2, 3
CLOSED, ENERGY, ORDER, FIRST, EARLY, MODES, CONFLICT = 0, 1, 2, 3, 4, 5, 6  # codes of the log
BYTES_AN_ENTRY = 64  # at most: a code and five numbers of 62 bits
PASSES = 20  # over all intervals at a row; then it branches, though windows may still be narrowed
NEVER = 2**62

Numbers = Any  # an int64 array, or a bool one


class Rules(NamedTuple):
    """The problem that is searched.

    Attributes
    ----------
    times
        [job, mode]
    weights
        [job, mode, weighting]
    capacity
        [weighting]: the most that jobs running at the same moment weigh.
    apart
        [job, mode, job, mode]: whether these two never run at the same moment.
    slowest
        [conflict, job]: the greatest mode that is part of the conflict; -1 for a job that is not.
    pairs
        [conflict, 2 · pair]: two jobs, beginning with the first pair; -1 after the last.
    sizes
        [2]: how many weightings and conflicts there are.
    """

    times: Numbers
    weights: Numbers
    capacity: Numbers
    apart: Numbers
    slowest: Numbers
    pairs: Numbers
    sizes: Numbers


class Rows(NamedTuple):
    """The row being searched, and before it the second branches that are still open.

    Attributes
    ----------
    first, last
        [row, job, mode]: the window of starts.
    before
        [row, job, other]: whether the job ends before the other begins.
    separate
        [row, job, other]: whether a conflict keeps the two from running at the same moment.
    """

    first: Numbers
    last: Numbers
    before: Numbers
    separate: Numbers


class Work(NamedTuple):
    """Memory of the search.

    Attributes
    ----------
    begins, ends
        [2 · jobs + 1]: the ends of the intervals that are looked at, in order, with their number in the first place.
    inside
        [mode]: moments in the interval, at least; -1 for a mode that is out.
    need
        [job, weighting]
    room
        [weighting]: what the needs of all jobs leave.
    """

    begins: Numbers
    ends: Numbers
    inside: Numbers
    need: Numbers
    room: Numbers


def moments_inside(time: int, first: int, last: int, begin: int, end: int) -> int:
    """Return for how many moments of [begin, end) a job with this window runs at least."""
    return max(0, min(min(time, end - begin), min(first + time - begin, end - last)))


def need_of(rules: Rules, first: Numbers, last: Numbers, job: int, one: int, begin: int, end: int) -> int:
    """Return the need of the job in [begin, end): its least weight times moments, by weighting `one`."""
    least = -1
    for mode in range(first.shape[1]):
        if first[job, mode] <= last[job, mode]:
            moments = moments_inside(rules.times[job, mode], first[job, mode], last[job, mode], begin, end)
            need = moments * rules.weights[job, mode, one]
            if least < 0 or need < least:
                least = need
    return max(least, 0)


def is_overloaded(rules: Rules, first: Numbers, last: Numbers, one: int, begin: int, end: int) -> bool:
    """Tell whether the needs of all jobs in [begin, end) exceed what weighting `one` has room for."""
    room = rules.capacity[one] * (end - begin)
    for job in range(len(first)):
        room -= need_of(rules, first, last, job, one, begin, end)
    return room < 0


def narrow_by_energy(
    rules: Rules, first: Numbers, last: Numbers, one: int, begin: int, end: int, job: int, mode: int
) -> bool:
    """Narrow a window by the energy that the other jobs leave in [begin, end); return whether it changed."""
    weight, time = rules.weights[job, mode, one], rules.times[job, mode]
    if weight == 0:
        return False
    room = rules.capacity[one] * (end - begin)
    for other in range(len(first)):
        if other != job:
            room -= need_of(rules, first, last, other, one, begin, end)
    if room < 0:
        last[job, mode] = first[job, mode] - 1
        return True
    most = room // weight
    if most >= min(time, end - begin):
        return False
    early, late = begin + most - time, end - most
    changed = False
    if early < first[job, mode] < late:
        first[job, mode] = late
        changed = True
    if early < last[job, mode] < late:
        last[job, mode] = early
        changed = True
    return changed


def narrow_by_order(rules: Rules, rows: Rows, row: int, job: int, mode: int, other: int) -> bool:
    """Narrow a window because the job in this mode runs before or after another one; return whether it changed."""
    first, last, before, separate = rows.first[row], rows.last[row], rows.before[row], rows.separate[row, job, other]
    first_end, last_start = NEVER, -1
    for beside in range(first.shape[1]):
        if first[other, beside] <= last[other, beside]:
            if not (separate or rules.apart[job, mode, other, beside]):
                return False
            first_end = min(first_end, first[other, beside] + rules.times[other, beside])
            last_start = max(last_start, last[other, beside])
    early = -1 if before[other, job] else last_start - rules.times[job, mode]
    late = NEVER if before[job, other] else first_end
    changed = False
    if early < first[job, mode] < late:
        first[job, mode] = late
        changed = True
    if early < last[job, mode] < late:
        last[job, mode] = early
        changed = True
    return changed


def has_mode(first: Numbers, last: Numbers, job: int) -> bool:
    """Tell whether the job has a mode left."""
    for mode in range(first.shape[1]):  # noqa: SIM110  (compiled)
        if first[job, mode] <= last[job, mode]:
            return True
    return False


def are_apart(rules: Rules, rows: Rows, row: int, job: int, other: int) -> bool:
    """Tell whether two jobs are apart in all modes that they have left."""
    first, last = rows.first[row], rows.last[row]
    if rows.separate[row, job, other]:
        return True
    for mode in range(first.shape[1]):
        if first[job, mode] <= last[job, mode]:
            for beside in range(first.shape[1]):
                if first[other, beside] <= last[other, beside] and not rules.apart[job, mode, other, beside]:
                    return False
    return True


def overlap(rules: Rules, first: Numbers, last: Numbers, job: int, other: int) -> bool:
    """Tell whether two jobs run at the same moment whenever they start in their windows."""
    for mode in range(first.shape[1]):
        for beside in range(first.shape[1]):
            if first[job, mode] <= last[job, mode] and first[other, beside] <= last[other, beside]:
                if last[job, mode] >= first[other, beside] + rules.times[other, beside]:
                    return False
                if last[other, beside] >= first[job, mode] + rules.times[job, mode]:
                    return False
    return True


def has_slower(first: Numbers, last: Numbers, job: int, slowest: int) -> bool:
    """Tell whether the job has a mode left beyond `slowest`."""
    for mode in range(slowest + 1, first.shape[1]):  # noqa: SIM110  (compiled)
        if first[job, mode] <= last[job, mode]:
            return True
    return False


def apply_conflict(rules: Rules, rows: Rows, row: int, one: int) -> int:
    """Apply a conflict: -1 closes the row, 1 separates two jobs or takes modes from a job, 0 does nothing."""
    first, last = rows.first[row], rows.last[row]
    slower, job, other = -1, -1, -1
    for member in range(len(first)):
        if rules.slowest[one, member] >= 0 and has_slower(first, last, member, rules.slowest[one, member]):
            if slower >= 0:
                return 0
            slower = member
    for place in range(0, rules.pairs.shape[1], 2):
        if rules.pairs[one, place] < 0:
            break
        if not overlap(rules, first, last, rules.pairs[one, place], rules.pairs[one, place + 1]):
            if job >= 0 or slower >= 0:
                return 0
            job, other = rules.pairs[one, place], rules.pairs[one, place + 1]
    if job >= 0:
        if rows.separate[row, job, other]:
            return 0
        rows.separate[row, job, other] = rows.separate[row, other, job] = True
        return 1
    if slower < 0:
        return -1
    changed = 0
    for mode in range(rules.slowest[one, slower] + 1):
        if first[slower, mode] <= last[slower, mode]:
            last[slower, mode] = first[slower, mode] - 1
            changed = 1
    return changed


# The log


def write(log: Numbers, length: Numbers, number: int) -> None:
    """Add a number to the log, lowest digits first."""
    while number > 127:
        log[length[0]] = 128 + (number & 127)
        length[0] += 1
        number >>= 7
    log[length[0]] = number
    length[0] += 1


def write_entry(log: Numbers, length: Numbers, code: int, a: int, b: int, c: int, d: int, e: int) -> None:
    """Add an entry to the log; a number that it does not have is -1. If there is no room, `length[1]` says so."""
    if length[0] + BYTES_AN_ENTRY > len(log):
        length[1] = 1
        return
    write(log, length, code)
    for number in (a, b, c, d, e):
        if number >= 0:
            write(log, length, number)


# Narrowing all windows of a row


def insert(moments: Numbers, moment: int) -> None:
    """Put a moment into an ordered list without repetitions, whose length is its first entry."""
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
    """List where the intervals begin and end: at first and last starts and ends of the jobs."""
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


def order_all(rules: Rules, rows: Rows, row: int, log: Numbers, length: Numbers) -> bool:
    """Narrow windows by conflicts and order until nothing changes; return whether the row is closed."""
    first, last = rows.first[row], rows.last[row]
    changed = True
    while changed:
        changed = False
        for one in range(rules.sizes[1]):
            effect = apply_conflict(rules, rows, row, one)
            if effect != 0:
                write_entry(log, length, CONFLICT, one, -1, -1, -1, -1)
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


def count_needs(rules: Rules, first: Numbers, last: Numbers, work: Work, begin: int, end: int) -> int:
    """Count the needs of the jobs in [begin, end) and the rest; return a weighting that is exceeded, or -1."""
    for one in range(rules.sizes[0]):
        work.room[one] = rules.capacity[one] * (end - begin)
    for job in range(len(first)):
        least = NEVER
        for mode in range(first.shape[1]):
            work.inside[mode] = -1
            if first[job, mode] <= last[job, mode]:
                work.inside[mode] = moments_inside(
                    rules.times[job, mode], first[job, mode], last[job, mode], begin, end
                )
                least = min(least, work.inside[mode])
        for one in range(rules.sizes[0]):
            need = NEVER if least > 0 else 0
            for mode in range(first.shape[1] if least > 0 else 0):
                if work.inside[mode] > 0:
                    need = min(need, work.inside[mode] * rules.weights[job, mode, one])
            work.need[job, one] = need
            work.room[one] -= need
    for one in range(rules.sizes[0]):
        if work.room[one] < 0:
            return one
    return -1


def narrow_all(
    rules: Rules, first: Numbers, last: Numbers, work: Work, begin: int, end: int, log: Numbers, length: Numbers
) -> int:
    """Apply the energy rule to [begin, end): -1 if the row is closed, else whether a window changed."""
    one = count_needs(rules, first, last, work, begin, end)
    if one >= 0:
        write_entry(log, length, CLOSED, one, begin, end, -1, -1)
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
            for one in range(rules.sizes[0]):
                if (
                    rules.weights[job, mode, one] * most > work.room[one] + work.need[job, one]
                    and first[job, mode] <= last[job, mode]
                    and narrow_by_energy(rules, first, last, one, begin, end, job, mode)
                ):
                    write_entry(log, length, ENERGY, one, begin, end, job, mode)
                    changed = 1
                    if first[job, mode] > last[job, mode] and not has_mode(first, last, job):
                        return -1
    return changed


def is_closed(rules: Rules, rows: Rows, row: int, work: Work, log: Numbers, length: Numbers) -> bool:
    """Narrow the windows of a row by all rules; return whether it has no schedule."""
    first, last = rows.first[row], rows.last[row]
    for _ in range(PASSES):
        if order_all(rules, rows, row, log, length):
            return True
        list_moments(rules, first, last, work)
        changed = False
        for x in range(1, work.begins[0] + 1):
            for y in range(1, work.ends[0] + 1):
                if work.ends[y] > work.begins[x]:
                    found = narrow_all(rules, first, last, work, work.begins[x], work.ends[y], log, length)
                    if found < 0:
                        return True
                    changed = changed or found > 0
        if not changed:
            return False
    return False


# Branching


def summary(rules: Rules, first: Numbers, last: Numbers, job: int) -> tuple[int, int, int, int]:
    """Return first start, first end and last start of a job over its modes, and its energy by the first weighting."""
    first_start, first_end, last_start, energy = NEVER, NEVER, -1, 0
    for mode in range(first.shape[1]):
        if first[job, mode] <= last[job, mode]:
            first_start = min(first_start, first[job, mode])
            first_end = min(first_end, first[job, mode] + rules.times[job, mode])
            last_start = max(last_start, last[job, mode])
            energy = max(energy, rules.times[job, mode] * rules.weights[job, mode, 0])
    return first_start, first_end, last_start, energy + 1


def tightest_pair(rules: Rules, rows: Rows, row: int) -> tuple[int, int]:
    """Return two jobs whose order is open and has least room for the energy of the smaller; -1 if there are none.

    That order first which leaves less room.
    """
    first, last, before = rows.first[row], rows.last[row], rows.before[row]
    chosen, other, least = -1, -1, 0.0
    for job in range(len(first)):
        _, end, start, energy = summary(rules, first, last, job)
        for beside in range(job):
            if before[job, beside] or before[beside, job] or not are_apart(rules, rows, row, job, beside):
                continue
            _, beside_end, beside_start, beside_energy = summary(rules, first, last, beside)
            forth, back = beside_start - end, start - beside_end
            if forth < 0 or back < 0:
                continue  # their windows say which
            smaller = float(min(energy, beside_energy))
            room = (forth + 1.0) * (back + 1.0) / (smaller * smaller)
            if chosen < 0 or room < least:
                least = room
                chosen, other = (job, beside) if forth <= back else (beside, job)
    return chosen, other


def widest_window(rules: Rules, first: Numbers, last: Numbers) -> tuple[int, int]:
    """Return the job with the greatest product of energy and windows, and its modes; -1 if all starts are known."""
    chosen, modes, most = -1, 0, 0.0
    for job in range(len(first)):
        start, _, last_start, energy = summary(rules, first, last, job)
        count = 0
        for mode in range(first.shape[1]):
            if first[job, mode] <= last[job, mode]:
                count += 1
        size = (last_start - start + (count > 1)) * float(energy)
        if size > most:
            chosen, modes, most = job, count, size
    return chosen, modes


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


def branch(rules: Rules, rows: Rows, row: int, log: Numbers, length: Numbers) -> bool:
    """Branch on an order, or on modes, or on a window; return False if every start is known."""
    first, last = rows.first[row], rows.last[row]
    job, other = tightest_pair(rules, rows, row)
    if job >= 0:
        write_entry(log, length, FIRST, job, other, -1, -1, -1)
        branch_on_order(rows, row, job, other)
        return True
    job, modes = widest_window(rules, first, last)
    if job < 0:
        return False
    start, _, last_start, _ = summary(rules, first, last, job)
    if modes > 1 and last_start - start <= 2:
        mode, left = -1, (modes + 1) // 2
        while left > 0:
            mode += 1
            left -= first[job, mode] <= last[job, mode]
        write_entry(log, length, MODES, job, mode, -1, -1, -1)
        branch_on_modes(rows, row, job, mode)
        return True
    start, _, last_start, _ = summary(rules, first, last, job)
    middle = (start + last_start) // 2
    write_entry(log, length, EARLY, job, middle, -1, -1, -1)
    branch_on_starts(rows, row, job, middle)
    return True


@short_kernel
def search(rules: Rules, rows: Rows, work: Work, nodes: int, log: Numbers, length: Numbers, state: Numbers) -> int:
    """Search `nodes` more rows, or until the log is half full: refuted, at a leaf, or undecided yet.

    `state` is (row, rows closed or branched so far), kept between calls. At a leaf, weightings and conflicts may be
    added to the rules; its row is then looked at again.
    """
    for _ in range(nodes):
        row = state[0]
        if 2 * length[0] > len(log):
            return UNDECIDED
        if is_closed(rules, rows, row, work, log, length):
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
