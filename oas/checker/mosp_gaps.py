"""The bound of the gaps between reservations, for one cluster. Its certificate is ``{}``.

Let q be more than half of the processors. Jobs of width q or more exclude one another, and where a reservation leaves
fewer than q free none of them runs: each runs within one gap, a longest interval with q free. What the jobs of a gap
last together is a sum of their times, so at most the largest such sum that is no more than its length; and of jobs that
last d or more at most ⌊length / d⌋ find a place in it. The same holds of the jobs released from any moment on, in what
is left of the gaps from there.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from oas.checker.mosp_free import free_gaps, free_timelines, spread_out
from oas.checker.mosp_instance import MospInstance

MAX_GAP_GROUPS = 400  # widths × releases that are looked at
MAX_GAP_SUM = 1_000_000  # ticks up to which sums of times are listed
MAX_GAP_BITS = 10**11  # ticks × different times × groups up to which they are
MAX_GAP_COUNTS = 50_000_000  # gaps × different times × groups up to which all times are looked at


def mosp_gaps(instance: MospInstance) -> Fraction:
    """Return the greatest bound over widths, releases and times; 0 for several clusters or without jobs so wide."""
    ticks = instance.scaled()
    if ticks.cluster_count != 1:
        return Fraction(0)
    wide = sorted({width for width in ticks.widths if 2 * width > ticks.processors[0]})
    releases = sorted(set(ticks.releases))
    if len(wide) * len(releases) > MAX_GAP_GROUPS:
        releases = [0]
    wide = spread_out(wide, MAX_GAP_GROUPS)
    groups = len(wide) * len(releases)
    (timeline,) = free_timelines(ticks)
    jobs = list(zip(ticks.times, ticks.widths, ticks.releases, strict=True))
    best = 0
    for width in wide:
        gaps = free_gaps(timeline, width)
        for release in releases:
            counts = Counter(time for time, own, date in jobs if own >= width and date >= release)
            begun = [(max(begin, release), end) for begin, end in gaps if end is None or end > release]
            lengths = [(begin, None if end is None else end - begin) for begin, end in begun]
            best = max(best, _end_by_sums(lengths, counts, groups), _end_by_counts(lengths, counts, groups))
    return ticks.to_time(best)


def _end_by_sums(gaps: list[tuple[int, int | None]], counts: Counter[int], groups: int) -> int:
    """Return the first moment by which the gaps, (begin, length), can hold the times of all jobs."""
    total = sum(time * count for time, count in counts.items())
    if not 0 < total <= MAX_GAP_SUM or total * len(counts) * groups > MAX_GAP_BITS:
        return 0
    sums = 1  # bit s: some jobs last s together
    for time, left in counts.items():
        taken = 1
        while left:  # 1, 2, 4, … and the rest of them, of which every number is a sum
            taken = min(taken, left)
            sums |= sums << time * taken
            left -= taken
            taken *= 2
    largest: dict[int, int] = {}
    held = 0
    for begin, length in gaps:
        if length is None:
            most = total
        else:
            length = min(length, total)
            if length not in largest:
                largest[length] = (sums & ((2 << length) - 1)).bit_length() - 1
            most = largest[length]
        if held + most >= total:
            above = sums >> total - held
            return begin + total - held + (above & -above).bit_length() - 1
        held += most
    raise AssertionError("the last gap has no end")


def _end_by_counts(gaps: list[tuple[int, int | None]], counts: Counter[int], groups: int) -> int:
    """Return the first moment by which the gaps can hold as many jobs of each time or more as there are."""
    times = sorted(counts)
    as_long = {}
    number = 0
    for time in reversed(times):
        number += counts[time]
        as_long[time] = number
    best = 0
    for time in spread_out(times, max(2, MAX_GAP_COUNTS // (len(gaps) * groups))):
        left = as_long[time]
        for begin, length in gaps:
            fitting = left if length is None else length // time
            if fitting >= left:
                best = max(best, begin + left * time)
                break
            left -= fitting
    return best
