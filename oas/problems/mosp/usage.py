"""Processors in use on an organization's cluster over time, and the check of its capacity."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import MAX_DIGITS, common_denominator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from fractions import Fraction

    from oas.problems.mosp.instance import Organization

MAX_UNIT = 10 ** (2 * MAX_DIGITS)


def check_local(organization: Organization, starts: Mapping[str, Fraction]) -> None:
    """Refuse a local schedule that its own cluster cannot run."""
    blocks = [(one.start, one.end, one.processors) for one in organization.reservations]
    for job in organization.jobs:
        if job.id not in starts:
            raise InputError("the job has no local start", field=job.id)
        if starts[job.id] < job.release:
            raise InputError(f"starts before its release at {job.release}", field=job.id, value=str(starts[job.id]))
        blocks.append((starts[job.id], starts[job.id] + job.time, job.processors))
    for moment, usage in usage_over_time(blocks):
        if usage > organization.processors:
            reason = f"{usage} of {organization.processors} processors of {organization.id} are needed at {moment}"
            raise InputError(reason)


def usage_over_time(blocks: Iterable[tuple[Fraction, Fraction, int]]) -> Iterator[tuple[Fraction, int]]:
    """Yield each moment at which a block (start, end, processors) begins or ends, ascending, and what is used then."""
    events = [event for start, end, processors in blocks for event in ((start, processors), (end, -processors))]
    moments = [moment for moment, _ in events]
    unit = common_denominator(moments, MAX_UNIT)
    # Integers are sorted many times faster than fractions; moments without a common unit stay as they are.
    keys = moments if unit > MAX_UNIT else [one.numerator * (unit // one.denominator) for one in moments]
    order = sorted(range(len(events)), key=keys.__getitem__)
    usage = 0
    for place, following in pairwise([*order, -1]):
        usage += events[place][1]
        if following < 0 or keys[following] != keys[place]:
            yield moments[place], usage
