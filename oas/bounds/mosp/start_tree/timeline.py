"""One cluster in whole units of time until a horizon: free processors, and where each job may start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

MAX_HORIZON = 20_000
MAX_PROCESSORS = 1_000_000


@dataclass(frozen=True)
class Timeline:
    """The cluster of an instance that has one, and a makespan that is asked for.

    A *unit* is the common divisor of all times, releases and reservations: some optimal schedule starts every job at a
    multiple of it.

    Attributes
    ----------
    scaled
        The instance, one tick a unit.
    horizon
        The makespan, in units.
    mirrored
        Whether time runs backwards: a schedule that ends by the horizon is one read from there.
    """

    scaled: ScaledMosp
    horizon: int
    mirrored: bool = False

    @classmethod
    def of(cls, scaled: ScaledMosp, horizon: int, *, mirrored: bool = False) -> Timeline:
        """Make the timeline of an instance whose ticks are units (`coarsened`).

        Raises
        ------
        TooLargeError
            If there is more than one cluster, or horizon or processors are too many to be listed.
        """
        if scaled.cluster_count != 1:
            raise TooLargeError(f"{scaled.cluster_count:,} clusters; only one can be weighed moment by moment")
        if horizon > MAX_HORIZON or scaled.processors[0] > MAX_PROCESSORS:
            raise TooLargeError(
                f"{horizon:,} units of time, {scaled.processors[0]:,} processors; at most {MAX_HORIZON:,} and "
                f"{MAX_PROCESSORS:,} can be listed"
            )
        return cls(scaled, horizon, mirrored)

    @cached_property
    def free(self) -> Any:
        """Processors that reservations leave free in each unit, and 0 at the horizon: int64, horizon + 1 of them."""
        change = np.zeros(self.horizon + 1, dtype=np.int64)
        change[0] = self.scaled.processors[0]
        for _, start, end, processors in self.scaled.reservations:
            change[min(start, self.horizon)] -= processors
            change[min(end, self.horizon)] += processors
        free = np.cumsum(change)
        free[-1] = 0
        if self.mirrored:
            free[:-1] = free[-2::-1]
        return free

    @cached_property
    def releases(self) -> tuple[int, ...]:
        """The unit from which on each job may run."""
        return (0,) * self.scaled.job_count if self.mirrored else self.scaled.releases

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The unit by which each job must have ended."""
        if self.mirrored:
            return tuple(self.horizon - release for release in self.scaled.releases)
        return (self.horizon,) * self.scaled.job_count

    def starts(self, job: int) -> Any:
        """Return where `job` may start beside the reservations, to run within its own time; ascending."""
        time, first, last = self.scaled.times[job], self.releases[job], self.ends[job] - self.scaled.times[job]
        if last < first:
            return np.zeros(0, dtype=np.int64)
        narrow = np.concatenate(([0], np.cumsum(self.free[:-1] < self.scaled.widths[job])))
        return np.flatnonzero(narrow[first + time : last + time + 1] == narrow[first : last + 1]) + first

    def room(self, weights: Sequence[int]) -> Any:
        """Return what jobs that run at once weigh at most in each unit, and 0 at the horizon.

        Parameters
        ----------
        weights
            Of each job, at least 0.
        """
        most = heaviest_by_capacity(weights, self.scaled.widths, self.scaled.processors[0])
        return np.array(most)[self.free]
