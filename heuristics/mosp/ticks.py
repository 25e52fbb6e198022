"""Jobs, schedules and thresholds in ticks: queue orders, local runs, and cuts at a multiple of a lower bound."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from heuristics.mosp.queueing import Profiles
from heuristics.shared_kernels import NEVER
from oas.core.errors import TooLargeError, within
from oas.core.numbers import parse_fraction
from oas.problems.mosp.local import LOCAL_ORDERS
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


@dataclass(frozen=True)
class TickSchedule:
    """Runs of all jobs of an instance."""

    scaled: ScaledMosp  # the instance in the ticks of the runs
    runs: tuple[ClusterRun, ...]  # by job

    @classmethod
    def of(cls, scaled: ScaledMosp, runs: Iterable[ClusterRun]) -> TickSchedule:
        """Return the schedule of `runs`, given in any order."""
        return cls(scaled, tuple(sorted(runs, key=lambda run: run.job)))

    def end(self, run: ClusterRun) -> int:
        """Return the tick at which `run` ends."""
        return run.start + self.scaled.times[run.job]

    def to_schedule(self, instance: MospInstance, method: str) -> Schedule:
        """Return the schedule with processor numbers, in the instance's time unit."""
        return schedule_from_cluster_runs(instance, self.scaled, self.runs, method)


def local_runs(scaled: ScaledMosp) -> TickSchedule:
    """Return the local schedules of all organizations."""
    return TickSchedule(scaled, tuple(local_run(scaled, job) for job in range(scaled.job_count)))


def local_run(scaled: ScaledMosp, job: int) -> ClusterRun:
    """Return the run of `job` in its organization's local schedule."""
    return ClusterRun(job, scaled.owners[job], scaled.local_starts[job])


class _Shape(NamedTuple):
    """Attributes of a job that queue orders use, in ticks, named as in `RigidJob`."""

    time: int
    processors: int
    release: int


def queue_of(order: str, scaled: ScaledMosp, seed: int = 0) -> list[int]:
    """Return all jobs in one of `LOCAL_ORDERS`; only RND uses `seed`."""
    shapes = map(_Shape, scaled.times, scaled.widths, scaled.releases)
    return LOCAL_ORDERS[order](list(shapes), seed)


def highest_first(scaled: ScaledMosp, jobs: Iterable[int]) -> list[int]:
    """Return `jobs` by HF: most processors first."""
    return sorted(jobs, key=lambda job: (-scaled.widths[job], job))


def smallest_first(scaled: ScaledMosp) -> list[int]:
    """Return the clusters from k = N down to 1 in the MOCCA paper's numbering."""
    return sorted(range(scaled.cluster_count), key=lambda k: -scaled.processors[k])[::-1]


def largest_first(scaled: ScaledMosp) -> list[int]:
    """Return the clusters in the MOCCA paper's numbering, m_1 ≥ m_2 ≥ … ≥ m_N."""
    return smallest_first(scaled)[::-1]


def mean_load(scaled: ScaledMosp) -> Fraction:
    """Return W / Σ m_k in ticks, the lower bound of the MOLBA paper's section 4."""
    work = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
    return Fraction(work, sum(scaled.processors))


def paper_bound(scaled: ScaledMosp) -> Fraction:
    """Return LB = max(W / Σ m_k, p_max) in ticks, of the MOCCA paper's section 2.2."""
    return max(mean_load(scaled), Fraction(max(scaled.times)))


@dataclass(frozen=True)
class CutInstance:
    """An instance with ticks so fine that a multiple of its lower bound is an integer."""

    scaled: ScaledMosp  # the instance in ticks of tick / (Σ m_k · denominator of the multiple)
    threshold: int  # the multiple of LB
    longest: int  # p_max

    def local_ends(self) -> list[int]:
        """Return the end of each job in its local schedule."""
        return [start + time for start, time in zip(self.scaled.local_starts, self.scaled.times, strict=True)]

    def profiles_with(self, runs: Iterable[ClusterRun]) -> Profiles:
        """Return the clusters with only `runs` on them."""
        scaled = self.scaled
        blocks = [(run.cluster, run.start, run.start + scaled.times[run.job], scaled.widths[run.job]) for run in runs]
        return Profiles(scaled.processors, blocks)


def cut_instance(scaled: ScaledMosp, bound: Fraction, multiple: Fraction) -> CutInstance:
    """Return `scaled` in finer ticks, and `multiple` · `bound` in them; reservations are not supported.

    Raises `TooLargeError` if times reach 2^62 of the finer ticks.
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


def read_cut(text: str) -> Fraction:
    """Return the cut given in a method's name; `InputError` if it is not a number."""
    with within("heuristic"):
        return parse_fraction(text)
