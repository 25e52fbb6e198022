"""The bound of the gaps: jobs of more than half of a cluster run one after another, each between two reservations.

Let q be more than half of the processors of the only cluster. Jobs of width q or more exclude one another, and where a
reservation leaves fewer than q free none of them runs: each runs within one gap, a longest interval with q free. So
gaps are bins of unequal length. What the jobs of a gap last together is a sum of their times, and at most the largest
such sum that is no more than its length; and of jobs that last d or more at most ⌊length / d⌋ find a place in it. The
same holds of the jobs released from any moment on, in what is left of the gaps from there.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import LowerBound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp

MAX_GROUPS = 400  # widths × releases that are looked at
MAX_SUM = 1_000_000  # ticks up to which sums of times are listed
END = None  # of the last gap

Gap = tuple[int, "int | None"]


def gaps_bound(instance: MospInstance) -> Fraction:
    """Return the greatest bound over widths, releases and times; 0 for several clusters or without jobs so wide."""
    scaled = instance.scaled()
    if scaled.cluster_count != 1:
        return Fraction(0)
    wide = {width for width in scaled.widths if 2 * width > scaled.processors[0]}
    releases = sorted(set(scaled.releases))
    if len(wide) * len(releases) > MAX_GROUPS:
        releases = [0]
    best = 0
    for width in wide:
        gaps = list(_gaps(scaled, width))
        for release in releases:
            times = [
                time
                for time, own, date in zip(scaled.times, scaled.widths, scaled.releases, strict=True)
                if own >= width and date >= release
            ]
            left = [(max(a, release), b) for a, b in gaps if b is END or b > release]
            best = max(best, _by_sums(left, times), _by_counts(left, times))
    return best * scaled.tick


def _gaps(scaled: ScaledMosp, width: int) -> Iterator[Gap]:
    """Yield the longest intervals with so many processors free, ascending; the last has no end."""
    steps = {0: scaled.processors[0]}
    for _, start, end, processors in scaled.reservations:
        steps[start] = steps.get(start, 0) - processors
        steps[end] = steps.get(end, 0) + processors
    free, begun = 0, END
    for moment in sorted(steps):
        free += steps[moment]
        if free >= width and begun is END:
            begun = moment
        elif free < width and begun is not END:
            yield begun, moment
            begun = END
    assert begun is not END  # reservations end, and a job is no wider than the cluster
    yield begun, END


def _by_sums(gaps: Sequence[Gap], times: Sequence[int]) -> int:
    """The first moment by which the gaps hold the times of all jobs, each gap filled by a sum of times at most."""
    left = sum(times)
    if not 0 < left <= MAX_SUM:
        return 0
    sums = 1  # bit s: some jobs last s together
    for time in times:
        sums |= sums << time
    for begin, end in gaps:
        needed = _first_bit(sums, left)
        if end is END or begin + needed <= end:
            return begin + needed
        left -= (sums & ((1 << (end - begin + 1)) - 1)).bit_length() - 1
    raise AssertionError("the last gap has no end")


def _first_bit(sums: int, least: int) -> int:
    """The first sum of at least so much; there is one."""
    above = sums >> least
    return least + (above & -above).bit_length() - 1


def _by_counts(gaps: Sequence[Gap], times: Sequence[int]) -> int:
    """The first moment by which the gaps hold as many jobs of each time or more as there are."""
    best = 0
    for time in set(times):
        left = sum(own >= time for own in times)
        for begin, end in gaps:
            if end is END or begin + left * time <= end:
                best = max(best, begin + left * time)
                break
            left -= (end - begin) // time
    return best


BOUND = LowerBound("gaps", gaps_bound)
