"""Rows for float solvers that tell uses that just fit a capacity from uses that just do not.

A solver works to about 10⁻⁶. If the uses of some jobs together are closer than that to a capacity, it may accept a set
of jobs that does not fit, or cut off one that does. The capacity is then raised slightly, so that no sum of uses is
near, and *cover* rows with coefficients 0 and 1 exclude the sets between the two capacities. For sets of jobs both
together allow exactly what the row allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Uses of jobs as (job, least use); the jobs do not fit together with these uses, or greater ones.
Cover = tuple[tuple[int, int], ...]

LARGEST_SEPARATE = 2**17  # capacity up to which a solver tells integers apart
MARGIN = Fraction(1, 2**15)  # distance of every other sum of uses from the raised capacity, relative to the capacity
BUCKETS = 2**20  # resolution of the sets of sums that guide the search for covers
MAX_STEPS = 50_000  # of this search
MAX_COVERS = 5_000


@dataclass(frozen=True)
class CapacityRow:
    """The row Σ use ≤ capacity, and the covers that it does not exclude."""

    capacity: int
    covers: tuple[Cover, ...] = ()

    def lifted(self, most: Sequence[int]) -> list[tuple[dict[int, int], int]]:
        """Return a row for each cover, without repetitions: least use by job, and how many of these jobs may run.

        In addition to the jobs of the cover, it counts those that can use at least as much as the greatest of them.
        `most`: the greatest use of each job.
        """
        rows: dict[tuple[tuple[int, int], ...], int] = {}
        for cover in self.covers:
            greatest = max(use for _, use in cover)
            least = {job: greatest for job, use in enumerate(most) if use >= greatest} | dict(cover)
            key = tuple(sorted(least.items()))
            rows[key] = min(len(cover) - 1, rows.get(key, len(cover)))
        return [(dict(key), count) for key, count in rows.items()]


def capacity_row(
    capacity: int, uses: Sequence[Iterable[int | tuple[int, int]]], places: int | None = None
) -> CapacityRow:
    """Return rows that allow exactly the sets of jobs whose uses fit into `capacity`.

    Parameters
    ----------
    capacity
        At least 0.
    uses
        The uses from which each job takes at most one: integers, or pairs of a use and the places that it needs.
    places
        The places that jobs of a set have together, if another row of the model limits them; None for no limit.

    If too many sets of jobs use nearly the whole capacity, the row alone is returned. Then a solver may accept a set
    that does not fit, which the verifier rejects.
    """
    search = _Covers(capacity, uses, places)
    if capacity <= LARGEST_SEPARATE or search.total <= capacity or not search.near:
        return CapacityRow(capacity)
    covers = search.covers()
    return CapacityRow(capacity) if covers is None else CapacityRow(capacity + int(MARGIN * capacity), covers)


class _Covers:
    """Search for the sets of uses just above a capacity."""

    def __init__(self, capacity: int, uses: Sequence[Iterable[int | tuple[int, int]]], places: int | None) -> None:
        self.capacity, self.places = capacity, places
        options = []
        for job, own in enumerate(uses):
            least: dict[int, int] = {}
            for one in own:
                use, needed = (one, 0) if isinstance(one, int) else one
                if use:
                    least[use] = min(needed, least.get(use, needed))
            if least:
                options.append((job, sorted(least.items(), reverse=True)))
        self.options = sorted(options, key=lambda option: -option[1][0][0])
        self.total = sum(own[0][0] for _, own in self.options)

    @property
    def near(self) -> bool:
        """Whether some sum of uses may be so close to the capacity, above or below, that a solver could err."""
        self._list_sums()
        return self._reaches(0, 0, BUCKETS - int(2 * MARGIN * BUCKETS) - len(self.options))

    def _list_sums(self) -> None:
        """Compute the sums that the uses of jobs from some index on can have, rounded down to buckets, as bits."""
        self.highest = BUCKETS + int(2 * MARGIN * BUCKETS)
        bits = (2 << self.highest) - 1
        self.sums = [1]
        for _, own in reversed(self.options):
            after = reach = self.sums[-1]
            for use, _ in own:
                if (bucket := self._bucket(use)) <= self.highest:
                    reach |= after << bucket
            self.sums.append(reach & bits)
        self.sums.reverse()

    def _bucket(self, use: int) -> int:
        return use * BUCKETS // self.capacity

    def _reaches(self, index: int, bucket: int, lowest: int) -> bool:
        """Return whether jobs from `index` on can bring a sum of buckets to between `lowest` and the highest."""
        low, high = max(0, lowest - bucket), self.highest - bucket
        return high >= 0 and bool((self.sums[index] >> low) & ((2 << (high - low)) - 1))

    def covers(self) -> tuple[Cover, ...] | None:
        """Return covers, one of which is in every set above the capacity that the raised capacity allows.

        None if there are too many of them, or the search takes too many steps.
        """
        lowest = BUCKETS - len(self.options)  # each use loses less than one bucket
        limit = self.capacity + int(2 * MARGIN * self.capacity)  # a larger sum is far above the raised capacity
        found: list[Cover] = []
        # (next option, sum, sum of buckets, places, uses so far)
        stack: list[tuple[int, int, int, int, Cover]] = [(0, 0, 0, 0, ())]
        steps = 0
        while stack:
            steps += 1
            index, total, bucket, places, cover = stack.pop()
            if total > self.capacity:
                found.append(cover)
            elif index < len(self.options) and self._reaches(index, bucket, lowest):
                job, own = self.options[index]
                stack.append((index + 1, total, bucket, places, cover))
                for use, needed in own:
                    if total + use <= limit and (self.places is None or places + needed <= self.places):
                        longer = (*cover, (job, use))
                        stack.append((index + 1, total + use, bucket + self._bucket(use), places + needed, longer))
            if steps > MAX_STEPS or len(found) > MAX_COVERS:
                return None
        return tuple(found)
