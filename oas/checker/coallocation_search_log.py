"""The bound *search log* of co-allocation: a complete search that has refuted a makespan, walked again by its log.

The format and why each rule is right stand in the documentation of certificates. A log shows that no schedule ends by
its ``makespan``; one tick more is the bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_log_rules import check_log_states, read_log_moments, read_log_rules
from oas.checker.coallocation_log_walk import LogWalk
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.packed_bytes import unpacked_bytes
from oas.checker.reading import fields_of

LOG_FIELDS = ("version", "makespan", "placed", "order", "mirrored", "weights", "apart", "codes", "seen")
MOST_LOG_BYTES, MOST_SEEN_BYTES = 2**26, 2**22  # of a log, and of the moments that it refers to
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
    seen = read_log_moments(unpacked_bytes(fields["seen"], "certificate.seen", MOST_SEEN_BYTES))
    scaled, effort = instance.scaled(), Effort(LOG_STEPS)
    rules = read_log_rules(scaled, fields, effort)
    if any(budget < 0 for budget in rules.budget):  # not even a schedule without waste is so short
        refuted = not codes
    else:
        check_log_states(rules, seen, len(codes))
        refuted = LogWalk(rules, codes, seen, effort).refutes()
    return scaled.to_time(rules.horizon + 1) if refuted else Fraction(0)
