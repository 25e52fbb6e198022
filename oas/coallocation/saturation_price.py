"""The price of forbidding saturation: the optimum under ``forbid`` over that under ``slowdown``, at each threshold.

A schedule that is feasible under one policy has the same ends under every policy that permits more. Therefore the
optimum grows with the threshold; it equals that of ``forbid`` at threshold 1, and is smallest without a threshold.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack, cast

from oas.coallocation.saturation import PLAIN, Saturation
from oas.core.errors import InfeasibleError, InputError, LongTimesError
from oas.core.formats import attributes
from oas.core.instances import check_problem
from oas.core.numbers import exact
from oas.core.registry import COALLOCATION, SLOWDOWN
from oas.core.result import Status
from oas.core.verifier import verify
from oas.solving.methods import toolkit_methods
from oas.solving.options import check_names
from oas.solving.start import candidates
from oas.solving.study import Interval, Optimum, PointStudy, RelaxationSeries, frame_of, interval_columns, ratio_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas
    from matplotlib.figure import Figure

    from oas.coallocation.instance import CoallocationInstance
    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.solving.options import SolveOptions


DEFAULT_THRESHOLDS: tuple[Exact | None, ...] = (1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), None)


@dataclass(frozen=True)
class SaturationPoint:
    """The optimum under one saturation policy, as far as it is known."""

    saturation: Saturation  #: the policy
    #: the optimum, or bounds on it. Its `result` is None if the results for other policies suffice, or after Ctrl-C.
    optimum: Optimum
    schedule: Schedule | None  #: the shortest known schedule, verified under this policy; None without one
    bound_from: Saturation  #: the policy under which the lower bound was proven: this one, or one that permits more
    heuristic: str = ""  #: name of the heuristic with the shortest schedule; empty if none has a schedule
    #: makespan of that schedule, in the time unit of the instance; None if none has a schedule
    heuristic_makespan: Fraction | None = None
    #: the optimum under ``forbid`` / the optimum here: an interval of at least 1, exact if both are proven; None if one
    #: of them has no schedule
    ratio: Interval | None = None

    @property
    def threshold(self) -> Fraction | None:
        """The threshold of the policy; None without one."""
        return self.saturation.threshold

    @property
    def result(self) -> Result | None:
        """The result of the solve under this policy; None if it was not solved."""
        return self.optimum.result

    @property
    def makespan(self) -> Fraction | None:
        """The makespan of `schedule`, in the time unit of the instance."""
        return self.optimum.makespan

    @property
    def lower_bound(self) -> Fraction:
        """Proven lower bound on the makespan, in the instance's time unit."""
        return self.optimum.lower_bound

    @property
    def status(self) -> Status:
        """``infeasible`` if some job can never run under this policy, otherwise the status of the optimum."""
        if self.result is not None and self.result.status is Status.INFEASIBLE:
            return Status.INFEASIBLE
        return self.optimum.status

    @property
    def proof(self) -> str:
        """The basis of the lower bound, as text; empty for none."""
        if self.bound_from != self.saturation:
            return f"the one under {self.bound_from}"
        return str(self.optimum.proof or "")


