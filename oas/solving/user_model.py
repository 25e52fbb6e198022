"""Models in the hands of users: `oas.model` builds one, which they alter, solve by any solver, and read back."""

from __future__ import annotations

import re
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as replaced

from oas.core.errors import InfeasibleError, InputError, SolverError, VerificationError
from oas.core.instances import check_instance
from oas.core.numbers import exact
from oas.core.result import Result, Status, Termination
from oas.core.verifier import Violation, verify
from oas.io.documents import ModelDocument, VariableDocument
from oas.io.files import clean, display_path, naming_file
from oas.io.reading import load_model
from oas.io.writing import save
from oas.solvers.discovery import check_docstrings, versions
from oas.solvers.isolation.client import call, run
from oas.solvers.matrix import of_model
from oas.solvers.own_options import check_own_options, check_taken
from oas.solvers.task import (
    CPSAT,
    Limits,
    Settings,
    Task,
    bound_margin,
    continuous_bound,
    integer_bound,
    write_pyomo,
)
from oas.solving.built_model import BuiltModel, pyomo_environ
from oas.solving.evidence import Evidence
from oas.solving.formulation import Formulation, check_match, check_takes, default_formulation, find_formulation
from oas.solving.lower_bound import best_bound
from oas.solving.methods import imported
from oas.solving.model_run import schedule_of, solver_gaps
from oas.solving.options import bytes_of, check_reports, gap_of, log_of, own_options_of, seconds_of
from oas.solving.parts import exact_parts
from oas.solving.pipeline import SolverLog
from oas.solving.progress import SolveProgress
from oas.solving.solution_files import NoSolutionError, read_solution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.schedule import Schedule
    from oas.io.files import Source
    from oas.solvers.matrix import Matrix
    from oas.solvers.task import Key, Outcome, Progress


def model(
    instance: Instance,
    formulation: str | Formulation = "auto",
    horizon: Exact | None = None,
    lower_bound: Exact | None = None,
    reduced: bool = True,
) -> Model:
    """Return a model of an instance, to be inspected, altered, solved by any solver, and read back as a schedule.

    Parameters
    ----------
    instance
        An instance of a problem that has formulations.
    formulation
        Name of a formulation; ``auto`` is the default for MIP solvers. Formulations from elsewhere are given as
        ``package.module:NAME`` or as an `oas.solving.formulation.Formulation`.
    horizon
        No job ends later, in the instance's time unit; rounded down to its time grid. None: for a reduced model, the
        makespan of the best heuristic after local search; otherwise a time by which every schedule has ended in which
        no job can start earlier. Give one if jobs must wait longer, for example until a release date.
    lower_bound
        A proven bound on the makespan, which the model contains as a row or by fewer variables; None for none.
    reduced
        True: the model leaves out schedules, for the objective makespan only; `Model.reductions` lists what it leaves
        out. It has weight rows (`oas.solving.weight_rows`), start-indexed models those that their linear
        relaxation would violate. False: it has every allocation and every start of the time grid by the
        horizon, orders no identical jobs and has neither a bound nor weight rows, so that other objectives,
        fixed placements and constraints that tell jobs apart are valid.

    Returns
    -------
    Model

    Raises
    ------
    InputError
        For an unknown formulation or one that does not support the instance, and for a horizon before the end of some
        job's shortest run.
    InfeasibleError
        If some job can never run.
    TooLargeError
        If the model would exceed the size limits of the formulation.
    """
    check_instance(instance)
    check_docstrings()
    chosen = _formulation(formulation, instance)
    check_takes(chosen, instance)
    for name, given in (("horizon", horizon), ("lower_bound", lower_bound)):
        if given is not None and exact(given, name) < 0:
            raise InputError("must not be negative", field=name, value=given)
    if not reduced and lower_bound is not None:
        raise InputError("a model that is not reduced has no bound", field="lower_bound", value=lower_bound)
    unplaceable = exact_parts(instance).unplaceable(instance) if instance.problem.has("exact") else ()
    if unplaceable:
        raise InfeasibleError(f"no schedule exists: no nodes suffice for {', '.join(unplaceable)}")
    return Model(instance, chosen, horizon, lower_bound, reduced)


