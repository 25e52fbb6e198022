"""The price of fairness: optimal utility, flow and makespan relative to those of the fair reference.

The optima presuppose that all jobs are known in advance, unlike in on-line scheduling. The reference is REF (Skowron,
Rzadca, SPAA 2013, algorithm 1), or any other greedy schedule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from oas.core.errors import InputError, unknown_name
from oas.core.instances import check_problem, check_schedule
from oas.core.numbers import as_float
from oas.core.registry import FAIR
from oas.core.result import Termination
from oas.fair.exact.optimum import FairEvidence, FairOptimum, FairOptions, find_optimum, known_optimum
from oas.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.solving.methods import find_method
from oas.solving.options import bytes_of
from oas.solving.study import Interval, PointStudy, frame_of, interval_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.fair.instance import FairInstance
    from oas.solving.progress import SolveProgress

REFERENCE = "REF"


@dataclass(frozen=True)
class PriceRow:
    """The price of fairness for one objective and one class of schedules."""

    objective: Objective
    schedule_class: ScheduleClass  #: the class of schedules
    reference: int | None  #: value of the fair schedule; None if the objective does not apply
    optimum: FairOptimum | None  #: best value in the class, or bounds on it; None if the objective does not apply
    note: str = ""  #: the reason why the objective does not apply; empty if it does

    @property
    def price(self) -> Interval | None:
        """The ratio as an interval of at least 1, exact if proven.

        For Σ ψ_sp it is optimum / reference, for flow and makespan reference / optimum.
        """
        if self.optimum is None or self.reference is None:
            return None
        low, high = (Fraction(value, self.reference) for value in (self.optimum.value, self.optimum.bound))
        return Interval(low, high) if self.objective.sign < 0 else Interval(1 / low, 1 / high)


@dataclass(frozen=True, repr=False)
class FairnessPrice(PointStudy[PriceRow]):
    """The result of `price_of_fairness`: a sequence of its rows."""

    DISPLAY = "oas.fair.tables:price_parts"
    POINTS = "rows"

    instance: FairInstance  #: as given
    schedule: Schedule  #: the fair schedule, verified
    rows: tuple[PriceRow, ...]  #: by objective; for each, greedy schedules first, then any schedules
    interrupted: bool = False  #: whether Ctrl-C ended the study: the remaining optima are bounded only

    def row(self, objective: Objective | str, schedule_class: ScheduleClass | str) -> PriceRow:
        """Return the row of an objective and a class of schedules; `KeyError` if it was not requested."""
        for row in self.rows:
            if (row.objective, row.schedule_class) == (objective, schedule_class):
                return row
        raise KeyError(f"{objective}, {schedule_class}")

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per objective and class of schedules.

        Columns: objective, schedules, reference (value of the fair schedule), best (best known value), bound, status,
        price_low and price_high (ratios, at least 1; equal if proven), proof, termination, seconds (wall time), note.
        Numbers are floats, NaN for missing values.
        """
        rows = []
        for row in self.rows:
            optimum = row.optimum
            record = {
                "objective": row.objective,
                "schedules": row.schedule_class,
                "reference": as_float(row.reference),
                "best": as_float(optimum.value if optimum else None),
                "bound": as_float(optimum.bound if optimum else None),
                "status": optimum.status if optimum else "",
                **interval_columns("price", row.price),
                "proof": str(optimum.proof) if optimum else "",
                "termination": optimum.termination if optimum else "",
                "seconds": optimum.seconds if optimum else 0.0,
                "note": optimum.message if optimum else row.note,
            }
            rows.append(record)
        return frame_of(rows)