@dataclass(frozen=True, repr=False)
class SaturationPrice(PointStudy[SaturationPoint]):
    """The result of `price_of_saturation`: a sequence of points under ``slowdown``."""

    DISPLAY = "oas.coallocation.tables:price_parts"

    instance: CoallocationInstance  #: as given
    forbid: SaturationPoint  #: the optimum without saturation
    #: one for each threshold in descending order; the point without a threshold is last
    points: tuple[SaturationPoint, ...]
    interrupted: bool = False  #: whether Ctrl-C ended the study: the remaining optima are bounded only

    @property
    def results(self) -> tuple[Result, ...]:
        """All solves."""
        return tuple(point.result for point in (self.forbid, *self.points) if point.result is not None)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per policy, ``forbid`` first.

        Columns: policy, threshold (NaN for none), sharing, makespan and lower_bound (in the instance's time unit),
        status, ratio_low and ratio_high (the optimum under forbid / this one), heuristic, heuristic_makespan, proof,
        seconds (wall time of the solve under this policy). Numbers are floats, NaN for missing values.
        """
        return frame_of(
            {
                **attributes(point.saturation, "policy", "threshold", "sharing"),
                **attributes(point, "makespan", "lower_bound", "status"),
                **interval_columns("ratio", point.ratio),
                **attributes(point, "heuristic", "heuristic_makespan", "proof"),
                "seconds": 0.0 if point.result is None else point.result.solve_seconds or 0.0,
            }
            for point in (self.forbid, *self.points)
        )

    def plot(self, *, heading: str | None = None, unit: str = "") -> Figure:
        """Draw ratios and makespans over the thresholds; see `oas.plots.saturation_price_chart`."""
        from oas.coallocation.plots.study_charts import saturation_price_chart

        words = f"{self.instance.name}: what forbidding saturation costs".removeprefix(": ")
        return saturation_price_chart(
            self.forbid, self.points, heading=words if heading is None else heading, unit=unit
        )


def price_of_saturation(
    instance: Instance,
    thresholds: Iterable[Exact | None] = DEFAULT_THRESHOLDS,
    *,
    sharing: str | None = None,
    **solve_options: Unpack[SolveOptions],
) -> SaturationPrice:
    """Return the price of forbidding saturated links: the optimum under ``forbid`` over that under ``slowdown``.

    Ctrl-C keeps the optima found so far; an open price is an interval.

    Parameters
    ----------
    instance
        An instance of co-allocation; its own policy is ignored.
    thresholds
        Thresholds of slowdown, each above 0 and at most 1; None for no threshold. Duplicates are ignored.
    sharing
        Sharing of slowdown: ``paper`` or ``max-min``. None: the instance's own, ``paper`` if it forbids saturation.
    **solve_options
        As `oas.solve` takes them; `time_limit` is for all solves together, the heuristics included; each solve has an
        equal share of the remaining time. `start` is used under all policies for which it is feasible.

    Raises
    ------
    InputError
        If the instance is of another problem, a threshold, the sharing or an option is invalid, or `start` is feasible
        under none of the policies.
    SolverError
        If results under two policies contradict one another.
    """
    check_problem(instance, COALLOCATION, "only instances of co-allocation have links to saturate")
    check_names(solve_options)
    base = cast("CoallocationInstance", instance)
    shared = base.saturation.sharing if sharing is None else sharing
    given = (None if threshold is None else exact(threshold, "thresholds") for threshold in thresholds)
    policies = sorted({Saturation(SLOWDOWN, threshold, shared) for threshold in given}, key=_permissions)
    if not policies:
        raise InputError("at least one is needed", field="thresholds")
    policies = [PLAIN, *policies]  # each at least as permissive as those before it
    instances = {policy: base.with_saturation(policy) for policy in policies}
    series = RelaxationSeries(instances, lambda one, other: _permissions(one) >= _permissions(other), solve_options)
    _use_start(series)
    heuristics: dict[Saturation, Schedule] = {}
    order = list(dict.fromkeys((PLAIN, policies[-1], *policies)))
    with series.interruptible():
        for place, policy in enumerate(order):
            schedules = _heuristic_schedules(instances[policy], series.options.get("seed", 0))
            feasible = [schedule for schedule in schedules.values() if schedule is not None]
            if feasible:
                heuristics[policy] = min(feasible, key=lambda schedule: schedule.makespan)
                series.learn_schedule(policy, heuristics[policy])
            stage = f"{policy} ({place + 1} of {len(order)})"
            series.solve_open(policy, stage, len(order) - place, schedules=schedules)
            if series.interrupted:
                break
    forbid = series.optimum(PLAIN)
    points = [
        SaturationPoint(
            saturation=policy,
            optimum=series.optimum(policy),
            schedule=series.schedules.get(policy),
            bound_from=series.bounds[policy][1],
            heuristic=heuristics[policy].method if policy in heuristics else "",
            heuristic_makespan=heuristics[policy].makespan if policy in heuristics else None,
            ratio=_ratio(forbid, series.optimum(policy), same=_permissions(policy) == _permissions(PLAIN)),
        )
        for policy in policies
    ]
    return SaturationPrice(base, points[0], tuple(points[1:]), series.interrupted)


def _permissions(policy: Saturation) -> Fraction:
    """Return a number that grows with the permissions of a policy: -1 for forbid and threshold 1, 0 for no limit."""
    if not policy.slows:
        return Fraction(-1)
    return Fraction(0) if policy.threshold is None else -policy.threshold


def _use_start(series: RelaxationSeries[Saturation]) -> None:
    """Use the schedule given as a start under all policies for which it is feasible."""
    if series.start is None:
        return
    for policy, instance in series.instances.items():
        violations = verify(instance, series.start)
        if not violations:
            series.learn_schedule(policy, series.start)
            return
    raise InputError(f"the schedule is feasible under none of the policies: {violations[0]}", field="start")


def _heuristic_schedules(instance: CoallocationInstance, seed: int) -> dict[str, Schedule | None]:
    """Return the schedules of the toolkit's heuristics; None if a job can never run or exact times are too long."""
    schedules: dict[str, Schedule | None] = dict.fromkeys(
        method.name for method in toolkit_methods(instance.problem, instance.variant)
    )
    with suppress(InfeasibleError, LongTimesError):
        for candidate in candidates(instance, seed):
            feasible = not verify(instance, candidate.schedule)
            schedules[candidate.method] = candidate.schedule if feasible else None
    return schedules


def _ratio(forbid: Optimum, optimum: Optimum, *, same: bool) -> Interval | None:
    """Return the ratio of two optima as an interval; exactly 1 if their policies permit the `same`."""
    ratio = ratio_of(forbid, optimum)
    return Interval(Fraction(1), Fraction(1)) if same and ratio is not None else ratio