def described_model(instance: Instance, path: Source) -> Model:
    """Return the model of an instance that a JSON file by `Model.describe` describes.

    Raises `InputError`, in addition to the errors of `model`, if the file is malformed or of another instance, or if
    the model has other variables.
    """
    given = load_model(path)
    with naming_file(path):
        if given.instance_digest != instance.digest:
            reason = f"the model is of another instance or another slot size; this one has the digest {instance.digest}"
            raise InputError(reason, field="instance_digest", value=given.instance_digest)
        # A name only: no code of elsewhere that a file names is imported.
        chosen = find_formulation(given.formulation, instance.problem, instance)
        built = model(instance, chosen, given.horizon, given.lower_bound or None, given.reduced)
        pairs = zip_longest(given.variables, built._description().variables)
        for index, (one, other) in enumerate(pairs):
            if one is None or other is None or replaced(one, meaning=other.meaning) != other:
                reason = "another variable belongs here: the file was changed, or is of another version of the toolkit"
                raise InputError(reason, field=f"variables[{index}]", value=None if one is None else one.name)
    return built


def _formulation(given: str | Formulation, instance: Instance) -> Formulation:
    if given == "auto":
        return default_formulation(instance.problem, instance=instance)
    if isinstance(given, str) and ":" not in given:
        return find_formulation(given, instance.problem, instance)
    found = imported(given, "formulation") if isinstance(given, str) else given
    if not isinstance(found, Formulation):
        reason = "is not a Formulation" if isinstance(given, str) else "must be a name, or a Formulation"
        raise InputError(reason, field="formulation", value=given)
    return found


@dataclass(frozen=True)
class ModelSize:
    """Size of a model; fixed variables count as constants."""

    rows: int  #: number of constraints
    columns: int  #: number of variables in constraints or the objective
    nonzeros: int  #: number of coefficients in the constraints
    integers: int  #: number of integer and binary variables among the columns
    families: pandas.DataFrame  #: a row for each family of constraints: family, rows, nonzeros
    #: rows, columns and nonzeros after the presolve of HiGHS; None if it reached the time limit or found no solution
    presolved: tuple[int, int, int] | None


@dataclass(frozen=True)
class Relaxation:
    """The linear relaxation of a model: integer variables may take fractional values.

    Its ``objective`` is the optimum as HiGHS states it, in the unit of the model's objective.
    """

    objective: float
    #: lower bound on the makespan of every schedule that the model contains, in the instance's time unit; for fair
    #: sharing, on the cost; None if the objective was replaced
    bound: Fraction | None
    #: whether the bound was recomputed exactly from the dual values, so that it rests on the model alone; otherwise, if
    #: some variable has no bounds, a margin of 10⁻⁶ was subtracted
    proven: bool
    solution: pandas.DataFrame  #: the variables that are not 0: the columns of `Model.variables`, and value


@dataclass(frozen=True)
class ModelAnswer:
    """The answer of a solver to a model.

    Its ``status`` is the solver's claim: ``optimal`` if its bound meets the objective, ``feasible``, ``infeasible`` or
    ``no_solution``. Its ``objective`` is that of the model at the solution, None without one. A ``message`` explains
    an end without a solution, and more.
    """

    status: Status
    schedule: Schedule | None  #: schedule of the solution, which the verifier has accepted
    violations: tuple[Violation, ...]  #: rules of the instance that the solver's schedule breaks
    objective: float | None
    #: lower bound on the objective of the model, claimed by the solver, less a margin for its tolerance; not one on the
    #: makespan
    bound: Fraction | None
    solver: str  #: name of the solver
    version: str  #: version of the solver
    termination: Termination  #: why it stopped
    seconds: float  #: wall time
    message: str


