"""Comparisons of heuristics with the optimum on several instances."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Any, Unpack

from oas.core.errors import InputError, within
from oas.core.formats import attributes, call_by_path
from oas.core.instances import check_instance
from oas.core.result import Termination
from oas.solving.comparison import EXACT, Comparison, compare
from oas.solving.study import PointStudy, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    import pandas

    from oas.core.instances import Instance
    from oas.solving.comparison import CompareOptions, ComparisonRow


@dataclass(frozen=True)
class MethodSummary:
    """Results of a method on several instances."""

    method: str
    schedules: int  #: number of feasible schedules
    optimal: int  #: number of schedules that are proven to be optimal
    gaps: tuple[Fraction, ...]  #: makespan / optimum − 1 of each schedule; / lower bound − 1 if no optimum is proven
    seconds: float  #: mean wall time without second opinions; NaN if the method never ran
    check_seconds: float | None = None  #: mean wall time of second opinions; None if there were none

    @property
    def mean_gap(self) -> Fraction | None:
        """Mean of the gaps; None without a schedule."""
        return mean(self.gaps) if self.gaps else None

    @property
    def worst_gap(self) -> Fraction | None:
        """Greatest gap; None without a schedule."""
        return max(self.gaps, default=None)


@dataclass(frozen=True, repr=False)
class ComparisonSet(PointStudy[Comparison]):
    """Comparisons on several instances of one problem: a sequence of `oas.solving.comparison.Comparison`."""

    DISPLAY = "oas.show.comparison:comparison_set_parts"
    POINTS = "comparisons"

    comparisons: tuple[Comparison, ...]
    skipped: int = 0  #: number of instances that were not compared, after Ctrl-C

    @property
    def proven(self) -> bool:
        """Whether every optimum is proven."""
        return all(comparison.proven for comparison in self.comparisons)

    @property
    def methods(self) -> tuple[MethodSummary, ...]:
        """The exact method, then the heuristics by mean gap."""
        rows: dict[str, list[ComparisonRow]] = {}
        for comparison in self.comparisons:
            for row in comparison.rows:
                rows.setdefault(row.method, []).append(row)
        summaries = [_summary(method, its_rows) for method, its_rows in rows.items()]
        return tuple(sorted(summaries, key=lambda row: (row.method != EXACT, row.mean_gap is None, row.mean_gap or 0)))

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each instance and method: the name ``instance``, then as `Comparison.to_frame`."""
        import pandas

        frames = [comparison.to_frame() for comparison in self.comparisons]
        for comparison, frame in zip(self.comparisons, frames, strict=True):
            frame.insert(0, "instance", comparison.instance.name or comparison.instance.digest[:12])
        return pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame()

    def summary(self) -> pandas.DataFrame:
        """Return one row for each method.

        Columns: schedules, optimal, mean_gap, worst_gap (ratios), seconds (mean), and check_seconds (mean wall time of
        second opinions, which seconds do not include).
        """
        names = ("method", "schedules", "optimal", "mean_gap", "worst_gap", "seconds", "check_seconds")
        return frame_of(attributes(summary, *names) for summary in self.methods).set_index("method")

    def plot(self) -> Any:
        """Return a figure with the gaps of each heuristic."""
        return call_by_path("oas.show.pictures:comparison_set_figure", self)


def _summary(method: str, rows: list[ComparisonRow]) -> MethodSummary:
    times = [row.seconds for row in rows if row.seconds is not None]
    optimal = sum(row.gap == 0 for row in rows)
    gaps = tuple(row.gap for row in rows if row.gap is not None)
    schedules = sum(row.schedule is not None for row in rows)
    checks = [row.check_seconds for row in rows if row.check_seconds is not None]
    return MethodSummary(
        method, schedules, optimal, gaps, mean(times) if times else float("nan"), mean(checks) if checks else None
    )


def compare_all(instances: Iterable[Instance], **options: Unpack[CompareOptions]) -> ComparisonSet:
    """Compare on each of several instances; `options` are those of `compare`.

    Raises `InputError` for an empty sequence, or instances of different problems.
    """
    given = list(instances)
    if not given:
        raise InputError("at least one is needed", field="instances")
    for number, instance in enumerate(given):
        with within(f"instances[{number}]"):
            check_instance(instance)
            if instance.problem is not given[0].problem:
                raise InputError("must be that of the first instance", field="problem", value=instance.problem.name)
    comparisons: list[Comparison] = []
    for instance in given:
        comparisons.append(compare(instance, **options))
        if comparisons[-1].result.termination is Termination.INTERRUPTED:
            break
    return ComparisonSet(tuple(comparisons), len(given) - len(comparisons))
