"""One saturation policy in a study of what forbidding saturation costs, and all of them as a data frame."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.numbers import as_float
from oas.core.result import Status
from oas.studies.slot_sizes.points import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.saturation import Saturation
    from oas.studies.reservations.optimum import Optimum


@dataclass(frozen=True)
class SaturationPoint:
    """The optimum under one saturation policy, as far as it is known.

    Attributes
    ----------
    saturation
        The policy.
    optimum
        The optimum, or bounds on it. Its `result` is None where other policies settle it, or Ctrl-C came first.
    schedule
        The shortest schedule known, verified under this policy; None for none.
    bound_from
        The policy under which the lower bound was proven: this one, or one that allows more.
    heuristic
        Name of the heuristic whose schedule is the shortest; empty if none has one.
    heuristic_makespan
        Its makespan, in the instance's time unit; None if none has one.
    ratio
        The optimum under ``forbid`` / the optimum here: an interval of at least 1, exact where both are proven; None
        where either has no schedule.
    """

    saturation: Saturation
    optimum: Optimum
    schedule: Schedule | None
    bound_from: Saturation
    heuristic: str = ""
    heuristic_makespan: Fraction | None = None
    ratio: Interval | None = None

    @property
    def threshold(self) -> Fraction | None:
        """The policy's threshold; None for none."""
        return self.saturation.threshold

    @property
    def result(self) -> Result | None:
        """Of its own solve; None where there was none."""
        return self.optimum.result

    @property
    def makespan(self) -> Fraction | None:
        """Of `schedule`, in the instance's time unit."""
        return self.optimum.makespan

    @property
    def lower_bound(self) -> Fraction:
        """Proven lower bound on the makespan, in the instance's time unit."""
        return self.optimum.lower_bound

    @property
    def status(self) -> Status:
        """``infeasible`` where some job can never run under this policy, otherwise as the optimum's."""
        if self.result is not None and self.result.status is Status.INFEASIBLE:
            return Status.INFEASIBLE
        return self.optimum.status

    @property
    def proof(self) -> str:
        """What the lower bound rests on, for people; empty for nothing."""
        if self.bound_from != self.saturation:
            return f"the one under {self.bound_from}"
        return str(self.optimum.proof or "")


def ratio_of(forbid: Optimum, slowdown: Optimum) -> Interval | None:
    """Return what is known of the ratio of two optima, of which the first is at least the second.

    Returns
    -------
    Interval
        From 1 or more; None where there is no schedule of either, or no lower bound above 0 of the second.
    """
    if forbid.makespan is None or slowdown.makespan is None or not slowdown.lower_bound:
        return None
    return Interval(max(Fraction(1), forbid.lower_bound / slowdown.makespan), forbid.makespan / slowdown.lower_bound)


def frame_of(points: Iterable[SaturationPoint]) -> pandas.DataFrame:
    """Return one row a policy; columns as `SaturationPrice.to_frame` says."""
    import pandas

    rows = [
        {
            "policy": one.saturation.policy,
            "threshold": as_float(one.threshold),
            "sharing": one.saturation.sharing,
            "makespan": as_float(one.makespan),
            "lower_bound": float(one.lower_bound),
            "status": one.status.value,
            "ratio_low": as_float(None if one.ratio is None else one.ratio.low),
            "ratio_high": as_float(None if one.ratio is None else one.ratio.high),
            "heuristic": one.heuristic,
            "heuristic_makespan": as_float(one.heuristic_makespan),
            "proof": one.proof,
            "seconds": 0.0 if one.result is None else one.result.seconds.get("total", 0.0),
        }
        for one in points
    ]
    return pandas.DataFrame(rows)
