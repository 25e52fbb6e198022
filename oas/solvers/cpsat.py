"""CP-SAT of OR-Tools and its models (worker side), in a process without highspy, for the two clash.

Its numbers are integers, and so are the objective and the bound handed on: exact, without a tolerance to take off.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import ortools
from ortools.sat.python import cp_model

from oas.core.errors import InputError
from oas.core.result import Termination

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key, Outcome

# Set by Settings and Limits, or needed by this adapter.
_RESERVED = {
    "num_workers",
    "num_search_workers",
    "random_seed",
    "max_time_in_seconds",
    "catch_sigint_signal",
    "log_search_progress",
    "log_to_stdout",
    "log_to_response",
    "enumerate_all_solutions",
}
_POLL = 0.05
_EXACT = 2**53  # below it, a float that holds an integer is that integer


class CpTask:
    """A CP-SAT model under construction.

    Every variable is made here, so that each has a name that crosses processes and a warm start is a complete hint.
    """

    def __init__(self) -> None:
        self.model = cp_model.CpModel()  # the ``CpModel``, for constraints
        self.variables: dict[Key, Any] = {}  # every variable by its key
        self.objective: Any = None  # the variable to minimise; None until `minimize`

    def integer(self, name: str, index: tuple[object, ...], low: int, high: int) -> Any:
        """Add a variable in [low, high]."""
        return self._add((name, index), self.model.new_int_var(low, high, f"{name}{index}"))

    def integer_in(self, name: str, index: tuple[object, ...], values: Iterable[int]) -> Any:
        """Add a variable that takes one of `values`."""
        domain = cp_model.Domain.from_values(list(values))
        return self._add((name, index), self.model.new_int_var_from_domain(domain, f"{name}{index}"))

    def boolean(self, name: str, index: tuple[object, ...]) -> Any:
        """Add a variable in {0, 1}."""
        return self._add((name, index), self.model.new_bool_var(f"{name}{index}"))

    def minimize(self, variable: Any) -> None:
        """Minimise this variable: the bound that the solver states is then an integer."""
        self.objective = variable
        self.model.minimize(variable)

    def hint(self, start: Mapping[Key, float]) -> None:
        """Suggest `start`; variables left out are 0.

        Raises `InputError` if a name is unknown.
        """
        for key in start:
            if key not in self.variables:
                raise InputError("no such variable in the model", field="start", value=key)
        for key, variable in self.variables.items():
            self.model.add_hint(variable, int(start.get(key, 0)))

    def _add(self, key: Key, variable: Any) -> Any:
        assert key not in self.variables, key
        self.variables[key] = variable
        return variable


def check_task(task: object, builder: str) -> CpTask:
    """Return `task` if it is a CpTask with something to minimise."""
    if not isinstance(task, CpTask):
        raise InputError("does not return a CpTask", field="builder", value=builder)
    if task.objective is None:
        raise InputError("needs a variable to minimise", field="builder", value=builder)
    return task


def solve(task: CpTask, session: Session) -> Outcome:
    """Solve `task` with CP-SAT. One thread and one seed give one answer, if no limit stops it.

    Raises `InputError` if an option is unknown or its value refused.
    """
    return _CpSatSolve(task, session).outcome()


class _CpSatSolve:
    """One solve. The solver runs in a separate thread, because only the main thread receives SIGINT."""

    def __init__(self, task: CpTask, session: Session) -> None:
        self.task = task
        self.session = session
        self.solver = cp_model.CpSolver()
        self.reporter = _Reporter(task, session)
        self.time_limit: float | None = None
        self.status: Any = None
        self.failure: BaseException | None = None

    def outcome(self) -> Outcome:
        """Search, and read the end state conservatively."""
        if self.session.request.start is not None:
            self.task.hint(self.session.request.start)
        self._set_options()
        self.time_limit = self.session.begin(ortools.__version__)
        if self.time_limit is not None:
            self.solver.parameters.max_time_in_seconds = self.time_limit
        self._search()
        return self._read()

    def _set_options(self) -> None:
        settings, parameters = self.session.settings, self.solver.parameters
        parameters.num_workers = settings.threads
        parameters.random_seed = settings.seed
        parameters.catch_sigint_signal = False
        for name, value in settings.options.items():
            if name in _RESERVED:
                raise InputError("is set by Settings and Limits", field=f"options.{name}", value=value)
            _set_option(parameters, name, value)

    def _search(self) -> None:
        self.solver.best_bound_callback = self.reporter.on_bound

        def work() -> None:
            try:
                self.status = self.solver.solve(self.task.model, self.reporter)
            except BaseException as error:  # raised again in the main thread
                self.failure = error

        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            thread.join(_POLL)
            if self.session.stop.requested:
                self.solver.stop_search()
        if self.failure is not None:
            raise self.failure

    def _read(self) -> Outcome:
        status = self.solver.status_name(self.status)
        values, objective, bound = None, None, None
        if status in ("OPTIMAL", "FEASIBLE"):
            values = _nonzero(self.task, self.solver.value)
            objective = self.solver.value(self.task.objective)
            bound = self.solver.response_proto.inner_objective_lower_bound
        elif status == "UNKNOWN":
            bound = self.reporter.bound  # the response's own is 0 where it never had one
        termination = self._termination(status)
        message = ""
        if status not in ("OPTIMAL", "INFEASIBLE") and termination in (Termination.FINISHED, Termination.ERROR):
            message = f"CP-SAT ended with {status}"
        if status == "MODEL_INVALID":
            fault = self.task.model.validate().strip()
            if not fault:
                options = dict(self.session.settings.options)
                raise InputError("CP-SAT refuses one of these values", field="options", value=options)
            message = f"{message}: {fault}"
        return self.session.outcome(
            termination,
            infeasible=status == "INFEASIBLE",
            values=values,
            objective=objective,
            bound=bound,
            message=message,
        )

    def _termination(self, status: str) -> Termination:
        if status in ("OPTIMAL", "INFEASIBLE"):
            return Termination.FINISHED
        if status not in ("FEASIBLE", "UNKNOWN"):
            return Termination.ERROR
        if self.session.stop.requested:
            return Termination.INTERRUPTED
        # It may stop early, if it sees that what comes next takes too long. What else may stop it is a limit that only
        # the caller's own options can set.
        late = self.time_limit is not None and self.solver.wall_time >= 0.9 * self.time_limit
        limited = late or (self.time_limit is not None and not self.session.settings.options)
        return Termination.TIME_LIMIT if limited else Termination.FINISHED


class _Reporter(cp_model.CpSolverSolutionCallback):
    """Streams every improving solution and bound to the parent as they come."""

    def __init__(self, task: CpTask, session: Session) -> None:
        super().__init__()
        self._task = task
        self._session = session
        self._objective: int | None = None
        self.bound: float | None = None

    def on_solution_callback(self) -> None:
        """Report a solution."""
        self._objective = self.value(self._task.objective)
        self._session.incumbent(_nonzero(self._task, self.value), self._objective)
        self._session.progress(self.bound, self._objective)

    def on_bound(self, bound: float) -> None:
        """Report a bound; as an integer where the float is certainly one."""
        self.bound = int(bound) if bound.is_integer() and abs(bound) < _EXACT else bound
        self._session.progress(self.bound, self._objective)


def _nonzero(task: CpTask, value: Any) -> dict[Key, float]:
    found = ((key, value(variable)) for key, variable in task.variables.items())
    return {key: number for key, number in found if number}


def _set_option(parameters: Any, name: str, value: object) -> None:
    """Set a parameter by its name in sat_parameters.proto, enumerations by the name of the value."""
    if not isinstance(getattr(type(parameters), name, None), property):
        raise InputError("CP-SAT has no such parameter", field="options", value=name)
    refusal = InputError(f"CP-SAT refuses this value for {name}", field="options", value=value)
    current = getattr(parameters, name)
    kind = type(current)
    if isinstance(current, float) and type(value) is int:
        value = float(value)
    elif kind not in (bool, int, float, str) and isinstance(value, str):
        value = getattr(kind, value, None)
    if type(value) is not kind:
        raise refusal
    try:
        setattr(parameters, name, value)
    except (AttributeError, TypeError, ValueError):
        raise refusal from None
    if getattr(parameters, name) != value:
        raise refusal
