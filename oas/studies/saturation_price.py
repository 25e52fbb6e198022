"""The price of forbidding saturation: the optimum under ``forbid`` over that under ``slowdown``, at each threshold.

A schedule that is feasible under one policy has the same ends under every policy that permits more. Therefore the
optimum grows with the threshold; it equals that of ``forbid`` at threshold 1, and is smallest without a threshold.
Schedules are used for policies that permit more, and lower bounds for those that permit less, before anything is
solved.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack, cast

from heuristics.registry import own_methods
from oas.core.errors import InfeasibleError, InputError, LongTimesError, SolverError
from oas.core.instances import check_problem
from oas.core.numbers import exact
from oas.core.result import Status
from oas.core.verifier import verify
from oas.exact.options import check_names
from oas.exact.start import candidates
from oas.problems.coallocation.saturation import PLAIN, Saturation
from oas.problems.registry import COALLOCATION, SLOWDOWN
from oas.studies.study import (
    LEAST_SECONDS,
    Interval,
    Optimum,
    PointStudy,
    SolveSeries,
    frame_of,
    interval_columns,
    ratio_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas
    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.exact.options import SolveOptions
    from oas.problems.coallocation.instance import CoallocationInstance


DEFAULT_THRESHOLDS: tuple[Exact | None, ...] = (1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), None)


@dataclass(frozen=True)
class SaturationPoint:
    """The optimum under one saturation policy, as far as it is known.

    Attributes
    ----------
    saturation
        The policy.
    optimum
        The optimum, or bounds on it. Its `result` is None if the results for other policies suffice, or after Ctrl-C.
    schedule
        The shortest known schedule, verified under this policy; None without one.
    bound_from
        The policy under which the lower bound was proven: this one, or one that permits more.
    heuristic
        Name of the heuristic with the shortest schedule; empty if none has a schedule.
    heuristic_makespan
        Its makespan, in the time unit of the instance; None if none has a schedule.
    ratio
        The optimum under ``forbid`` / the optimum here: an interval of at least 1, exact if both are proven; None if
        one of them has no schedule.
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
    """The result of `price_of_saturation`: a sequence of points under ``slowdown``.

    Attributes
    ----------
    instance
        As given.
    forbid
        The optimum without saturation.
    points
        One for each threshold in descending order; the point without a threshold is last.
    interrupted
        Whether Ctrl-C ended the study: the remaining optima are bounded only.
    """

    DISPLAY = "oas.show.coallocation:price_parts"

    instance: CoallocationInstance
    forbid: SaturationPoint
    points: tuple[SaturationPoint, ...]
    interrupted: bool = False

    @property
    def results(self) -> tuple[Result, ...]:
        """All solves."""
        return tuple(point.result for point in (self.forbid, *self.points) if point.result is not None)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per policy, ``forbid`` first.

        Columns: policy, threshold (NaN for none), sharing, makespan and lower_bound (in the instance's time unit),
        status, ratio_low and ratio_high (the optimum under forbid / this one), heuristic, heuristic_makespan, proof,
        seconds (wall time of its own solve). Numbers are floats, NaN for missing values.
        """
        return frame_of(
            {
                "policy": one.saturation.policy,
                "threshold": one.threshold,
                "sharing": one.saturation.sharing,
                "makespan": one.makespan,
                "lower_bound": one.lower_bound,
                "status": one.status.value,
                **interval_columns("ratio", one.ratio),
                "heuristic": one.heuristic,
                "heuristic_makespan": one.heuristic_makespan,
                "proof": one.proof,
                "seconds": 0.0 if one.result is None else one.result.seconds.get("total", 0.0),
            }
            for one in (self.forbid, *self.points)
        )

    def plot(self, *, heading: str | None = None, unit: str = "") -> Figure:
        """Draw the ratio and the makespans over the thresholds, as `oas.plots.saturation_price_chart` does.

        Parameters
        ----------
        heading, unit
            In place of the instance's name; name of the time unit, for the axis.

        Raises
        ------
        InputError
            If no point has a schedule.
        """
        from oas.plots.coallocation.study_charts import saturation_price_chart

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
        Of co-allocation; its own policy is ignored.
    thresholds
        Of slowdown, each above 0 and at most 1; None for no threshold. Duplicates are ignored.
    sharing
        Of slowdown: ``paper`` or ``max-min``. None: the instance's own, ``paper`` if it forbids saturation.
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
    held = cast("CoallocationInstance", instance)
    shared = held.saturation.sharing if sharing is None else sharing
    given = (None if one is None else exact(one, "thresholds") for one in thresholds)
    policies = sorted({Saturation(SLOWDOWN, one, shared) for one in given}, key=_allows)
    if not policies:
        raise InputError("at least one is needed", field="thresholds")
    return _Prices(held, policies, solve_options).study()


def _allows(policy: Saturation) -> Fraction:
    """Return a number that grows with the permissions of a policy: -1 for forbid and threshold 1, 0 for no limit."""
    if not policy.slows:
        return Fraction(-1)
    return Fraction(0) if policy.threshold is None else -policy.threshold


def _ratio(forbid: SaturationPoint, point: SaturationPoint) -> Interval | None:
    """Return the ratio of the optima as an interval; exactly 1 if both policies permit the same."""
    ratio = ratio_of(forbid.optimum, point.optimum)
    same = _allows(point.saturation) == _allows(forbid.saturation)
    return Interval(Fraction(1), Fraction(1)) if same and ratio is not None else ratio


class _Prices:
    """The solves of one study."""

    def __init__(self, instance: CoallocationInstance, policies: Sequence[Saturation], options: SolveOptions) -> None:
        self.instance = instance
        self.policies = (PLAIN, *policies)  # each at least as permissive as those before it
        self.series = SolveSeries(options)
        self.results: dict[Saturation, Result] = {}
        self.heuristics: dict[Saturation, tuple[str, Schedule]] = {}
        self.best: dict[Saturation, Schedule] = {}
        self.bounds: dict[Saturation, tuple[Fraction, Saturation]] = {
            policy: (Fraction(0), policy) for policy in self.policies
        }

    def study(self) -> SaturationPrice:
        self._take_start()
        loosest = self.policies[-1]
        order = list(dict.fromkeys((PLAIN, loosest, *self.policies)))
        try:
            for place, policy in enumerate(order):
                self._solve(policy, f"{policy} ({place + 1} of {len(order)})", len(order) - place)
                if self.series.interrupted:
                    break
        except KeyboardInterrupt:
            self.series.interrupted = True
        forbid, *points = map(self._point, self.policies)
        priced = [replace(one, ratio=_ratio(forbid, one)) for one in (forbid, *points)]
        return SaturationPrice(self.instance, priced[0], tuple(priced[1:]), self.series.interrupted)

    def _take_start(self) -> None:
        """Use the given start under all policies for which it is feasible."""
        schedule = self.series.start
        if schedule is None:
            return
        for policy in self.policies:
            violations = verify(self.instance.with_saturation(policy), schedule)
            if not violations:
                self.best[policy] = schedule
        if not self.best:
            raise InputError(f"the schedule is feasible under none of the policies: {violations[0]}", field="start")

    def _solve(self, policy: Saturation, stage: str, solves: int) -> None:
        """Solve under one policy unless results for others suffice; `solves` solves share the remaining time."""
        instance, share, began = self.instance.with_saturation(policy), self.series.share(solves), self.series.seconds
        # None for a heuristic without a schedule, for example if some job can never run or exact times are too long.
        schedules: dict[str, Schedule | None] = dict.fromkeys(
            method.name for method in own_methods(instance.problem, instance.variant)
        )
        with suppress(InfeasibleError, LongTimesError):
            for candidate in candidates(instance, self.series.options.get("seed", 0)):
                feasible = not verify(instance, candidate.schedule)
                schedules[candidate.method] = candidate.schedule if feasible else None
        known = [(name, schedule) for name, schedule in schedules.items() if schedule is not None]
        if known:
            self.heuristics[policy] = min(known, key=lambda pair: pair[1].makespan)
            self._keep(policy, self.heuristics[policy][1])
        best = self.best.get(policy)
        if best is not None and best.makespan == self.bounds[policy][0]:
            return
        limit = None if share is None else max(LEAST_SECONDS, share - (self.series.seconds - began))
        result = self.series.solve(instance, stage, time_limit=limit, start=best, schedules=schedules)
        self.results[policy] = result
        if result.schedule is not None:
            self._keep(policy, result.schedule)
        if result.lower_bound is not None:
            self._carry_bound(policy, result.lower_bound)

    def _keep(self, policy: Saturation, schedule: Schedule) -> None:
        """Record the schedule for every policy that is at least as permissive, if it improves on the incumbent.

        Forbid and threshold 1 permit the same. The schedule is verified under each policy.
        """
        for other in self.policies:
            best = self.best.get(other)
            if _allows(other) < _allows(policy) or (best is not None and best.makespan <= schedule.makespan):
                continue
            if other != policy and (violations := verify(self.instance.with_saturation(other), schedule)):
                reason = f"a schedule that is feasible under {policy} is not under {other}: {violations[0]}"
                raise SolverError(reason)
            self.best[other] = schedule

    def _carry_bound(self, policy: Saturation, bound: Fraction) -> None:
        """Use a lower bound under this policy for all that are at most as permissive."""
        for other in self.policies:
            if _allows(other) <= _allows(policy) and bound > self.bounds[other][0]:
                self.bounds[other] = (bound, policy)

    def _point(self, policy: Saturation) -> SaturationPoint:
        schedule, (bound, bound_from) = self.best.get(policy), self.bounds[policy]
        makespan = None if schedule is None else schedule.makespan
        if makespan is not None and makespan < bound:
            reason = f"under {policy} a schedule ends at {makespan}, before the bound {bound} under {bound_from}"
            raise SolverError(reason)
        name, made = self.heuristics.get(policy, ("", None))
        return SaturationPoint(
            saturation=policy,
            optimum=Optimum(bound, makespan, self.results.get(policy)),
            schedule=schedule,
            bound_from=bound_from,
            heuristic=name,
            heuristic_makespan=None if made is None else made.makespan,
        )
