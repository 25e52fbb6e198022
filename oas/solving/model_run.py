"""Runs of a formulation by a solver between known bounds, with verified answers; decisions about one makespan."""

from __future__ import annotations

import contextlib
import math
import time
from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, SolverError
from oas.core.formats import show_exact
from oas.core.problem import check_variant
from oas.core.result import Bound, Claim, ModelReport, Termination
from oas.solvers.isolation.client import call, run
from oas.solvers.task import RELATIVE_MARGIN, Limits, Task, continuous_bound, integer_bound
from oas.solving.formulation import PREPARE, STRENGTHEN, Preparation, check_takes
from oas.solving.parts import exact_parts, improved
from oas.solving.start import heuristic_schedules

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.solvers.task import Outcome, Progress, Settings
    from oas.solving.evidence import Evidence
    from oas.solving.formulation import Formulation

STRENGTHEN_SECONDS = 60.0  # for the rows of a model for a user or a file
_DIGITS = 12  # significant digits of a time from a float


class ModelTimes:
    """Conversions for one formulation of one instance.

    For a continuous formulation there may be no ticks: times stay Fractions, and a bound is rounded down after its
    margin is subtracted.
    """

    def __init__(self, formulation: Formulation, instance: Instance) -> None:
        self.formulation = formulation
        self.scaled = instance.scaled()

    def given(self, time: Fraction) -> int | Fraction:
        """Return a horizon or a bound in the unit of the formulation's `prepare`."""
        return time if self.formulation.continuous else int(time / self.scaled.tick)

    def proven(self, spec: object, bound: float | Fraction) -> Fraction:
        """Return the bound on the makespan that follows from a bound on the objective."""
        if self.formulation.continuous:
            return rounded_down(self.formulation.ticks_of(spec, continuous_bound(bound)))
        return self.scaled.to_time(self.formulation.ticks_of(spec, integer_bound(bound)))

    def stated(self, spec: object, objective: float) -> Fraction:
        """Return the makespan that corresponds to a solver's objective, unverified."""
        if self.formulation.continuous:
            return rounded_down(self.formulation.ticks_of(spec, Fraction(objective)))
        return self.scaled.to_time(self.formulation.ticks_of(spec, math.ceil(objective - 0.5)))


def rounded_down(value: Fraction) -> Fraction:
    """Round a time down to about twelve significant digits; return 0 for negative times."""
    if value <= 0:
        return Fraction(0)
    places = _DIGITS - len(str(value.numerator)) + len(str(value.denominator))
    unit = Fraction(10) ** -places
    return value // unit * unit


@dataclass(frozen=True)
class ModelRun:
    """The outcome of a run."""

    termination: Termination  # the solver's, or ``error`` if its answer contradicts a verified fact
    claim: Claim | None = None  # the bound claimed by the solver, if it is credible
    certified: Bound | None = None  # the same with the solver's certificate, unchecked; None if it has none
    version: str = ""  # of the solver; empty if it never ran
    message: str = ""  # for the user; may be empty
    report: ModelReport | None = None  # None if the solver never ran


def strengthened(formulation: Formulation, spec: Any) -> Any:
    """Return a spec with the rows of `Formulation.strengthen`, found in the solver's process; itself if that fails."""
    if formulation.strengthen is None:
        return spec
    return call(STRENGTHEN, (formulation.strengthen, spec), Limits(STRENGTHEN_SECONDS)).value or spec


def heuristic_horizon(instance: Instance) -> Fraction:
    """Return the makespan of the best heuristic's schedule after local search.

    Raises `InputError` if no heuristic makes one.
    """
    best = min((schedule for _, schedule in heuristic_schedules(instance)), key=lambda one: one.makespan, default=None)
    if best is None:
        raise InputError("no heuristic makes a schedule of this instance, from which a model has its horizon")
    return improved(instance, best).makespan if instance.problem.has("exact") else best.makespan


