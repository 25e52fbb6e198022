"""Sets of jobs that can run at the same moment on a cluster, as the weight rows of a MOSP model need them."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from oas.mosp.bounds.knapsack import heaviest_sets
from oas.mosp.models.reductions import free_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.models.start_indexed import MospStartSpec

MAX_CELLS = 2_000_000  # jobs times processors; beyond it the maximum weight is that of all jobs


class MospSets:
    """The items are the jobs, the places are the clusters, and the kinds are the numbers of free processors.

    Jobs can run at the same moment if they fit on the processors that the reservations leave.
    """

    def __init__(self, spec: MospStartSpec) -> None:
        self.items, self._widths, self._unit = spec.scaled.job_count, spec.units, gcd(*spec.scaled.widths)
        self.places = [
            [(moment, free_at(profile, moment)) for moment in moments]
            for profile, moments in zip(spec.profiles, spec.moments, strict=True)
        ]

    def item(self, job: int, choice: int) -> tuple[int, int]:
        return choice, job

    def heaviest(self, weights: Sequence[int], kind: int, floor: int) -> tuple[int, list[tuple[int, ...]]]:
        room = kind // self._unit
        if self.items * room > MAX_CELLS:
            return max(floor, sum(weights)), []
        ((most, jobs),) = heaviest_sets(weights, self._widths, [room])
        return max(floor, most), [jobs] if most > floor else []
