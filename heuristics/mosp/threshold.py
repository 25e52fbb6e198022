"""A lower bound, a multiple of it as a threshold, and what of the local schedules stays before it, in integers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.capacity.kernels import NEVER
from heuristics.mosp.capacity.profile import Profiles
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.problems.mosp.runs import ClusterRun
    from oas.problems.mosp.ticks import ScaledMosp


def mean_load(scaled: ScaledMosp) -> Fraction:
    """W / Σ m_k in ticks, the lower bound of the MOLBA paper's section 4."""
    work = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return Fraction(work, sum(scaled.processors))


def paper_bound(scaled: ScaledMosp) -> Fraction:
    """LB = max(W / Σ m_k, p_max) in ticks, of the MOCCA paper's section 2.2."""
    return max(mean_load(scaled), Fraction(max(scaled.times)))


@dataclass(frozen=True)
class CutInstance:
    """An instance whose ticks are so fine that a multiple of its lower bound is a whole number of them.

    Attributes
    ----------
    scaled
        The instance in ticks of tick / (Σ m_k · denominator of the multiple).
    threshold
        The multiple of LB.
    longest
        p_max.
    """

    scaled: ScaledMosp
    threshold: int
    longest: int

    def local_ends(self) -> list[int]:
        """End of each job in its local schedule."""
        return [start + time for start, time in zip(self.scaled.local_starts, self.scaled.times, strict=True)]

    def profiles_with(self, runs: Iterable[ClusterRun], compiled: bool | None = None) -> Profiles:
        """Return the clusters with `runs` on them and room for all other jobs."""
        scaled = self.scaled
        blocks = [(run.cluster, run.start, run.start + scaled.times[run.job], scaled.widths[run.job]) for run in runs]
        return Profiles(scaled.processors, scaled.job_count + scaled.cluster_count, blocks, compiled)


def cut_instance(scaled: ScaledMosp, bound: Fraction, multiple: Fraction) -> CutInstance:
    """Return `scaled` in finer ticks, and `multiple` · `bound` in them; there must be no reservations.

    Raises
    ------
    TooLargeError
        If times come near 2^62 of the finer ticks.
    """
    threshold = bound * multiple
    finer = threshold.denominator
    if threshold.numerator + (sum(scaled.times) + max(scaled.local_starts)) * finer >= NEVER:
        raise TooLargeError(
            f"times reach 2^62 of the 1/{finer} ticks that the threshold needs; coarser times are needed"
        )
    return CutInstance(
        replace(
            scaled,
            tick=scaled.tick / finer,
            times=tuple(time * finer for time in scaled.times),
            releases=tuple(release * finer for release in scaled.releases),
            local_starts=tuple(start * finer for start in scaled.local_starts),
            deadlines=tuple(None if moment is None else moment * finer for moment in scaled.deadlines),
        ),
        threshold.numerator,
        max(scaled.times) * finer,
    )
