"""CP-SAT of OR-Tools and its models (worker side), in a process without highspy, because the two libraries clash.

Objective and bound are exact integers, so no tolerance is subtracted.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

import ortools
from ortools.sat.python import cp_model

from oas.core.errors import InputError
from oas.core.result import Termination

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key, Outcome

# Parameters that Settings, Limits or this adapter sets.
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

    It creates every variable, so that each has a name that other processes understand and a warm start is complete.
    """

    def __init__(self) -> None:
        self.model = cp_model.CpModel()  # for constraints
        self.variables: dict[Key, Any] = {}
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
        """Minimise this variable, so that the solver states an integer bound."""
        self.objective = variable
        self.model.minimize(variable)

    def hint(self, start: Mapping[Key, float]) -> None:
        """Suggest `start`, with 0 for variables left out; raises `InputError` if a name is unknown."""
        for key in start:
            if key not in self.variables:
                raise InputError("no such variable in the model", field="start", value=key)
        for key, variable in self.variables.items():
            self.model.add_hint(variable, int(start.get(key, 0)))

    def _add(self, key: Key, variable: Any) -> Any:
        if key in self.variables:
            raise ValueError(f"two variables of the model have the key {key}")
        self.variables[key] = variable
        return variable


def copied(model: Any) -> bytes:
    """Return a model that a user has altered as bytes, for `copy_of`.

    Raises `InputError` unless its objective is an integer one to be minimised.
    """
    proto = model.Proto()
    if not proto.HasField("objective") or proto.objective.scaling_factor < 0:
        raise InputError("must be minimised, with integer coefficients", field="objective")
    return bytes(proto.SerializeToString())


def copy_of(data: bytes) -> CpTask:
    """Return the model of `copied`, with keys ``("x", (index,))`` for its variables; worker side."""
    task = CpTask()
    target = task.model.Proto()
    source = type(target)()
    source.ParseFromString(data)
    domains = [list(variable.domain) for variable in source.variables]
    for index, domain in enumerate(domains):
        variable = task.model.new_int_var_from_domain(cp_model.Domain.from_flat_intervals(domain), f"x{index}")
        task.variables["x", (index,)] = variable
    target.constraints.extend(source.constraints)
    goal = source.objective
    terms = list(zip(goal.coeffs, goal.vars, strict=True))
    offset, size = int(goal.offset), sum(abs(factor) * max(map(abs, domains[index])) for factor, index in terms)
    value = task.model.new_int_var(offset - size, offset + size, "objective")
    task.model.add(value == sum(factor * task.variables["x", (index,)] for factor, index in terms) + offset)
    task.minimize(value)
    return task


def check_task(task: object, builder: str) -> CpTask:
    """Return `task`; raises `InputError` unless it is a CpTask with an objective."""
    if not isinstance(task, CpTask):
        raise InputError("does not return a CpTask", field="builder", value=builder)
    if task.objective is None:
        raise InputError("needs a variable to minimise", field="builder", value=builder)
    return task


