"""Comparison of heuristics with the exact optimum."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack, overload

from oas.core.errors import InfeasibleError, LongTimesError
from oas.core.formats import attributes, call_by_path
from oas.core.instances import check_instance
from oas.core.result import Status, Termination
from oas.core.schedule import Schedule
from oas.core.schedule_metrics import compaction
from oas.core.verifier import verify
from oas.solving.continuous import CONTINUOUS, solve_with_limit
from oas.solving.method import Method, NotApplicableError, NotPlacedError, relaxed
from oas.solving.methods import methods, select_methods, toolkit_methods
from oas.solving.options import Options, SolverOptions, check_names, check_reports
from oas.solving.pipeline import solve
from oas.solving.progress import SolveProgress
from oas.solving.study import Study, StudyClock, frame_of, report_as

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.verifier import Violation
    from oas.solving.comparison_set import ComparisonSet
    from oas.solving.continuous import ContinuousLimit
    from oas.solving.method import Guarantee
    from oas.solving.methods import AnyHeuristic

EXACT = "exact"
WITHOUT_LOCALITY = "without locality"


@dataclass(frozen=True)
class ComparisonRow:
    """Schedule and figures of one method, times in the time unit of the instance."""

    method: str  #: ``exact`` or the heuristic's name
    schedule: Schedule | None = field(default=None, repr=False)  #: None if there is none or the verifier rejects it
    makespan: Fraction | None = None  #: of the schedule
    #: makespan of its execution without the slot grid (`oas.coallocation.metrics.executed`)
    executed: Fraction | None = None
    compaction: Fraction | None = None  #: share of the total node time that the schedule uses
    executed_compaction: Fraction | None = None  #: the same for its execution
    #: makespan / exact lower bound − 1. For a method that ignores locality, the lower bound without locality is used.
    gap: Fraction | None = None
    #: wall time of the method without second opinions; None if the method does not apply and was not run
    seconds: float | None = None
    check_seconds: float | None = None  #: wall time of second opinions; None if there were none
    violations: tuple[Violation, ...] = ()  #: found by the verifier; the schedule is then dropped
    note: str = ""  #: further information, such as the reason for a failure
    #: whether the method failed: an exception, no schedule, or an infeasible one. A method that does not apply to the
    #: instance or cannot place all jobs has not failed.
    failed: bool = False
    #: whether the method ignores a binding locality: its schedule is then compared with the optimum without locality
    ignores_locality: bool = False
    ratio: Fraction | None = None  #: MOSP: makespan / the papers' lower bound
    keeps_locality: bool | None = None  #: MOSP: whether the schedule keeps the locality
    #: the ratio to the optimum that a theorem guarantees for the method and instance; None if no theorem applies
    guarantee: Guarantee | None = None
    #: with a guarantee: makespan / optimum of the problem that the method solves, which is without locality for a
    #: method that ignores it. If the optimum is not proven, makespan / lower bound, an upper limit on the ratio.
    observed: Fraction | None = None
    observed_exactly: bool = False  #: whether `observed` is the exact ratio

    @property
    def breaks_guarantee(self) -> bool:
        """Whether the makespan exceeds a guarantee: then the theorem or its application is wrong."""
        if self.guarantee is None or self.observed is None:
            return False
        return self.observed_exactly and self.observed > self.guarantee.value


@dataclass(frozen=True, repr=False)
class Comparison(Study):
    """Exact result and heuristics on one instance."""

    DISPLAY = "oas.show.comparison:comparison_parts"

    instance: Instance  #: all methods use its slot size
    result: Result  #: the exact result
    rows: tuple[ComparisonRow, ...]  #: the exact one first, then heuristics by makespan; those without a schedule last
    #: co-allocation on a slot grid: bound and schedule for η = 0, with which the executed makespans are compared
    continuous: ContinuousLimit | None = None
    #: MOSP: the exact result for the instance without locality; None if locality is not binding
    without_locality: Result | None = None

    @property
    def references(self) -> tuple[ComparisonRow, ...]:
        """The additional exact solves: without locality, and for η = 0 with only `executed` and `seconds`."""
        free, limit, rows = self.without_locality, self.continuous, []
        if free is not None:
            row = exact_row(self.instance, free, WITHOUT_LOCALITY, verified=False)
            rows.append(replace(_against(row, free), ignores_locality=True))
        if limit is not None:
            rows.append(ComparisonRow(CONTINUOUS, executed=limit.best, seconds=limit.result.solve_seconds))
        return tuple(rows)

    @property
    def proven(self) -> bool:
        """Whether all distances refer to proven optima rather than lower bounds."""
        compared = [self.result]
        if self.without_locality is not None and any(row.ignores_locality for row in self.rows):
            compared.append(self.without_locality)
        return all(result.status is Status.OPTIMAL for result in compared)

    @property
    def violated(self) -> bool:
        """Whether the verifier rejected the schedule of some method."""
        return any(row.violations for row in self.rows)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per method with the numeric fields of `ComparisonRow`, and slots, the makespan in slots.

        Times and ratios are floats in the time unit of the instance, NaN for missing values; slots are integers,
        missing without a slot grid; seconds are wall time, NaN for a method that was not run; check_seconds are the
        wall time of second opinions, which seconds do not include; guarantee is its ratio.
        """
        slot = getattr(self.instance, "slot", None)
        return frame_of(
            {
                "method": row.method,
                "slots": int(row.makespan / slot) if slot and row.makespan is not None else None,
                **attributes(row, "makespan", "executed", "compaction", "executed_compaction", "gap", "ratio"),
                "guarantee": None if row.guarantee is None else row.guarantee.value,
                **attributes(row, "observed", "seconds", "check_seconds", "ignores_locality", "note"),
            }
            for row in self.rows
        ).astype({"slots": "Int64"})


