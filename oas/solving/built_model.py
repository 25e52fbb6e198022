"""A model of an instance as built: the Pyomo or CP-SAT model, its variables, and their meanings."""

from __future__ import annotations

import importlib
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import exact
from oas.solvers.task import CPSAT, MIP, function_at
from oas.solving.formulation import STARTS, Formulation, Meaning
from oas.solving.model_run import ModelTimes, heuristic_horizon, strengthened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.solvers.task import Key

_ADDED = Meaning("")  # of a variable that the user has added
_CLOSED = "is a model that users cannot alter or write"
_TIMES = ["start", "end", "makespan"]
_COLUMNS = ["name", "meaning", "job", "nodes", *_TIMES, "value"]


class Start(NamedTuple):
    """A variable that says when and where a job starts.

    Times are in the instance's time unit, as Pyomo takes coefficients: an int, or the nearest float.
    """

    start: int | float | None  #: start of the job; None if it is the value of the variable
    end: int | float | None  #: end of the job; None if it does not follow from the variable
    nodes: dict[str, int] | None  #: number of nodes by cluster; None if other variables tell them
    variable: Any  #: the Pyomo variable (1 if the job starts so), or the CP-SAT variable


class BuiltModel:
    """A model of an instance, and its variables; attributes as `oas.solving.user_model.Model`."""

    def __init__(
        self,
        instance: Instance,
        formulation: Formulation,
        horizon: Exact | None,
        lower_bound: Exact | None,
        reduced: bool,
    ) -> None:
        self.instance, self.formulation, self.reduced = instance, formulation, reduced
        self.reductions = (*(formulation.reductions if reduced else ()), *formulation.assumptions)
        self._times = ModelTimes(formulation, instance)
        prepare = formulation.prepare if reduced else formulation.prepare_full
        if prepare is None:
            reason = f"{formulation.name} has only a model that is reduced for the makespan"
            raise InputError(reason, field="reduced", value=reduced)
        if horizon is not None:
            until = exact(horizon, "horizon")
        elif formulation.latest_end is not None and not (reduced and instance.problem.has("exact")):
            until = formulation.latest_end(instance)
        elif reduced:
            until = heuristic_horizon(instance)
        else:
            raise InputError("a model that is not reduced needs one here", field="horizon")
        ticks = self._times.given(until)
        if until <= 0:
            raise InputError("must be above 0", field="horizon", value=until)
        bound = self._times.given(exact(lower_bound or 0, "lower_bound"))
        if bound > ticks:
            raise InputError(f"is below the lower bound {lower_bound}", field="horizon", value=until)
        to_time = Fraction if formulation.continuous else self._times.scaled.to_time
        self.horizon, self.lower_bound, self._ticks = to_time(ticks), to_time(bound), ticks
        self._spec = prepare(instance, instance.scaled(), ticks, bound)
        listed = () if formulation.meanings is None else formulation.meanings(instance, self._spec)
        self._meanings: dict[Key, Meaning] = dict(listed)
        starting = {one.job for one in self._meanings.values() if one.kind == STARTS}
        described = any(one.job for one in self._meanings.values())
        # Without start variables, no job can start, or others describe the jobs, or (fair sharing) starts are certain.
        none = formulation.meanings is not None and not described and instance.problem.has("exact")
        missing = [job.id for job in instance.jobs if (starting or none) and job.id not in starting]
        if missing:
            raise InputError(f"no run of job {missing[0]} ends by then", field="horizon", value=self.horizon)

    def __repr__(self) -> str:
        jobs, size = len(self.instance.jobs), len(self._meanings) or len(list(self._variables()))
        lines = [f"{self.formulation.name} model of {jobs:,} jobs: {size:,} variables, horizon {self.horizon}"]
        lines[0] += ", reduced for the makespan" if self.reduced else ", not reduced"
        return "\n".join([*lines, *(f"- {sentence}" for sentence in self.reductions)])

    @cached_property
    def pyomo(self) -> Any:
        """The Pyomo ConcreteModel; constraints may be added and the objective replaced, to be minimised.

        Raises `InputError` for a formulation for CP-SAT.
        """
        if self.formulation.family != MIP:
            reason = "is a CP-SAT model: .cpsat" if self._is_cpsat else _CLOSED
            raise InputError(reason, field="formulation", value=self.formulation.name)
        if self.reduced:
            self._spec = strengthened(self.formulation, self._spec)
        built = function_at(self.formulation.builder, "builder")(self._spec)
        (self._goal,) = built.component_data_objects(pyomo_environ().Objective, active=True)
        self._expression, self._families = self._goal.expr, _active_families(built)
        return built

    @property
    def _own_objective(self) -> bool:
        """Whether the objective is still that of the formulation."""
        goals = list(self.pyomo.component_data_objects(pyomo_environ().Objective, active=True))
        return len(goals) == 1 and goals[0] is self._goal and goals[0].expr is self._expression

    @property
    def _altered(self) -> bool:
        """Whether the objective was replaced, a family of rows was added or removed, or a variable is fixed."""
        fixed = any(one.fixed for one in self.pyomo.component_data_objects(pyomo_environ().Var))
        return fixed or not self._own_objective or _active_families(self.pyomo) != self._families

    @property
    def cpsat(self) -> Any:
        """The CP-SAT model (``ortools.sat.python.cp_model.CpModel``), which may be altered in the same way.

        OR-Tools and highspy cannot be imported in the same process: do not load both.

        Raises `InputError` for a formulation for MIP solvers, and if OR-Tools cannot be imported.
        """
        return self._task.model

    @cached_property
    def _task(self) -> Any:
        if not self._is_cpsat:
            reason = "is a MIP model: .pyomo" if self.formulation.family == MIP else _CLOSED
            raise InputError(reason, field="formulation", value=self.formulation.name)
        try:
            importlib.import_module("ortools.sat.python.cp_model")
        except ImportError as error:
            reason = f"OR-Tools cannot be imported, or highspy is in this process: {error}"
            raise InputError(reason, field="formulation", value=self.formulation.name) from error
        return function_at(self.formulation.builder, "builder")(self._spec)

    @property
    def _is_cpsat(self) -> bool:
        return self.formulation.family == CPSAT

    def _variables(self) -> Iterable[tuple[Any, str, Meaning]]:
        """Yield each variable with its name in files and its meaning."""
        if self._is_cpsat:
            for key, variable in self._task.variables.items():
                yield variable, variable.name, self._meanings.get(key, _ADDED)
            return
        from pyomo.core.base.label import LPFileLabeler

        from oas.solvers.variables import key_of

        label = LPFileLabeler()
        for variable in self.pyomo.component_data_objects(pyomo_environ().Var):
            yield variable, label(variable), self._meanings.get(key_of(variable), _ADDED)

    def variables(self) -> pandas.DataFrame:
        """Return a data frame with a row for each variable.

        Columns: name (in LP and MPS files by `write`), meaning, job, nodes (a dict by cluster), start, end and makespan
        (floats in the instance's time unit; NaN if the variable stands for none). Variables that the user has added
        have a name only.
        """
        return self._frame((name, one, None) for _, name, one in self._variables()).drop(columns="value")

    @staticmethod
    def _frame(rows: Iterable[tuple[str, Meaning, float | None]]) -> pandas.DataFrame:
        import pandas

        table = [
            (name, one.kind, one.job, one.nodes, one.start, one.end, one.makespan, value) for name, one, value in rows
        ]
        return pandas.DataFrame(table, columns=_COLUMNS, dtype=object).astype(dict.fromkeys((*_TIMES, "value"), float))

    @cached_property
    def _starts(self) -> dict[str, list[Start]]:
        by_job: dict[str, list[Start]] = {job.id: [] for job in self.instance.jobs}
        for variable, _, one in self._variables():
            if one.kind == STARTS and one.job is not None:
                by_job[one.job].append(Start(_number(one.start), _number(one.end), one.nodes, variable))
        return by_job

    def starts(self, job: str) -> list[Start]:
        """Return the start variables of a job, by start.

        A precedence, job b after job a, in the start-indexed models, where `m` is `model.pyomo`::

            m.after = pyo.ConstraintList()
            for b in model.starts("b"):
                m.after.add(b.variable <= sum(a.variable for a in model.starts("a") if a.end <= b.start))

        Job a on cluster A only::

            for a in model.starts("a"):
                if set(a.nodes) != {"A"}:
                    a.variable.fix(0)

        Raises `InputError` for an unknown job, or a formulation that does not describe its variables.
        """
        if job not in self._starts:
            raise unknown_name(job, self._starts, "job", reason="no such job", listed=len(self._starts) <= 20)
        if not self._starts[job]:
            reason = "has no start variables whose meaning is known; see variables()"
            raise InputError(reason, field="formulation", value=self.formulation.name)
        return sorted(self._starts[job], key=lambda row: row.start or 0)

    def start(self, job: str, nodes: Mapping[str, int] | None = None, at: Exact | None = None) -> Any:
        """Return the variable for the start of a job on these nodes at this time.

        Parameters
        ----------
        job
            Id of the job.
        nodes
            Number of nodes by cluster, such as ``{"A": 2}``; None if only one choice is left, or variables do not tell.
        at
            Start in the instance's time unit; None if variables do not tell.

        Raises
        ------
        InputError
            If there is no such variable, or more than one.
        """
        given = {
            "nodes": None if nodes is None else dict(nodes),
            "at": at if at is None or isinstance(at, float) else _number(exact(at, "at")),
        }
        left = self.starts(job)
        for field, value in given.items():
            known = [one.nodes if field == "nodes" else one.start for one in left]
            if value is not None:
                left = [one for one, own in zip(left, known, strict=True) if own == value]
            if not left:
                hint = "; a model with reduced=False has all of the time grid" if self.reduced else ""
                names = {"none" if own is None else str(own) for own in known}
                texts = sorted(names, key=lambda text: (len(text), text))
                some = f"{', '.join(texts[:8])}{' …' if len(texts) > 8 else ''}"
                reason = f"job {job} has no such variable; there are {some}{hint}"
                raise InputError(reason, field=field, value=nodes if field == "nodes" else at)
        if len(left) > 1:
            missing = [field for field, value in given.items() if value is None]
            advice = f"give {' and '.join(missing)}" if missing else "nodes of other powers differ; see starts()"
            raise InputError(f"{len(left):,} variables of job {job} fit: {advice}", field="start")
        return left[0].variable


def _active_families(built: Any) -> set[str]:
    return {one.name for one in built.component_objects(pyomo_environ().Constraint, active=True)}


def _number(time: Fraction | None) -> int | float | None:
    """Return a time as a coefficient of a solver."""
    if time is None:
        return None
    return int(time) if time.denominator == 1 else float(time)


def pyomo_environ() -> Any:
    """Return ``pyomo.environ``, which takes long to import."""
    return importlib.import_module("pyomo.environ")