class Model(BuiltModel):
    """A model of an instance; `oas.model` makes one.

    Attributes
    ----------
    instance
        The instance.
    formulation
        The formulation.
    horizon
        Time by which every job ends, in the instance's time unit.
    lower_bound
        Bound on the makespan that the model contains, rounded down to the time grid; 0 for none.
    reduced
        Whether the model is reduced for the objective makespan.
    reductions
        Sentences: what the model leaves out or assumes; a user who alters the model must know them.
    """

    def statistics(self, time_limit: float | None = 60) -> ModelSize:
        """Return the size of the model as altered so far, by family of constraints and after HiGHS's presolve.

        `time_limit`: seconds for the presolve. Raises `InputError` for a CP-SAT model or one that is not linear.
        """
        import pandas

        matrix, _ = of_model(self.pyomo)
        rows = pandas.DataFrame([(row.family, len(row.columns)) for row in matrix.rows], columns=["family", "nonzeros"])
        families = rows.groupby("family", sort=False, as_index=False).nonzeros.agg(rows="size", nonzeros="sum")
        presolved: Any = call("oas.solvers.matrix:presolved_size", matrix, Limits(seconds_of(time_limit))).value
        return ModelSize(len(matrix.rows), len(matrix.costs), matrix.nonzeros, sum(matrix.integer), families, presolved)

    def relaxation(self, time_limit: float | None = None) -> Relaxation:
        """Solve the linear relaxation of the model, altered or not, by HiGHS in another process.

        The bound on the makespan rests on the model: on its reductions, its horizon and its bound, if it has one, and
        on the user's constraints.

        Parameters
        ----------
        time_limit
            Seconds; None for no limit.

        Raises
        ------
        InputError
            For a CP-SAT model or one that is not linear.
        SolverError
            If the relaxation is infeasible or unbounded, or was not solved within the limit.
        """
        matrix, variables = of_model(self.pyomo)
        answer = self._relaxed(matrix, {}, Limits(seconds_of(time_limit)))
        bound = None
        if self._own_objective:
            bound = self._times.proven(self._spec, answer.objective if answer.bound is None else answer.bound)
        values = {id(variable): value for variable, value in zip(variables, answer.point, strict=False) if value}
        rows = ((name, one, values[id(var)]) for var, name, one in self._variables() if id(var) in values)
        return Relaxation(answer.objective, bound, answer.bound is not None, self._frame(rows))

    def _relaxed(self, matrix: Matrix, fixed: Mapping[int, float], limits: Limits) -> Any:
        outcome = call("oas.solvers.matrix:solve_relaxation", (matrix, fixed), limits)
        answer: Any = outcome.value
        if answer is None or answer.status != "kOptimal":
            ended = outcome.message or outcome.termination.value if answer is None else answer.status
            raise SolverError(f"the linear relaxation was not solved: HiGHS ended with {ended}")
        return answer

    def solve(
        self,
        solver: str = "auto",
        *,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        gap: Exact | float = 0,
        threads: int = 1,
        seed: int = 0,
        solver_options: Mapping[str, object] | None = None,
        solver_log: Source | None = None,
        on_progress: Callable[[SolveProgress], None] | None = None,
    ) -> ModelAnswer:
        """Solve the model, altered or not, in another process with limits, and set its variables to the solution.

        Parameters
        ----------
        solver
            ``highs``, ``cbc`` or another MIP solver that Pyomo finds; ``cpsat`` for CP-SAT models. ``auto``: the first
            or the last of these.
        time_limit, memory_limit, threads, seed, solver_options, solver_log
            As for `oas.solve`.
        gap
            End with a solution whose makespan, or if the objective was replaced, whose objective, is at most this ratio
            above the best one of the model: 0.01 or ``"1%"`` is one per cent.
        on_progress
            Called while the solver runs, with its bound and its objective so far, unverified, in the unit of the
            model's objective; an `oas.Trace` records them over time.

        Returns
        -------
        ModelAnswer
            Limits and crashes are no errors. The schedule is verified; status and bound are the solver's claims.

        Raises
        ------
        InputError
            For an unknown solver or option, or a model that is not linear or not to be minimised.
        SolverMissingError
            If the solver is not installed.
        """
        name = (CPSAT if self._is_cpsat else "highs") if solver == "auto" else solver
        own, ratio = own_options_of(solver_options), gap_of(gap)
        check_match(name, self.formulation, self.instance.problem, self.instance)
        check_own_options(name, own, "solver_options")
        check_taken(name, threads, ratio)
        check_reports(on_progress, display=False)
        limits = Limits(seconds_of(time_limit), bytes_of(memory_limit))
        solved = self._solved_cpsat if self._is_cpsat else self._solved_mip
        path = log_of(solver_log)
        with nullcontext() if path is None else SolverLog(path) as log:
            answer = solved(Settings(name, threads, seed, options=own), ratio, limits, on_progress)
        return replace(answer, message=_joined(answer.message, log.fault if log else ""))

    @property
    def _label(self) -> str:
        return f"{self.formulation.name}, {self.instance.name or self.instance.digest[:12]}"

    def _solved_cpsat(
        self, settings: Settings, gap: Fraction, limits: Limits, on_progress: Callable[[SolveProgress], None] | None
    ) -> ModelAnswer:
        from oas.solvers.cpsat import copied

        settings = replace(settings, integer_objective=True, gap=float(gap / (1 + gap)))
        units = _Units(Fraction(1), 0.0)
        task = Task("oas.solvers.cpsat:copy_of", copied(self.cpsat), label=self._label)
        outcome = run(task, settings, limits, units.report(settings.solver, on_progress))
        values = None
        if outcome.values is not None:
            tasks = self._task.variables.items()
            values = {key: outcome.values.get(("x", (one.index,)), 0.0) for key, one in tasks}
        return self._answer(outcome, values, outcome.objective, units.bound(outcome.bound))

    def _solved_mip(
        self, settings: Settings, gap: Fraction, limits: Limits, on_progress: Callable[[SolveProgress], None] | None
    ) -> ModelAnswer:
        if self.formulation.continuous and not self._own_objective:
            raise InputError("only the makespan can be minimised in continuous time", field="objective")
        note = ""
        if self.reduced and self.formulation.reductions and self._altered:
            note = "the model was altered, although it is reduced for the makespan: see its reductions"
        matrix, variables = of_model(self.pyomo)
        for variable in self.pyomo.component_data_objects(pyomo_environ().Var):
            if not variable.fixed:
                variable.set_value(None)  # no values of an earlier solve
        unit = None if gap and matrix.offset else matrix.unit  # a gap is of the whole objective
        units = _Units(unit, matrix.offset)
        relative, slack = float(gap / (1 + gap)), 0
        if self._own_objective:
            relative, slack = solver_gaps(self.formulation, self._spec, self._ticks, gap)
        settings = replace(settings, integer_objective=unit is not None, gap=relative, slack=int(slack / (unit or 1)))
        task = Task("oas.solvers.matrix:build", matrix if unit is None else matrix.counted(), label=self._label)
        outcome = run(task, settings, limits, units.report(settings.solver, on_progress))
        bound = units.bound(outcome.bound)
        if outcome.values is None:
            return self._answer(outcome, None, None, bound, note)
        point = self._completed(matrix, outcome.values)
        for variable, value in zip(variables, point, strict=True):
            variable.set_value(value, skip_validation=True)
        if broken := _broken_rows(matrix, point):
            return self._answer(outcome, None, None, bound, f"the solution breaks the constraint {broken[0]}")
        priced = [(Fraction(cost), value) for cost, value in zip(matrix.costs, point, strict=True) if cost]
        objective: float | Fraction | None = outcome.objective
        if all(value is not None for _, value in priced):
            objective = Fraction(matrix.offset) + sum(cost * Fraction(value or 0) for cost, value in priced)
        # Margin of the bound, gap of the solver, and rounding of integers.
        tolerance = 0.0 if unit is not None or objective is None else 3 * bound_margin(float(objective))
        return self._answer(outcome, self._values(), objective, bound, note, tolerance)

    def _completed(self, matrix: Matrix, values: Mapping[Key, float]) -> list[float | None]:
        """Return the value of each column: the continuous ones minimise the objective for the integers given."""
        fixed = {at: values.get(("x", (at,)), 0.0) for at, integer in enumerate(matrix.integer) if integer}
        point: list[float | None] = [fixed.get(at) for at in range(len(matrix.costs))]
        if len(fixed) < len(point):
            try:
                return list(self._relaxed(matrix, fixed, Limits(60)).point)
            except SolverError:  # the integers are within a tolerance of the rows only
                return point
        return point

    def _answer(
        self,
        outcome: Outcome,
        values: dict[Key, float] | None,
        objective: float | Fraction | None,
        bound: Fraction | None,
        note: str = "",
        tolerance: float = 0.0,
    ) -> ModelAnswer:
        """Return the answer; the optimum is claimed if the bound is at most `tolerance` below the objective."""
        schedule: Schedule | None = None
        violations: tuple[Violation, ...] = ()
        if values is not None:
            try:
                schedule = self._schedule(values)
            except VerificationError as error:
                violations, note = error.violations, _joined(note, str(error))
        status = Status.INFEASIBLE if outcome.infeasible else Status.NO_SOLUTION
        if schedule is not None and objective is not None:
            met = bound is not None and bound >= objective - Fraction(tolerance)
            status = Status.OPTIMAL if met else Status.FEASIBLE
        return ModelAnswer(
            status,
            schedule,
            violations,
            None if schedule is None or objective is None else float(objective),
            bound,
            outcome.solver,
            outcome.version,
            outcome.termination,
            outcome.seconds,
            _joined(outcome.message, note),
        )

    def write(self, path: Source) -> None:
        """Write the model, altered or not, to an LP or MPS file, with the names of `variables`.

        Raises `InputError` for another suffix than .lp and .mps, a CP-SAT model, one that is not to be minimised, or a
        coefficient that is a Fraction, which Pyomo would write as 1/3.
        """
        target = write_pyomo(self.pyomo, str(path), "model")
        if re.search(rb"\d/\d", target.read_bytes()):
            target.unlink()
            raise InputError("some coefficient is a Fraction: use float", field="model")

    def describe(self, path: Source) -> None:
        """Write a JSON file, ``oas-model``, that describes the variables by their names in the file by `write`.

        `oas read-solution` builds the same model from it again, without what the user has added or fixed.
        """
        save(self._description(), path)

    def _description(self) -> ModelDocument:
        return ModelDocument(
            version=1,
            instance_digest=self.instance.digest,
            formulation=clean(self.formulation.name, "formulation"),
            horizon=self.horizon,
            lower_bound=self.lower_bound,
            reduced=self.reduced,
            reductions=list(self.reductions),
            variables=[
                VariableDocument(name, one.kind, one.job, one.nodes, one.start, one.end, one.makespan)
                for _, name, one in self._variables()
            ],
        )

    def schedule(self, value: Callable[[Any], float] | None = None) -> Schedule:
        """Return the schedule that the values of the variables stand for, whoever has set them; it is verified.

        Constraints that the user has added are not checked again. A solver of Pyomo that finds no solution may leave
        the values of an earlier one.

        Parameters
        ----------
        value
            Value of a variable; None for the values in the Pyomo model. For a CP-SAT model that the user has solved it
            is ``solver.value``.

        Raises
        ------
        VerificationError
            If it breaks rules of the instance, which are its ``violations``, or if the values are no schedule.
        InputError
            If there are no values, or not integral ones.
        """
        return self._schedule(self._values(value))

    def read(self, path: Source) -> Schedule:
        """Set the variables to the values in a solution file and return the schedule, which is verified.

        Formats: HiGHS, CBC, SCIP, Gurobi, CPLEX (XML), and lines of name and value (`oas.solving.solution_files`).
        The names are those of `variables`; variables that the file leaves out are 0.

        Raises
        ------
        InputError
            For a malformed file or an unknown variable, naming file, line or name, and value.
        VerificationError
            As `schedule`, also if the values break constraints of the model, which are then the ``violations``.
        """
        matrix, columns = of_model(self.pyomo)
        values = read_solution(path)
        known = {name: variable for variable, label, _ in self._variables() for name in (label, variable.name)}
        with naming_file(path):
            for name in values:
                if name not in known and name != "ONE_VAR_CONSTANT":
                    reason = "no variable of the model has this name; write the model with Model.write"
                    raise InputError(reason, field="name", value=name)
            for variable in known.values():
                if not variable.fixed:
                    variable.set_value(0, skip_validation=True)
            for name in known.keys() & values:
                if not known[name].fixed:
                    known[name].set_value(values[name], skip_validation=True)
            if broken := _broken_rows(matrix, [variable.value for variable in columns]):
                rows = tuple(Violation("constraint", (), name) for name in broken)
                raise VerificationError(f"{display_path(path)}: the values break constraints of the model:", rows)
            try:
                return self._schedule(self._values())
            except VerificationError as error:
                error.args = (f"{display_path(path)}: {error}",)
                raise

    def result(self, path: Source) -> Result:
        """Read a solution file as `read` does and return a result, which `oas verify` checks.

        The objective and the status in the file do not count: the lower bound is the best combinatorial one of the
        toolkit, and the status is ``optimal`` only if the makespan meets it. It is ``no_solution`` if the file says
        that there is none. Raises the other errors of `read`.
        """
        began, evidence = time.monotonic(), Evidence(self.instance)
        evidence.bound = best_bound(self.instance)
        message = f"schedule of {display_path(path)}, whose claims about bounds do not count"
        try:
            evidence.offer(self.read(path), "solution file")
        except NoSolutionError as error:
            message = str(error)
        found = Status.NO_SOLUTION if evidence.schedule is None else Status.FEASIBLE
        return Result(
            status=Status.OPTIMAL if evidence.closed else found,
            termination=Termination.FINISHED,
            schedule=evidence.schedule,
            lower_bound=evidence.lower_bound,
            proof=evidence.proof(),
            instance_digest=self.instance.digest,
            formulation=self.formulation.name,
            seconds={"total": time.monotonic() - began},
            versions=versions({}),
            message=message,
            instance=self.instance,
        )

    def _values(self, value: Callable[[Any], float | None] | None = None) -> dict[Key, float]:
        """Return the nonzero values of the discrete variables, rounded; a variable without a value is 0."""
        if self._is_cpsat:
            if value is None:
                raise InputError("give the value of a variable: solver.value", field="value")
            return {key: one for key, variable in self._task.variables.items() if (one := value(variable))}
        from oas.solvers.variables import discrete_variables, integral, key_of

        discrete = discrete_variables(self.pyomo)
        given = [(one, one.value if value is None else value(one)) for one in discrete]
        rounded: dict[Key, float] = {}
        for variable, number in given:
            if number is not None:
                whole = integral([(key_of(variable), number)])
                if whole is None:
                    raise InputError("the value is not an integer", field=variable.name, value=number)
                rounded |= whole
        if all(number is None for _, number in given):
            raise InputError("no variable has a value: solve the model first", field="model")
        return rounded

    def _schedule(self, values: Mapping[Key, float]) -> Schedule:
        try:
            runs = self.formulation.read(self._spec, values)
            made = schedule_of(self.formulation, self.instance, runs)
        except (SolverError, InputError) as error:
            raise VerificationError(f"the values of the variables are no schedule: {error}") from error
        rules = verify if self.formulation.rules is None else self.formulation.rules
        violations = rules(self.instance, made)
        if violations:
            raise VerificationError("the schedule of the model breaks rules:", tuple(violations))
        return made