class CompareOptions(SolverOptions, total=False):
    """The options of `compare`, for type checkers."""

    heuristics: AnyHeuristic | Sequence[AnyHeuristic] | None
    extra: AnyHeuristic | Sequence[AnyHeuristic]
    seed: int
    on_progress: Callable[[SolveProgress], None] | None
    display: bool
    continuous: bool


@overload
def compare(instance: Instance, **options: Unpack[CompareOptions]) -> Comparison: ...
@overload
def compare(instance: Iterable[Instance], **options: Unpack[CompareOptions]) -> ComparisonSet: ...
def compare(
    instance: Instance | Iterable[Instance],
    *,
    heuristics: AnyHeuristic | Sequence[AnyHeuristic] | None = None,
    extra: AnyHeuristic | Sequence[AnyHeuristic] = (),
    seed: int = 0,
    on_progress: Callable[[SolveProgress], None] | None = None,
    display: bool = False,
    continuous: bool = True,
    **solve_options: Unpack[SolverOptions],
) -> Comparison | ComparisonSet:
    """Run heuristics on an instance, or on several, and solve it exactly; all schedules are verified.

    The heuristics run first, so that a hang or failure is noticed before a long solve.

    Parameters
    ----------
    instance
        At any slot size; or several instances of one problem, which are compared one after another, each with the same
        limits. After Ctrl-C the comparisons so far are returned.
    heuristics
        Names, ``package.module:function`` or methods, one or several; None for all known heuristics.
    extra
        Additional heuristics.
    seed
        Seed of solver and heuristics.
    on_progress
        As in `oas.solve`; the stage may also be the name of a heuristic, ``η = 0`` or ``without locality``.
    display
        As in `oas.solve`; the chart shows the solve of the instance as given.
    continuous
        For an instance with slots, whether to solve it at η = 0 too, for comparison with the executed makespans.
    **solve_options
        As in `oas.solve`. The time limit includes the second solve, at η = 0 or without locality
        (`oas.solving.continuous.solve_with_limit`); the first solve leaves it a tenth of the limit, at most 30 s.

    Raises
    ------
    InputError
        For an unknown heuristic or option, or an invalid instance.
    """
    if isinstance(instance, Iterable):
        from oas.solving.comparison_set import compare_all

        given = {"heuristics": heuristics, "extra": extra, "seed": seed, "on_progress": on_progress}
        return compare_all(instance, **given, display=display, continuous=continuous, **solve_options)  # type: ignore
    check_instance(instance)
    check_names(solve_options)
    Options.of(instance, seed=seed, **solve_options)  # refused now, not after the heuristics have run
    check_reports(on_progress, display)
    if heuristics is None:
        selected = list(methods(instance.problem, instance.variant))
    else:
        selected = select_methods(heuristics, instance, "heuristics")
    selected += select_methods(extra, instance, "extra")
    chosen = list({method.name: method for method in selected}.values())  # a method that is named twice occurs once
    with call_by_path("oas.show.progress:following", on_progress) if display else nullcontext(on_progress) as report:
        return _compare(instance, chosen, seed, report, continuous, solve_options)