def run_model(
    evidence: Evidence,
    formulation: Formulation,
    settings: Settings,
    limits: Limits,
    on_progress: Callable[[Fraction | None, Fraction | None], None],
    horizon: Schedule | None = None,
    *,
    strengthened: bool = True,
) -> ModelRun:
    """Solve `formulation` between the certified bound and the best schedule; offer its schedule to `evidence`.

    The limits are for preparing, building and solving together. `on_progress` receives the solver's current bound and
    makespan, unverified. `horizon`: a feasible schedule that only limits the makespan, instead of the best one as a
    warm start. `strengthened`: whether the model has the rows of `Formulation.strengthen`, which rest on the same code
    as the configuration bound. The solver may stop at the gap of `evidence`.
    """
    check_takes(formulation, evidence.instance)
    instance, schedule = evidence.instance, horizon or evidence.schedule
    least = Fraction(0) if evidence.bound is None else evidence.bound.value
    assert schedule is not None
    times = ModelTimes(formulation, instance)
    given = Preparation(
        formulation.prepare,
        formulation.start_values if horizon is None else _no_start,
        instance,
        horizon=times.given(schedule.makespan),
        lower_bound=times.given(least),
        runs=exact_parts(instance).to_runs(instance, instance.scaled(), schedule),
        strengthen=formulation.tighten or formulation.strengthen if strengthened else None,
    )

    def report(spec: object, progress: Progress) -> None:
        proven = None if progress.bound is None else times.proven(spec, progress.bound)
        on_progress(proven, None if progress.objective is None else times.stated(spec, progress.objective))

    def keep(runs: list[Any], who: str) -> str | None:
        return evidence.offer(schedule_of(formulation, instance, runs), who, anyway=True)

    def best() -> Fraction:
        return min(schedule.makespan, evidence.makespan or schedule.makespan)

    def prove(spec: object, stated: float) -> Fraction:
        proven = times.proven(spec, stated)
        if proven > best():
            raise SolverError(f"claims a bound of {proven}, above a verified schedule")
        return proven

    ended = solve_prepared(formulation, given, settings, limits, report, gap=evidence.gap)
    if isinstance(ended, ModelRun):
        return ended
    run = judge(formulation, *ended, keep, prove, settings.run)
    # The bound is a row of the model: a solver that returns it, or less, confirms nothing.
    claim = None if run.claim is None or run.claim.bound <= least else run.claim
    # A formulation need not state its reductions.
    raised = times.proven(ended[0], 0) if strengthened and formulation.tighten else least
    reductions = [
        *getattr(formulation, "reductions", ()),
        *([f"The makespan is at least {show_exact(raised)}, by weight rows."] if raised > least else []),
        f"No job ends after {show_exact(schedule.makespan)}, the makespan of a known schedule.",
        *([f"The makespan is at least {show_exact(least)}, a proven bound."] if least else []),
    ]
    reported = _report(times, *ended, settings, limits, tuple(reductions))
    if (
        reported is not None and reported.root_bound is not None
    ):  # CBC's, if an incumbent cuts the root off, is above it
        reported = replace(reported, root_bound=min(reported.root_bound, best()))
    return replace(run, claim=claim, report=reported)


def _report(
    times: ModelTimes, spec: Any, outcome: Outcome, settings: Settings, limits: Limits, reductions: tuple[str, ...]
) -> ModelReport | None:
    """Return the report of a run; None if the solver never ran."""
    if "rows" not in outcome.report and not outcome.version:
        return None
    fields: dict[str, Any] = dict(outcome.report)
    for name in ("lp_bound", "root_bound"):
        if fields.get(name) is not None:
            fields[name] = times.proven(spec, fields[name])
    given = {"time": limits.time, "memory": limits.memory}
    return ModelReport(
        times.formulation.name,
        outcome.solver,
        outcome.version,
        reductions,
        build_seconds=outcome.build_seconds,
        seconds=outcome.seconds,
        threads=settings.threads_used,
        limits={name: float(limit) for name, limit in given.items() if limit is not None},
        **fields,
    )


MOST_GAPS = 100_000  # maximum number of values of an objective for which the solver's gap is computed


