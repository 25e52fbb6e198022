"""The trace of a solve: bound and makespan over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.formats import shown

if TYPE_CHECKING:
    from fractions import Fraction

    import pandas


@dataclass(frozen=True)
class TracePoint:
    """The bound and the makespan known from one moment on.

    Attributes
    ----------
    seconds
        Wall time since the solve began.
    lower_bound, objective
        The best bound and makespan, in the instance's time unit; None where there was none yet.
    """

    seconds: float
    lower_bound: Fraction | None
    objective: Fraction | None


class Trace:
    """A record of how bound and makespan of a solve came together: ``oas.solve(instance, on_progress=trace)``.

    While a solver runs its own untested statements count, so that a value may be taken back. Of `oas.compare` it holds
    the solve of the instance as it is, not the ones at η = 0 and without locality. A trace that is used again begins
    anew.

    Attributes
    ----------
    seconds
        Wall time until the last report.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._points: list[TracePoint] = []

    def __call__(self, seen: Any) -> None:
        """Take note of a progress report, an `oas.exact.progress.SolveProgress`."""
        if seen.part:
            return
        known = (seen.lower_bound, seen.objective)
        if known == (None, None):  # a solve begins
            self._points.clear()
        elif not self._points or known != (self._points[-1].lower_bound, self._points[-1].objective):
            self._points.append(TracePoint(seen.seconds, *known))
        self.seconds = seen.seconds

    @property
    def points(self) -> tuple[TracePoint, ...]:
        """The moments at which bound or makespan changed, in order."""
        return tuple(self._points)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a point: seconds, lower_bound and makespan as floats, NaN where there was none."""
        return shown("frames.trace_frame", self)

    def plot(self, *, title: str = "", unit: str = "") -> Any:
        """Draw bound and makespan over time, as `oas.plots.trace_chart` does.

        Parameters
        ----------
        title
            Above the chart.
        unit
            Name of the instance's time unit, for the axis.

        Returns
        -------
        matplotlib.figure.Figure
            Which a notebook shows and `oas.plots.save_figure` writes.
        """
        return shown("pictures.trace_figure", self, heading=title, unit=unit)

    def __repr__(self) -> str:
        return shown("views.trace_text", self)
