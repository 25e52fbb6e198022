"""The branchings of the search by windows: the choice of one, and its two branches.

The first branch becomes the next row, the second one stays in the row that is branched.
"""

from __future__ import annotations

from oas.bounds.windows.rules_kernels import NEVER, Numbers, Rows, Rules, are_apart


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