def solver_gaps(formulation: Formulation, spec: Any, horizon: int | Fraction, gap: Fraction | int) -> tuple[float, int]:
    """Return the greatest relative and absolute gap of the objective within which the makespan is within `gap`.

    The objective counts attainable makespans, often those beyond a bound only. Let A(D) be its greatest value whose
    makespan is at most (1 + gap) times that of D. Any stop at an objective P and an integer bound D with P ≤ A(D) is
    right, so that P - D ≤ A(D) - D and (P - D)/P < (A(D) + 1 - D)/(A(D) + 1) suffice, for the least favourable D. An
    objective with more values is taken to be proportional to the makespan; the result is judged exactly in any case.
    """
    relative = gap / (1 + gap)
    if not gap or formulation.continuous:
        return float(relative), 0
    times = [formulation.ticks_of(spec, 0)]
    while times[-1] < horizon:
        if len(times) > MOST_GAPS:
            return float(relative), 0
        times.append(formulation.ticks_of(spec, len(times)))
    reached = [bisect_right(times, (1 + gap) * time) - 1 for time in times]
    open_bounds = [(bound, last) for bound, last in enumerate(reached) if last + 1 < len(times)]
    if not open_bounds:  # any schedule will do
        return 1.0, len(times)
    relative = min(Fraction(last + 1 - bound, last + 1) for bound, last in open_bounds)
    return max(0.0, float(relative) - 3 * RELATIVE_MARGIN), min(last - bound for bound, last in open_bounds)


def schedule_of(formulation: Formulation, instance: Instance, runs: list[Any]) -> Schedule:
    """Return the schedule of a formulation's runs."""
    if formulation.schedule is None:
        return exact_parts(instance).from_runs(instance, instance.scaled(), runs)
    return formulation.schedule(instance, runs)


def solve_prepared(
    formulation: Formulation,
    given: Preparation,
    settings: Settings,
    limits: Limits,
    report: Callable[[Any, Progress], None] | None = None,
    strengthen: Callable[[Any], Any] | None = None,
    gap: Fraction | int = 0,
) -> tuple[Any, Outcome] | ModelRun:
    """Prepare and build a model in the solver's process and solve it, all within the limits.

    Return its spec and the solver's outcome, or a `ModelRun` if the solver did not start. `report` receives the spec
    and the solver's progress. `strengthen` adds constraints to the spec. `gap`: of the makespan, at which the solver
    may stop.
    """
    began = time.monotonic()
    prepared = call(PREPARE, given, replace(limits, grace=0), family=settings.family)
    if prepared.value is None:
        late = prepared.termination is Termination.TIME_LIMIT
        message = f"the {formulation.name} model was not ready in time" if late else prepared.message
        return ModelRun(prepared.termination, message=message)
    assert isinstance(prepared.value, tuple)
    spec, start = prepared.value
    if strengthen is not None:
        spec = strengthen(spec)
    if limits.time is not None:
        left = limits.time - (time.monotonic() - began)
        if left <= 0:
            return ModelRun(Termination.TIME_LIMIT)
        limits = replace(limits, time=left)
    task = Task(
        formulation.builder,
        spec,
        start,
        label=f"{formulation.name}, {given.instance.name or given.instance.digest[:12]}",
    )
    relative, slack = solver_gaps(formulation, spec, given.horizon, gap)
    settings = replace(settings, integer_objective=not formulation.continuous, gap=relative, slack=slack)
    return spec, run(task, settings, limits, None if report is None else partial(report, spec))


def judge(
    formulation: Formulation,
    spec: Any,
    outcome: Outcome,
    keep: Callable[[list[Any], str], str | None],
    prove: Callable[[Any, float], Fraction],
    kind: str = "",
) -> ModelRun:
    """Evaluate the answer of a solver: an answer that contradicts a verified fact is a fault, and none of it is used.

    `keep` takes runs and the name of their source, and returns a violated rule or None. `prove` converts a bound on the
    objective to the proven value; it raises `SolverError` if a verified schedule contradicts it. `kind`: of the run,
    as `Settings.run`.
    """
    who = f"{outcome.solver} on {formulation.name}"

    def fault(message: str) -> ModelRun:
        message = f"{who} {message}; nothing it says is used"
        return ModelRun(Termination.ERROR, version=outcome.version, message=message)

    if outcome.infeasible:
        return fault("claims that a model with a known solution has none")
    if outcome.values is not None:
        try:
            violation = keep(formulation.read(spec, outcome.values), who)
        except (SolverError, InputError) as error:
            violation = str(error)
        if violation:
            return fault(f"returned a schedule that the verifier rejects, {violation}")
    claim = None
    if outcome.bound is not None:
        try:
            claim = Claim(outcome.solver, outcome.version, formulation.name, prove(spec, outcome.bound), kind)
        except SolverError as error:
            return fault(str(error))
    certified = None
    if claim is not None and outcome.certificate is not None:
        certified = Bound(formulation.certified, claim.bound, outcome.certificate)
    return ModelRun(outcome.termination, claim, certified, outcome.version, outcome.message)


