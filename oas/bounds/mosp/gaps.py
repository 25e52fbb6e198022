"""The bound of the gaps: jobs of more than half of a cluster run one after another, each between two reservations.

Let q be more than half of the processors of the only cluster. Jobs of width q or more exclude one another, and where a
reservation leaves fewer than q free none of them runs: each runs within one gap, a longest interval with q free. So
gaps are bins of unequal length. What the jobs of a gap last together is a sum of their times, and at most the largest
such sum that is no more than its length; and of jobs that last d or more at most ⌊length / d⌋ find a place in it. The
same holds of the jobs released from any moment on, in what is left of the gaps from there.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.lower_bound import LowerBound
from oas.bounds.mosp.free_steps import free_steps
from oas.bounds.mosp.volume import CELLS, spread

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

MAX_GROUPS = 400  # widths × releases that are looked at
MAX_SUM = 1_000_000  # ticks up to which sums of times are listed
MAX_BITS = 10**11  # ticks × different times × groups up to which they are
MAX_COUNTS = 50_000_000  # gaps × different times × groups up to which all times are looked at


def gaps_bound(instance: MospInstance) -> Fraction:
    """Return the greatest bound over widths, releases and times; 0 for several clusters or without jobs so wide.

    Of more than can be looked at some are taken: each by itself gives a bound.
    """
    scaled = instance.scaled()
    if scaled.cluster_count != 1:
        return Fraction(0)
    wide = sorted({width for width in scaled.widths if 2 * width > scaled.processors[0]})
    releases = sorted(set(scaled.releases))
    if len(wide) * len(releases) > MAX_GROUPS:
        releases = [0]
    wide = spread(wide, MAX_GROUPS)
    groups = len(wide) * len(releases)
    times, widths, dates = np.array(scaled.times), np.array(scaled.widths), np.array(scaled.releases)
    (steps,) = free_steps(scaled)
    best = 0
    for width in wide:
        begins, ends = steps.intervals(width)
        for release in releases:
            own = np.unique(times[(widths >= width) & (dates >= release)], return_counts=True)
            first = np.searchsorted(ends, release, side="right")
            begun = np.maximum(begins[first:], release)
            lengths = ends[first:-1] - begun[:-1]  # of all but the last, which has no end
            best = max(best, _by_sums(begun, lengths, *own, groups), _by_counts(begun, lengths, *own, groups))
    return best * scaled.tick


def _by_sums(begins: Any, lengths: Any, times: Any, counts: Any, groups: int) -> int:
    """The first moment by which the gaps hold the times of all jobs, each gap filled by a sum of times at most."""
    total = int((times * counts).sum())
    if not 0 < total <= MAX_SUM or total * len(times) * groups > MAX_BITS:
        return 0
    sums = _sums(times.tolist(), counts.tolist())
    longest = min(total, int(lengths.max(initial=0)))
    low = (sums & ((1 << longest + 1) - 1)).to_bytes(longest // 8 + 1, "little")
    attained = np.flatnonzero(np.unpackbits(np.frombuffer(low, dtype=np.uint8), bitorder="little"))
    most = attained[np.searchsorted(attained, lengths, side="right") - 1]
    held = np.append(0, np.cumsum(most))
    last = np.searchsorted(held[1:], total)
    return int(begins[last]) + _first_bit(sums, total - int(held[last]))


def _sums(times: list[int], counts: list[int]) -> int:
    """An integer whose bit s tells whether some jobs last s together; `counts` of them last each of the times."""
    sums = 1
    for time, left in zip(times, counts, strict=True):
        taken = 1
        while left:  # 1, 2, 4, … and the rest of them, of which every number is a sum
            taken = min(taken, left)
            sums |= sums << time * taken
            left -= taken
            taken *= 2
    return sums


def _first_bit(sums: int, least: int) -> int:
    """The first sum of at least so much; there is one."""
    above = sums >> least
    return least + (above & -above).bit_length() - 1


def _by_counts(begins: Any, lengths: Any, times: Any, counts: Any, groups: int) -> int:
    """The first moment by which the gaps hold as many jobs of each time or more as there are."""
    as_long = np.cumsum(counts[::-1])[::-1]
    places = spread(range(len(times)), max(2, MAX_COUNTS // (len(begins) * groups)))
    rows = max(1, CELLS // len(begins))
    best = 0
    for start in range(0, len(places), rows):
        some = places[start : start + rows]
        held = np.zeros((len(some), len(begins)), dtype=np.int64)  # by the gaps before each
        np.cumsum(lengths // times[some, np.newaxis], axis=1, out=held[:, 1:])
        last = np.sum(held[:, 1:] < as_long[some, np.newaxis], axis=1)
        left = as_long[some] - held[np.arange(len(some)), last]
        best = max(best, int(np.max(begins[last] + left * times[some])))
    return best


BOUND = LowerBound("gaps", gaps_bound)
