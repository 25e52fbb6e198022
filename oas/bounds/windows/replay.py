"""The check of a log without any search: its entries are applied to the rows, as far as the rules allow them."""

from __future__ import annotations

from typing import Any

from oas.bounds.windows.branching_kernels import branch_on_modes, branch_on_order, branch_on_starts
from oas.bounds.windows.rules_kernels import (
    CLOSED,
    CONFLICT,
    EARLY,
    ENERGY,
    FIRST,
    MODES,
    ORDER,
    Rows,
    Rules,
    apply_conflict,
    are_apart,
    has_mode,
    is_overloaded,
    narrow_by_energy,
    narrow_by_order,
)
from oas.core.compiling import kernel

REFUTED, WRONG, TOO_SHORT, TOO_DEEP, TOO_LONG = 0, 1, 2, 3, 4  # outcomes


def read_number(log: Any, at: Any) -> int:
    """Read the number at ``at[0]`` and advance; -1 if the log ends within it, or if it is too large."""
    number, shift = 0, 0
    while at[0] < len(log) and shift < 56:
        byte = int(log[at[0]])
        at[0] += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number
        shift += 7
    return -1


def read_below(log: Any, at: Any, limit: int) -> int:
    """Read a number that must be below `limit`; -1 if it is not."""
    number = read_number(log, at)
    return number if number < limit else -1


@kernel
def walk(rules: Rules, rows: Rows, horizon: int, log: Any, at: Any, entries: int) -> int:
    """Apply the log to the rows, beginning with row 0; return the outcome.

    Parameters
    ----------
    horizon
        The makespan that the log refutes.
    at
        [1]: the position in the log, 0 at the beginning.
    entries
        Maximum number of entries that are read.
    """
    jobs, modes = rules.times.shape
    for job in range(jobs):
        if not has_mode(rows.first[0], rows.last[0], job):
            return REFUTED if len(log) == 0 else WRONG
    row = 0
    while at[0] < len(log):
        entries -= 1
        if entries < 0:
            return TOO_LONG
        first, last = rows.first[row], rows.last[row]
        code = read_number(log, at)
        closed = False
        if code in (CLOSED, ENERGY):
            one, begin, end = (
                read_below(log, at, rules.sizes[0]),
                read_below(log, at, horizon + 1),
                read_below(log, at, horizon + 1),
            )
            if one < 0 or begin < 0 or end <= begin:
                return WRONG
            if code == CLOSED:
                if not is_overloaded(rules, first, last, one, begin, end):
                    return WRONG
                closed = True
            else:
                job, mode = read_below(log, at, jobs), read_below(log, at, modes)
                if job < 0 or mode < 0:
                    return WRONG
                narrow_by_energy(rules, first, last, one, begin, end, job, mode)
                closed = not has_mode(first, last, job)
        elif code == ORDER:
            job, mode, other = read_below(log, at, jobs), read_below(log, at, modes), read_below(log, at, jobs)
            if job < 0 or mode < 0 or other < 0 or other == job:
                return WRONG
            narrow_by_order(rules, rows, row, job, mode, other)
            closed = not has_mode(first, last, job)
        elif code == CONFLICT:
            one = read_below(log, at, rules.sizes[1])
            if one < 0:
                return WRONG
            closed = apply_conflict(rules, rows, row, one) < 0
        elif code in (FIRST, EARLY, MODES):
            job, value = read_below(log, at, jobs), read_number(log, at)
            if job < 0 or value < 0:
                return WRONG
            if row + 1 == len(rows.first):
                return TOO_DEEP
            if code == FIRST:
                if value >= jobs or value == job or not are_apart(rules, rows, row, job, value):
                    return WRONG
                branch_on_order(rows, row, job, value)
            elif code == EARLY:
                branch_on_starts(rows, row, job, value)
            else:
                branch_on_modes(rows, row, job, value)
            row += 1
        else:
            return WRONG
        if closed:
            row -= 1
            if row < 0:
                return REFUTED if at[0] == len(log) else WRONG
    return TOO_SHORT