@dataclass(frozen=True)
class Question:
    """A model with settings, which decides whether a makespan is feasible."""

    formulation: Formulation
    unit: int  # every makespan of the instance is a multiple of this number of ticks
    settings: Settings
    # Adds constraints to the specification of the model that some schedule satisfies if any schedule ends in time.
    strengthen: Callable[[Any], Any] | None = None
    # Whether to ask for the longest open makespan, whose refutation settles the instance, instead of the shortest.
    from_above: bool = False
    strengthen_second: Callable[[Any], Any] | None = None  # the same for `second`, with other numbers

    def second(self) -> Question:
        """Return a question for a different run, which may confirm a refutation of the longest open makespan."""
        settings = self.settings.second_run()
        assert settings is not None
        return replace(self, settings=settings, strengthen=self.strengthen_second, from_above=True)


@dataclass(frozen=True)
class Decision:
    """The solver's answer to the question whether a makespan is feasible."""

    refuted: bool  # whether it claims that there is no schedule
    runs: list[Any] | None  # the solver's schedule, to be verified; None if it has none
    termination: Termination  # how the run ended
    version: str = ""  # of the solver; empty if it never ran
    # Whether the solver also refuted a makespan of a known schedule: then nothing it says is used.
    exposed: bool = False
    certified: Bound | None = None  # the bound by a refutation with its certificate, unchecked; None if it has none


CONTROL_SHARE, LEAST_CONTROL = 0.25, 0.3  # time of a control, as a share of that of the refutation; minimum in seconds


def decide(
    instance: Instance, question: Question, ticks: int, known: int, limits: Limits, least: int | None = None
) -> Decision:
    """Solve the question's model with horizon and bound both at `ticks`, without a warm start.

    Without a hint the solver keeps its symmetry breaking, and there is nothing to minimise; both help to refute. A
    refutation without a certificate is followed by a control: the same question about the makespan `known` of a
    verified schedule, in ticks. The solver has only a short time for it, because only a refutation is information.

    `least`: a bound below `ticks`, for a unit that is not known; the solver then minimises the makespan.
    """
    check_variant(instance, f"the formulation {question.formulation.name}", question.formulation.variants)
    began = time.monotonic()
    answer = _decide(instance, question, ticks, ticks if least is None else least, limits)
    if not answer.refuted or answer.certified is not None:
        return answer
    seconds = max(LEAST_CONTROL, CONTROL_SHARE * (time.monotonic() - began))
    control = _decide(instance, question, known, known if least is None else least, replace(limits, time=seconds))
    return replace(answer, refuted=not control.refuted, exposed=control.refuted)


def _decide(instance: Instance, question: Question, ticks: int, least: int, limits: Limits) -> Decision:
    formulation = question.formulation
    given = Preparation(formulation.prepare, _no_start, instance, ticks, least, ())
    ended = solve_prepared(formulation, given, question.settings, limits, strengthen=question.strengthen)
    if isinstance(ended, ModelRun):
        return Decision(False, None, ended.termination)
    spec, outcome = ended
    runs = None
    if outcome.values is not None:
        with contextlib.suppress(SolverError, InputError):
            runs = formulation.read(spec, outcome.values)
    certified = None
    if outcome.infeasible and outcome.certificate is not None:
        bound = (ticks + question.unit) * instance.scaled().tick
        certified = Bound(formulation.certified, bound, outcome.certificate)
    return Decision(outcome.infeasible, runs, outcome.termination, outcome.version, certified=certified)


def _no_start(_spec: object, _runs: object) -> None:
    return None