def _broken_rows(matrix: Matrix, point: Sequence[float | None]) -> list[str]:
    """Return the names of the rows that a point breaks by more than a solver's tolerance; None: no value is known."""
    names = []
    for row in matrix.rows:
        terms = [
            factor * value
            for factor, column in zip(row.coefficients, row.columns, strict=True)
            if (value := point[column]) is not None
        ]
        slack = bound_margin(sum(map(abs, terms)))  # files have about eight digits
        if len(terms) == len(row.columns) and not row.lower - slack <= sum(terms) <= row.upper + slack:
            names.append(row.name)
    return names


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))


@dataclass(frozen=True)
class _Units:
    """Conversion of a solver's numbers, objective = offset + unit · number, or the number itself without a unit."""

    unit: Fraction | None
    offset: float

    def bound(self, stated: float | None) -> Fraction | None:
        """Return a bound on the objective, reduced by the tolerance."""
        if stated is None or self.unit is None:
            return None if stated is None else continuous_bound(stated)
        return Fraction(self.offset) + self.unit * integer_bound(stated)

    def report(
        self, solver: str, on_progress: Callable[[SolveProgress], None] | None
    ) -> Callable[[Progress], None] | None:
        """Return the function that passes the progress of a solver to `on_progress`."""
        if on_progress is None:
            return None

        def report(progress: Progress) -> None:
            objective = None if progress.objective is None else Fraction(progress.objective)
            if objective is not None and self.unit is not None:
                objective = Fraction(self.offset) + self.unit * round(objective)
            on_progress(SolveProgress(solver, progress.seconds, self.bound(progress.bound), objective))

        return report