def price_of_fairness(
    instance: Instance,
    solver: str = "auto",
    time_limit: float | None = None,
    *,
    objectives: Iterable[Objective | str] = tuple(Objective),
    schedule: Schedule | None = None,
    memory_limit: int | str | None = None,
    threads: int = 1,
    seed: int = 0,
    solver_options: Mapping[str, object] | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> FairnessPrice:
    """Return the price of fairness: best values of any schedule, and of any greedy one, relative to the fair schedule.

    At the horizon t_end, over all organizations together: maximum Σ ψ_sp; minimum flow Σ (min(end, t_end) − release)
    over the jobs released before t_end, each counted once and, if it has not ended, until t_end; and minimum makespan,
    which applies only if the fair schedule ends every job by t_end (then so does an optimal one).
    *Greedy*: no processor is idle while the first waiting job of an organization fits. *Any*: processors may be kept
    idle; the jobs of an organization still start in their order, before t_end.

    Integer bounds come first and often suffice, for any size. Otherwise small instances are enumerated and others
    solved, and every answer is verified. If a limit or Ctrl-C leaves an optimum open, its price is an interval.

    Parameters
    ----------
    instance
        An instance of fair sharing.
    solver
        ``auto``: brute force for up to 60 jobs; for more jobs or too many states, the start-indexed model with HiGHS.
        ``highs``, ``cbc``, a MIP solver that Pyomo finds under this name, or ``brute-force``: only this one.
    time_limit
        Seconds of wall time for each optimum, at most six; None: until it is proven.
    objectives
        Any of ``psi_sp``, ``flow`` and ``makespan``.
    schedule
        The schedule to price instead of that of REF: any greedy one.
    memory_limit
        For a solver and its child processes: a text such as ``"4 GiB"``, or an int in bytes.
    threads, seed
        For the solver; the seed also for the method.
    solver_options
        Further options of a named solver, under its own names for them.
    on_progress
        Called at each stage and while a solver runs; `part` contains the objective and the class.

    Raises
    ------
    InputError
        If the instance is of another problem, an option or objective is unknown, or `schedule` breaks a rule.
    SolverMissingError
        If the solver is not installed.
    """
    check_problem(instance, FAIR, "only fair sharing has a price of fairness")
    shared = cast("FairInstance", instance)
    options = FairOptions(solver, time_limit, bytes_of(memory_limit), threads, seed, solver_options or {})
    selected = dict.fromkeys(map(_objective, objectives))
    fair_schedule = _reference(shared, schedule, seed)
    rows: list[PriceRow] = []
    interrupted = False
    for objective in selected:
        note = open_at_horizon(shared, fair_schedule) if objective is Objective.MAKESPAN else ""
        if note:
            rows += [PriceRow(objective, schedule_class, None, None, note) for schedule_class in ScheduleClass]
            continue
        value = objective_value(shared, fair_schedule, objective)
        optima, start = [], fair_schedule
        for schedule_class in (ScheduleClass.GREEDY, ScheduleClass.ANY):
            evidence = FairEvidence(shared, objective, schedule_class, start)
            if interrupted:
                optima.append(known_optimum(evidence, Termination.INTERRUPTED))
            else:
                optima.append(find_optimum(evidence, options, on_progress))
            interrupted = optima[-1].termination is Termination.INTERRUPTED
            start = optima[-1].schedule
        greedy, free = optima
        rows.append(PriceRow(objective, greedy.schedule_class, value, _improved(shared, greedy, free)))
        rows.append(PriceRow(objective, free.schedule_class, value, free))
    return FairnessPrice(shared, fair_schedule, tuple(rows), interrupted)


def _objective(name: Objective | str) -> Objective:
    if name not in tuple(Objective):
        raise unknown_name(name, tuple(Objective), "objectives")
    return Objective(name)


def _reference(instance: FairInstance, schedule: Schedule | None, seed: int) -> Schedule:
    """Return the schedule to be priced, verified."""
    if schedule is None:
        schedule = find_method(REFERENCE, FAIR)(instance, seed=seed)
    else:
        check_schedule(schedule)
    violations = class_violations(instance, schedule, ScheduleClass.GREEDY)
    if violations:
        raise InputError(f"it is not feasible: {violations[0]}", field="schedule")
    return schedule


def _improved(instance: FairInstance, greedy: FairOptimum, free: FairOptimum) -> FairOptimum:
    """Return the greedy optimum improved by the bound for any schedules, and by their schedule if it is greedy."""
    sign = greedy.objective.sign
    if sign * free.value < sign * greedy.value and not class_violations(instance, free.schedule, ScheduleClass.GREEDY):
        greedy = replace(greedy, value=free.value, schedule=free.schedule)
    if sign * free.bound > sign * greedy.bound:
        greedy = replace(greedy, bound=free.bound, proof=free.proof)
    return greedy