def solve(task: CpTask, session: Session) -> Outcome:
    """Solve `task` with CP-SAT; with one thread, equal seeds give equal answers unless a limit stops the search.

    Raises `InputError` if an option is unknown or its value refused.
    """
    solver, reporter = cp_model.CpSolver(), _Reporter(task, session)
    if session.request.start is not None:
        task.hint(session.request.start)
    proto = task.model.proto if hasattr(task.model, "proto") else task.model.Proto()
    session.report |= {"rows": len(proto.constraints), "columns": len(proto.variables)}
    _set_options(solver.parameters, session)
    time_limit = session.begin(ortools.__version__)
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = time_limit
        session.report["options"]["max_time_in_seconds"] = str(time_limit)
    if session.log.wanted:
        solver.parameters.log_search_progress, solver.parameters.log_to_stdout = True, False
        solver.log_callback = lambda text: session.log.write(f"{text}\n")
    solver.best_bound_callback = reporter.on_bound
    with ThreadPoolExecutor(1) as executor:  # only the main thread receives SIGINT
        search = executor.submit(solver.solve, task.model, reporter)
        while not wait([search], _POLL).done:
            if session.stop.requested:
                solver.stop_search()
    status = solver.status_name(search.result())
    iterations = getattr(solver.response_proto, "num_lp_iterations", None)
    session.report |= {"conflicts": solver.num_conflicts, "iterations": iterations}
    values, objective, bound = None, None, None
    if status in ("OPTIMAL", "FEASIBLE"):
        values = _nonzero(task, solver.value)
        objective = solver.value(task.objective)
        bound = solver.response_proto.inner_objective_lower_bound
    elif status == "UNKNOWN":
        bound = reporter.bound  # the response states 0 if the search had no bound
    termination = _termination(status, session, solver.wall_time, time_limit)
    message = ""
    if status not in ("OPTIMAL", "INFEASIBLE") and termination in (Termination.FINISHED, Termination.ERROR):
        message = f"CP-SAT ended with {status}"
    if status == "MODEL_INVALID":
        fault = task.model.validate().strip()
        if not fault:
            options = dict(session.settings.options)
            raise InputError("CP-SAT refuses one of these values", field="options", value=options)
        message = f"{message}: {fault}"
    infeasible = status == "INFEASIBLE"
    return session.outcome(
        termination, infeasible=infeasible, values=values, objective=objective, bound=bound, message=message
    )


def _set_options(parameters: Any, session: Session) -> None:
    settings = session.settings
    options: dict[str, object] = {
        "num_workers": settings.threads,
        "random_seed": settings.seed,
        "catch_sigint_signal": False,
    }
    if settings.gap:
        options |= {"relative_gap_limit": settings.gap, "absolute_gap_limit": float(settings.slack)}
    for name, value in options.items():
        setattr(parameters, name, value)
    session.report["options"] |= {name: str(value) for name, value in {**options, **settings.options}.items()}
    for name, value in settings.options.items():
        if name in _RESERVED:
            raise InputError("is set by Settings and Limits", field=f"options.{name}", value=value)
        _set_option(parameters, name, value)


def _termination(status: str, session: Session, wall_time: float, time_limit: float | None) -> Termination:
    if status in ("OPTIMAL", "INFEASIBLE"):
        return Termination.FINISHED
    if status not in ("FEASIBLE", "UNKNOWN"):
        return Termination.ERROR
    if session.stop.requested:
        return Termination.INTERRUPTED
    # CP-SAT may stop before the limit if its next step would exceed it. Otherwise only a limit among the caller's
    # options can stop it.
    limited = time_limit is not None and (wall_time >= 0.9 * time_limit or not session.settings.options)
    return Termination.TIME_LIMIT if limited else Termination.FINISHED


class _Reporter(cp_model.CpSolverSolutionCallback):
    """Callback that sends every improving solution and bound to the parent."""

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
        """Report a bound, as an ``int`` if the float is an exact integer."""
        self.bound = int(bound) if bound.is_integer() and abs(bound) < _EXACT else bound
        self._session.progress(self.bound, self._objective)


def _nonzero(task: CpTask, value: Any) -> dict[Key, float]:
    numbers = ((key, value(variable)) for key, variable in task.variables.items())
    return {key: number for key, number in numbers if number}


def _set_option(parameters: Any, name: str, value: object) -> None:
    """Set a parameter by its name in sat_parameters.proto; values of enumerations are given by name."""
    fields = getattr(parameters, "DESCRIPTOR", None)  # a protocol buffer's, before OR-Tools 9.15
    known = name in fields.fields_by_name if fields else isinstance(getattr(type(parameters), name, None), property)
    if not known:
        raise InputError("CP-SAT has no such parameter", field="options", value=name)
    refusal = InputError(f"CP-SAT refuses this value for {name}", field="options", value=value)
    current = getattr(parameters, name)
    kind = type(current)
    choices = fields.fields_by_name[name].enum_type if fields else None
    if choices is not None:
        value = choices.values_by_name[value].number if value in choices.values_by_name else None
    elif isinstance(current, float) and type(value) is int:
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
