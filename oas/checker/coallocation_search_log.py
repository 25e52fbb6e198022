"""The bound *search log* of co-allocation: a complete search that has refuted a makespan, walked again by its log.

**Theorem.** If every branch of the search tree for schedules of at most C ticks, the field ``makespan``, is closed by
one of four rules, then no schedule ends by C, and C + 1 ticks is a lower bound.

**The tree.** A schedule of at most C with the least sum of starts begins each job at 0 or when another ends. A row is a
moment with the jobs that have begun so far; the rows below it begin one more job at that moment, in the log's order of
jobs, or go on to the next end. One job is ``mirrored``: its middle is in the first half, since a schedule read
backwards is one too. Where nodes are not decided (``placed`` is false), jobs run together if nested capacities allow it
and no two are ``apart``: each schedule is among these.

**Proof.** *Weights:* C ticks hold at most C·M; the jobs bring at least Σ_j min_l ticks·w. The difference may be wasted,
by jobs at dearer levels and by moments that weigh less than M; what a path has wasted never shrinks. *Late:* a waiting
job would end after C even at its fastest. *Did fit just before,* and *seen:* a row with the same jobs waiting, the same
running with the same time left, level and nodes has been left, at no later time. If a branch were closed wrongly, take
the first such branch left, and its schedule with the least sum of starts. Moved to the earlier moment, or to the row
seen, it is a schedule of a branch that was left before, or one of this branch with a lesser sum: neither can be.

The package `oas.bounds.coallocation.search_log` describes the fields and each byte.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_log_rules import LogRules
from oas.checker.coallocation_log_walk import LogWalk
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.packed_bytes import unpacked_bytes
from oas.checker.reading import fields_of

LOG_FIELDS = ("version", "makespan", "placed", "order", "mirrored", "weights", "apart", "codes", "seen")
MOST_LOG_BYTES, MOST_SEEN_BYTES = 2**26, 2**22  # of a log, and of the moments that it refers to
MOST_LOG_STATE_WORDS = 2**25  # of all states that are referred to
LOG_STEPS = 20_000_000  # a quarter of a minute: as long as a log of a complete search over eight jobs may take


def check_coallocation_search_log(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if its log refutes nothing.

    Raises
    ------
    Refused
        If it is malformed, what it names does not hold, or checking it would take too long.
    """
    fields = fields_of(certificate, "certificate", *LOG_FIELDS)
    if type(fields["version"]) is not int or fields["version"] != 1:
        raise refused("certificate.version", "must be 1", fields["version"])
    codes = unpacked_bytes(fields["codes"], "certificate.codes", MOST_LOG_BYTES)
    seen = _read_moments(unpacked_bytes(fields["seen"], "certificate.seen", MOST_SEEN_BYTES))
    scaled, effort = instance.scaled(), Effort(LOG_STEPS)
    rules = LogRules(scaled, fields, effort)
    if any(budget < 0 for budget in rules.budget):  # not even a schedule without waste is so short
        refuted = not codes
    else:
        _check_moments(rules, seen, len(codes))
        refuted = LogWalk(rules, codes, seen, effort).refutes()
    return scaled.to_time(rules.horizon + 1) if refuted else Fraction(0)


def _read_moments(data: bytes) -> array[int]:
    """Return ascending numbers, written as distances in numbers of seven bits a byte, lowest first, 128 added to go on.

    Raises
    ------
    Refused
        If they are no such numbers, or too many.
    """
    found = array("q")
    number = rest = shift = 0
    for byte in data:
        rest |= (byte & 127) << shift
        shift += 7
        if shift > 35:
            raise refused("certificate.seen", "must hold numbers below 2^35")
        if byte < 128:
            if len(found) == MOST_LOG_STATE_WORDS or (found and not rest):
                raise refused("certificate.seen", "must hold ascending numbers, and not too many")
            number += rest
            found.append(number)
            rest = shift = 0
    if shift:
        raise refused("certificate.seen", "the last number is not complete")
    return found


def _check_moments(rules: LogRules, seen: Sequence[int], codes: int) -> None:
    """Refuse a log that refers to moments beyond its end, or to more than fit in memory."""
    left, running = rules.room[-1], 0  # so many jobs run at a time at most
    for tasks in sorted(rules.tasks):
        left -= tasks
        running += left >= 0
    words = (len(rules.tasks) + 59) // 60 + running * (2 + (len(rules.classes) + 3) // 4)
    if seen and (seen[-1] >= codes or len(seen) * words > MOST_LOG_STATE_WORDS):
        raise refused("certificate.seen", f"{len(seen):,} moments are too many, or are not in the log")