def _compare(
    instance: Instance,
    chosen: Sequence[Method],
    seed: int,
    on_progress: Callable[[SolveProgress], None] | None,
    with_limit: bool,
    solve_options: SolverOptions,
) -> Comparison:
    rows = []
    for method in chosen:
        if on_progress is not None:
            on_progress(SolveProgress(method.name, 0.0, None, None))
        rows.append(heuristic_row(instance, method, seed))
    of_toolkit = toolkit_methods(instance.problem, instance.variant)
    schedules = {  # of the toolkit's methods, for `oas.solve`; None if the locality is violated
        row.method: None if row.keeps_locality is False else row.schedule
        for method, row in zip(chosen, rows, strict=True)
        if method in of_toolkit and not row.failed
    }
    without_promises = instance.relaxed()
    has_promises = without_promises is not instance
    clock = StudyClock(solve_options.get("time_limit"))
    options: Any = {**solve_options, "seed": seed, "schedules": schedules}
    options["time_limit"] = clock.first_share if has_promises else clock.time_limit
    result, continuous = solve_with_limit(instance, on_progress=on_progress, continuous=with_limit, **options)
    rows.sort(key=lambda row: (row.makespan is None, row.makespan))
    first_row = replace(exact_row(instance, result), note=result.message)
    free = None
    ignoring_locality = {method.name for method in chosen if has_promises and not method.respects_locality}
    if has_promises and result.termination is not Termination.INTERRUPTED:
        usable = ignoring_locality & schedules.keys()
        options["schedules"] = {row.method: row.schedule for row in rows if row.method in usable}
        options |= {"start": result.schedule, "time_limit": clock.second_share}
        report = report_as(on_progress, WITHOUT_LOCALITY, part=WITHOUT_LOCALITY)
        free = solve(without_promises, on_interrupt="return", on_progress=report, **options)
    compared = [
        replace(_against(row, free), ignores_locality=True)
        if row.method in ignoring_locality
        else _against(row, result)
        for row in (first_row, *rows)
    ]
    return Comparison(instance, result, tuple(compared), continuous, free)


def heuristic_row(instance: Instance, method: Method, seed: int) -> ComparisonRow:
    """Run `method`, verify its schedule and return a row, also after a failure."""
    began = time.monotonic()

    def without(note: str, violations: tuple[Violation, ...] = (), *, failed: bool = True) -> ComparisonRow:
        return ComparisonRow(
            method.name, seconds=time.monotonic() - began, violations=violations, note=note, failed=failed
        )

    try:
        schedule = method(instance, seed=seed)
        seconds = time.monotonic() - began
        if not isinstance(schedule, Schedule):
            return without(f"returned {type(schedule).__name__}, not a Schedule")
        violations = tuple(verify(relaxed(instance, method), schedule))
        if violations:
            return without(f"infeasible: {violations[0]}", violations)
        row = _row(instance, method.name, schedule, seconds, verified=relaxed(instance, method) is instance)
        return row if method.guarantee is None else replace(row, guarantee=method.guarantee(instance))
    except NotApplicableError as error:
        return ComparisonRow(method.name, note=str(error))
    except (InfeasibleError, LongTimesError, NotPlacedError) as error:
        return without(str(error), failed=False)
    except (Exception, SystemExit) as error:  # a user's method may fail in any way; the row reports it
        return without(f"failed: {type(error).__name__}: {error}")


def exact_row(instance: Instance, result: Result, name: str = EXACT, *, verified: bool = True) -> ComparisonRow:
    """Return the figures of an exact result; `verified`: whether it keeps all rules, including locality."""
    row = _row(instance, name, result.schedule, result.solve_seconds, verified=verified)
    return replace(row, check_seconds=result.check_seconds or None)


def _row(
    instance: Instance, method: str, schedule: Schedule | None, seconds: float | None, *, verified: bool = True
) -> ComparisonRow:
    """Return the figures of a schedule; `verified`: whether it satisfies all rules, including locality."""
    if schedule is None:
        return ComparisonRow(method, seconds=seconds)
    figures: dict[str, Any] = {}
    if instance.problem.has("figures"):
        keeps_promises = verified or not verify(instance, schedule)
        figures = instance.problem.part("figures")(instance, schedule, keeps_promises=keeps_promises)
    used = compaction(instance, schedule)
    return ComparisonRow(method, schedule, schedule.makespan, compaction=used, seconds=seconds, **figures)


def _against(row: ComparisonRow, solved: Result | None) -> ComparisonRow:
    """Compare `row` with `solved`, the exact result of the instance that its method solves; None after Ctrl-C."""
    if row.makespan is None or solved is None or not solved.lower_bound:
        return row
    ratio = row.makespan / solved.lower_bound
    row = replace(row, gap=ratio - 1)
    if row.guarantee is None:
        return row
    return replace(row, observed=ratio, observed_exactly=solved.status is Status.OPTIMAL)
